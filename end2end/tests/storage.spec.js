// B4 and B5: localStorage holds rubbish, is full, or throws. The page goes on with the key in memory.

import { FAILED_TO_LOAD } from '../support/console.js';
import { RechargePage, added, replayed } from '../support/recharge-page.js';
import { oneCredit } from '../support/server.js';
import { expect, test } from '../support/test.js';

const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

/** A lost answer, a retry with the same key, and a new recharge with a new one. */
async function works(recharge, { person, server, wire }) {
    await expect(recharge.status).toBeEmpty();
    await recharge.intercept(async (route) => {
        await route.fetch();
        await route.abort('connectionreset');
    });
    await recharge.recharge('5');
    await recharge.expectUnconfirmed();
    await recharge.button.click();
    await recharge.expectSuccess(replayed('500'), '500');
    expect(wire.count).toBe(2);
    expect(wire.keys).toEqual([expect.stringMatching(UUID)]);
    expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
    await recharge.button.click();
    await recharge.expectSuccess(added('500'), '1,000');
    expect(wire.keys).toHaveLength(2);
    expect(await server.orders(person.id)).toMatchObject([{ credited: 500 }, { credited: 500 }]);
}

const stored = (person, more) => JSON.stringify({ v: 1, person: person.id, key: 'k', attempted: '5', ...more });

for (const [what, text] of Object.entries({
    'is no JSON': () => '{"v":1,',
    'is JSON of another kind': () => '[]',
    'is of another version': (person) => stored(person, { v: 99 }),
    "is another person's": (person) => stored(person, { person: person.id + 1 }),
    'holds a malformed key': (person) => stored(person, { key: 'k k' }),
    'holds an empty key': (person) => stored(person, { key: '' }),
    'is very long': (person) => stored(person, { attempted: '5'.repeat(1_000_000) }),
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
