// B6: one tab wants another amount, or discards, while the other one has the intent in hand. What was sent first is
// settled first, and both tabs tell what became of it.

import { FAILED_TO_LOAD } from '../support/console.js';
import { away, refused } from '../support/faults.js';
import { DISCARDED, added, beforeOther, discardedFirst, elsewhere, expectNewKey, nothingYet } from '../support/recharge-page.js';
import { oneCredit, voided } from '../support/server.js';
import { expect, test } from '../support/test.js';

test.beforeEach(({ console }) => console.allow(FAILED_TO_LOAD));

test.describe('another amount in the other tab while the first is in flight', () => {
    test('the first has not arrived: it is void, both tabs say so, and the second is paid', async ({
        recharge,
        person,
        server,
        wire,
    }) => {
        const second = await recharge.newTab();
        const request = await recharge.hold({ before: true });
        await recharge.recharge('5');
        await request.stopped;
        await second.recharge('7');
        await second.expectSuccess(`${discardedFirst('$5.00')} ${added('700')}`, '700');
        request.release();
        await recharge.expectDiscarded();
        expect(wire.recharges.map(({ amount }) => amount)).toEqual(['5', '7']);
        expect(wire.keys).toHaveLength(2);
        expect(await server.facts(person.id, wire.keys[0])).toEqual({ ...voided, balance: 700, others: 1 });
        expect(await server.facts(person.id, wire.keys[1])).toEqual({ ...oneCredit(700), others: 1 });
    });

    test('the first is done: its receipt is shown in both, and nothing of the second is sent', async ({
        recharge,
        person,
        server,
        wire,
    }) => {
        const second = await recharge.newTab();
        const answer = await recharge.hold();
        await recharge.recharge('5');
        await answer.stopped;
        await second.recharge('7');
        await second.expectSuccess(beforeOther('$5.00', '500'), '500');
        answer.release();
        await recharge.expectSuccess(added('500'), '500');
        expect(wire.recharges.map(({ amount }) => amount)).toEqual(['5']);
        expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
        await second.button.click();
        await second.expectSuccess(added('700'), '1,200');
        expect(await server.orders(person.id)).toMatchObject([{ credited: 500 }, { credited: 700 }]);
    });
});

test('what one tab discards the other one hears of', async ({ recharge, person, server, wire }) => {
    await recharge.stopTime();
    await recharge.intercept(away);
    await recharge.recharge('5');
    await recharge.expectOpen();
    const second = await recharge.newTab();
    await second.expectOpen(nothingYet('$5.00'));
    await second.discard.click();
    await second.expectDiscarded();
    await recharge.expectDiscarded();
    expect(wire.discards).toEqual([wire.keys[0]]);
    expect(await server.facts(person.id, wire.keys[0])).toEqual(voided);
    await expectNewKey(recharge, second, wire.keys[0]);
});

test('one tab discards while the other one goes on by itself: nothing is paid, and both say so', async ({
    recharge,
    person,
    server,
    wire,
}) => {
    await recharge.stopTime();
    await recharge.intercept(refused);
    await recharge.recharge('5');
    await recharge.expectWaiting();
    const second = await recharge.newTab();
    await second.expectOpen(nothingYet('$5.00'));
    await second.discard.click();
    await second.expectDiscarded();
    await recharge.pass(1_500);
    await expect(recharge.status).toHaveText(DISCARDED);
    expect(wire.keys).toHaveLength(1);
    expect(await server.facts(person.id, wire.keys[0])).toEqual(voided);
    await expectNewKey(recharge, second, wire.keys[0]);
});

test('what was discarded for another amount is not told again with a later success', async ({
    recharge,
    person,
    server,
    wire,
}) => {
    await recharge.stopTime();
    const second = await recharge.newTab();
    await recharge.intercept(away);
    await recharge.recharge('5');
    await recharge.expectOpen();
    await recharge.recharge('7');
    await recharge.expectSuccess(`${discardedFirst('$5.00')} ${added('700')}`, '700');
    await second.expectSuccess(elsewhere('700'), '700');
    await second.recharge('9');
    await second.expectSuccess(added('900'), '1,600');
    await recharge.expectSuccess(elsewhere('900'), '1,600');
    expect(wire.recharges.map(({ amount }) => amount)).toEqual(['5', '7', '9']);
    expect(await server.orders(person.id)).toMatchObject([{ status: 3 }, { credited: 700 }, { credited: 900 }]);
});
