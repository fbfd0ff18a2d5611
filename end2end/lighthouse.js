// Lighthouse's judgement of the recharge page, as a signed-in person gets it from a release: `make lighthouse`.

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { browser } from './browser.js';
import { args } from './playwright.config.js';
import { Server } from './support/server.js';
import { target } from './support/site.js';

// Not among the packages of the tests: it brings a hundred of its own, and the tests do without.
const LIGHTHOUSE = 'lighthouse@12.8.2';
const RUNS = 5;
const CATEGORIES = ['accessibility', 'best-practices', 'performance'];

const run = promisify(execFile);

async function signedIn(server) {
    const body = new URLSearchParams({ email: 'lighthouse@example.com', password: 'correct horse' });
    const answer = await fetch(`${server.url}/sign-up`, { method: 'POST', body, redirect: 'manual' });
    const session = answer.headers.getSetCookie().find((cookie) => cookie.startsWith('recharge_session='));
    if (!session) throw new Error(`/sign-up answers ${answer.status} and sets no session`);
    return session.split(';')[0];
}

async function judge(server, cookie) {
    const report = join(server.folder, 'lighthouse.json');
    const options = [
        '--quiet',
        '--output=json',
        `--output-path=${report}`,
        `--only-categories=${CATEGORIES}`,
        `--extra-headers=${JSON.stringify({ Cookie: cookie })}`,
        `--chrome-flags=--headless=new ${args.join(' ')}`,
    ];
    const env = { ...process.env, CHROME_PATH: browser() };
    await run('npx', ['--yes', LIGHTHOUSE, `${server.url}/`, ...options], { env });
    const { categories, audits, runWarnings, finalDisplayedUrl } = JSON.parse(await readFile(report, 'utf8'));
    if (new URL(finalDisplayedUrl).pathname !== '/') throw new Error(`the page leads to ${finalDisplayedUrl}`);
    for (const warning of runWarnings) console.log(`  ${warning}`);
    return { categories, audits };
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const line = (name, scores) =>
    console.log(name.padEnd(8), ...scores.map((score) => String(Math.round(100 * score)).padStart(16)));

const server = await Server.start({}, join(target, 'release', 'recharge'));
try {
    const cookie = await signedIn(server);
    const reports = [];
    console.log(' '.repeat(8), ...CATEGORIES.map((category) => category.padStart(16)));
    for (let number = 1; number <= RUNS; number++) {
        const report = await judge(server, cookie);
        reports.push(report);
        line(`run ${number}`, CATEGORIES.map((category) => report.categories[category].score));
    }
    line('median', CATEGORIES.map((category) => median(reports.map(({ categories }) => categories[category].score))));

    // What is not perfect in the last run, and what Lighthouse says of it.
    const { categories, audits } = reports.at(-1);
    for (const category of CATEGORIES) {
        for (const { id, weight } of categories[category].auditRefs) {
            const { score, title, displayValue = '' } = audits[id];
            if (score === null || score === 1) continue;
            console.log(`${category}: ${id} ${score} (weight ${weight}): ${title} ${displayValue}`);
        }
    }
} finally {
    await server.stop();
}
