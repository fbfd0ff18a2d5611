// The amount: the WASM build must judge every example as the server does, and an error must be easy to put right.

import { readFileSync } from 'node:fs';

import { added, tokens } from '../support/recharge-page.js';
import { nothing, oneCredit } from '../support/server.js';
import { expect, test } from '../support/test.js';

// The unit tests of the Rust code read the same list.
const source = readFileSync(new URL('../../app/src/vectors.rs', import.meta.url), 'utf8');
const list = source.slice(source.indexOf('AMOUNTS'), source.indexOf('KEYS'));
const VECTORS = [...list.matchAll(/\("(.*)", (?:Some\(([\d_]+)\)|None)\),/g)];
const RIGHT = VECTORS.filter(([, , minor]) => minor !== undefined).map(([, text, minor]) => [text, Number(minor.replaceAll('_', ''))]);
const WRONG = VECTORS.filter(([, , minor]) => minor === undefined).map(([, text]) => text);

/** The tokens that so many cents buy, computed in whole numbers and independently of the program. */
function buys(minor) {
    const rate = minor >= 100_000 ? 120 : minor >= 20_000 ? 110 : minor >= 5_000 ? 105 : minor >= 100 ? 100 : 0;
    return Math.floor((minor * rate) / 100);
}

test('the list of examples is read', () => {
    expect(RIGHT.length).toBeGreaterThan(5);
    expect(WRONG.length).toBeGreaterThan(15);
    // One example a line: none may have slipped through the pattern.
    expect(VECTORS).toHaveLength(list.split('\n').filter((line) => line.startsWith('    (')).length);
});

test('every amount that is one has its preview', async ({ recharge, page }) => {
    const hint = page.locator('.preview-hint');
    for (const [text, minor] of RIGHT) {
        await test.step(text, async () => {
            // Whatever the example before showed must be gone first.
            await recharge.amount.fill('');
            await expect(hint).toHaveText('Enter an amount to see what it buys.');
            await expect(recharge.preview).toBeHidden();
            await recharge.amount.fill(text);
            if (buys(minor) > 0) await expect(recharge.preview).toHaveText(tokens(buys(minor)));
            else await expect(hint).toHaveText('The smallest amount is $1.00.');
        });
    }
});

test('every text that is no amount is refused in the page, and nothing is sent', async ({ recharge, page, wire }) => {
    for (const text of WRONG) {
        await test.step(JSON.stringify(text), async () => {
            // A right amount first, so that what is shown afterwards belongs to this example.
            await recharge.amount.fill('5');
            await expect(recharge.preview).toHaveText('500');
            await recharge.amount.fill(text);
            await expect(recharge.preview).toBeHidden();
            await page.evaluate(() => document.activeElement.blur());
            await recharge.button.click();
            await expect(recharge.summary).toBeFocused();
            await expect(recharge.fieldError).toHaveText(/^Enter the amount in digits/);
            await expect(recharge.amount).toHaveValue(text);
        });
    }
    expect(wire.count).toBe(0);
});

for (const [amount, words] of [
    ['', /^Enter the amount in digits/],
    ['0.99', 'The smallest amount is $1.00.'],
    ['50000.01', 'The largest amount is $50,000.00.'],
    ['99999999999999999999', 'The largest amount is $50,000.00.'],
]) {
    test(`"${amount}" is explained, kept, and put right`, async ({ recharge, person, server, wire, page }) => {
        await recharge.recharge(amount);

        await expect(recharge.summary).toBeFocused();
        await expect(recharge.fieldError).toBeVisible();
        await expect(recharge.fieldError).toHaveText(words);
        await expect(recharge.amount).toHaveAttribute('aria-invalid', 'true');
        const error = await recharge.fieldError.textContent();
        await expect(recharge.amount).toHaveAccessibleDescription(`From $1.00 to $50,000.00. ${error}`);
        await expect(recharge.amount).toHaveValue(amount);
        await expect(recharge.button).toBeEnabled();
        expect(wire.count).toBe(0);

        await recharge.summary.getByRole('link').click();
        await expect(recharge.amount).toBeFocused();
        await page.keyboard.press('ControlOrMeta+a');
        await page.keyboard.type('50');
        await recharge.button.click();
        await recharge.expectSuccess(added('5,250'), '5,250');
        await expect(recharge.summary).toBeHidden();
        await expect(recharge.fieldError).toBeHidden();
        await expect(recharge.amount).toHaveAttribute('aria-invalid', 'false');
        expect(wire.count).toBe(1);
        expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(5_250));
    });
}

test('the largest amount is accepted', async ({ recharge, person, server, wire }) => {
    await recharge.recharge('50000.00');
    await recharge.expectSuccess(added('6,000,000'), '6,000,000');
    expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(6_000_000));
});

test('what the page lets pass and the server refuses is shown beside the field', async ({
    recharge,
    person,
    server,
    wire,
    console,
}) => {
    console.allow(/status of 400/);
    // As if the limits had been lowered since the page was loaded: the refusal is the server's own.
    await recharge.intercept((route) => {
        const body = new URLSearchParams(route.request().postData());
        body.set('amount', '0.50');
        return route.continue({ postData: body.toString() });
    });
    await recharge.recharge('5');
    await expect(recharge.fieldError).toHaveText('The smallest amount is $1.00.');
    await expect(recharge.amount).toHaveValue('5');
    expect(await server.facts(person.id, wire.keys[0])).toEqual(nothing);

    // A definite refusal ends the intent: the next one has a key of its own.
    await recharge.button.click();
    await recharge.expectSuccess(added('500'), '500');
    expect(wire.keys).toHaveLength(2);
    expect(await server.facts(person.id, wire.keys[1])).toEqual(oneCredit(500));
});
