// The recharge page as a person finds their way on it.

import { expect } from '@playwright/test';

import { gate } from './gate.js';
import { PAGE } from './wire.js';

export const IN_FLIGHT = 'Recharging. Please wait.';
export const UNCONFIRMED = 'We could not confirm this. Try again – you will not be charged twice.';
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

    async reload() {
        await this.page.reload();
        await this.alive();
    }

    async alive() {
        await expect(this.form).toHaveAttribute('data-live', 'true');
    }

    /** Types an amount and presses the button. */
    async recharge(amount) {
        await this.amount.fill(amount);
        await this.button.click();
    }

    async expectUnconfirmed(words = UNCONFIRMED) {
        await expect(this.status).toHaveText(words);
        await expect(this.button).toHaveText('Try again');
        await expect(this.button).toBeEnabled();
    }

    async expectSuccess(words, balance) {
        await expect(this.status).toHaveText(words);
        await expect(this.receipt).toBeVisible();
        await expect(this.balance).toHaveText(balance);
        await expect(this.button).toHaveText('Recharge');
        await expect(this.button).toBeEnabled();
    }

    /** Answers the next request for a recharge in the test's own way; those after it pass, or have their own turn. */
    async intercept(handler) {
        // One route for all: the browser lets every stopped request go when the last route is taken away.
        if (!this.turns) {
            this.turns = [];
            await this.page.route(`**${PAGE}`, (route) => (this.turns.shift() ?? ((route) => route.continue()))(route));
        }
        this.turns.push(handler);
    }

    /**
     * Stops the next request for a recharge. `before` stops it before the server has seen it, otherwise its answer is
     * held after the server has committed. `stopped` resolves when that point is reached; `release` lets it go on.
     */
    async hold({ before = false } = {}) {
        const stopped = gate();
        const released = gate();
        await this.intercept(async (route) => {
            const response = before ? undefined : await route.fetch();
            stopped.open();
            await released.opened;
            // The page that waited may be gone by now.
            await (before ? route.continue() : route.fulfill({ response })).catch(() => {});
        });
        return { stopped: stopped.opened, release: released.open };
    }
}

/** A number as the page writes it. */
export const tokens = (number) => number.toLocaleString('en-US');
