// A page that has not come to life yet.

import { gate } from './gate.js';

/** Holds the WASM back: returns a promise that resolves when the page asks for it, and the function that lets it go. */
export async function holdWasm(page) {
    const asked = gate();
    const released = gate();
    await page.route('**/*.wasm', async (route) => {
        asked.open();
        await released.opened;
        // The page that asked may be gone by now.
        await route.continue().catch(() => {});
    });
    return { asked: asked.opened, release: released.open };
}
