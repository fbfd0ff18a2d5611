// B8: without WASM (not loaded yet, blocked, scripts off) the page is a plain form, as exact as the other one.

import { FAILED_TO_LOAD } from '../support/console.js';
import { gate } from '../support/gate.js';
import { RechargePage, added, replayed } from '../support/recharge-page.js';
import { nothing, oneCredit } from '../support/server.js';
import { expect, test } from '../support/test.js';
import { holdWasm } from '../support/wasm.js';

const RECEIPT = /\/\?receipt=[\da-f-]{36}&replayed=(true|false)#receipt-title$/;

/** The page as the server sends it, on which nothing lives. */
async function openPlain(page) {
    const recharge = new RechargePage(page);
    await page.goto('/');
    await expect(recharge.form).toHaveAttribute('data-live', 'false');
    return recharge;
}

/** The page with the receipt, to which a redirect led. */
async function expectReceipt(recharge, balance) {
    await expect(recharge.page).toHaveURL(RECEIPT);
    await expect(recharge.receipt).toBeVisible();
    await expect(recharge.balance).toHaveText(balance);
}

test.describe('scripts are off', () => {
    test.use({ javaScriptEnabled: false });

    test('a recharge ends in a redirect to its receipt, and a reload pays nothing', async ({
        page,
        person,
        server,
        wire,
    }) => {
        const recharge = await openPlain(page);
        const served = await recharge.key.inputValue();
        const posted = page.waitForResponse((response) => response.request().method() === 'POST');
        await recharge.recharge('50');
        expect((await posted).status()).toBe(303);
        expect((await posted).headers().location).toMatch(RECEIPT);

        await expectReceipt(recharge, '5,250');
        await expect(page.getByTestId('receipt-amount')).toHaveText('$50.00');
        await expect(page.getByTestId('receipt-tokens')).toHaveText('5,250 tokens');
        await page.reload();
        await page.reload();
        await expectReceipt(recharge, '5,250');
        expect(wire.recharges).toEqual([{ way: 'form', amount: '50', key: served }]);
        expect(await server.facts(person.id, served)).toEqual(oneCredit(5_250));

        // The page with the receipt is ready for the next recharge.
        await expect(recharge.key).not.toHaveValue(served);
        await recharge.recharge('50');
        await expectReceipt(recharge, '10,500');
        expect(wire.keys).toHaveLength(2);
    });

    test('nothing is shown that only works with scripts', async ({ page, person }) => {
        await openPlain(page);
        expect(person.id).toBeGreaterThan(0);
        await expect(page.getByRole('button', { name: '$50' })).toBeHidden();
        await expect(page.getByText('Enter an amount to see what it buys.')).toBeHidden();
        await expect(page.getByTestId('tiers')).toBeVisible();
    });

    for (const [amount, words] of [
        ['1,50', /^Enter the amount in digits/],
        ['', /^Enter the amount in digits/],
        ['0.5', 'The smallest amount is $1.00.'],
        ['50000.01', 'The largest amount is $50,000.00.'],
        ['"><b>5', /^Enter the amount in digits/],
    ]) {
        test(`"${amount}" comes back with the error beside the field`, async ({ page, person, server, wire, console }) => {
            console.allow(/status of 400/);
            const recharge = await openPlain(page);
            await recharge.recharge(amount);
            await expect(recharge.fieldError).toBeVisible();
            await expect(recharge.fieldError).toHaveText(words);
            await expect(recharge.summary).toBeVisible();
            await expect(recharge.amount).toHaveValue(amount);
            await expect(recharge.amount).toHaveAttribute('aria-invalid', 'true');
            await expect(recharge.receipt).toHaveCount(0);
            expect(await server.facts(person.id, wire.keys[0])).toEqual(nothing);

            await recharge.recharge('5');
            await expectReceipt(recharge, '500');
            expect(await server.facts(person.id, wire.recharges[1].key)).toEqual(oneCredit(500));
        });
    }

    test('a typo after an answer that was lost keeps the key: one credit, and the page says so', async ({
        page,
        person,
        server,
        wire,
        console,
    }) => {
        console.allow(/status of 400/);
        const recharge = await openPlain(page);
        const key = await recharge.key.inputValue();
        // The answer to the form, and the key in it, never reach the browser.
        const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
        const body = new URLSearchParams({ amount: '5', idempotency_key: key });
        await fetch(server.url, { method: 'POST', headers: { cookie }, body, redirect: 'manual' });
        expect(await server.facts(person.id, key)).toEqual(oneCredit(500));
        await openPlain(page);
        await recharge.recharge('5,00');
        await expect(recharge.fieldError).toBeVisible();
        expect(await recharge.key.inputValue()).toBe(key);
        await recharge.recharge('5.00');
        await expectReceipt(recharge, '500');
        await expect(recharge.status).toHaveText(replayed('500'));
        expect(new Set(wire.keys)).toEqual(new Set([key]));
        expect(await server.facts(person.id, key)).toEqual(oneCredit(500));
    });

    test('a success is said in words', async ({ page, person, server, wire }) => {
        const recharge = await openPlain(page);
        await recharge.recharge('5');
        await expect(recharge.status).toHaveText(added('500'));
        await expect(recharge.status).toHaveAttribute('data-tone', 'good');
        expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
        // An old receipt is not a success of now.
        await page.goto(page.url().replace(/&replayed.*/, ''));
        await expect(recharge.receipt).toBeVisible();
        await expect(recharge.status).toBeEmpty();
    });

    test('a double click is one credit', async ({ page, person, server, wire }) => {
        const recharge = await openPlain(page);
        await recharge.amount.fill('5');
        await recharge.button.dblclick();
        await expectReceipt(recharge, '500');
        expect(wire.keys).toHaveLength(1);
        expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
    });

    test('the answer is lost: the page loaded again has the same key', async ({ page, person, server, wire, console }) => {
        console.allow(FAILED_TO_LOAD);
        const recharge = await openPlain(page);
        const lost = gate();
        await page.route('**/', async (route) => {
            if (route.request().method() !== 'POST') return route.continue();
            // The browser gets neither the redirect nor its cookie.
            const { cookie } = await route.request().allHeaders();
            const headers = { cookie, 'content-type': 'application/x-www-form-urlencoded' };
            await fetch(server.url, { method: 'POST', headers, body: route.request().postData(), redirect: 'manual' });
            await route.abort('connectionreset');
            lost.open();
        });
        await recharge.amount.fill('5');
        await recharge.button.click({ noWaitAfter: true });
        await lost.opened;
        expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
        await page.unrouteAll();

        await page.goto('/');
        await expect(recharge.key).toHaveValue(wire.keys[0]);
        await recharge.recharge('5');
        await expectReceipt(recharge, '500');
        expect(wire.count).toBe(2);
        expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
    });

    test('the session has ended: the sign-in comes first, and nothing is paid', async ({
        page,
        person,
        server,
        wire,
        context,
    }) => {
        const recharge = await openPlain(page);
        await context.clearCookies({ name: 'recharge_session' });
        await recharge.recharge('5');
        await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in');
        expect(wire.count).toBe(1);
        expect(await server.facts(person.id, wire.keys[0])).toEqual(nothing);
    });
});

