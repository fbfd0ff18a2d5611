// The recharge page as a person finds their way on it.

import { expect } from '@playwright/test';

import { gate } from './gate.js';
import { address } from './wire.js';

export const IN_FLIGHT = 'Recharging. Please wait.';
export const UNCONFIRMED = 'We could not confirm this. Try again – you will not be charged twice.';
export const WAITING =
    'We could not confirm this yet. Trying again automatically – you will not be charged twice.';
export const OFFLINE =
    'You are offline. This continues automatically once you are online again; you will not be charged twice.';
export const SIGNED_OUT = 'You are no longer signed in. Sign in and continue: you will not be charged twice.';
export const DISCARDING = 'Discarding. Please wait.';
export const discarded = (amount) => `Your recharge of ${amount} is discarded: nothing was paid for it, and nothing will be.`;
export const DISCARDED = /^Your recharge of .+ is discarded: nothing was paid for it, and nothing will be\.$/;
/** With the time at which it was sent, in the browser's own words. */
export const nothingYet = (amount) =>
    new RegExp(
        `^There is no result yet for your recharge of ${amount.replaceAll(/[.$]/g, '\\$&')}, sent on .+ UTC\\. ` +
            'Try again or discard it: either way you pay at most once\\.$',
    );
export const discardedFirst = (amount) => `Your recharge of ${amount} is discarded; nothing was paid for it.`;
export const elsewhere = (tokens) => `Recharged in another tab: ${tokens} tokens were added.`;
export const resumed = (amount, tokens) => `Your recharge of ${amount} went through: ${tokens} tokens were added.`;
export const notDiscarded = (amount, tokens) =>
    `Your recharge of ${amount} had gone through before it could be discarded: ${tokens} tokens were added.`;
export const beforeOther = (amount, tokens) =>
    `Your earlier recharge of ${amount} had gone through: ${tokens} tokens were added. Nothing else was paid. To pay ` +
    'the other amount too, press Recharge once more.';
export const added = (tokens) => `Recharged: ${tokens} tokens were added.`;
export const replayed = (tokens) =>
    `Recharged: ${tokens} tokens. This had gone through already; you were not charged again.`;

export class RechargePage {
    constructor(page) {
        this.page = page;
        this.form = page.locator('form.recharge');
        this.amount = page.getByLabel('Amount (USD)');
        this.key = this.form.locator('[name=idempotency_key]');
        this.button = this.form.locator('[type=submit]');
        this.status = this.form.getByRole('status');
        this.discard = page.getByRole('button', { name: 'Discard' });
        this.signIn = this.form.getByRole('link', { name: 'Sign in and continue' });
        this.summary = this.form.locator('.summary');
        this.fieldError = page.locator('#amount-error');
        this.preview = page.getByTestId('preview-tokens');
        this.balance = page.getByTestId('balance');
        this.receipt = page.getByTestId('receipt');
        this.lastOrders = page.getByTestId('last-orders').getByRole('listitem');
    }

    /** Loads the page and waits until the island lives. */
    async open(path = '/') {
        await this.page.goto(path);
        await this.alive();
    }

    /** The recharge page in a new tab of the same browser. */
    async newTab({ script } = {}) {
        const page = await this.page.context().newPage();
        if (script) await page.addInitScript(script);
        const next = new RechargePage(page);
        next.stopped = this.stopped;
        await next.open();
        return next;
    }

    async reload() {
        await this.page.reload();
        await this.alive();
    }

    /** From now on time stands still in the pages of this browser: only `pass` moves it. */
    async stopTime() {
        this.stopped = true;
        await this.page.clock.install();
        await this.page.clock.pauseAt(Date.now() + 60_000);
    }

    /** Lets so many milliseconds pass at once. */
    async pass(milliseconds) {
        await this.page.clock.fastForward(milliseconds);
    }

