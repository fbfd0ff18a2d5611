// How the page arrives: nothing moves when the WASM comes to life, and what may be kept is kept.

import { RechargePage } from '../support/recharge-page.js';
import { expect, test } from '../support/test.js';
import { holdWasm } from '../support/wasm.js';

/** Adds up how far things moved without anybody's doing. */
function watchShifts() {
    window.shifts = [];
    new PerformanceObserver((list) => {
        for (const { value, hadRecentInput, sources } of list.getEntries()) {
            if (!hadRecentInput) window.shifts.push([value, ...sources.map(({ node }) => node?.className ?? node?.nodeName)]);
        }
    }).observe({ type: 'layout-shift', buffered: true });
}

const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));

for (const [name, viewport] of [
    ['desktop', { width: 1280, height: 800 }],
    ['phone', { width: 390, height: 844 }],
]) {
    test(`nothing moves when the page comes to life, ${name}`, async ({ page, person, wire }) => {
        await page.setViewportSize(viewport);
        await page.addInitScript(watchShifts);
        const wasm = await holdWasm(page);
        await page.goto('/');
        await wasm.asked;
        await page.evaluate(drawn);
        const recharge = new RechargePage(page);
        const before = await recharge.button.boundingBox();
        wasm.release();
        await recharge.alive();
        await page.evaluate(drawn);
        expect(await recharge.button.boundingBox()).toEqual(before);
        expect(await page.evaluate(() => window.shifts)).toEqual([]);
        // That the page can be watched at all shows when something does move.
        await page.evaluate(() => document.body.prepend(Object.assign(document.createElement('p'), { textContent: 'moved' })));
        await expect.poll(() => page.evaluate(() => window.shifts.length)).toBeGreaterThan(0);
        expect([person.id > 0, wire.count]).toEqual([true, 0]);
    });
}

test('files with a hash in their name are compressed and kept for ever, and the page with its key is not', async ({
    page,
    person,
}) => {
    const files = [];
    page.on('response', (response) => files.push(response));
    await new RechargePage(page).open();
    const kept = files.filter((response) => new URL(response.url()).pathname.startsWith('/pkg/'));
    expect(kept.length).toBeGreaterThanOrEqual(3);
    for (const response of kept) {
        const headers = await response.allHeaders();
        const { pathname } = new URL(response.url());
        expect.soft(headers['cache-control'], pathname).toBe('public, max-age=31536000, immutable');
        // On an address without TLS Chromium offers no brotli.
        expect.soft(headers['content-encoding'], pathname).toMatch(/^(br|gzip)$/);
    }
    const document = files.find((response) => new URL(response.url()).pathname === '/');
    expect((await document.allHeaders())['cache-control']).toBe('no-store');
    expect(person.id).toBeGreaterThan(0);
});
