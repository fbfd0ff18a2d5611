// B5: the page goes away while the answer is on its way. The next page, in the same tab or another, has the same key.

import { RechargePage, added, replayed } from '../support/recharge-page.js';
import { nothing, oneCredit } from '../support/server.js';
import { expect, test } from '../support/test.js';
import { holdWasm } from '../support/wasm.js';

/** What the next page must be like, and what its button must do. */
async function takesUp(recharge, { person, server, wire }, words) {
    const [key] = wire.keys;
    await recharge.expectUnconfirmed();
    await expect(recharge.key).toHaveValue(key);
    await expect(recharge.amount).toHaveValue('5');
    await expect(recharge.preview).toHaveText('500');
    expect(wire.count).toBe(1);
    await recharge.button.click();
    await recharge.expectSuccess(words, '500');
    expect(wire.recharges).toEqual(Array(2).fill({ way: 'page', amount: '5', key }));
    expect(await server.facts(person.id, key)).toEqual(oneCredit(500));
}

test('reload after the commit: the same key, and the success', async ({ recharge, person, server, wire }) => {
    const answer = await recharge.hold();
    await recharge.recharge('5');
    await answer.stopped;
    await recharge.reload();
    await takesUp(recharge, { person, server, wire }, replayed('500'));
});

test('reload before the server saw the request: the same key, and one credit', async ({
    recharge,
    person,
    server,
    wire,
}) => {
    const request = await recharge.hold({ before: true });
    await recharge.recharge('5');
    await request.stopped;
    await recharge.reload();
    expect(await server.facts(person.id, wire.keys[0])).toEqual(nothing);
    await takesUp(recharge, { person, server, wire }, added('500'));
});

test('the tab crashes: a new one takes the intent up', async ({ recharge, person, server, wire, context, page }) => {
    const answer = await recharge.hold();
    await recharge.recharge('5');
    await answer.stopped;
    const crashed = page.waitForEvent('crash');
    page.goto('chrome://crash').catch(() => {});
    await crashed;
    const next = new RechargePage(await context.newPage());
    await next.open();
    await takesUp(next, { person, server, wire }, replayed('500'));
});

test('a new tab while the answer is held: the same key, and both tabs end in success', async ({
    recharge,
    person,
    server,
    wire,
    context,
}) => {
    const answer = await recharge.hold();
    await recharge.recharge('5');
    await answer.stopped;
    const next = new RechargePage(await context.newPage());
    await next.open();
    await takesUp(next, { person, server, wire }, replayed('500'));
    answer.release();
    await recharge.expectSuccess(added('500'), '500');
});

test('a page that sent nothing leaves nothing: a reload is ready for a new amount', async ({ recharge, wire }) => {
    await recharge.amount.fill('5');
    await recharge.reload();
    await expect(recharge.status).toBeEmpty();
    await expect(recharge.button).toHaveText('Recharge');
    expect(wire.count).toBe(0);
});

test('after a success a reload has a new key and pays nothing', async ({ recharge, person, server, wire }) => {
    await recharge.recharge('5');
    await recharge.expectSuccess(added('500'), '500');
    await recharge.reload();
    await expect(recharge.key).not.toHaveValue(wire.keys[0]);
    await expect(recharge.status).toBeEmpty();
    await expect(recharge.balance).toHaveText('500');
    expect(wire.count).toBe(1);
    await recharge.recharge('5');
    await recharge.expectSuccess(added('500'), '1,000');
    expect(wire.keys).toHaveLength(2);
    expect(await server.orders(person.id)).toMatchObject([{ credited: 500 }, { credited: 500 }]);
});

test('what was typed before the page came to life is kept', async ({ recharge, page, wire }) => {
    const wasm = await holdWasm(page);
    await page.reload({ waitUntil: 'commit' });
    await wasm.asked;
    await recharge.amount.fill('50');
    wasm.release();
    await recharge.alive();
    await expect(recharge.amount).toHaveValue('50');
    await expect(recharge.preview).toHaveText('5,250');
    expect(wire.count).toBe(0);
});
