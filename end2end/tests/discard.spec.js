// B1: the person gives up what was sent. Its key is voided on the server, so that nothing of it can be credited later;
// where the recharge was quicker, its receipt is shown.

import { FAILED_TO_LOAD } from '../support/console.js';
import { away, lost, lostForLong, refused } from '../support/faults.js';
import { DISCARDED, DISCARDING, added, notDiscarded, replayed } from '../support/recharge-page.js';
import { oneCredit, voided } from '../support/server.js';
import { expect, test } from '../support/test.js';

const GIVEN_UP = 30_000;

test.beforeEach(({ console }) => console.allow(FAILED_TO_LOAD));

/** Sends $5, of which the person does not know what became. */
async function sendFive(recharge, fault) {
    await recharge.stopTime();
    await recharge.intercept(fault);
    await recharge.recharge('5');
    await recharge.expectOpen();
    return recharge.key.inputValue();
}

test('nothing had come of it: the key is void, and the next recharge has another', async ({
    recharge,
    person,
    server,
    wire,
}) => {
    const key = await sendFive(recharge, away);
    await recharge.discard.click();
    await recharge.expectDiscarded();
    await expect(recharge.status).toBeFocused();
    await expect(recharge.key).not.toHaveValue(key);
    await expect(recharge.amount).toHaveValue('5');
    await expect(recharge.balance).toHaveText('0');
    expect(wire.discards).toEqual([key]);
    expect(await server.facts(person.id, key)).toEqual(voided);

    await recharge.button.click();
    await recharge.expectSuccess(added('500'), '500');
    expect(wire.asks).toEqual(['recharge', 'discard', 'recharge']);
    expect(wire.keys).toHaveLength(2);
    expect(await server.facts(person.id, wire.keys[1])).toEqual({ ...oneCredit(500), others: 1 });
    expect(await server.orders(person.id)).toEqual([
        { key, minor: 0, status: 3, tokens: null, credited: null },
        { key: wire.keys[1], minor: 500, status: 2, tokens: 500, credited: 500 },
    ]);
    // What was discarded is no recharge, and is not listed as one.
    await expect(recharge.lastOrders).toHaveCount(1);
});

test('during a pause: the key is void, and the end of the pause sends nothing', async ({ recharge, person, server, wire }) => {
    await recharge.stopTime();
    await recharge.intercept(refused);
    await recharge.recharge('5');
    await recharge.expectWaiting();
    await recharge.discard.click();
    await recharge.expectDiscarded();
    await recharge.pass(60_000);
    await expect(recharge.status).toHaveText(DISCARDED);
    expect(wire.asks).toEqual(['recharge', 'discard']);
    expect(await server.facts(person.id, wire.keys[0])).toEqual(voided);
});

test('the recharge had gone through: its receipt is shown, and nothing is void', async ({
    recharge,
    person,
    server,
    wire,
    page,
}) => {
    const key = await sendFive(recharge, lostForLong);
    await recharge.discard.click();
    await recharge.expectSuccess(notDiscarded('$5.00', '500'), '500');
    await expect(recharge.status).toBeFocused();
    await expect(page.getByTestId('receipt-amount')).toHaveText('$5.00');
    await expect(recharge.key).not.toHaveValue(key);
    expect(wire.asks).toEqual(['recharge', 'discard']);
    expect(await server.facts(person.id, key)).toEqual(oneCredit(500));
});

