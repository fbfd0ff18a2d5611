// B1 and B4: the answer takes long, or comes when nobody waits for it any more. What the page shows belongs to the last
// intent, and a success counts whenever it comes.

import { FAILED_TO_LOAD } from '../support/console.js';
import { html } from '../support/faults.js';
import { IN_FLIGHT, added, replayed } from '../support/recharge-page.js';
import { oneCredit } from '../support/server.js';
import { expect, test } from '../support/test.js';

const GIVEN_UP = 30_000;

test.beforeEach(({ console }) => console.allow(FAILED_TO_LOAD));

test('after eight seconds the page says so; the late answer still counts', async ({ recharge, person, server, wire }) => {
    await recharge.stopTime();
    const answer = await recharge.hold();
    await recharge.recharge('5');
    await answer.stopped;
    await recharge.pass(7_999);
    await expect(recharge.status).toHaveText(IN_FLIGHT);
    await recharge.pass(1);
    await expect(recharge.status).toHaveText(/^This takes longer than usual\./);
    await expect(recharge.button).toBeDisabled();
    answer.release();
    await recharge.expectSuccess(added('500'), '500');
    expect(wire.count).toBe(1);
    expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
});

test('an answer that comes after the page gave up waiting is the success that it is, and nothing is repeated', async ({
    recharge,
    person,
    server,
    wire,
}) => {
    await recharge.stopTime();
    const answer = await recharge.hold();
    await recharge.recharge('5');
    await answer.stopped;
    await recharge.pass(GIVEN_UP);
    await recharge.expectWaiting();
    answer.release();
    await recharge.expectSuccess(added('500'), '500');
    await recharge.pass(60_000);
    await expect(recharge.status).toHaveText(added('500'));
    await expect(recharge.key).not.toHaveValue(wire.keys[0]);
    expect(wire.count).toBe(1);
    expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
});

test('of two answers to one intent the first is shown, and the second changes nothing', async ({
    recharge,
    person,
    server,
    wire,
    page,
}) => {
    await recharge.stopTime();
    const first = await recharge.hold();
    await recharge.recharge('5');
    await first.stopped;
    await recharge.pass(GIVEN_UP);
    await recharge.expectWaiting();
    await recharge.button.click();
    await recharge.expectSuccess(replayed('500'), '500');
    const key = await recharge.key.inputValue();

    // The intent after that is on its way when the first attempt's answer arrives at last.
    const third = await recharge.hold({ before: true });
    await recharge.recharge('7');
    await third.stopped;
    const arrived = page.waitForResponse((response) => response.request().postData()?.includes(wire.keys[0]));
    first.release();
    await (await arrived).finished();
    await expect(recharge.button).toBeDisabled();
    await expect(recharge.status).toHaveText(IN_FLIGHT);
    third.release();
    await recharge.expectSuccess(added('700'), '1,200');
    expect(wire.recharges.map((sent) => [sent.amount, sent.key])).toEqual([
        ['5', wire.keys[0]],
        ['5', wire.keys[0]],
        ['7', key],
    ]);
    expect(await server.orders(person.id)).toMatchObject([{ credited: 500 }, { credited: 700 }]);
});

test('a failure that comes late does not end the attempt after it', async ({ recharge, person, server, wire, page }) => {
    await recharge.stopTime();
    // The first attempt's answer is a proxy's page, and comes while the second attempt is on its way.
    let fail;
    await recharge.intercept((route) => (fail = () => route.fulfill(html(200))));
    await recharge.recharge('5');
    await expect.poll(() => fail).toBeTruthy();
    await recharge.pass(GIVEN_UP);
    await recharge.expectWaiting();
    const second = await recharge.hold();
    await recharge.button.click();
    await second.stopped;
    const arrived = page.waitForResponse((response) => response.url().includes('/api/page/recharge'));
    await fail();
    await (await arrived).finished();
    await expect(recharge.status).toHaveText(IN_FLIGHT);
    await expect(recharge.button).toBeDisabled();
    second.release();
    await recharge.expectSuccess(added('500'), '500');
    expect(wire.keys).toHaveLength(1);
    expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
});