    async alive() {
        const live = (timeout) => expect(this.form).toHaveAttribute('data-live', 'true', { timeout });
        if (!this.stopped) return live();
        // The page comes to life when the browser is idle, which is a matter of time too.
        const idle = async () => {
            await this.pass(50);
            await live(200);
        };
        await expect(idle).toPass({ intervals: [50], timeout: 10_000 });
    }

    /** Types an amount and presses the button. */
    async recharge(amount) {
        await this.amount.fill(amount);
        await this.button.click();
    }

    /** The person decides how to go on. The button says whether it sends the same again, or another amount. */
    async expectOpen(words = UNCONFIRMED, label = 'Try again') {
        await expect(this.status).toHaveText(words);
        await expect(this.status).toHaveAttribute('data-tone', 'open');
        await expect(this.button).toHaveText(label);
        await expect(this.button).toBeEnabled();
        await expect(this.discard).toBeVisible();
        await expect(this.receipt).toHaveCount(0);
    }

    /** The page goes on by itself, and says so. The person may be quicker. */
    async expectWaiting(words = WAITING, label = 'Try again') {
        await this.expectOpen(words, label);
    }

    async expectSuccess(words, balance) {
        await expect(this.status).toHaveText(words);
        await expect(this.receipt).toBeVisible();
        await expect(this.balance).toHaveText(balance);
        await expect(this.discard).toBeHidden();
        await this.expectReady();
    }

    async expectDiscarded(words = DISCARDED) {
        await expect(this.status).toHaveText(words);
        await expect(this.receipt).toHaveCount(0);
        await expect(this.discard).toBeHidden();
        await this.expectReady();
    }

    async expectReady() {
        // After a success the button rests for a second.
        if (this.stopped) await this.pass(1_000);
        await expect(this.button).toHaveText('Recharge');
        await expect(this.button).toBeEnabled();
    }

    /** Answers the next request of a kind in the test's own way; those after it pass, or have their own turn. */
    async intercept(handler, ask = 'recharge') {
        // One route for all: the browser lets every stopped request go when the last route is taken away.
        this.turns ??= {};
        if (!this.turns[ask]) {
            const turns = (this.turns[ask] = []);
            const pass = (route) => route.continue().catch(() => {});
            await this.page.route(`**${address(ask)}`, (route) => (turns.shift() ?? turns.always ?? pass)(route));
        }
        this.turns[ask].push(handler);
    }

    /** Answers all requests of a kind in the test's own way, until `undefined` lets them pass. */
    async always(handler, ask = 'recharge') {
        await this.intercept(handler, ask);
        this.turns[ask].pop();
        this.turns[ask].always = handler;
    }

    /**
     * Stops the next request of a kind. `before` stops it before the server has seen it, otherwise its answer is
     * held after the server has committed. `stopped` resolves when that point is reached; `release` lets it go on.
     */
    async hold({ before = false, ask = 'recharge' } = {}) {
        const stopped = gate();
        const released = gate();
        await this.intercept(async (route) => {
            const response = before ? undefined : await route.fetch();
            stopped.open();
            await released.opened;
            // The page that waited may be gone by now.
            await (before ? route.continue() : route.fulfill({ response })).catch(() => {});
        }, ask);
        return { stopped: stopped.opened, release: released.open };
    }
}

/** A script for a page that does not hear what other tabs do, as if the browser had put it to sleep. */
export const asleep = () => addEventListener('storage', (event) => event.stopImmediatePropagation(), { capture: true });

/** Looks at a tab again, as far as it can tell. */
export const lookAt = (recharge) =>
    recharge.page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));

/** A number as the page writes it. */
export const tokens = (number) => number.toLocaleString('en-US');

/** Both tabs stand ready with the same key, which is not one of these. */
export async function expectNewKey(first, second, ...old) {
    const key = await first.key.inputValue();
    await expect(second.key).toHaveValue(key);
    expect(old).not.toContain(key);
}
