// Every state of every page, in both colour schemes: free of what axe finds, without sideways scroll at 320 pixels, with
// targets that a finger hits. The pictures are in test-results/pages/, for people to look at.

import { AxeBuilder } from '@axe-core/playwright';

import { FAILED_TO_LOAD } from '../support/console.js';
import { IN_FLIGHT, RechargePage, added } from '../support/recharge-page.js';
import { PASSWORD, expect, newEmail, signUp, test } from '../support/test.js';

const WIDTHS = { desktop: [1280, 800], phone: [390, 844], narrow: [320, 640] };

/** Opens the recharge page of a new person. */
async function opened({ page, server, context }) {
    await signUp(server, context, `a.rather.long.address.${newEmail()}`);
    const recharge = new RechargePage(page);
    await recharge.open();
    return recharge;
}

async function sign(page, path, password) {
    await page.goto(path);
    await page.getByLabel('E-mail').fill(newEmail());
    await page.getByLabel('Password').fill(password);
    await page.locator('[type=submit]').click();
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
    'recharge-unconfirmed': async (test) => {
        const recharge = await opened(test);
        await recharge.intercept((route) => route.abort());
        await recharge.recharge('50');
        await recharge.expectUnconfirmed();
    },
    'recharge-signed-out': async (test) => {
        const recharge = await opened(test);
        await test.context.clearCookies({ name: 'recharge_session' });
        await recharge.recharge('50');
        await expect(recharge.form.getByRole('link', { name: 'Sign in' })).toBeVisible();
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
