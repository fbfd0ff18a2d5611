// B6: two tabs of one person share the intent. The same amount in both is one credit; what one tab does the other one
// hears; and a tab that heard nothing looks before it sends.

import { FAILED_TO_LOAD } from '../support/console.js';
import { away, lost, lostForLong, refused } from '../support/faults.js';
import {
    RechargePage,
    added,
    asleep,
    elsewhere,
    expectNewKey,
    lookAt,
    replayed,
    resumed,
} from '../support/recharge-page.js';
import { nothing, oneCredit } from '../support/server.js';
import { PASSWORD, expect, test } from '../support/test.js';

test.beforeEach(({ console }) => console.allow(FAILED_TO_LOAD));

test('the same click in both tabs at once is one credit, and both say so', async ({ recharge, person, server, wire }) => {
    const second = await recharge.newTab();
    const requests = [];
    for (const tab of [recharge, second]) {
        requests.push(await tab.hold({ before: true }));
        await tab.amount.fill('5');
    }
    await Promise.all([recharge, second].map((tab) => tab.form.evaluate((form) => form.requestSubmit())));
    for (const { stopped } of requests) await stopped;
    for (const { release } of requests) release();
    const either = new RegExp(`^(${added('500')}|${replayed('500')})$`.replaceAll('.', '\\.'));
    await recharge.expectSuccess(either, '500');
    await second.expectSuccess(either, '500');
    const said = [await recharge.status.textContent(), await second.status.textContent()];
    expect(said.sort()).toEqual([added('500'), replayed('500')].sort());
    expect(wire.recharges).toEqual(Array(2).fill({ way: 'page', amount: '5', key: wire.keys[0] }));
    expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
    await expectNewKey(recharge, second, wire.keys[0]);
});

test('the other tab hears of a success, and the next recharge of the same amount is a new one', async ({
    recharge,
    person,
    server,
    wire,
}) => {
    const second = await recharge.newTab();
    await second.amount.fill('5');
    await recharge.recharge('5');
    await recharge.expectSuccess(added('500'), '500');
    await second.expectSuccess(elsewhere('500'), '500');
    await expect(second.lastOrders).toHaveCount(1);
    await expect(second.amount).toBeFocused();
    expect(wire.resolves).toEqual([wire.keys[0]]);
    await expectNewKey(recharge, second, wire.keys[0]);

    await second.button.click();
    await second.expectSuccess(added('500'), '1,000');
    await recharge.expectSuccess(elsewhere('500'), '1,000');
    expect(wire.recharges.map(({ amount }) => amount)).toEqual(['5', '5']);
    expect(wire.keys).toHaveLength(2);
    expect(await server.orders(person.id)).toMatchObject([{ credited: 500 }, { credited: 500 }]);
    await expectNewKey(recharge, second, ...wire.keys);
});

test('a tab that slept looks before it sends: a done intent is not sent again', async ({ recharge, person, server, wire }) => {
    const second = await recharge.newTab({ script: asleep });
    await recharge.recharge('5');
    await recharge.expectSuccess(added('500'), '500');
    // It knows nothing of that yet.
    await expect(second.key).toHaveValue(wire.keys[0]);
    await expect(second.balance).toHaveText('0');
    await second.recharge('5');
    await second.expectSuccess(added('500'), '1,000');
    expect(wire.keys).toHaveLength(2);
    expect(wire.count).toBe(2);
    expect(await server.orders(person.id)).toMatchObject([{ credited: 500 }, { credited: 500 }]);
});

test('a tab that slept is looked at: the new key, the balance, and where it comes from', async ({
    recharge,
    person,
    server,
    wire,
}) => {
    const second = await recharge.newTab({ script: asleep });
    await recharge.recharge('5');
    await recharge.expectSuccess(added('500'), '500');
    await expect(second.balance).toHaveText('0');
    await lookAt(second);
    await second.expectSuccess(elsewhere('500'), '500');
    await expectNewKey(recharge, second, wire.keys[0]);
    expect(wire.count).toBe(1);
    expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
});

