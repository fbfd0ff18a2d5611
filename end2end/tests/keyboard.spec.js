// The whole way by keyboard alone: everything can be reached, everything shows that it is, and nothing loses the focus.

import { FAILED_TO_LOAD } from '../support/console.js';
import { away, refused } from '../support/faults.js';
import { RechargePage, SIGNED_OUT, added, nothingYet } from '../support/recharge-page.js';
import { oneCredit, voided } from '../support/server.js';
import { PASSWORD, expect, newEmail, signUp, test } from '../support/test.js';

/** Presses Tab until the focus is there; every stop on the way must be visible as one. */
async function tabTo(page, target) {
    for (let stop = 0; stop < 20; stop++) {
        await page.keyboard.press('Tab');
        const ring = await page.evaluate(() => {
            const shown = (element) => element && getComputedStyle(element).outlineStyle !== 'none';
            const focused = document.activeElement;
            return { tag: focused.outerHTML.slice(0, 80), shown: shown(focused) || shown(focused.closest('.amount')) };
        });
        expect(ring, 'the focus must be seen').toMatchObject({ shown: true });
        if (await target.evaluate((element) => element === document.activeElement)) return;
    }
    throw new Error(`${target} cannot be reached with Tab`);
}

test('from signing up to the history and out', async ({ page, server, wire }) => {
    const email = newEmail();
    const { keyboard } = page;
    await page.goto('/sign-up');
    await tabTo(page, page.getByLabel('E-mail'));
    await keyboard.type(email);
    await tabTo(page, page.getByLabel('Password'));
    await keyboard.type(PASSWORD);
    await keyboard.press('Enter');
    await expect(page).toHaveURL('/');

    const recharge = new RechargePage(page);
    await recharge.alive();
    await tabTo(page, page.getByRole('link', { name: 'Skip to the content' }));
    await keyboard.press('Enter');
    // The header is behind: the first stop of the content is the field.
    await keyboard.press('Tab');
    await expect(recharge.amount).toBeFocused();

    // A mistake, the way from the summary to the field, and a preset instead.
    await keyboard.type('five');
    await keyboard.press('Enter');
    await expect(recharge.summary).toBeFocused();
    await tabTo(page, recharge.summary.getByRole('link'));
    await keyboard.press('Enter');
    await expect(recharge.amount).toBeFocused();
    await tabTo(page, page.getByRole('button', { name: '$50' }));
    await keyboard.press('Space');
    await expect(recharge.amount).toHaveValue('50');

    await tabTo(page, recharge.button);
    await keyboard.press('Space');
    await expect(recharge.status).toBeFocused();
    await recharge.expectSuccess(added('5,250'), '5,250');
    await expect(recharge.status).toBeFocused();
    expect(wire.count).toBe(1);
    const [{ id }] = await server.query('select id from users where email = ?', email);
    expect(await server.facts(id, wire.keys[0])).toEqual(oneCredit(5_250));

    await tabTo(page, page.getByRole('link', { name: 'Full history' }));
    await keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('History');
    await tabTo(page, page.getByRole('button', { name: 'Sign out' }));
    await keyboard.press('Enter');
    await expect(page).toHaveURL('/sign-in');
});

test('an unconfirmed recharge is tried again by keyboard', async ({ recharge, page, person, server, wire, console }) => {
    console.allow(FAILED_TO_LOAD);
    await recharge.stopTime();
    await recharge.intercept(refused);
    await recharge.amount.focus();
    await page.keyboard.type('5');
    await page.keyboard.press('Enter');
    await recharge.expectWaiting();
    await expect(recharge.status).toBeFocused();
    await page.keyboard.press('Shift+Tab');
    await expect(recharge.button).toBeFocused();
    await page.keyboard.press('Enter');
    await recharge.expectSuccess(added('500'), '500');
    await expect(recharge.status).toBeFocused();
    expect(wire.keys).toHaveLength(1);
    expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
});

test('an unconfirmed recharge is discarded by keyboard, and another one made', async ({
    recharge,
    page,
    person,
    server,
    wire,
    console,
}) => {
    console.allow(FAILED_TO_LOAD);
    const { keyboard } = page;
    await recharge.intercept(away);
    await recharge.amount.focus();
    await keyboard.type('5');
    await keyboard.press('Enter');
    await recharge.expectOpen();
    await expect(recharge.status).toBeFocused();
    // Discard comes right after what is said about the outcome.
    await keyboard.press('Tab');
    await expect(recharge.discard).toBeFocused();
    await keyboard.press('Enter');
    await recharge.expectDiscarded();
    // The button that was pressed is gone: the focus must not be.
    await expect(recharge.status).toBeFocused();
    expect(await server.facts(person.id, wire.keys[0])).toEqual(voided);
    await keyboard.press('Shift+Tab');
    await expect(recharge.button).toBeFocused();
    await keyboard.press('Space');
    await recharge.expectSuccess(added('500'), '500');
    expect(wire.asks).toEqual(['recharge', 'discard', 'recharge']);
    expect(await server.facts(person.id, wire.keys[1])).toEqual({ ...oneCredit(500), others: 1 });
});

test('a session that ended is begun again by keyboard', async ({ recharge, page, person, wire, context, console }) => {
    console.allow(FAILED_TO_LOAD);
    await context.clearCookies({ name: 'recharge_session' });
    await recharge.amount.focus();
    await page.keyboard.type('5');
    await page.keyboard.press('Enter');
    await recharge.expectOpen(SIGNED_OUT);
    await page.keyboard.press('Tab');
    await expect(recharge.signIn).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in');
    await page.waitForLoadState();
    await tabTo(page, page.getByLabel('E-mail'));
    await page.keyboard.type(person.email);
    await tabTo(page, page.getByLabel('Password'));
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await recharge.expectOpen(nothingYet('$5.00'));
    expect(wire.resolves).toEqual(wire.keys);
});

for (const which of ['button', 'discard']) {
    test(`the page goes on by itself while the focus is on the ${which}: it is not lost`, async ({
        recharge,
        wire,
        console,
    }) => {
        console.allow(FAILED_TO_LOAD);
        await recharge.stopTime();
        await recharge.intercept(refused);
        await recharge.recharge('5');
        await recharge.expectWaiting();
        await recharge[which].focus();
        const answer = await recharge.hold();
        await recharge.pass(1_500);
        await answer.stopped;
        await expect(recharge.status).toBeFocused();
        answer.release();
        await recharge.expectSuccess(added('500'), '500');
        await expect(recharge.status).toBeFocused();
        expect(wire.keys).toHaveLength(1);
    });
}

test('a refused sign-in leads to its field by keyboard', async ({ page, server, context, console }) => {
    console.allow(/status of 422/);
    const { email } = await signUp(server, context);
    await context.clearCookies();
    await page.goto('/sign-in');
    await tabTo(page, page.getByLabel('E-mail'));
    await page.keyboard.type(email);
    await tabTo(page, page.getByLabel('Password'));
    await page.keyboard.type('wrong horse');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('alert')).toBeVisible();
    await tabTo(page, page.getByRole('alert').getByRole('link'));
    await page.keyboard.press('Enter');
    await expect(page.getByLabel('E-mail')).toBeFocused();
});
