// B9: success looks like success, and only success does; and those who listen to the page hear it.

import { FAILED_TO_LOAD } from '../support/console.js';
import { IN_FLIGHT, UNCONFIRMED, RechargePage, added, replayed } from '../support/recharge-page.js';
import { nothing, oneCredit } from '../support/server.js';
import { PASSWORD, expect, signUp, test } from '../support/test.js';

/** Answers with the server's own words, but for the account, which could not be read. */
const withoutAccount = async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), account: null } });
};

test('the balance cannot be refreshed: it is a success all the same', async ({ recharge, person, server, wire }) => {
    await recharge.recharge('50');
    await recharge.expectSuccess(added('5,250'), '5,250');
    await recharge.intercept(withoutAccount);
    await recharge.recharge('5');
    await recharge.expectSuccess(added('500'), '5,750');
    expect(wire.count).toBe(2);
    expect(await server.facts(person.id, wire.keys[1])).toEqual({ ...oneCredit(5_750), others: 1 });
});

test('a replay looks like the first success, and says that nothing was charged again', async ({
    recharge,
    person,
    server,
    wire,
    page,
    console,
}) => {
    console.allow(FAILED_TO_LOAD);
    await recharge.intercept(async (route) => {
        await route.fetch();
        await route.abort();
    });
    await recharge.recharge('50');
    await recharge.expectUnconfirmed();
    await recharge.button.click();
    await recharge.expectSuccess(replayed('5,250'), '5,250');
    await expect(recharge.status).toHaveAttribute('data-tone', 'good');
    await expect(page.getByTestId('receipt-amount')).toHaveText('$50.00');
    await expect(recharge.lastOrders).toHaveCount(1);
    expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(5_250));
});

test('nothing of a success is shown while the outcome is not known', async ({ recharge, console }) => {
    console.allow(FAILED_TO_LOAD);
    await recharge.recharge('5');
    await recharge.expectSuccess(added('500'), '500');
    // The receipt of the recharge before must not be taken for that of this one.
    const answer = await recharge.hold({ before: true });
    await recharge.recharge('7');
    await answer.stopped;
    await expect(recharge.status).toHaveText(IN_FLIGHT);
    await expect(recharge.receipt).toHaveCount(0);
    answer.release();
    await recharge.expectSuccess(added('700'), '1,200');
    await recharge.intercept((route) => route.abort());
    await recharge.recharge('9');
    await recharge.expectUnconfirmed();
    await expect(recharge.status).toHaveAttribute('data-tone', 'open');
    await expect(recharge.receipt).toHaveCount(0);
    await expect(recharge.balance).toHaveText('1,200');
});

/** Writes down every text that the status line has from now on. */
async function listen(recharge) {
    await recharge.status.evaluate((line) => {
        window.said = [];
        const hear = () => window.said.at(-1) !== line.textContent && window.said.push(line.textContent);
        new MutationObserver(hear).observe(line, { childList: true, characterData: true, subtree: true });
    });
    return () => recharge.page.evaluate(() => window.said);
}

test('the status line is there from the beginning, and speaks in order', async ({ recharge, page, console }) => {
    console.allow(FAILED_TO_LOAD);
    const html = await (await page.request.get('/')).text();
    expect(html).toMatch(/<p[^>]*role="status"[^>]*>\s*<\/p>/);
    await expect(recharge.status).toBeEmpty();

    const said = await listen(recharge);
    await recharge.recharge('5');
    await expect(recharge.status).toBeFocused();
    await recharge.expectSuccess(added('500'), '500');
    expect(await said()).toEqual([IN_FLIGHT, added('500')]);

    await recharge.intercept((route) => route.abort());
    await recharge.button.click();
    await recharge.expectUnconfirmed();
    await recharge.button.click();
    await recharge.expectSuccess(added('500'), '1,000');
    expect(await said()).toEqual([IN_FLIGHT, added('500'), IN_FLIGHT, UNCONFIRMED, IN_FLIGHT, added('500')]);
    // What says itself aloud must not be inside something that is busy or hidden.
    await expect(recharge.status).toHaveRole('status');
    await expect(recharge.status).not.toHaveAttribute('aria-busy');
});

test.describe('the session ends in the middle of an intent', () => {
    const ENDED = 'You are no longer signed in. Sign in and try again: you will not be charged twice.';

    async function signIn(recharge, email) {
        const { page } = recharge;
        await page.getByLabel('E-mail').fill(email);
        await page.getByLabel('Password').fill(PASSWORD);
        await page.getByRole('button', { name: 'Sign in' }).click();
        await expect(page).toHaveURL('/');
        await recharge.alive();
    }

    test('the intent is kept, and succeeds with the same key after signing in', async ({
        recharge,
        person,
        server,
        wire,
        context,
        console,
    }) => {
        console.allow(FAILED_TO_LOAD);
        await context.clearCookies({ name: 'recharge_session' });
        await recharge.recharge('5');
        await recharge.expectUnconfirmed(ENDED);
        const [key] = wire.keys;
        expect(await server.facts(person.id, key)).toEqual(nothing);

        await recharge.form.getByRole('link', { name: 'Sign in' }).click();
        await signIn(recharge, person.email);
        await recharge.expectUnconfirmed();
        await expect(recharge.amount).toHaveValue('5');
        await recharge.button.click();
        await recharge.expectSuccess(added('500'), '500');
        expect(wire.recharges).toEqual(Array(2).fill({ way: 'page', amount: '5', key }));
        expect(await server.facts(person.id, key)).toEqual(oneCredit(500));
    });

    test('somebody else who signs in then gets nothing of it', async ({
        recharge,
        person,
        server,
        wire,
        context,
        console,
    }) => {
        console.allow(FAILED_TO_LOAD);
        await context.clearCookies({ name: 'recharge_session' });
        await recharge.recharge('5');
        await recharge.expectUnconfirmed(ENDED);
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
        await recharge.expectUnconfirmed();
        await expect(recharge.key).toHaveValue(key);
        await recharge.button.click();
        await recharge.expectSuccess(added('500'), '500');
        expect(await server.facts(person.id, key)).toEqual(oneCredit(500));
    });
});