for (const [what, fault, words] of [
    ['was not done', away, added('500')],
    ['was done', lostForLong, replayed('500')],
]) {
    test(`the same amount in another tab that slept, while the first ${what}: the same key`, async ({
        recharge,
        person,
        server,
        wire,
    }) => {
        await recharge.stopTime();
        const second = await recharge.newTab({ script: asleep });
        await recharge.intercept(fault);
        await recharge.recharge('5');
        await recharge.expectOpen();
        await second.recharge('5');
        await second.expectSuccess(words, '500');
        // The first tab had it unresolved, and hears what became of it.
        await recharge.expectSuccess(elsewhere('500'), '500');
        expect(wire.recharges).toEqual(Array(2).fill({ way: 'page', amount: '5', key: wire.keys[0] }));
        expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
        await expectNewKey(recharge, second, wire.keys[0]);
    });
}

test('while one tab goes on by itself the other one sends the same: one credit', async ({ recharge, person, server, wire }) => {
    await recharge.stopTime();
    const second = await recharge.newTab();
    await recharge.intercept(refused);
    await recharge.recharge('5');
    await recharge.expectWaiting();
    await second.recharge('5');
    await expect(second.status).toHaveText(added('500'));
    await recharge.pass(1_500);
    await recharge.expectSuccess(replayed('500'), '500');
    expect(wire.recharges).toEqual(Array(3).fill({ way: 'page', amount: '5', key: wire.keys[0] }));
    expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
    await expectNewKey(recharge, second, wire.keys[0]);
});

test('a success that arrives late shows the balance of now, not that of then', async ({ recharge, person, server, wire }) => {
    const answer = await recharge.hold();
    await recharge.recharge('5');
    await answer.stopped;
    const second = await recharge.newTab();
    await second.expectSuccess(resumed('$5.00', '500'), '500');
    await second.recharge('7');
    await second.expectSuccess(added('700'), '1,200');
    answer.release();
    await expect(recharge.status).toHaveText(added('500'));
    await expect(recharge.balance).toHaveText('1,200');
    await expect(recharge.lastOrders).toHaveCount(2);
    expect(wire.keys).toHaveLength(2);
    expect(await server.orders(person.id)).toMatchObject([{ credited: 500 }, { credited: 700 }]);
});

test('storage is cleared in another tab: the key lives on in memory', async ({ recharge, person, server, wire }) => {
    await recharge.stopTime();
    const second = await recharge.newTab();
    await recharge.intercept(lost);
    await recharge.recharge('5');
    await recharge.expectWaiting();
    await second.page.evaluate(() => localStorage.clear());
    await recharge.button.click();
    await recharge.expectSuccess(replayed('500'), '500');
    expect(wire.recharges).toEqual(Array(2).fill({ way: 'page', amount: '5', key: wire.keys[0] }));
    expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
});

test('two browsers of one person are two intents: two credits', async ({ recharge, person, server, wire, browser, baseURL }) => {
    const context = await browser.newContext({ baseURL });
    const form = { email: person.email, password: PASSWORD };
    const signedIn = await context.request.post('/sign-in', { form, maxRedirects: 0 });
    expect(signedIn.status()).toBe(303);
    const second = new RechargePage(await context.newPage());
    await second.open();
    const keys = [await recharge.key.inputValue(), await second.key.inputValue()];
    await recharge.amount.fill('5');
    await second.amount.fill('5');
    await Promise.all([recharge.button.click(), second.button.click()]);
    await expect(recharge.status).toHaveText(added('500'));
    await expect(second.status).toHaveText(added('500'));
    expect(wire.recharges).toEqual([{ way: 'page', amount: '5', key: keys[0] }]);
    expect(new Set(keys).size).toBe(2);
    for (const key of keys) {
        expect(await server.facts(person.id, key)).toEqual({ ...oneCredit(1_000), others: 1 });
    }
    expect(await server.facts(person.id, 'another')).toEqual({ ...nothing, balance: 1_000, others: 2 });
    await context.close();
});
