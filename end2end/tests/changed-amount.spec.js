// B1 and B4: another amount is wanted while it is not known what became of the first. The first one is settled before
// anything of the second is sent, and the person is told how.

import { FAILED_TO_LOAD } from '../support/console.js';
import { away, lost, lostForLong, refused } from '../support/faults.js';
import { added, beforeOther, discardedFirst, nothingYet } from '../support/recharge-page.js';
import { nothing, oneCredit, voided } from '../support/server.js';
import { expect, test } from '../support/test.js';

test.beforeEach(({ console }) => console.allow(FAILED_TO_LOAD));

/** Sends an amount, of which the person does not know what became. */
async function sendFirst(recharge, fault, amount = '5') {
    await recharge.stopTime();
    await recharge.intercept(fault);
    await recharge.recharge(amount);
    await recharge.expectOpen();
    return recharge.key.inputValue();
}

const paidSeven = `${discardedFirst('$5.00')} ${added('700')}`;

/** $7 were paid under a key of their own, and the first key is void. */
async function expectOnlySeven({ person, server, wire }, key) {
    expect(wire.recharges.at(-1)).toMatchObject({ amount: '7' });
    expect(wire.recharges.filter(({ amount }) => amount === '7')).toHaveLength(1);
    expect(wire.keys).toHaveLength(2);
    expect(wire.keys[0]).toBe(key);
    expect(await server.facts(person.id, key)).toEqual({ ...voided, balance: 700, others: 1 });
    expect(await server.facts(person.id, wire.keys[1])).toEqual({ ...oneCredit(700), others: 1 });
}

test('nothing had come of the first: it is void before the second is sent', async ({ recharge, person, server, wire }) => {
    const key = await sendFirst(recharge, away);
    const discard = await recharge.hold({ ask: 'discard', before: true });
    await recharge.recharge('7');
    await discard.stopped;
    await expect(recharge.status).toHaveText('First we check what became of your recharge of $5.00. Please wait.');
    await expect(recharge.status).toBeFocused();
    await expect(recharge.amount).not.toBeEditable();
    expect(wire.count).toBe(1);
    expect(await server.facts(person.id, key)).toEqual(nothing);
    discard.release();
    await recharge.expectSuccess(paidSeven, '700');
    await expect(recharge.status).toBeFocused();
    expect(wire.asks).toEqual(['recharge', 'discard', 'recharge']);
    await expectOnlySeven({ person, server, wire }, key);
});

test('the first had gone through: its receipt is shown, and nothing of the second is sent', async ({
    recharge,
    person,
    server,
    wire,
    page,
}) => {
    const key = await sendFirst(recharge, lostForLong);
    await recharge.recharge('7');
    await recharge.expectSuccess(beforeOther('$5.00', '500'), '500');
    await expect(page.getByTestId('receipt-amount')).toHaveText('$5.00');
    await expect(recharge.amount).toHaveValue('7');
    await expect(recharge.preview).toHaveText('700');
    expect(wire.asks).toEqual(['recharge', 'discard']);
    expect(await server.facts(person.id, key)).toEqual(oneCredit(500));

    await recharge.button.click();
    await recharge.expectSuccess(added('700'), '1,200');
    expect(wire.keys).toHaveLength(2);
    expect(await server.orders(person.id)).toMatchObject([
        { minor: 500, credited: 500 },
        { minor: 700, credited: 700 },
    ]);
});

test('the first cannot be settled: nothing of the second is sent until it can', async ({ recharge, person, server, wire }) => {
    const key = await sendFirst(recharge, away);
    await recharge.always(refused, 'discard');
    await recharge.recharge('7');
    for (let asked = 1; asked <= 4; asked++) {
        await expect.poll(() => wire.discards.length).toBe(asked);
        await recharge.expectWaiting(undefined, 'Recharge');
        await recharge.pass(12_000);
    }
    await recharge.expectOpen(undefined, 'Recharge');
    await recharge.pass(60_000);
    expect(wire.discards).toEqual(Array(5).fill(key));
    expect(wire.count).toBe(1);
    expect(await server.facts(person.id, key)).toEqual(nothing);
    await expect(recharge.amount).toHaveValue('7');

    await recharge.always(undefined, 'discard');
    await recharge.button.click();
    await recharge.expectSuccess(paidSeven, '700');
    await expectOnlySeven({ person, server, wire }, key);
});

