// B1 on a network and with a server that fail for real: a proxy breaks the connection, or the program is killed and
// started again on the same database. The page goes on by itself, and the person pays once.

import { FAILED_TO_LOAD } from '../support/console.js';
import { Proxy } from '../support/proxy.js';
import { RechargePage, added, replayed } from '../support/recharge-page.js';
import { nothing, oneCredit } from '../support/server.js';
import { expect, signUp, test } from '../support/test.js';

test.beforeEach(({ console }) => console.allow(FAILED_TO_LOAD));

/** A new person's page, open behind a proxy. */
async function behind(proxy, { page, context, server }) {
    const person = await signUp(server, context);
    const recharge = new RechargePage(page);
    await recharge.open(proxy.url);
    await recharge.stopTime();
    return { person, recharge };
}

for (const [fault, words] of [
    ['lost', 'the connection breaks before the answer'],
    ['cut', 'the connection breaks in the middle of the answer'],
]) {
    test(words, async ({ page, context, server, wire }) => {
        const proxy = await Proxy.start(server);
        const { person, recharge } = await behind(proxy, { page, context, server });
        proxy.fault = fault;
        await recharge.recharge('5');
        await recharge.expectWaiting();
        expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
        // The browser may have sent it twice by itself already.
        expect(proxy.recharges).toBeGreaterThan(0);
        proxy.fault = undefined;
        await recharge.pass(1_500);
        await recharge.expectSuccess(replayed('500'), '500');
        expect(wire.recharges).toEqual(Array(2).fill({ way: 'page', amount: '5', key: wire.keys[0] }));
        expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
        await proxy.stop();
    });
}

test('the server is away: the page goes on, and succeeds when the server is back', async ({ page, context, server, wire }) => {
    const proxy = await Proxy.start(server);
    const { person, recharge } = await behind(proxy, { page, context, server });
    await proxy.stop();
    await recharge.recharge('5');
    await recharge.expectWaiting();
    await recharge.pass(1_500);
    await expect.poll(() => wire.count).toBe(2);
    await recharge.expectWaiting();
    const again = await Proxy.start(server, proxy.port);
    await recharge.pass(3_000);
    await recharge.expectSuccess(added('500'), '500');
    expect(wire.recharges).toEqual(Array(3).fill({ way: 'page', amount: '5', key: wire.keys[0] }));
    expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
    await again.stop();
});

test.describe('the server is killed in the middle of a request', () => {
    test('after the commit: the one that is started again has the recharge', async ({ page, context, mortal: server, wire }) => {
        const proxy = await Proxy.start(server);
        const { person, recharge } = await behind(proxy, { page, context, server });
        proxy.fault = 'kept';
        await recharge.recharge('5');
        await proxy.keeps.opened;
        await server.kill();
        await recharge.expectWaiting();
        proxy.fault = undefined;
        await recharge.pass(1_500);
        await expect.poll(() => wire.count).toBe(2);
        await recharge.expectWaiting();
        await server.restart();
        expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
        await recharge.pass(3_000);
        await recharge.expectSuccess(replayed('500'), '500');
        expect(wire.recharges).toEqual(Array(3).fill({ way: 'page', amount: '5', key: wire.keys[0] }));
        expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
        await proxy.stop();
    });

    test('before it read the request: the one that is started again recharges', async ({ page, context, mortal: server, wire }) => {
        const person = await signUp(server, context);
        const recharge = new RechargePage(page);
        await recharge.open(server.url);
        await recharge.stopTime();
        const request = await recharge.hold({ before: true });
        await recharge.recharge('5');
        await request.stopped;
        await server.kill();
        request.release();
        await recharge.expectWaiting();
        await server.restart();
        expect(await server.facts(person.id, wire.keys[0])).toEqual(nothing);
        await recharge.pass(1_500);
        await recharge.expectSuccess(added('500'), '500');
        expect(wire.recharges).toEqual(Array(2).fill({ way: 'page', amount: '5', key: wire.keys[0] }));
        expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
    });
});
