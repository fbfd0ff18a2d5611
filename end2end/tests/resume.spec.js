// B5: the page goes away while the answer is on its way. The next page, in the same tab or another, finds the intent, asks
// the server what became of it, and tells.

import { FAILED_TO_LOAD } from '../support/console.js';
import { lost, refused } from '../support/faults.js';
import {
    UNCONFIRMED,
    WAITING,
    added,
    elsewhere,
    nothingYet,
    replayed,
    resumed,
} from '../support/recharge-page.js';
import { nothing, oneCredit, voided } from '../support/server.js';
import { expect, test } from '../support/test.js';

/** How the page goes away. Returns the next one. */
const WAYS = {
    'after a reload': async (recharge) => {
        await recharge.reload();
        return recharge;
    },
    'after a crash of the tab': async (recharge) => {
        const { page } = recharge;
        const crashed = page.waitForEvent('crash');
        page.goto('chrome://crash').catch(() => {});
        await crashed;
        return recharge.newTab();
    },
    'in a new tab': (recharge) => recharge.newTab(),
    'after a look at another page': async (recharge) => {
        await recharge.page.goto('/history');
        await recharge.open();
        return recharge;
    },
};

/** What became of the intent: how it comes to that, and what the next page must be like. */
const FATES = {
    'that was done is shown as done': {
        before: false,
        async expect(next, { facts }) {
            await next.expectSuccess(resumed('$5.00', '500'), '500');
            expect(await facts()).toEqual(oneCredit(500));
        },
    },
    'that was not done can be tried again': {
        before: true,
        async expect(next, { facts, wire, key }) {
            await next.expectOpen(nothingYet('$5.00'));
            await expect(next.key).toHaveValue(key);
            await expect(next.amount).toHaveValue('5');
            await expect(next.preview).toHaveText('500');
            expect(await facts()).toEqual(nothing);
            await next.button.click();
            await next.expectSuccess(added('500'), '500');
            expect(wire.recharges).toEqual(Array(2).fill({ way: 'page', amount: '5', key }));
            expect(await facts()).toEqual(oneCredit(500));
        },
    },
    'that was voided is told to be discarded': {
        before: true,
        voids: true,
        async expect(next, { facts }) {
            await next.expectDiscarded();
            expect(await facts()).toEqual(voided);
        },
    },
};

for (const [way, leave] of Object.entries(WAYS)) {
    for (const [fate, { before, voids, expect: expectFate }] of Object.entries(FATES)) {
        test(`${way} an intent ${fate}`, async ({ recharge, person, server, wire, context }) => {
            const stop = await recharge.hold({ before });
            await recharge.recharge('5');
            await stop.stopped;
            const [key] = wire.keys;
            if (voids) {
                const form = { user_id: person.id, idempotency_key: key };
                expect((await context.request.post('/api/page/discard', { form })).status()).toBe(200);
            }
            const next = await leave(recharge);
            await expectFate(next, { facts: () => server.facts(person.id, key), wire, key });
            expect(wire.resolves).toEqual([key]);
            expect(wire.keys).toEqual([key]);
            // It is over, and the next intent has a key of its own.
            await expect(next.key).not.toHaveValue(key);
        });
    }
}

test('a resumed success is followed by a new recharge with a new key', async ({ recharge, person, server, wire }) => {
    const answer = await recharge.hold();
    await recharge.recharge('5');
    await answer.stopped;
    await recharge.reload();
    await recharge.expectSuccess(resumed('$5.00', '500'), '500');
    await recharge.button.click();
    await recharge.expectSuccess(added('500'), '1,000');
    expect(wire.keys).toHaveLength(2);
    expect(await server.orders(person.id)).toMatchObject([{ credited: 500 }, { credited: 500 }]);
});

test('while the answer is held a new tab tells the success, and then the old one does', async ({
    recharge,
    person,
    server,
    wire,
}) => {
    const answer = await recharge.hold();
    await recharge.recharge('5');
    await answer.stopped;
    const next = await recharge.newTab();
    await next.expectSuccess(resumed('$5.00', '500'), '500');
    answer.release();
    await recharge.expectSuccess(added('500'), '500');
    expect(wire.count).toBe(1);
    expect(await next.key.inputValue()).toBe(await recharge.key.inputValue());
    expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
});

test('a new tab that found nothing hears of the success when the old tab has it', async ({
    recharge,
    person,
    server,
    wire,
}) => {
    const request = await recharge.hold({ before: true });
    await recharge.recharge('5');
    await request.stopped;
    const next = await recharge.newTab();
    await next.expectOpen(nothingYet('$5.00'));
    request.release();
    await recharge.expectSuccess(added('500'), '500');
    await next.expectSuccess(elsewhere('500'), '500');
    expect(wire.count).toBe(1);
    expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
});

test.describe('the server does not answer the question', () => {
    test.beforeEach(({ console }) => console.allow(FAILED_TO_LOAD));

    test('the page says that it asks, and nothing can be sent meanwhile', async ({ recharge, wire, server, person }) => {
        await recharge.intercept(lost);
        await recharge.stopTime();
        await recharge.recharge('5');
        await recharge.expectWaiting();
        const question = await recharge.hold({ ask: 'resolve' });
        await recharge.reload();
        await question.stopped;
        await expect(recharge.status).toHaveText('Looking up what became of your recharge of $5.00.');
        await expect(recharge.button).toBeDisabled();
        await expect(recharge.amount).not.toBeEditable();
        await expect(recharge.receipt).toHaveCount(0);
        await recharge.form.evaluate((form) => form.requestSubmit());
        question.release();
        await recharge.expectSuccess(resumed('$5.00', '500'), '500');
        expect(wire.asks).toEqual(['recharge', 'resolve']);
        expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
    });

    test('the page asks again by itself', async ({ recharge, person, server, wire }) => {
        await recharge.stopTime();
        await recharge.intercept(lost);
        await recharge.recharge('5');
        await recharge.expectWaiting();
        await recharge.intercept(refused, 'resolve');
        await recharge.reload();
        await recharge.expectWaiting();
        await recharge.pass(1_500);
        await recharge.expectSuccess(resumed('$5.00', '500'), '500');
        expect(wire.resolves).toEqual(Array(2).fill(wire.keys[0]));
        expect(wire.count).toBe(1);
        expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
    });

    test('after four repeats the person decides, and a press sends the same', async ({ recharge, person, server, wire }) => {
        await recharge.stopTime();
        await recharge.intercept(lost);
        await recharge.recharge('5');
        await recharge.expectWaiting();
        await recharge.always(refused, 'resolve');
        await recharge.reload();
        for (let asked = 1; asked <= 5; asked++) {
            await expect.poll(() => wire.resolves.length).toBe(asked);
            await recharge.expectOpen(asked < 5 ? WAITING : UNCONFIRMED);
            await recharge.pass(12_000);
        }
        await recharge.expectOpen(UNCONFIRMED);
        expect(wire.resolves).toEqual(Array(5).fill(wire.keys[0]));
        await recharge.button.click();
        await recharge.expectSuccess(replayed('500'), '500');
        expect(wire.recharges).toEqual(Array(2).fill({ way: 'page', amount: '5', key: wire.keys[0] }));
        expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
    });
});
