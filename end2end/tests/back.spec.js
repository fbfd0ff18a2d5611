// B7: back and forward, the browser's cache of pages, and fields that it fills again. The page that comes back has a fresh
// balance, a button that works, a new key for a new recharge, and a preview that belongs to its field.

import { FAILED_TO_LOAD } from '../support/console.js';
import { away, lostForLong } from '../support/faults.js';
import { added, asleep, elsewhere, nothingYet, resumed } from '../support/recharge-page.js';
import { oneCredit, voided } from '../support/server.js';
import { expect, test } from '../support/test.js';

test.beforeEach(({ console }) => console.allow(FAILED_TO_LOAD));

async function toHistory({ page }) {
    await page.getByRole('link', { name: 'Full history' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('History');
}

async function back(recharge) {
    await recharge.page.goBack();
    await recharge.alive();
}

/** The preview is that of what stands in the field, whatever the browser has put there. */
async function expectAgreement(recharge, granted) {
    const typed = await recharge.amount.inputValue();
    if (typed) await expect(recharge.preview).toHaveText(granted[typed]);
    else await expect(recharge.page.getByTestId('preview')).toHaveText('Enter an amount to see what it buys.');
}

/** Comes back as from the browser's cache of pages, which a browser under test may not use. */
const comeFromCache = ({ page }) =>
    page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));

test('back after a success: a fresh balance, and a new recharge has a new key', async ({
    recharge,
    person,
    server,
    wire,
    context,
}) => {
    await recharge.recharge('5');
    await recharge.expectSuccess(added('500'), '500');
    await toHistory(recharge);
    // While the page is away another $7 are paid.
    const form = { user_id: person.id, amount: '7', idempotency_key: 'from-elsewhere' };
    expect((await context.request.post('/api/page/recharge', { form })).status()).toBe(200);
    await back(recharge);
    await expect(recharge.balance).toHaveText('1,200');
    await expect(recharge.key).not.toHaveValue(wire.keys[0]);
    await expect(recharge.button).toBeEnabled();
    expect(wire.count).toBe(1);

    await recharge.recharge('5');
    await recharge.expectSuccess(added('500'), '1,700');
    expect(wire.keys).toHaveLength(2);
    expect(await server.facts(person.id, wire.keys[1])).toEqual({ ...oneCredit(1_700), others: 2 });
});

test('back and forward and back: nothing is sent', async ({ recharge, person, server, wire, page }) => {
    await recharge.recharge('5');
    await recharge.expectSuccess(added('500'), '500');
    await toHistory(recharge);
    await back(recharge);
    await page.goForward();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('History');
    await back(recharge);
    await expect(recharge.balance).toHaveText('500');
    await expect(recharge.status).not.toContainText('Recharging');
    expect(wire.asks).toEqual(['recharge']);
    expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
});

test('what was typed and comes back, or does not, agrees with the preview', async ({ recharge, wire }) => {
    await recharge.amount.fill('50');
    await expect(recharge.preview).toHaveText('5,250');
    await recharge.page.goto('/history');
    await back(recharge);
    await expectAgreement(recharge, { 50: '5,250' });
    await recharge.recharge('200');
    await recharge.expectSuccess(added('22,000'), '22,000');
    expect(wire.recharges.map(({ amount }) => amount)).toEqual(['200']);
});

for (const [what, fault, ends] of [
    ['was done', lostForLong, (recharge) => recharge.expectSuccess(resumed('$5.00', '500'), '500')],
    ['was not done', away, (recharge) => recharge.expectOpen(nothingYet('$5.00'))],
]) {
    test(`back to an unresolved intent that ${what}: the server is asked`, async ({ recharge, wire }) => {
        await recharge.intercept(fault);
        await recharge.recharge('5');
        await recharge.expectOpen();
        await recharge.amount.fill('7');
        await recharge.page.goto('/history');
        await back(recharge);
        await ends(recharge);
        await expectAgreement(recharge, { 5: '500', 7: '700' });
        expect(wire.asks).toEqual(['recharge', 'resolve']);
    });
}

test('a page out of the cache has what happened meanwhile: the balance, a new key, and says so', async ({
    recharge,
    person,
    server,
    wire,
}) => {
    const cached = await recharge.newTab({ script: asleep });
    await recharge.recharge('5');
    await recharge.expectSuccess(added('500'), '500');
    await expect(cached.balance).toHaveText('0');
    await comeFromCache(cached);
    await cached.expectSuccess(elsewhere('500'), '500');
    await expect(cached.key).not.toHaveValue(wire.keys[0]);
    await cached.recharge('5');
    await cached.expectSuccess(added('500'), '1,000');
    expect(wire.keys).toHaveLength(2);
    expect(await server.orders(person.id)).toMatchObject([{ credited: 500 }, { credited: 500 }]);
});

test('a page out of the cache with an intent that was discarded meanwhile tells so', async ({
    recharge,
    person,
    server,
    wire,
}) => {
    const cached = await recharge.newTab({ script: asleep });
    await cached.intercept(away);
    await cached.recharge('5');
    await cached.expectOpen();
    await recharge.reload();
    await recharge.expectOpen(nothingYet('$5.00'));
    await recharge.discard.click();
    await recharge.expectDiscarded();
    await comeFromCache(cached);
    await cached.expectDiscarded();
    await expect(cached.balance).toHaveText('0');
    expect(wire.count).toBe(1);
    expect(await server.facts(person.id, wire.keys[0])).toEqual(voided);
});

test('an event of the same name that brings no page back asks nothing', async ({ recharge, wire, page }) => {
    const asked = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: false })));
    await recharge.recharge('5');
    await recharge.expectSuccess(added('500'), '500');
    expect(asked).not.toContain('/api/page/account');
    expect(wire.asks).toEqual(['recharge']);
});
