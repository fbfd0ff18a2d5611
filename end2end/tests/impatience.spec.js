// B2 and B3: pressed more than once, in every way there is. One decision is one request, or at least one credit.

import { FAILED_TO_LOAD } from '../support/console.js';
import { lostForLong } from '../support/faults.js';
import { added, replayed } from '../support/recharge-page.js';
import { oneCredit } from '../support/server.js';
import { expect, test } from '../support/test.js';

// All in one task of the browser: before the page can draw a disabled button.
const FROM_SCRIPT = {
    'ten clicks': (form) => {
        for (let click = 0; click < 10; click++) form.querySelector('[type=submit]').click();
    },
    'requestSubmit twice': (form) => {
        form.requestSubmit();
        form.requestSubmit();
    },
    'a click and requestSubmit': (form) => {
        form.querySelector('[type=submit]').click();
        form.requestSubmit();
    },
};

for (const [what, act] of Object.entries(FROM_SCRIPT)) {
    test(`${what} from script in one task are one request`, async ({ recharge, person, server, wire }) => {
        const served = await recharge.key.inputValue();
        await recharge.amount.fill('5');
        const answer = await recharge.hold({ before: true });
        await recharge.form.evaluate(act);
        await answer.stopped;
        answer.release();
        await recharge.expectSuccess(added('500'), '500');
        expect(wire.recharges).toEqual([{ way: 'page', amount: '5', key: served }]);
        expect(await server.facts(person.id, served)).toEqual(oneCredit(500));
    });
}

/** Where the middle of the button is, for a mouse or a finger that does not wait until it is enabled. */
async function middle(button) {
    await button.scrollIntoViewIfNeeded();
    const { x, y, width, height } = await button.boundingBox();
    return [x + width / 2, y + height / 2];
}

// While the answer to the first press is on its way.
const BY_HAND = {
    'Enter twice': async ({ recharge, page }) => {
        await recharge.amount.press('Enter');
        await recharge.amount.focus();
        await page.keyboard.press('Enter');
    },
    'Enter, then a click': async ({ recharge, page }) => {
        await recharge.amount.press('Enter');
        await page.mouse.click(...(await middle(recharge.button)));
    },
    'a double click': ({ recharge }) => recharge.button.dblclick(),
    'a click, and ten more': async ({ recharge, page }) => {
        await recharge.button.click();
        const place = await middle(recharge.button);
        for (let click = 0; click < 10; click++) await page.mouse.click(...place);
    },
    'the disabled button enabled by hand and clicked': async ({ recharge }) => {
        await recharge.button.click();
        await expect(recharge.button).toBeDisabled();
        await recharge.button.evaluate((button) => {
            button.disabled = false;
            button.click();
        });
    },
    'requestSubmit while the button is disabled': async ({ recharge }) => {
        await recharge.button.click();
        await expect(recharge.button).toBeDisabled();
        await recharge.form.evaluate((form) => form.requestSubmit());
    },
};

for (const [what, act] of Object.entries(BY_HAND)) {
    test(`${what}: one request, one credit`, async ({ recharge, person, server, wire, page }) => {
        await recharge.amount.fill('5');
        const answer = await recharge.hold();
        await act({ recharge, page });
        await answer.stopped;
        answer.release();
        await recharge.expectSuccess(added('500'), '500');
        expect(wire.count).toBe(1);
        expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
    });
}

test('while a request is in flight the button is disabled and the amount locked', async ({ recharge, page }) => {
    const answer = await recharge.hold();
    await recharge.recharge('5');
    await answer.stopped;
    await expect(recharge.button).toBeDisabled();
    await expect(recharge.button).toHaveText('Recharging…');
    await expect(recharge.form).toHaveAttribute('aria-busy', 'true');
    await expect(recharge.amount).not.toBeEditable();
    await expect(page.getByRole('button', { name: '$50' })).toBeDisabled();
    answer.release();
    await recharge.expectSuccess(added('500'), '500');
    await expect(recharge.form).toHaveAttribute('aria-busy', 'false');
    await expect(recharge.amount).toBeEditable();
});