test('the request that was held on the wire arrives after the discard: 410, and nothing is credited', async ({
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
    await recharge.pass(GIVEN_UP);
    await recharge.expectWaiting();
    const key = await recharge.key.inputValue();
    await recharge.discard.click();
    await recharge.expectDiscarded();

    const arrived = page.waitForResponse((response) => response.url().endsWith('/api/page/recharge'));
    late.release();
    expect((await arrived).status()).toBe(410);
    await (await arrived).finished();
    await expect(recharge.status).toHaveText(DISCARDED);
    await expect(recharge.balance).toHaveText('0');
    expect(await server.facts(person.id, key)).toEqual(voided);

    await recharge.recharge('5');
    await recharge.expectSuccess(added('500'), '500');
    expect(wire.keys).toHaveLength(2);
    expect(await server.facts(person.id, key)).toEqual({ ...voided, balance: 500, others: 1 });
});

test('the late success arrives while the discard is on its way: it is shown, and the discard changes nothing', async ({
    recharge,
    person,
    server,
    wire,
    page,
}) => {
    await recharge.stopTime();
    const late = await recharge.hold();
    await recharge.recharge('5');
    await late.stopped;
    await recharge.pass(GIVEN_UP);
    await recharge.expectWaiting();
    const discard = await recharge.hold({ ask: 'discard' });
    await recharge.discard.click();
    await discard.stopped;
    await expect(recharge.status).toHaveText(DISCARDING);
    await expect(recharge.button).toBeDisabled();
    late.release();
    await recharge.expectSuccess(added('500'), '500');
    const key = await recharge.key.inputValue();
    const arrived = page.waitForResponse((response) => response.url().endsWith('/api/page/discard'));
    discard.release();
    await (await arrived).finished();
    await expect(recharge.status).toHaveText(added('500'));
    await expect(recharge.key).toHaveValue(key);
    expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
});

test('the answer to the discard is lost: it is repeated', async ({ recharge, person, server, wire }) => {
    const key = await sendFive(recharge, away);
    await recharge.intercept(lost, 'discard');
    await recharge.discard.click();
    await recharge.expectWaiting();
    expect(await server.facts(person.id, key)).toEqual(voided);
    await recharge.pass(1_500);
    await recharge.expectDiscarded();
    expect(wire.discards).toEqual([key, key]);
    expect(wire.count).toBe(1);
    expect(await server.facts(person.id, key)).toEqual(voided);
});

test('the answer to the discard is lost, and the page with it: the next one tells', async ({ recharge, person, server, wire }) => {
    const key = await sendFive(recharge, away);
    await recharge.intercept(lost, 'discard');
    await recharge.discard.click();
    await recharge.expectWaiting();
    await recharge.reload();
    await recharge.expectDiscarded();
    await expect(recharge.key).not.toHaveValue(key);
    expect(wire.asks).toEqual(['recharge', 'discard', 'resolve']);
    expect(await server.facts(person.id, key)).toEqual(voided);
});

for (const [what, fault, ends, facts] of [
    ['never arrives: a press recharges', refused, (recharge) => recharge.expectSuccess(added('500'), '500'), oneCredit(500)],
    ['is done but never answered: a press tells so', lost, (recharge) => recharge.expectDiscarded(), voided],
]) {
    test(`the discard ${what}`, async ({ recharge, person, server, wire }) => {
        const key = await sendFive(recharge, away);
        await recharge.always(fault, 'discard');
        await recharge.discard.click();
        for (let asked = 1; asked <= 4; asked++) {
            await expect.poll(() => wire.discards.length).toBe(asked);
            await recharge.expectWaiting();
            await recharge.pass(12_000);
        }
        await recharge.expectOpen();
        expect(wire.discards).toEqual(Array(5).fill(key));
        await recharge.button.click();
        await ends(recharge);
        expect(wire.recharges).toEqual(Array(2).fill({ way: 'page', amount: '5', key }));
        expect(await server.facts(person.id, key)).toEqual(facts);
    });
}

test('what is discarded is what is seen: its amount stands in the field again', async ({ recharge, person, server, wire }) => {
    const key = await sendFive(recharge, away);
    await recharge.amount.fill('7');
    await recharge.discard.click();
    await recharge.expectDiscarded();
    await expect(recharge.amount).toHaveValue('5');
    await expect(recharge.preview).toHaveText('500');
    expect(wire.asks).toEqual(['recharge', 'discard']);
    expect(await server.facts(person.id, key)).toEqual(voided);
});

for (const [what, act] of [
    ['a double click', (recharge) => recharge.discard.dblclick()],
    ['ten clicks from script', (recharge) => recharge.discard.evaluate((button) => Array(10).fill().map(() => button.click()))],
    ['a click, and the form submitted', async (recharge) => {
        await recharge.discard.click();
        await recharge.form.evaluate((form) => form.requestSubmit());
    }],
]) {
    test(`${what} is one discard, and no recharge`, async ({ recharge, person, server, wire }) => {
        const key = await sendFive(recharge, lostForLong);
        const answer = await recharge.hold({ ask: 'discard' });
        await act(recharge);
        await answer.stopped;
        answer.release();
        await recharge.expectSuccess(notDiscarded('$5.00', '500'), '500');
        expect(wire.asks).toEqual(['recharge', 'discard']);
        expect(await server.facts(person.id, key)).toEqual(oneCredit(500));
    });
}

test('a press after the success that could not be discarded is a new decision', async ({ recharge, person, server, wire }) => {
    await sendFive(recharge, lostForLong);
    await recharge.discard.click();
    await recharge.expectSuccess(notDiscarded('$5.00', '500'), '500');
    await recharge.button.click();
    await recharge.expectSuccess(added('500'), '1,000');
    await expect(recharge.status).not.toHaveText(replayed('500'));
    expect(wire.keys).toHaveLength(2);
    expect(await server.orders(person.id)).toMatchObject([{ credited: 500 }, { credited: 500 }]);
});
