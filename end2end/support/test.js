// What every test stands on: a server per worker, a person per test, and rules that hold in all of them.

import { randomUUID } from 'node:crypto';

import { test as base, expect } from '@playwright/test';

import { Console } from './console.js';
import { RechargePage } from './recharge-page.js';
import { Server } from './server.js';
import { Wire } from './wire.js';

export { expect };

export const PASSWORD = 'correct horse';

/** An address that nobody has signed up with. */
export const newEmail = () => `${randomUUID()}@example.com`;

/** Signs a new person up, in the browser of a context. */
export async function signUp(server, context, email = newEmail()) {
    const form = { email, password: PASSWORD };
    const response = await context.request.post(`${server.url}/sign-up`, { form, maxRedirects: 0 });
    expect(response.status()).toBe(303);
    const [{ id }] = await server.query('select id from users where email = ?', email);
    return { id, email };
}

/** Fills the sign-in page that the browser is at, and follows it to the recharge page. */
export async function signIn(recharge, email) {
    const { page } = recharge;
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page).toHaveURL(/\/$/);
    await recharge.alive();
}

export const test = base.extend({
    server: [
        async ({}, use) => {
            const server = await Server.start();
            await use(server);
            await server.stop();
        },
        { scope: 'worker', timeout: 60_000 },
    ],

    /** A server that a test may kill or lock: not that of the other tests. It does not wait long for a lock. */
    mortal: async ({}, use) => {
        const server = await Server.start({ RECHARGE_LOCK_WAIT_MS: '300' });
        await use(server);
        await server.stop();
    },

    baseURL: async ({ server }, use) => use(server.url),

    console: [
        async ({ context }, use) => {
            const console = new Console(context);
            await use(console);
            expect(console.left, 'the console must be free of errors and warnings').toEqual([]);
        },
        { auto: true },
    ],

    wire: [
        async ({ context }, use) => {
            const wire = new Wire(context);
            await use(wire);
            const telling = wire.gets.filter((url) => /[?&](amount|idempotency_key)=/.test(url));
            expect(telling, 'no amount and no key may stand in an address').toEqual([]);
        },
        { auto: true },
    ],

    /** Somebody who has signed up and is signed in. */
    person: async ({ server, context }, use) => use(await signUp(server, context)),

    /** The recharge page of that person, open and alive. */
    recharge: async ({ page, person }, use) => {
        const recharge = new RechargePage(page);
        await recharge.open();
        await use(recharge);
        // What a test still holds goes with the page, and a page that has crashed has let go already.
        await page.unrouteAll({ behavior: 'ignoreErrors' }).catch(() => {});
    },
});