test('WASM is blocked: the form works', async ({ page, person, server, wire, console }) => {
    console.allow(FAILED_TO_LOAD, /Failed to fetch/);
    await page.route('**/*.wasm', (route) => route.abort());
    const recharge = await openPlain(page);
    await recharge.recharge('5');
    await expectReceipt(recharge, '500');
    await page.reload();
    await expectReceipt(recharge, '500');
    expect(wire.recharges).toEqual([{ way: 'form', amount: '5', key: wire.keys[0] }]);
    expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
});

test('a click before WASM is there goes through the form', async ({ page, person, server, wire }) => {
    const wasm = await holdWasm(page);
    const recharge = await openPlain(page);
    await wasm.asked;
    await recharge.recharge('5');
    await expectReceipt(recharge, '500');
    wasm.release();
    await recharge.alive();

    // The page that has come to life shows the receipt, has a new key, and recharges again.
    await expect(recharge.receipt).toBeVisible();
    await expect(recharge.status).toHaveText(added('500'));
    expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
    await recharge.recharge('5');
    await expect(recharge.balance).toHaveText('1,000');
    expect(wire.recharges.map(({ way }) => way)).toEqual(['form', 'page']);
    expect(wire.keys).toHaveLength(2);
    expect(await server.orders(person.id)).toMatchObject([{ credited: 500 }, { credited: 500 }]);
});

test('the page comes to life while the form is being sent: pressing again is the same intent', async ({
    page,
    person,
    server,
    wire,
    console,
}) => {
    console.allow(FAILED_TO_LOAD);
    const wasm = await holdWasm(page);
    const recharge = await openPlain(page);
    await wasm.asked;
    const sent = gate();
    const released = gate();
    await page.route('**/', async (route) => {
        if (route.request().method() !== 'POST') return route.continue();
        sent.open();
        await released.opened;
        // The second press may have taken the place of this navigation.
        await route.continue().catch(() => {});
    });
    await recharge.amount.fill('5');
    // The second press is prepared in the page, for Playwright looks at no page that is about to be left.
    await recharge.form.evaluate((form) => {
        new MutationObserver(() => form.dataset.live === 'true' && form.requestSubmit()).observe(form, {
            attributeFilter: ['data-live'],
        });
        form.requestSubmit();
    });
    await sent.opened;
    wasm.release();
    await expect.poll(() => wire.count).toBe(2);
    released.open();

    await expect(recharge.receipt).toBeVisible();
    await expect(recharge.balance).toHaveText('500');
    expect(wire.recharges.map(({ way }) => way)).toEqual(['form', 'page']);
    expect(wire.keys).toHaveLength(1);
    expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));

    // Nothing of it is left over: the next page is ready for a new recharge.
    await expect(page).toHaveURL(RECEIPT);
    await recharge.alive();
    await expect(recharge.key).not.toHaveValue(wire.keys[0]);
});

test('an intent whose answer was lost is taken up by the plain form', async ({ recharge, page, person, server, wire, console }) => {
    console.allow(FAILED_TO_LOAD, /Failed to fetch/);
    const answer = await recharge.hold();
    await recharge.recharge('5');
    await answer.stopped;
    await page.route('**/*.wasm', (route) => route.abort());
    const plain = await openPlain(page);
    await expect(plain.key).toHaveValue(wire.keys[0]);
    await plain.recharge('5');
    await expectReceipt(plain, '500');
    expect(wire.recharges.map(({ way }) => way)).toEqual(['page', 'form']);
    expect(wire.keys).toHaveLength(1);
    expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
});
