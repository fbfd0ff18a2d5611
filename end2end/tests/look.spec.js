// Every state of every page, in both colour schemes: free of what axe finds, without sideways scroll at 320 pixels, with
// targets that a finger hits. The pictures are in test-results/pages/, for people to look at.

import { AxeBuilder } from '@axe-core/playwright';

import { FAILED_TO_LOAD } from '../support/console.js';
import { away, html, lostForLong } from '../support/faults.js';
import {
    DISCARDING,
    IN_FLIGHT,
    OFFLINE,
    RechargePage,
    SIGNED_OUT,
    added,
    beforeOther,
    elsewhere,
    notDiscarded,
    nothingYet,
    resumed,
} from '../support/recharge-page.js';
import { PASSWORD, expect, newEmail, signUp, test } from '../support/test.js';

const WIDTHS = { desktop: [1280, 800], phone: [390, 844], narrow: [320, 640] };

/** Opens the recharge page of a new person. */
async function opened({ page, server, context }) {
    await signUp(server, context, `a.rather.long.address.${newEmail()}`);
    const recharge = new RechargePage(page);
    await recharge.open();
    return recharge;
}

/** The page of a new person who does not know what became of a large recharge. */
async function unconfirmed(test, fault = away) {
    const recharge = await opened(test);
    await recharge.intercept(fault);
    await recharge.recharge('49999.99');
    await recharge.expectOpen();
    return recharge;
}

async function sign(page, path, password) {
    await page.goto(path);
    await page.getByLabel('E-mail').fill(newEmail());
    await page.getByLabel('Password').fill(password);
    await page.locator('main [type=submit]').click();
    await expect(page.getByRole('alert')).toBeVisible();
}

const STATES = {
    'sign-in': ({ page }) => page.goto('/sign-in'),
    'sign-in-first': ({ page }) => page.goto('/history'),
    'sign-in-refused': ({ page }) => sign(page, '/sign-in', PASSWORD),
    'sign-up': ({ page }) => page.goto('/sign-up'),
    'sign-up-refused': ({ page }) => sign(page, '/sign-up', 'short'),
    'not-found': ({ page }) => page.goto('/nothing-here'),
    problems: ({ page }) => page.goto('/problems'),
    problem: ({ page }) => page.goto('/problems/key-reused'),
    recharge: opened,
    'recharge-plain-error': async ({ page, server, context }) => {
        await signUp(server, context);
        await page.route('**/*.wasm', (route) => route.abort());
        await page.goto('/');
        await page.getByLabel('Amount (USD)').fill('1,50');
        await page.getByRole('button', { name: 'Recharge' }).click();
        await expect(page.locator('#amount-error')).toBeVisible();
    },
    'recharge-typed': async (test) => {
        const recharge = await opened(test);
        await recharge.amount.fill('49999.99');
        await expect(recharge.preview).toHaveText('5,999,998');
    },
    'recharge-error': async (test) => {
        const recharge = await opened(test);
        await recharge.recharge('1,50');
        await expect(recharge.summary).toBeFocused();
    },
    'recharge-in-flight': async (test) => {
        const recharge = await opened(test);
        await recharge.hold();
        await recharge.recharge('50');
        await expect(recharge.status).toHaveText(IN_FLIGHT);
    },
    'recharge-waiting': async (test) => {
        const recharge = await opened(test);
        // As long a pause as a page keeps: the pictures are taken in it.
        await recharge.always((route) => route.fulfill(html(503, { 'retry-after': '30' })));
        await recharge.recharge('50');
        await recharge.expectWaiting();
    },
    'recharge-offline': async (test) => {
        const recharge = await opened(test);
        await test.context.setOffline(true);
        await recharge.recharge('50');
        await recharge.expectWaiting(OFFLINE);
    },
    'recharge-unconfirmed': (test) => unconfirmed(test),
    'recharge-asking': async (test) => {
        const recharge = await unconfirmed(test);
        await recharge.hold({ ask: 'resolve' });
        await recharge.reload();
        await expect(recharge.status).toHaveText('Looking up what became of your recharge of $49,999.99.');
    },
    'recharge-nothing-yet': async (test) => {
        const recharge = await unconfirmed(test);
        await recharge.reload();
        await recharge.expectOpen(nothingYet('$49,999.99'));
    },
    'recharge-resumed': async (test) => {
        const recharge = await unconfirmed(test, lostForLong);
        await recharge.reload();
        await recharge.expectSuccess(resumed('$49,999.99', '5,999,998'), '5,999,998');
    },
    'recharge-discarding': async (test) => {
        const recharge = await unconfirmed(test);
        await recharge.hold({ ask: 'discard' });
        await recharge.discard.click();
        await expect(recharge.status).toHaveText(DISCARDING);
    },
    'recharge-discarded': async (test) => {
        const recharge = await unconfirmed(test);
        await recharge.discard.click();
        await recharge.expectDiscarded();
    },
    'recharge-not-discarded': async (test) => {
        const recharge = await unconfirmed(test, lostForLong);
        await recharge.discard.click();
        await recharge.expectSuccess(notDiscarded('$49,999.99', '5,999,998'), '5,999,998');
    },
    'recharge-changed-first': async (test) => {
        const recharge = await unconfirmed(test);
        await recharge.hold({ ask: 'discard' });
        await recharge.recharge('49999.98');
        await expect(recharge.status).toHaveText(/^First we check what became of your recharge/);
    },
    'recharge-before-other': async (test) => {
        const recharge = await unconfirmed(test, lostForLong);
        await recharge.recharge('7');
        await recharge.expectSuccess(beforeOther('$49,999.99', '5,999,998'), '5,999,998');
    },
    'recharge-elsewhere': async (test) => {
        const recharge = await opened(test);
        const other = await recharge.newTab();
        await other.recharge('49999.99');
        await recharge.expectSuccess(elsewhere('5,999,998'), '5,999,998');
    },
    'recharge-signed-out': async (test) => {
        const recharge = await opened(test);
        await test.context.clearCookies({ name: 'recharge_session' });
        await recharge.recharge('50');
        await recharge.expectOpen(SIGNED_OUT);
        await expect(recharge.signIn).toBeVisible();
    },
    'recharge-success': async (test) => {
        const recharge = await opened(test);
        await recharge.recharge('49999.99');
        await recharge.expectSuccess(added('5,999,998'), '5,999,998');
    },
    'history-empty': async (test) => {
        await opened(test);
        await test.page.goto('/history');
    },
    history: async (test) => {
        const recharge = await opened(test);
        await recharge.recharge('49999.99');
        await recharge.expectSuccess(added('5,999,998'), '5,999,998');
        await recharge.recharge('50');
        await recharge.expectSuccess(added('5,250'), '6,005,248');
        await test.page.goto('/history');
    },
};