/** A person's double click takes longer than this server: when the second press comes, the button is back. */
async function paidOnce({ recharge, person, server, wire }) {
    // What the second press began shows once the page has drawn again, and is on its way.
    await recharge.page.evaluate(() => new Promise(requestAnimationFrame));
    expect(await recharge.status.textContent()).toBe(added('500'));
    expect(wire.count).toBe(1);
    expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
}

test('the second click of a double click that meets a quick answer pays nothing', async ({
    recharge,
    person,
    server,
    wire,
    page,
}) => {
    await recharge.amount.fill('5');
    await page.mouse.move(...(await middle(recharge.button)));
    await page.mouse.down();
    await page.mouse.up();
    await recharge.expectSuccess(added('500'), '500');
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
    await paidOnce({ recharge, person, server, wire });
});

test('Enter held down pays once', async ({ recharge, person, server, wire, page }) => {
    await recharge.amount.fill('5');
    await recharge.amount.focus();
    for (let repeat = 0; repeat < 10; repeat++) await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    await recharge.expectSuccess(added('500'), '500');
    expect(wire.count).toBe(1);
    expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
});

test('a double click on Try again is one more request', async ({ recharge, person, server, wire, console }) => {
    console.allow(FAILED_TO_LOAD);
    await recharge.intercept(lostForLong);
    await recharge.recharge('5');
    await recharge.expectOpen();
    await recharge.button.dblclick();
    await recharge.expectSuccess(replayed('500'), '500');
    expect(wire.recharges).toEqual(Array(2).fill({ way: 'page', amount: '5', key: wire.keys[0] }));
    expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
});

test.describe('on a touch screen', () => {
    test.use({ hasTouch: true, viewport: { width: 390, height: 844 } });

    test('a double tap: one request, one credit', async ({ recharge, person, server, wire, page }) => {
        await recharge.amount.fill('5');
        const answer = await recharge.hold();
        const place = await middle(recharge.button);
        await page.touchscreen.tap(...place);
        await page.touchscreen.tap(...place);
        await answer.stopped;
        answer.release();
        await recharge.expectSuccess(added('500'), '500');
        expect(wire.count).toBe(1);
        expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
    });

    // Not every browser says of a tap that it is the second of two: the button rests for a second after a success.
    test('the second tap of a double tap that meets a quick answer pays nothing', async ({
        recharge,
        person,
        server,
        wire,
        page,
    }) => {
        await page.clock.install();
        await page.clock.pauseAt(Date.now() + 60_000);
        await recharge.amount.fill('5');
        const place = await middle(recharge.button);
        await page.touchscreen.tap(...place);
        await expect(recharge.status).toHaveText(added('500'));
        await expect(recharge.button).toBeDisabled();
        await page.touchscreen.tap(...place);
        await recharge.form.evaluate((form) => form.requestSubmit());
        expect(wire.count).toBe(1);
        await page.clock.fastForward(1_000);
        await expect(recharge.button).toBeEnabled();
        await recharge.button.press('Enter');
        await expect(recharge.balance).toHaveText('1,000');
        expect(wire.count).toBe(2);
        expect(await server.facts(person.id, wire.keys[0])).toMatchObject({ orders: 1, completed: 1, ledger: 1 });
    });
});

test('after a success the same amount is a new decision, with a new key', async ({ recharge, person, server, wire }) => {
    await recharge.recharge('5');
    await recharge.expectSuccess(added('500'), '500');
    await recharge.button.click();
    await recharge.expectSuccess(added('500'), '1,000');
    expect(wire.keys).toHaveLength(2);
    expect(await server.orders(person.id)).toMatchObject([
        { key: wire.keys[0], credited: 500 },
        { key: wire.keys[1], credited: 500 },
    ]);
});

test('one key sent twice at once, as by a proxy that repeats: one credit', async ({ recharge, person, server, wire }) => {
    await recharge.intercept(async (route) => {
        const [response, twin] = await Promise.all([route.fetch(), route.fetch()]);
        expect([(await response.json()).replayed, (await twin.json()).replayed].sort()).toEqual([false, true]);
        await route.fulfill({ response });
    });
    await recharge.recharge('5');
    await expect(recharge.status).toHaveText(new RegExp(`${added('500')}|${replayed('500')}`.replaceAll('.', '\\.')));
    await expect(recharge.balance).toHaveText('500');
    expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
});
