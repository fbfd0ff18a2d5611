// B8: the plain form was sent before WASM was there, and failed. The page that comes back shows what is known; when it comes
// to life it goes on with the same intent.

import { FAILED_TO_LOAD } from '../support/console.js';
import { RechargePage, added, lookAt, nothingYet } from '../support/recharge-page.js';
import { nothing, oneCredit, voided } from '../support/server.js';
import { expect, signUp, test } from '../support/test.js';
import { holdWasm } from '../support/wasm.js';

const BUSY = 'We are too busy just now and nothing was paid. Try again in a moment.';

test.beforeEach(({ console }) => console.allow(FAILED_TO_LOAD, /Failed to fetch/));

/** The form is sent while the database is locked; `wasm` is what the page waits for. */
async function fails({ page, context, mortal: server }, prepare) {
    const person = await signUp(server, context);
    const wasm = await prepare(page);
    const recharge = new RechargePage(page);
    await page.goto(server.url);
    const unlock = await server.lock();
    await recharge.recharge('5');
    await expect(recharge.status).toHaveText(BUSY);
    await expect(recharge.amount).toHaveValue('5');
    await unlock();
    return { person, recharge, server, wasm };
}

test('the page that comes to life goes on with the same key', async ({ page, context, mortal, wire }) => {
    const { person, recharge, server, wasm } = await fails({ page, context, mortal }, holdWasm);
    const [key] = wire.keys;
    await expect(recharge.key).toHaveValue(key);
    wasm.release();
    await recharge.alive();
    await recharge.expectOpen(BUSY);
    await expect(recharge.key).toHaveValue(key);
    await expect(recharge.amount).toHaveValue('5');
    await expect(recharge.preview).toHaveText('500');
    expect(await server.facts(person.id, key)).toEqual(nothing);
    await recharge.button.click();
    await recharge.expectSuccess(added('500'), '500');
    expect(wire.recharges).toEqual([
        { way: 'form', amount: '5', key },
        { way: 'page', amount: '5', key },
    ]);
    expect(await server.facts(person.id, key)).toEqual(oneCredit(500));
});

test('the page that comes to life can discard it', async ({ page, context, mortal, wire }) => {
    const { person, recharge, server, wasm } = await fails({ page, context, mortal }, holdWasm);
    wasm.release();
    await recharge.alive();
    await recharge.discard.click();
    await recharge.expectDiscarded();
    expect(wire.discards).toEqual(wire.keys);
    expect(await server.facts(person.id, wire.keys[0])).toEqual(voided);
});

test('the next page finds it too', async ({ page, context, mortal, wire }) => {
    const { person, recharge, server, wasm } = await fails({ page, context, mortal }, holdWasm);
    wasm.release();
    await recharge.alive();
    await recharge.open(server.url);
    await recharge.expectOpen(nothingYet('$5.00'));
    await recharge.button.click();
    await recharge.expectSuccess(added('500'), '500');
    expect(wire.keys).toHaveLength(1);
    expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
});

test('somebody else signs in: the page becomes theirs, and the form is not sent again', async ({
    page,
    context,
    mortal,
    wire,
}) => {
    const { person, recharge, server, wasm } = await fails({ page, context, mortal }, holdWasm);
    wasm.release();
    await recharge.alive();
    await context.clearCookies({ name: 'recharge_session' });
    const other = await signUp(server, context);
    await lookAt(recharge);
    await expect(page.getByRole('banner')).toContainText(other.email);
    await recharge.alive();
    await expect(recharge.status).toBeEmpty();
    await expect(recharge.amount).toHaveValue('');
    expect(wire.asks).toEqual(['form']);
    expect(await server.facts(person.id, wire.keys[0])).toEqual(nothing);
    expect(await server.facts(other.id, wire.keys[0])).toEqual(nothing);
});

test('without WASM the form sends the same key again, and shows nothing that needs WASM', async ({
    page,
    context,
    mortal,
    wire,
}) => {
    const block = (page) => page.route('**/*.wasm', (route) => route.abort());
    const { person, recharge, server } = await fails({ page, context, mortal }, block);
    await expect(recharge.discard).toBeHidden();
    await recharge.button.click();
    await expect(page).toHaveURL(/\/\?receipt=[\da-f-]{36}&replayed=(true|false)#receipt-title$/);
    await expect(recharge.balance).toHaveText('500');
    expect(wire.recharges).toEqual(Array(2).fill({ way: 'form', amount: '5', key: wire.keys[0] }));
    expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
});