for (const [state, reach] of Object.entries(STATES)) {
    test(state, async ({ page, server, context, console }) => {
        console.allow(FAILED_TO_LOAD, /Failed to fetch/);
        await reach({ page, server, context });
        for (const colorScheme of ['light', 'dark']) {
            await page.emulateMedia({ colorScheme });
            for (const [name, [width, height]] of Object.entries(WIDTHS)) {
                await page.setViewportSize({ width, height });
                const where = `${state}, ${name}, ${colorScheme}`;
                await page.screenshot({
                    path: `test-results/pages/${state}-${name}-${colorScheme}.png`,
                    fullPage: true,
                    caret: 'initial',
                });
                // Between the two other widths axe finds nothing new.
                if (name !== 'phone') expect.soft(await violations(page), `axe: ${where}`).toEqual([]);
                const scrolls = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;
                expect.soft(await page.evaluate(scrolls), `sideways scroll: ${where}`).toBe(0);
            }
        }
        expect.soft(await page.evaluate(smallTargets), `targets below 44 pixels: ${state}`).toEqual([]);
        await page.unrouteAll({ behavior: 'ignoreErrors' });
    });
}

/** What axe finds, each with the elements at fault. */
async function violations(page) {
    const found = await new AxeBuilder({ page }).analyze();
    return found.violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]);
}

/** What can be pressed and is smaller than a finger. The amount's field fills its frame, which can be pressed too. */
function smallTargets() {
    const pressed = [...document.querySelectorAll('a, button, input:not([type=hidden])')].filter((element) =>
        element.checkVisibility({ visibilityProperty: true }),
    );
    const size = (element) => (element.closest('.amount') ?? element).getBoundingClientRect();
    const small = pressed.filter((element) => size(element).height < 44 || size(element).width < 24);
    return small.map((element) => element.outerHTML);
}
