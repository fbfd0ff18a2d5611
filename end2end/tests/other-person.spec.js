// B6 and B9: in another tab the person signs out, or somebody else signs in. A page shows nobody somebody else's account,
// pays nothing into it, and an intent waits for the person whose it is.

import { FAILED_TO_LOAD } from '../support/console.js';
import { away, refused } from '../support/faults.js';
import { added, asleep, lookAt, nothingYet } from '../support/recharge-page.js';
import { nothing, oneCredit } from '../support/server.js';
import { expect, signIn, signUp, test } from '../support/test.js';

test.beforeEach(({ console }) => console.allow(FAILED_TO_LOAD));

async function signOut(recharge) {
    await recharge.page.getByRole('button', { name: 'Sign out' }).click();
    await expect(recharge.page).toHaveURL('/sign-in');
}

/** The first person has $5 paid, so that there is something to see, and $6 whose outcome nobody knows. */
async function leaveUnresolved(recharge) {
    await recharge.recharge('5');
    await recharge.expectSuccess(added('500'), '500');
    await recharge.intercept(away);
    await recharge.recharge('6');
    await recharge.expectOpen();
    return recharge.key.inputValue();
}

/** The first person's intent is found when they sign in again, and is paid once, to them. */
async function expectFoundAgain({ recharge, person, server, wire }, key, sent = 2) {
    await signIn(recharge, person.email);
    await recharge.expectOpen(nothingYet('$6.00'));
    await expect(recharge.amount).toHaveValue('6');
    await expect(recharge.key).toHaveValue(key);
    await recharge.button.click();
    await recharge.expectSuccess(added('600'), '1,100');
    const same = wire.recharges.filter((request) => request.key === key);
    expect(same).toEqual(Array(sent).fill({ way: 'page', amount: '6', key }));
    expect(await server.facts(person.id, key)).toEqual({ ...oneCredit(1_100), others: 1 });
}

/** The page is the other person's, and ready for them. */
async function expectOthers(recharge, other, key) {
    await expect(recharge.page.getByRole('banner')).toContainText(other.email);
    await recharge.alive();
    await expect(recharge.balance).toHaveText('0');
    await expect(recharge.lastOrders).toHaveCount(0);
    await expect(recharge.receipt).toHaveCount(0);
    await expect(recharge.status).toBeEmpty();
    await expect(recharge.amount).toHaveValue('');
    await expect(recharge.discard).toBeHidden();
    await expect(recharge.key).not.toHaveValue(key);
}

test('after a sign-out in another tab the page that is looked at shows nothing any more', async ({
    recharge,
    person,
    server,
    wire,
}) => {
    const key = await leaveUnresolved(recharge);
    const second = await recharge.newTab();
    await signOut(second);
    await lookAt(recharge);
    await expect(recharge.page.getByRole('heading', { level: 1 })).toHaveText('Sign in');
    await expect(recharge.balance).toHaveCount(0);
    await expect(recharge.page.getByText(person.email)).toHaveCount(0);
    expect(wire.count).toBe(2);
    expect(await server.facts(person.id, key)).toEqual({ ...nothing, balance: 500, others: 1 });
    await expectFoundAgain({ recharge, person, server, wire }, key);
});

test('somebody else signs in in another tab: the page becomes theirs without being touched', async ({
    recharge,
    person,
    server,
    wire,
    context,
}) => {
    const key = await leaveUnresolved(recharge);
    const second = await recharge.newTab();
    await signOut(second);
    const other = await signUp(server, context);
    await second.open();
    await expectOthers(recharge, other, key);

    await recharge.recharge('7');
    await recharge.expectSuccess(added('700'), '700');
    const paid = wire.recharges.at(-1).key;
    expect(await server.facts(other.id, paid)).toEqual(oneCredit(700));
    expect(await server.facts(person.id, key)).toEqual({ ...nothing, balance: 500, others: 1 });

    await signOut(recharge);
    await expectFoundAgain({ recharge, person, server, wire }, key);
    expect(await server.facts(other.id, paid)).toEqual(oneCredit(700));
});

test.describe('the page slept through it', () => {
    async function sleeping({ recharge, server, context }, act) {
        await recharge.page.addInitScript(asleep);
        await recharge.reload();
        const key = act ? await act(recharge) : await recharge.key.inputValue();
        await context.clearCookies({ name: 'recharge_session' });
        const other = await signUp(server, context);
        return { key, other };
    }

    test('a press pays nobody, and shows whose page it is now', async ({ recharge, person, server, wire, context }) => {
        const { key, other } = await sleeping({ recharge, server, context });
        await recharge.recharge('5');
        await expectOthers(recharge, other, key);
        expect(wire.count).toBe(1);
        expect(await server.facts(person.id, key)).toEqual(nothing);
        expect(await server.facts(other.id, key)).toEqual(nothing);
    });

    for (const [what, act, sent] of [
        ['a press on an unresolved intent', (recharge) => recharge.button.click(), 3],
        ['a discard', (recharge) => recharge.discard.click(), 2],
        ['another amount', (recharge) => recharge.recharge('7'), 2],
    ]) {
        test(`${what} does nothing, and shows whose page it is now`, async ({ recharge, person, server, wire, context }) => {
            const { key, other } = await sleeping({ recharge, server, context }, leaveUnresolved);
            await act(recharge);
            await expectOthers(recharge, other, key);
            expect(await server.facts(person.id, key)).toEqual({ ...nothing, balance: 500, others: 1 });
            expect(await server.facts(other.id, key)).toEqual(nothing);
            await signOut(recharge);
            await expectFoundAgain({ recharge, person, server, wire }, key, sent);
        });
    }

    test('the page goes on by itself: nothing is paid, and it shows whose page it is now', async ({
        recharge,
        person,
        server,
        context,
    }) => {
        const { key, other } = await sleeping({ recharge, server, context }, async () => {
            await recharge.stopTime();
            await recharge.intercept(refused);
            await recharge.recharge('5');
            await recharge.expectWaiting();
            return recharge.key.inputValue();
        });
        await recharge.pass(1_500);
        await expectOthers(recharge, other, key);
        expect(await server.facts(person.id, key)).toEqual(nothing);
        expect(await server.facts(other.id, key)).toEqual(nothing);
    });
});
