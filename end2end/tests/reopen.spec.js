// B5: the browser is closed while the answer is on its way, and opened again with what it keeps on disk.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Console, FAILED_TO_LOAD } from '../support/console.js';
import { refused } from '../support/faults.js';
import { RechargePage, added, nothingYet, resumed } from '../support/recharge-page.js';
import { nothing, oneCredit } from '../support/server.js';
import { expect, signUp, test } from '../support/test.js';
import { Wire } from '../support/wire.js';

const disk = test.extend({
    /** Opens a browser on the same folder as before, at the recharge page. */
    open: async ({ playwright, baseURL, launchOptions }, use) => {
        const folder = await mkdtemp(join(tmpdir(), 'recharge-browser-'));
        const open = [];
        await use(async (begin = () => {}) => {
            const context = await playwright.chromium.launchPersistentContext(folder, { ...launchOptions, baseURL });
            open.push(context);
            const console = new Console(context);
            console.allow(FAILED_TO_LOAD);
            const wire = new Wire(context);
            await begin(context);
            const recharge = new RechargePage(await context.newPage());
            await recharge.open();
            return { context, console, wire, recharge };
        });
        for (const context of open) await context.close();
        await rm(folder, { recursive: true, force: true });
    },
});

for (const [what, before, facts, ends] of [
    ['was done is shown as done', false, oneCredit(500), (next) => next.expectSuccess(resumed('$5.00', '500'), '500')],
    ['was not done can be tried again', true, nothing, async (next) => {
        await next.expectOpen(nothingYet('$5.00'));
        await next.button.click();
        await next.expectSuccess(added('500'), '500');
    }],
]) {
    disk(`in a browser opened again an intent that ${what}`, async ({ open, server }) => {
        let person;
        const first = await open(async (context) => (person = await signUp(server, context)));
        if (before) {
            // A browser that closes would let a request go that a test still holds.
            first.console.allow(FAILED_TO_LOAD);
            await first.recharge.stopTime();
            await first.recharge.intercept(refused);
            await first.recharge.recharge('5');
            await first.recharge.expectWaiting();
        } else {
            const stop = await first.recharge.hold();
            await first.recharge.recharge('5');
            await stop.stopped;
        }
        const [key] = first.wire.keys;
        await first.context.close();
        expect(await server.facts(person.id, key)).toEqual(facts);

        const next = await open();
        await ends(next.recharge);
        expect(next.wire.resolves).toEqual([key]);
        expect([first.wire.keys, ...next.wire.keys].flat()).not.toContain(await next.recharge.key.inputValue());
        expect(new Set([...first.wire.keys, ...next.wire.keys])).toEqual(new Set([key]));
        expect(await server.facts(person.id, key)).toEqual(oneCredit(500));
        expect([...first.console.left, ...next.console.left]).toEqual([]);
    });
}
