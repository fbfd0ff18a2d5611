// B1 and B4: how a page goes on by itself. It leaves a server alone for as long as that asks, ends after four repeats,
// and never sends anything but the one key and the one amount.

import { FAILED_TO_LOAD } from '../support/console.js';
import { away, html, lost, lostForLong, refused } from '../support/faults.js';
import { IN_FLIGHT, OFFLINE, UNCONFIRMED, added, replayed } from '../support/recharge-page.js';
import { nothing, oneCredit } from '../support/server.js';
import { expect, test } from '../support/test.js';

const LATER = 60_000;

test.beforeEach(({ console }) => console.allow(FAILED_TO_LOAD));

/** So many requests went out, all with the same key and amount. */
function expectOneIntent(wire, count) {
    expect(wire.recharges).toEqual(Array(count).fill({ way: 'page', amount: '5', key: wire.keys[0] }));
}

/** Nothing goes out before so many milliseconds have passed; after half as many more it has. */
async function expectPause(recharge, wire, milliseconds) {
    const before = wire.count;
    await recharge.pass(milliseconds - 1);
    await recharge.expectWaiting();
    expect(wire.count).toBe(before);
    await recharge.pass(milliseconds / 2 + 1);
    await expect.poll(() => wire.count).toBe(before + 1);
}

test('four repeats with ever longer pauses, and then the person decides', async ({ recharge, person, server, wire }) => {
    await recharge.stopTime();
    await recharge.always(refused);
    await recharge.recharge('5');
    for (const pause of [1_000, 2_000, 4_000, 8_000]) {
        await recharge.expectWaiting();
        await expectPause(recharge, wire, pause);
    }
    await recharge.expectOpen();
    await expect(recharge.status).toBeFocused();
    await recharge.pass(LATER);
    await recharge.expectOpen();
    expectOneIntent(wire, 5);
    expect(await server.facts(person.id, wire.keys[0])).toEqual(nothing);

    // A press begins anew, with pauses as short as at first.
    await recharge.button.click();
    await recharge.expectWaiting();
    expectOneIntent(wire, 6);
    await recharge.always(undefined);
    await expectPause(recharge, wire, 1_000);
    await recharge.expectSuccess(added('500'), '500');
    expectOneIntent(wire, 7);
    expect(wire.asks).toEqual(Array(7).fill('recharge'));
    expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
});

test('a press during a pause sends at once, and the end of the pause sends nothing', async ({
    recharge,
    person,
    server,
    wire,
}) => {
    await recharge.stopTime();
    await recharge.intercept(lost);
    await recharge.recharge('5');
    await recharge.expectWaiting();
    const answer = await recharge.hold();
    await recharge.button.click();
    await answer.stopped;
    expectOneIntent(wire, 2);
    await recharge.pass(2_000);
    await expect(recharge.status).toHaveText(IN_FLIGHT);
    expectOneIntent(wire, 2);
    answer.release();
    await recharge.expectSuccess(replayed('500'), '500');
    await recharge.pass(LATER);
    await expect(recharge.status).toHaveText(replayed('500'));
    expectOneIntent(wire, 2);
    expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
});

test('a server that asks for three seconds is left alone for three seconds', async ({ recharge, person, server, wire }) => {
    await recharge.stopTime();
    await recharge.intercept((route) => route.fulfill(html(503, { 'retry-after': '3' })));
    await recharge.recharge('5');
    await recharge.expectWaiting();
    await expectPause(recharge, wire, 3_000);
    await recharge.expectSuccess(added('500'), '500');
    expectOneIntent(wire, 2);
    expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
});

test('a date after which to come back is kept too', async ({ recharge, person, server, wire, page }) => {
    await recharge.stopTime();
    // A date has whole seconds: by the page's own clock it lies 19 to 20 seconds ahead.
    const date = await page.evaluate(() => new Date(Date.now() + 20_000).toUTCString());
    await recharge.intercept((route) => route.fulfill(html(429, { 'retry-after': date })));
    await recharge.recharge('5');
    await recharge.expectWaiting();
    await recharge.pass(19_000);
    await recharge.expectWaiting();
    expectOneIntent(wire, 1);
    await recharge.pass(11_000);
    await recharge.expectSuccess(added('500'), '500');
    expectOneIntent(wire, 2);
    expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
});

test('a date that is over means now: the page comes back after its own pause', async ({ recharge, wire }) => {
    await recharge.stopTime();
    await recharge.intercept((route) => route.fulfill(html(503, { 'retry-after': 'Sun, 06 Nov 1994 08:49:37 GMT' })));
    await recharge.recharge('5');
    await recharge.expectWaiting();
    await expectPause(recharge, wire, 1_000);
    await recharge.expectSuccess(added('500'), '500');
    expectOneIntent(wire, 2);
});

for (const [what, handler, words] of [
    ['and did nothing', away, added('500')],
    ['and has recharged', lostForLong, replayed('500')],
]) {
    test(`a server that asks for five minutes ${what}: the person decides when`, async ({
        recharge,
        person,
        server,
        wire,
    }) => {
        await recharge.stopTime();
        await recharge.intercept(handler);
        await recharge.recharge('5');
        await recharge.expectOpen(UNCONFIRMED);
        await recharge.pass(10 * LATER);
        await recharge.expectOpen(UNCONFIRMED);
        expectOneIntent(wire, 1);
        await recharge.button.click();
        await recharge.expectSuccess(words, '500');
        expectOneIntent(wire, 2);
        expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
    });
}

test('offline the page says so and sends nothing; online it goes on by itself', async ({
    recharge,
    person,
    server,
    wire,
    context,
}) => {
    await recharge.stopTime();
    await context.setOffline(true);
    await recharge.recharge('5');
    await recharge.expectWaiting(OFFLINE);
    const tried = wire.count;
    await recharge.pass(LATER);
    await recharge.expectWaiting(OFFLINE);
    expect(wire.count).toBe(tried);
    expect(await server.facts(person.id, wire.keys[0])).toEqual(nothing);

    await context.setOffline(false);
    await recharge.expectSuccess(added('500'), '500');
    expectOneIntent(wire, tried + 1);
    expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
});

test('the network goes away after the commit: online again, the page finds the recharge', async ({
    recharge,
    person,
    server,
    wire,
    context,
}) => {
    await recharge.stopTime();
    await recharge.intercept(async (route) => {
        await route.fetch();
        await context.setOffline(true);
        await route.abort('internetdisconnected');
    });
    await recharge.recharge('5');
    await recharge.expectWaiting(OFFLINE);
    await recharge.pass(LATER);
    expect(wire.count).toBe(1);
    await context.setOffline(false);
    await recharge.expectSuccess(replayed('500'), '500');
    expectOneIntent(wire, 2);
    expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
});
