import { defineConfig } from '@playwright/test';

import { browser } from './browser.js';

const executablePath = browser();
if (!executablePath) throw new Error('There is no Chromium here: run ./setup test first.');

// The browser talks to nobody but the server under test.
export const args = [
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
];
// Chromium's sandbox refuses to work for root.
if (process.getuid?.() === 0) args.push('--no-sandbox');

export default defineConfig({
    testDir: 'tests',
    outputDir: 'test-results',
    fullyParallel: true,
    workers: 2,
    // A test that passes at the second attempt has found something.
    retries: 0,
    forbidOnly: Boolean(process.env.CI),
    reporter: 'list',
    // Generous, for slow machines: no test waits for time to pass, so a fast one never notices.
    timeout: 60_000,
    expect: { timeout: 10_000 },
    use: {
        launchOptions: { executablePath, args },
        contextOptions: { reducedMotion: 'reduce' },
        screenshot: 'only-on-failure',
    },
});
