// B4 and B5: localStorage holds rubbish, is full, or throws. The page goes on with the key in memory.

import { FAILED_TO_LOAD } from '../support/console.js';
import { lost } from '../support/faults.js';
import { RechargePage, added, beforeOther, nothingYet, replayed } from '../support/recharge-page.js';
import { oneCredit } from '../support/server.js';
import { expect, test } from '../support/test.js';

const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

/** A lost answer, a retry with the same key, and a new recharge with a new one. */
async function works(recharge, { person, server, wire }) {
    await expect(recharge.status).toBeEmpty();
    expect(wire.resolves).toEqual([]);
    await recharge.stopTime();
    await recharge.intercept(lost);
    await recharge.recharge('5');
    await recharge.expectWaiting();
    await recharge.pass(1_500);
    await recharge.expectSuccess(replayed('500'), '500');
    expect(wire.count).toBe(2);
    expect(wire.keys).toEqual([expect.stringMatching(UUID)]);
    expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
    await recharge.button.click();
    await recharge.expectSuccess(added('500'), '1,000');
    expect(wire.keys).toHaveLength(2);
    expect(await server.orders(person.id)).toMatchObject([{ credited: 500 }, { credited: 500 }]);
}

const ATTEMPTED = { amount: '5', at: 1, shared: false };
const stored = (person, more) => JSON.stringify({ v: 2, person: person.id, key: 'k', attempted: ATTEMPTED, ...more });

for (const [what, text] of Object.entries({
    'is no JSON': () => '{"v":2,',
    'is JSON of another kind': () => '[]',
    'is of an older version': (person) => stored(person, { v: 1, attempted: '5' }),
    'is of a newer version': (person) => stored(person, { v: 99 }),
    "is another person's": (person) => stored(person, { person: person.id + 1 }),
    'holds a malformed key': (person) => stored(person, { key: 'k k' }),
    'holds an empty key': (person) => stored(person, { key: '' }),
    'is very long': (person) => stored(person, { attempted: { ...ATTEMPTED, amount: '5'.repeat(1_000_000) } }),
    'holds an amount that is none': (person) => stored(person, { attempted: { ...ATTEMPTED, amount: 'ten dollars' } }),
    'holds more than this program writes': (person) => stored(person, { more: 'of it' }),
})) {
    test(`what localStorage holds ${what}`, async ({ page, person, server, wire, console }) => {
        console.allow(FAILED_TO_LOAD);
        // Once, before the page's own code: afterwards the page may write what it likes.
        await page.goto('/healthz');
        const item = [`recharge.intent.${person.id}`, text(person)];
        await page.evaluate(([name, value]) => localStorage.setItem(name, value), item);
        const recharge = new RechargePage(page);
        await recharge.open();
        await works(recharge, { person, server, wire });
    });
}

const refuse = (methods) => {
    for (const method of methods) {
        Storage.prototype[method] = () => {
            throw new DOMException('refused by the test', 'QuotaExceededError');
        };
    }
};

for (const [what, script, argument] of [
    ['is full', refuse, ['setItem']],
    ['cannot be read', refuse, ['getItem']],
    ['throws at every use', refuse, ['setItem', 'getItem', 'removeItem']],
    [
        'is forbidden',
        () =>
            Object.defineProperty(window, 'localStorage', {
                get: () => {
                    throw new DOMException('refused by the test', 'SecurityError');
                },
            }),
    ],
    ['is not there', () => Object.defineProperty(window, 'localStorage', { value: null })],
]) {
    test(`localStorage ${what}`, async ({ page, person, server, wire, console }) => {
        console.allow(FAILED_TO_LOAD);
        await page.addInitScript(script, argument);
        const recharge = new RechargePage(page);
        await recharge.open();
        await works(recharge, { person, server, wire });
    });
}

test('what this program would have written is taken up', async ({ page, person, wire }) => {
    await page.goto('/healthz');
    const item = [`recharge.intent.${person.id}`, stored(person)];
    await page.evaluate(([name, value]) => localStorage.setItem(name, value), item);
    const recharge = new RechargePage(page);
    await recharge.open();
    // Only so do the examples of rubbish above show something: this differs from each of them in one point.
    await recharge.expectOpen(nothingYet('$5.00'));
    expect(wire.resolves).toEqual(['k']);
});

test('localStorage fills up while an intent is on its way: what is done is not taken up again', async ({
    recharge,
    person,
    server,
    wire,
    page,
}) => {
    const answer = await recharge.hold();
    await recharge.recharge('5');
    await answer.stopped;
    // From now on it holds what it held, and takes nothing new.
    await page.evaluate(refuse, ['setItem']);
    answer.release();
    await recharge.expectSuccess(added('500'), '500');
    await expect(recharge.key).not.toHaveValue(wire.keys[0]);
    await recharge.button.click();
    await recharge.expectSuccess(added('500'), '1,000');
    expect(wire.keys).toHaveLength(2);
    expect(await server.orders(person.id)).toMatchObject([{ credited: 500 }, { credited: 500 }]);
});

test.describe('localStorage is forbidden, and the answer was lost: the next page has the key from its cookie', () => {
    async function comesBack(page, console) {
        console.allow(FAILED_TO_LOAD);
        await page.addInitScript(refuse, ['setItem', 'getItem', 'removeItem']);
        const recharge = new RechargePage(page);
        await recharge.open();
        await recharge.stopTime();
        await recharge.intercept(lost);
        await recharge.recharge('5');
        await recharge.expectWaiting();
        const key = await recharge.key.inputValue();
        await recharge.reload();
        await expect(recharge.key).toHaveValue(key);
        return { recharge, key };
    }

    test('the same amount finds the recharge', async ({ page, person, server, wire, console }) => {
        const { recharge, key } = await comesBack(page, console);
        await recharge.recharge('5');
        await recharge.expectSuccess(replayed('500'), '500');
        expect(wire.keys).toEqual([key]);
        expect(await server.facts(person.id, key)).toEqual(oneCredit(500));
    });

    test('another amount is not paid before the person knows of the first', async ({
        page,
        person,
        server,
        wire,
        console,
    }) => {
        const { recharge, key } = await comesBack(page, console);
        await recharge.recharge('7');
        await recharge.expectSuccess(beforeOther('$5.00', '500'), '500');
        expect(wire.keys).toEqual([key]);
        expect(await server.facts(person.id, key)).toEqual(oneCredit(500));
        await recharge.button.click();
        await recharge.expectSuccess(added('700'), '1,200');
        expect(wire.keys).toHaveLength(2);
    });
});
