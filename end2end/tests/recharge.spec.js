// The way that most recharges go, and B10: what the page promises is what is credited.

import { added, tokens } from '../support/recharge-page.js';
import { oneCredit } from '../support/server.js';
import { expect, test } from '../support/test.js';

// Both sides of every tier border, with tokens that were computed by hand.
const BORDERS = [
    ['1.00', 'Low', 100],
    ['49.99', 'Low', 4_999],
    ['50', 'Mid', 5_250],
    ['199.99', 'Mid', 20_998],
    ['200', 'High', 22_000],
    ['999.99', 'High', 109_998],
    ['1000', 'Super', 120_000],
];

for (const [amount, tier, granted] of BORDERS) {
    test(`${amount} previews and credits ${granted} tokens`, async ({ recharge, person, server, wire, page }) => {
        const served = await recharge.key.inputValue();
        const paid = `$${Number(amount).toLocaleString('en-US', { minimumFractionDigits: 2 })}`;

        await recharge.amount.fill(amount);
        await expect(recharge.preview).toHaveText(tokens(granted));
        await expect(page.getByTestId('preview-tier')).toHaveText(tier);
        await recharge.button.click();

        await recharge.expectSuccess(added(tokens(granted)), tokens(granted));
        await expect(page.getByTestId('receipt-amount')).toHaveText(paid);
        await expect(page.getByTestId('receipt-tokens')).toHaveText(`${tokens(granted)} tokens`);
        await expect(recharge.receipt).toContainText(tier);
        await expect(recharge.lastOrders).toHaveCount(1);
        await expect(recharge.lastOrders).toContainText([paid]);
        await expect(recharge.lastOrders).toContainText([`${tokens(granted)} tokens`]);

        expect(wire.recharges).toEqual([{ way: 'page', amount, key: served }]);
        expect(await server.facts(person.id, served)).toEqual(oneCredit(granted));
    });
}

test('recharges add up, each under a key of its own, and the history tells them all', async ({
    recharge,
    person,
    server,
    wire,
    page,
}) => {
    await recharge.recharge('50');
    await recharge.expectSuccess(added('5,250'), '5,250');
    const firstOrder = await page.getByTestId('receipt-order').textContent();
    await recharge.recharge('1.5');
    await recharge.expectSuccess(added('150'), '5,400');
    await expect(recharge.lastOrders).toContainText(['$1.50', '$50.00']);

    expect(wire.count).toBe(2);
    expect(wire.keys).toHaveLength(2);
    expect(await server.orders(person.id)).toEqual([
        { key: wire.keys[0], minor: 5_000, status: 2, tokens: 5_250, credited: 5_250 },
        { key: wire.keys[1], minor: 150, status: 2, tokens: 150, credited: 150 },
    ]);

    await page.getByRole('link', { name: 'Full history' }).click();
    await expect(page.getByTestId('orders').locator('tbody tr')).toContainText(['$1.50', '$50.00']);
    await expect(page.getByTestId('ledger').locator('tbody tr')).toContainText(['5,400', '5,250']);

    // An order of the history leads to its receipt, and looking at it pays nothing.
    await page.getByRole('link', { name: firstOrder }).click();
    await expect(page.getByTestId('receipt-amount')).toHaveText('$50.00');
    await expect(page.getByTestId('receipt-order')).toHaveText(firstOrder);
    await expect(recharge.balance).toHaveText('5,400');
    expect(wire.count).toBe(2);
});

test('a preset fills the field and the preview, and sends nothing by itself', async ({ recharge, page, wire }) => {
    await page.getByRole('button', { name: '$1,000' }).click();
    await expect(recharge.amount).toHaveValue('1000');
    await expect(recharge.preview).toHaveText('120,000');
    expect(wire.count).toBe(0);
    await recharge.button.click();
    await recharge.expectSuccess(added('120,000'), '120,000');
    expect(wire.recharges.map(({ amount }) => amount)).toEqual(['1000']);
});

test('the preview says how much more reaches the next tier', async ({ recharge, page }) => {
    const next = page.getByTestId('preview-next');
    await recharge.amount.fill('49.99');
    await expect(next).toHaveText('$0.01 more reaches Mid (105 tokens per $1).');
    await recharge.amount.fill('50');
    await expect(next).toHaveText('$150.00 more reaches High (110 tokens per $1).');
    const reach = page.locator('.reach');
    for (const [amount, percent] of [['50', '0%'], ['125', '50%'], ['199.99', '99%']]) {
        await recharge.amount.fill(amount);
        await expect(reach).toHaveAttribute('style', new RegExp(`--reach: ?${percent};`));
    }
    await recharge.amount.fill('1000');
    await expect(next).toBeHidden();
    await expect(reach).toBeHidden();
});
