// B5: a reload with nothing on its way brings nothing back and loses nothing.

import { added } from '../support/recharge-page.js';
import { expect, test } from '../support/test.js';
import { holdWasm } from '../support/wasm.js';

test('a page that sent nothing leaves nothing: a reload is ready for a new amount', async ({ recharge, wire }) => {
    await recharge.amount.fill('5');
    await recharge.reload();
    await expect(recharge.status).toBeEmpty();
    await expect(recharge.button).toHaveText('Recharge');
    expect(wire.count).toBe(0);
});

test('after a success a reload has a new key and pays nothing', async ({ recharge, person, server, wire }) => {
    await recharge.recharge('5');
    await recharge.expectSuccess(added('500'), '500');
    await recharge.reload();
    await expect(recharge.key).not.toHaveValue(wire.keys[0]);
    await expect(recharge.status).toBeEmpty();
    await expect(recharge.balance).toHaveText('500');
    expect(wire.count).toBe(1);
    await recharge.recharge('5');
    await recharge.expectSuccess(added('500'), '1,000');
    expect(wire.keys).toHaveLength(2);
    expect(await server.orders(person.id)).toMatchObject([{ credited: 500 }, { credited: 500 }]);
});

test('what was typed before the page came to life is kept', async ({ recharge, page, wire }) => {
    const wasm = await holdWasm(page);
    await page.reload({ waitUntil: 'commit' });
    await wasm.asked;
    await recharge.amount.fill('50');
    wasm.release();
    await recharge.alive();
    await expect(recharge.amount).toHaveValue('50');
    await expect(recharge.preview).toHaveText('5,250');
    expect(wire.count).toBe(0);
});
