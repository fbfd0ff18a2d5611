// B9: success looks like success, and only success does; and those who listen to the page hear it.

import { FAILED_TO_LOAD } from '../support/console.js';
import { away, lost, refused } from '../support/faults.js';
import { gate } from '../support/gate.js';
import {
    discarded,
    DISCARDING,
    IN_FLIGHT,
    UNCONFIRMED,
    WAITING,
    added,
    lookAt,
    replayed,
} from '../support/recharge-page.js';
import { oneCredit } from '../support/server.js';
import { expect, test } from '../support/test.js';

/** Answers with the server's own words, but for the account, which could not be read. */
const withoutAccount = async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), account: null } });
};

test('the balance cannot be refreshed: it is a success all the same', async ({ recharge, person, server, wire }) => {
    await recharge.recharge('50');
    await recharge.expectSuccess(added('5,250'), '5,250');
    await recharge.intercept(withoutAccount);
    await recharge.recharge('5');
    await recharge.expectSuccess(added('500'), '5,750');
    expect(wire.count).toBe(2);
    expect(await server.facts(person.id, wire.keys[1])).toEqual({ ...oneCredit(5_750), others: 1 });
});

test('a replay looks like the first success, and says that nothing was charged again', async ({
    recharge,
    person,
    server,
    wire,
    page,
    console,
}) => {
    console.allow(FAILED_TO_LOAD);
    await recharge.stopTime();
    await recharge.intercept(lost);
    await recharge.recharge('50');
    await recharge.expectWaiting();
    await recharge.pass(1_500);
    await recharge.expectSuccess(replayed('5,250'), '5,250');
    await expect(recharge.status).toHaveAttribute('data-tone', 'good');
    await expect(page.getByTestId('receipt-amount')).toHaveText('$50.00');
    await expect(recharge.lastOrders).toHaveCount(1);
    expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(5_250));
});

test('nothing of a success is shown while the outcome is not known', async ({ recharge, console }) => {
    console.allow(FAILED_TO_LOAD);
    await recharge.recharge('5');
    await recharge.expectSuccess(added('500'), '500');
    // The receipt of the recharge before must not be taken for that of this one.
    const answer = await recharge.hold({ before: true });
    await recharge.recharge('7');
    await answer.stopped;
    await expect(recharge.status).toHaveText(IN_FLIGHT);
    await expect(recharge.receipt).toHaveCount(0);
    answer.release();
    await recharge.expectSuccess(added('700'), '1,200');
    await recharge.stopTime();
    await recharge.intercept(refused);
    await recharge.recharge('9');
    await recharge.expectWaiting();
    await expect(recharge.balance).toHaveText('1,200');
    await recharge.intercept(away);
    await recharge.pass(1_500);
    await recharge.expectOpen();
    await expect(recharge.balance).toHaveText('1,200');
});

/** Writes down every text that the status line has from now on. */
async function listen(recharge) {
    await recharge.status.evaluate((line) => {
        window.said = [];
        const hear = () => window.said.at(-1) !== line.textContent && window.said.push(line.textContent);
        new MutationObserver(hear).observe(line, { childList: true, characterData: true, subtree: true });
    });
    return () => recharge.page.evaluate(() => window.said);
}

test('the status line is there from the beginning, and speaks in order', async ({ recharge, page, console }) => {
    console.allow(FAILED_TO_LOAD);
    const html = await (await page.request.get('/')).text();
    expect(html).toMatch(/<p[^>]*role="status"[^>]*>\s*<\/p>/);
    await expect(recharge.status).toBeEmpty();

    await recharge.stopTime();
    const said = await listen(recharge);
    await recharge.recharge('5');
    await expect(recharge.status).toBeFocused();
    await recharge.expectSuccess(added('500'), '500');
    expect(await said()).toEqual([IN_FLIGHT, added('500')]);

    await recharge.intercept(refused);
    await recharge.intercept(away);
    await recharge.button.click();
    await recharge.expectWaiting();
    await recharge.pass(1_500);
    await recharge.expectOpen();
    await expect(recharge.status).toBeFocused();
    await recharge.button.click();
    await recharge.expectSuccess(added('500'), '1,000');
    const second = [IN_FLIGHT, WAITING, IN_FLIGHT, UNCONFIRMED, IN_FLIGHT, added('500')];
    expect(await said()).toEqual([IN_FLIGHT, added('500'), ...second]);

    await recharge.intercept(away);
    await recharge.intercept(refused, 'discard');
    await recharge.button.click();
    await recharge.expectOpen();
    await recharge.discard.click();
    await recharge.expectWaiting();
    await expect(recharge.status).toBeFocused();
    await recharge.pass(1_500);
    await recharge.expectDiscarded();
    await expect(recharge.status).toBeFocused();
    const third = [IN_FLIGHT, UNCONFIRMED, DISCARDING, WAITING, DISCARDING, discarded('$5.00')];
    expect((await said()).slice(2 + second.length)).toEqual(third);
    // What says itself aloud must not be inside something that is busy or hidden.
    await expect(recharge.status).toHaveRole('status');
    await expect(recharge.status).not.toHaveAttribute('aria-busy');
});

test('a balance that was read before a success, and arrives after it, is not shown', async ({
    recharge,
    person,
    server,
    wire,
    page,
}) => {
    const read = gate();
    const released = gate();
    await page.route('**/api/page/account', async (route) => {
        const response = await route.fetch();
        read.open();
        await released.opened;
        await route.fulfill({ response });
    });
    await lookAt(recharge);
    await read.opened;
    await recharge.recharge('5');
    await recharge.expectSuccess(added('500'), '500');
    const arrived = page.waitForResponse('**/api/page/account');
    released.open();
    await (await arrived).finished();
    // What the page makes of the answer shows once it has drawn again.
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    expect(await recharge.balance.textContent()).toBe('500');
    await expect(recharge.lastOrders).toHaveCount(1);
    expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
});

test('a success that comes by itself is said although an amount was just refused', async ({ recharge, person, server, wire, console }) => {
    console.allow(FAILED_TO_LOAD);
    await recharge.stopTime();
    await recharge.intercept(refused);
    await recharge.recharge('5');
    await recharge.expectWaiting();
    await recharge.recharge('5,5');
    await expect(recharge.summary).toBeVisible();
    await recharge.pass(1_500);
    await recharge.expectSuccess(added('500'), '500');
    await expect(recharge.summary).toBeHidden();
    await expect(recharge.fieldError).toBeHidden();
    expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
});
