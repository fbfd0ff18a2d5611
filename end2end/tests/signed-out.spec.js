// B1 and B9: the session ends in the middle of an intent. Whatever is asked then is answered 401; the intent is kept, the
// page leads to the sign-in, and after it the same key goes on.

import { FAILED_TO_LOAD } from '../support/console.js';
import { away, lost, lostForLong } from '../support/faults.js';
import { SIGNED_OUT, RechargePage, added, nothingYet, resumed } from '../support/recharge-page.js';
import { nothing, oneCredit, voided } from '../support/server.js';
import { expect, signIn, signUp, test } from '../support/test.js';

test.beforeEach(({ console }) => console.allow(FAILED_TO_LOAD));

/** Ends the session, and the next request of a kind meets that. */
const endSession = (context) => context.clearCookies({ name: 'recharge_session' });

/** The page says that the session ended, does nothing by itself, and leads to the sign-in. */
async function goOn(recharge, { person, wire }, label) {
    await recharge.expectOpen(SIGNED_OUT, label);
    const asked = wire.asks.length;
    if (recharge.stopped) await recharge.pass(60_000);
    await recharge.expectOpen(SIGNED_OUT, label);
    expect(wire.asks).toHaveLength(asked);
    await recharge.signIn.click();
    await signIn(recharge, person.email);
}

test('the recharge is refused: the intent succeeds with the same key after signing in', async ({
    recharge,
    person,
    server,
    wire,
    context,
}) => {
    await recharge.stopTime();
    await endSession(context);
    await recharge.recharge('5');
    await expect(recharge.status).toBeFocused();
    const [key] = wire.keys;
    expect(await server.facts(person.id, key)).toEqual(nothing);
    await goOn(recharge, { person, wire });

    await recharge.expectOpen(nothingYet('$5.00'));
    await expect(recharge.amount).toHaveValue('5');
    await recharge.button.click();
    await recharge.expectSuccess(added('500'), '500');
    expect(wire.recharges).toEqual(Array(2).fill({ way: 'page', amount: '5', key }));
    expect(await server.facts(person.id, key)).toEqual(oneCredit(500));
});

test('a repeat is refused: after signing in the page tells that it had gone through', async ({
    recharge,
    person,
    server,
    wire,
    context,
}) => {
    await recharge.stopTime();
    await recharge.intercept(lost);
    await recharge.recharge('5');
    await recharge.expectWaiting();
    await endSession(context);
    await recharge.pass(1_500);
    await goOn(recharge, { person, wire });
    await recharge.expectSuccess(resumed('$5.00', '500'), '500');
    expect(wire.asks).toEqual(['recharge', 'recharge', 'resolve']);
    expect(wire.keys).toHaveLength(1);
    expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
});

test('the question what became of it is refused: it is asked again after signing in', async ({
    recharge,
    person,
    server,
    wire,
    context,
}) => {
    await recharge.stopTime();
    await recharge.intercept(lostForLong);
    await recharge.recharge('5');
    await recharge.expectOpen();
    await recharge.intercept(async (route) => {
        expect((await context.request.post('/sign-out', { maxRedirects: 0 })).status()).toBe(303);
        await route.continue();
    }, 'resolve');
    await recharge.reload();
    await goOn(recharge, { person, wire });
    await recharge.expectSuccess(resumed('$5.00', '500'), '500');
    expect(wire.resolves).toEqual(Array(2).fill(wire.keys[0]));
    expect(wire.count).toBe(1);
    expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
});

test('the discard is refused: nothing is void before the person is signed in again', async ({
    recharge,
    person,
    server,
    wire,
    context,
}) => {
    await recharge.stopTime();
    await recharge.intercept(away);
    await recharge.recharge('5');
    await recharge.expectOpen();
    await endSession(context);
    await recharge.discard.click();
    await expect(recharge.status).toBeFocused();
    const [key] = wire.keys;
    await goOn(recharge, { person, wire });
    await recharge.expectOpen(nothingYet('$5.00'));
    expect(await server.facts(person.id, key)).toEqual(nothing);
    await recharge.discard.click();
    await recharge.expectDiscarded();
    expect(wire.discards).toEqual([key, key]);
    expect(wire.count).toBe(1);
    expect(await server.facts(person.id, key)).toEqual(voided);
});

test('another amount is wanted: nothing of it is sent, and the first one is asked about after signing in', async ({
    recharge,
    person,
    server,
    wire,
    context,
}) => {
    await recharge.stopTime();
    await recharge.intercept(away);
    await recharge.recharge('5');
    await recharge.expectOpen();
    await endSession(context);
    await recharge.recharge('7');
    await goOn(recharge, { person, wire }, 'Recharge');
    await recharge.expectOpen(nothingYet('$5.00'));
    expect(wire.asks).toEqual(['recharge', 'discard', 'resolve']);
    expect(await server.facts(person.id, wire.keys[0])).toEqual(nothing);
});

test('somebody else who signs in then gets nothing of it', async ({ recharge, person, server, wire, context }) => {
    await endSession(context);
    await recharge.recharge('5');
    await recharge.expectOpen(SIGNED_OUT);
    const [key] = wire.keys;

    const other = await signUp(server, context);
    const next = new RechargePage(recharge.page);
    await next.open();
    await expect(next.status).toBeEmpty();
    await expect(next.amount).toHaveValue('');
    await expect(next.key).not.toHaveValue(key);
    await next.recharge('7');
    await next.expectSuccess(added('700'), '700');
    expect(wire.keys).toHaveLength(2);
    expect(await server.facts(other.id, wire.keys[1])).toEqual(oneCredit(700));

    // The first person's intent waits for the first person.
    await recharge.page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(recharge, person.email);
    await recharge.expectOpen(nothingYet('$5.00'));
    await expect(recharge.key).toHaveValue(key);
    await recharge.button.click();
    await recharge.expectSuccess(added('500'), '500');
    expect(await server.facts(person.id, key)).toEqual(oneCredit(500));
});
