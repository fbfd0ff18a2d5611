// B1 and B4: the answer does not arrive, or says nothing. The intent keeps its key, the page says that it does not know
// and goes on by itself with the same key, and the person pays once.

import { FAILED_TO_LOAD } from '../support/console.js';
import { html, lost, problem } from '../support/faults.js';
import { WAITING, added, replayed } from '../support/recharge-page.js';
import { nothing, oneCredit } from '../support/server.js';
import { expect, test } from '../support/test.js';

const BUSY = 'We are too busy just now and nothing was paid yet. Trying again automatically in a moment.';
const UNDER_WAY = 'Your recharge is still under way. Asking again in a moment.';

test.beforeEach(({ console }) => console.allow(FAILED_TO_LOAD));

/** After an attempt that ended unconfirmed: the page sends the same once more, and there is one credit in the end. */
async function resolves({ recharge, person, server, wire }, words) {
    const [key] = wire.keys;
    await expect(recharge.key).toHaveValue(key);
    await expect(recharge.amount).toHaveValue('5');
    expect(wire.count).toBe(1);
    await recharge.pass(1_500);
    await recharge.expectSuccess(words, '500');
    expect(wire.recharges).toEqual(Array(2).fill({ way: 'page', amount: '5', key }));
    expect(wire.asks).toEqual(['recharge', 'recharge']);
    expect(await server.facts(person.id, key)).toEqual(oneCredit(500));
    // With the success the intent is over: the next one has a key of its own.
    await expect(recharge.key).not.toHaveValue(key);
}

// The server commits; what comes back is lost or is not its answer.
const AFTER_COMMIT = {
    'is dropped': (route) => route.abort('connectionreset'),
    'is the 502 page of a proxy': (route) => route.fulfill(html(502)),
    'is the 504 page of a proxy': (route) => route.fulfill(html(504)),
    'is a web page with status 200': (route) => route.fulfill(html(200)),
    'is empty': (route) => route.fulfill({ status: 200, contentType: 'application/json', body: '' }),
    'is JSON of another kind': (route) => route.fulfill({ json: { ok: true } }),
    'is half a document': async (route, response) => {
        const text = await response.text();
        await route.fulfill({ response, body: text.slice(0, text.length / 2) });
    },
};

for (const [what, answer] of Object.entries(AFTER_COMMIT)) {
    test(`the answer ${what}: the retry finds the recharge`, async ({ recharge, person, server, wire }) => {
        await recharge.stopTime();
        await recharge.intercept(async (route) => answer(route, await route.fetch()));
        await recharge.recharge('5');
        await recharge.expectWaiting();
        expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
        await resolves({ recharge, person, server, wire }, replayed('500'));
    });
}

// The server never sees the request.
const BEFORE_COMMIT = {
    'the request is aborted': [(route) => route.abort('aborted'), WAITING],
    'the name cannot be resolved': [(route) => route.abort('namenotresolved'), WAITING],
    'a proxy answers 502': [(route) => route.fulfill(html(502)), WAITING],
    'a proxy answers 503 with a page': [(route) => route.fulfill(html(503, { 'retry-after': '1' })), WAITING],
    'a proxy answers 429': [(route) => route.fulfill(html(429)), WAITING],
    'a proxy answers 409': [(route) => route.fulfill(html(409)), WAITING],
    'the server answers 503 with Retry-After': [problem(503, 'busy', { 'retry-after': '1' }), BUSY],
    'the server answers that a twin is running': [problem(409, 'twin-running', { 'retry-after': '1' }), UNDER_WAY],
    'the server answers that the outcome is unknown': [problem(503, 'outcome-unknown', { 'retry-after': '1' }), WAITING],
    'the server has a fault': [problem(500, 'internal'), WAITING],
};

for (const [what, [answer, words]] of Object.entries(BEFORE_COMMIT)) {
    test(`${what}: the retry recharges`, async ({ recharge, person, server, wire }) => {
        await recharge.stopTime();
        await recharge.intercept(answer);
        await recharge.recharge('5');
        await recharge.expectWaiting(words);
        expect(await server.facts(person.id, wire.keys[0])).toEqual(nothing);
        await resolves({ recharge, person, server, wire }, added('500'));
    });
}

test('the page goes on by itself after a moment of real time', async ({ recharge, person, server, wire }) => {
    await recharge.intercept(lost);
    await recharge.recharge('5');
    await recharge.expectSuccess(replayed('500'), '500');
    expect(wire.recharges).toEqual(Array(2).fill({ way: 'page', amount: '5', key: wire.keys[0] }));
    expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
});
