// Which browser drives the tests: Playwright's own if it was downloaded, else one of the system. `node browser.js`
// prints it, or exits 1 when there is none.

import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { chromium } from '@playwright/test';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The path of the browser's program, or `undefined`. */
export function browser() {
    const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
    const ofTheSystem = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
    return [chromium.executablePath(), ...ofTheSystem].find((path) => existsSync(path));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
    const found = browser();
    console.log(found ?? 'There is no Chromium here: install it, or run `npx playwright install chromium`.');
    process.exitCode = found ? 0 : 1;
}
