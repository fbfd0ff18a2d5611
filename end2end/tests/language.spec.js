// The other language: chosen by the browser, or by the person, who is not asked again; and no sentence is left behind.

import { AxeBuilder } from '@axe-core/playwright';

import { FAILED_TO_LOAD } from '../support/console.js';
import { RechargePage } from '../support/recharge-page.js';
import { expect, signUp, test } from '../support/test.js';

const CHINESE = { locale: 'zh-CN' };

/** What may stand in Latin letters on a Chinese page: names, addresses, codes and numbers of orders. */
const NAMES = /Recharge|English|[\w.-]+@[\w.-]+|US\$?|USD|UTC|[0-9a-f]{8}-[0-9a-f-]{27}/g;

/** The recharge page of a new person, by marks that no language changes. */
async function opened({ page, server, context }) {
    await signUp(server, context);
    const recharge = new RechargePage(page);
    recharge.amount = page.locator('#amount');
    await recharge.open();
    return recharge;
}

/** All that a person sees or hears of a page. */
const words = () => {
    const heard = [...document.querySelectorAll('[aria-label], [title]:not([lang])')].map(
        (element) => element.ariaLabel ?? element.title,
    );
    const labels = [...document.querySelectorAll('[data-label]')].map((element) => element.dataset.label);
    return [document.title, document.body.innerText, ...heard, ...labels].join('\n');
};

const STATES = {
    'sign-in': ({ page }) => page.goto('/sign-in?next=/history'),
    'sign-in refused': async ({ page }) => {
        await page.goto('/sign-in');
        await page.locator('#email').fill('nobody@example.com');
        await page.locator('#password').fill('wrong horse');
        await page.locator('main [type=submit]').click();
        await expect(page.getByRole('alert')).toBeVisible();
    },
    'sign-up refused': async ({ page }) => {
        await page.goto('/sign-up');
        await page.locator('#email').fill('somebody@example.com');
        await page.locator('#password').fill('short');
        await page.locator('main [type=submit]').click();
        await expect(page.getByRole('alert')).toBeVisible();
    },
    'not found': ({ page }) => page.goto('/nothing-here'),
    'recharge page': opened,
    'an amount that cannot be read': async (test) => {
        const recharge = await opened(test);
        await recharge.recharge('1,50');
        await expect(recharge.summary).toBeFocused();
    },
    'an amount that is too large': async (test) => {
        const recharge = await opened(test);
        await recharge.recharge('50001');
        await expect(recharge.summary).toHaveText(/最高金额为 US\$50,000\.00/);
    },
    'in flight': async (test) => {
        const recharge = await opened(test);
        await test.page.route('**/api/page/recharge', () => {});
        await recharge.recharge('50');
        await expect(recharge.status).toHaveText('正在充值，请稍候。');
    },
    waiting: async (test) => {
        const recharge = await opened(test);
        await test.page.route('**/api/page/recharge', (route) => route.abort());
        await recharge.recharge('50');
        await expect(recharge.status).toHaveText('暂时无法确认结果。正在自动重试，您不会被重复扣款。');
    },
    'found again after a reload, and discarded': async (test) => {
        const recharge = await opened(test);
        await test.page.route('**/api/page/recharge', (route) => route.abort());
        await recharge.recharge('50');
        await expect(recharge.status).toHaveText(/自动重试/);
        await recharge.reload();
        await expect(recharge.status).toHaveText(/^您于 \d{4}年\d+月\d+日 \d\d:\d\d UTC 发起的 US\$50\.00 充值尚无结果/);
        expect.soft(await test.page.evaluate(words).then(left), 'words of another language').toEqual([]);
        await recharge.form.locator('.discard').click();
        await expect(recharge.status).toHaveText('您的 US$50.00 充值已放弃：未扣款，以后也不会扣款。');
    },
    'receipt and last recharges': async (test) => {
        const recharge = await opened(test);
        await recharge.recharge('50');
        await expect(recharge.status).toHaveText('充值成功：已增加 5,250 代币。');
        await expect(recharge.receipt).toContainText(/\d{4}年\d+月\d+日 \d\d:\d\d UTC/);
    },
    history: async (test) => {
        const recharge = await opened(test);
        await recharge.recharge('50');
        await expect(recharge.receipt).toBeVisible();
        await test.page.goto('/history');
    },
};

const left = (text) => text.replace(NAMES, '').match(/[A-Za-z]{2,}/g) ?? [];

test.describe('in Chinese', () => {
    test.use(CHINESE);
    for (const [state, reach] of Object.entries(STATES)) {
        test(state, async ({ page, server, context, console }) => {
            console.allow(FAILED_TO_LOAD);
            await reach({ page, server, context });
            await expect(page.locator('html')).toHaveAttribute('lang', 'zh-Hans');
            expect.soft(await page.evaluate(words).then(left), 'words of another language').toEqual([]);
            for (const colorScheme of ['light', 'dark']) {
                await page.emulateMedia({ colorScheme });
                const found = await new AxeBuilder({ page }).analyze();
                expect.soft(found.violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)])).toEqual([]);
            }
            await page.setViewportSize({ width: 320, height: 640 });
            const scrolls = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;
            expect.soft(await page.evaluate(scrolls), 'sideways scroll').toBe(0);
            await page.unrouteAll({ behavior: 'ignoreErrors' });
        });
    }
});

test('the switch is remembered, leads back to where it was pressed, and has the form answer in the same language', async ({
    page,
    server,
    context,
}) => {
    await signUp(server, context);
    await page.goto('/history');
    await page.getByRole('button', { name: '中文' }).click();
    await expect(page).toHaveURL('/history');
    await expect(page.locator('html')).toHaveAttribute('lang', 'zh-Hans');
    await page.goto('/');
    const recharge = new RechargePage(page);
    await recharge.alive();
    await page.locator('#amount').fill('50');
    await recharge.button.click();
    await expect(recharge.status).toHaveText('充值成功：已增加 5,250 代币。');
    await page.getByRole('button', { name: 'English' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Recharge');
    await expect(recharge.balance).toHaveText('5,250');
});

test('an unresolved recharge survives a change of the language', async ({ recharge, page, server, person, console }) => {
    console.allow(FAILED_TO_LOAD);
    await page.route('**/api/page/recharge', (route) => route.abort());
    await recharge.recharge('50');
    await expect(recharge.button).toHaveText('Try again');
    const key = await recharge.key.inputValue();
    await page.getByRole('button', { name: '中文' }).click();
    await expect(recharge.button).toHaveText('重试');
    expect(await recharge.key.inputValue()).toBe(key);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await recharge.button.click();
    await expect(recharge.status).toHaveText('充值成功：已增加 5,250 代币。');
    expect(await server.facts(person.id, key)).toMatchObject({ orders: 1, balance: 5_250 });
});