test('the answer about the first is lost once: it is asked again, and the second sent once', async ({
    recharge,
    person,
    server,
    wire,
}) => {
    const key = await sendFirst(recharge, away);
    await recharge.intercept(lost, 'discard');
    await recharge.recharge('7');
    await recharge.expectWaiting(undefined, 'Recharge');
    expect(wire.count).toBe(1);
    await recharge.pass(1_500);
    await recharge.expectSuccess(paidSeven, '700');
    expect(wire.asks).toEqual(['recharge', 'discard', 'discard', 'recharge']);
    await expectOnlySeven({ person, server, wire }, key);
});

test('the first is still on the wire when the second is paid: it arrives, and nothing is credited', async ({
    recharge,
    person,
    server,
    wire,
    page,
}) => {
    await recharge.stopTime();
    const late = await recharge.hold({ before: true });
    await recharge.recharge('5');
    await late.stopped;
    await recharge.pass(30_000);
    await recharge.expectWaiting();
    const key = await recharge.key.inputValue();
    await recharge.recharge('7');
    await recharge.expectSuccess(paidSeven, '700');
    const arrived = page.waitForResponse((response) => response.url().endsWith('/api/page/recharge'));
    late.release();
    expect((await arrived).status()).toBe(410);
    await (await arrived).finished();
    await expect(recharge.status).toHaveText(paidSeven);
    await expect(recharge.balance).toHaveText('700');
    await expectOnlySeven({ person, server, wire }, key);
});

test('the answer to the second is lost: it is the second that is repeated', async ({ recharge, person, server, wire }) => {
    const key = await sendFirst(recharge, away);
    await recharge.intercept(lost);
    await recharge.recharge('7');
    await expect(recharge.status).toContainText('Trying again automatically');
    await recharge.pass(1_500);
    await expect(recharge.status).toHaveText(
        `${discardedFirst('$5.00')} Recharged: 700 tokens. This had gone through already; you were not charged again.`,
    );
    expect(wire.recharges.map(({ amount }) => amount)).toEqual(['5', '7', '7']);
    expect(wire.keys).toHaveLength(2);
    expect(await server.facts(person.id, key)).toEqual({ ...voided, balance: 700, others: 1 });
    expect(await server.facts(person.id, wire.keys[1])).toEqual({ ...oneCredit(700), others: 1 });
});

test('100 and then 100.00 is the same amount: the same key, and nothing is void', async ({ recharge, person, server, wire }) => {
    const key = await sendFirst(recharge, lostForLong, '100');
    await recharge.recharge('100.00');
    await recharge.expectSuccess(
        'Recharged: 10,500 tokens. This had gone through already; you were not charged again.',
        '10,500',
    );
    expect(wire.asks).toEqual(['recharge', 'recharge']);
    // Under one key one text goes over the wire: that which went first.
    expect(wire.recharges).toEqual(Array(2).fill({ way: 'page', amount: '100', key }));
    expect(await server.facts(person.id, key)).toEqual(oneCredit(10_500));
});

test('what is no amount is refused, and leaves the first as it is', async ({ recharge, person, server, wire }) => {
    const key = await sendFirst(recharge, away);
    // The summary takes the focus when the page is drawn.
    await recharge.recharge('1,50');
    await recharge.pass(100);
    await expect(recharge.summary).toBeFocused();
    await expect(recharge.discard).toBeVisible();
    expect(wire.asks).toEqual(['recharge']);
    await recharge.recharge('5');
    await recharge.expectSuccess(added('500'), '500');
    await expect(recharge.summary).toBeHidden();
    expect(wire.keys).toEqual([key]);
    expect(await server.facts(person.id, key)).toEqual(oneCredit(500));
});

test('the page is loaded again before the first is settled: it is the first that is asked about', async ({
    recharge,
    person,
    server,
    wire,
}) => {
    const key = await sendFirst(recharge, away);
    const discard = await recharge.hold({ ask: 'discard', before: true });
    await recharge.recharge('7');
    await discard.stopped;
    await recharge.reload();
    await recharge.expectOpen(nothingYet('$5.00'));
    await expect(recharge.amount).toHaveValue('5');
    await expect(recharge.key).toHaveValue(key);
    expect(wire.count).toBe(1);
    expect(await server.facts(person.id, key)).toEqual(nothing);
});

test('another amount is taken back while the first is being settled: it is not paid', async ({ recharge, person, server, wire }) => {
    const key = await sendFirst(recharge, away);
    await recharge.intercept(lost, 'discard');
    await recharge.recharge('7');
    await recharge.expectWaiting(undefined, 'Recharge');
    await recharge.recharge('5');
    await recharge.expectDiscarded();
    expect(wire.recharges.map(({ amount }) => amount)).toEqual(['5', '5']);
    expect(await server.facts(person.id, key)).toEqual(voided);
});
