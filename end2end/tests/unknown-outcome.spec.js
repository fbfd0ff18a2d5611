// B1 and B4: the answer does not arrive, or says nothing. The intent keeps its key, the page says that it does not
// know, the next press sends the same key, and the person pays once.

import { FAILED_TO_LOAD } from '../support/console.js';
import { Proxy } from '../support/proxy.js';
import { RechargePage, UNCONFIRMED, added, replayed } from '../support/recharge-page.js';
import { nothing, oneCredit } from '../support/server.js';
import { expect, signUp, test } from '../support/test.js';
import { PAGE } from '../support/wire.js';

const BUSY = 'We are too busy just now and nothing was paid. Try again in a moment.';
const html = (status, headers) => ({ status, headers, contentType: 'text/html', body: '<h1>Bad gateway</h1>' });

/** After an attempt that ended unconfirmed: the next press sends the same key, and there is one credit in the end. */
async function resolves({ recharge, person, server, wire }, words) {
    const [key] = wire.keys;
    await expect(recharge.key).toHaveValue(key);
    await expect(recharge.amount).toHaveValue('5');
    await expect(recharge.receipt).toHaveCount(0);
    await recharge.button.click();
    await recharge.expectSuccess(words, '500');
    expect(wire.recharges).toEqual(Array(2).fill({ way: 'page', amount: '5', key }));
    expect(await server.facts(person.id, key)).toEqual(oneCredit(500));
    // With the success the intent is over: the next one has a key of its own.
    await expect(recharge.key).not.toHaveValue(key);
}

// The server commits; what comes back is lost or is not its answer.
const AFTER_COMMIT = {
    'is dropped': (route) => route.abort('connectionreset'),
    'is the 502 page of a proxy': (route) => route.fulfill(html(502)),
    'is the 504 page of a proxy': (route) => route.fulfill(html(504)),
    'is a web page with status 200': (route) => route.fulfill(html(200)),
    'is empty': (route) => route.fulfill({ status: 200, contentType: 'application/json', body: '' }),
    'is JSON of another kind': (route) => route.fulfill({ json: { ok: true } }),
    'is half a document': async (route, response) => {
        const text = await response.text();
        await route.fulfill({ response, body: text.slice(0, text.length / 2) });
    },
};

for (const [what, answer] of Object.entries(AFTER_COMMIT)) {
    test(`the answer ${what}: the retry finds the recharge`, async ({ recharge, person, server, wire, console }) => {
        console.allow(FAILED_TO_LOAD);
        await recharge.intercept(async (route) => answer(route, await route.fetch()));
        await recharge.recharge('5');
        await recharge.expectUnconfirmed();
        expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
        await resolves({ recharge, person, server, wire }, replayed('500'));
    });
}

// The server never sees the request.
const BEFORE_COMMIT = {
    'the request is aborted': [(route) => route.abort('aborted'), UNCONFIRMED],
    'the name cannot be resolved': [(route) => route.abort('namenotresolved'), UNCONFIRMED],
    'a proxy answers 502': [(route) => route.fulfill(html(502)), UNCONFIRMED],
    'a proxy answers 503 with a page': [(route) => route.fulfill(html(503, { 'retry-after': '1' })), UNCONFIRMED],
    'the server answers 503 with Retry-After': [
        (route) => route.fulfill({ status: 503, headers: { 'retry-after': '1', serverfnerror: PAGE }, json: 'busy' }),
        BUSY,
    ],
    'a proxy answers 429': [(route) => route.fulfill(html(429)), UNCONFIRMED],
    'a proxy answers 409': [(route) => route.fulfill(html(409)), UNCONFIRMED],
};

for (const [what, [answer, words]] of Object.entries(BEFORE_COMMIT)) {
    test(`${what}: the retry recharges`, async ({ recharge, person, server, wire, console }) => {
        console.allow(FAILED_TO_LOAD);
        await recharge.intercept(answer);
        await recharge.recharge('5');
        await recharge.expectUnconfirmed(words);
        expect(await server.facts(person.id, wire.keys[0])).toEqual(nothing);
        await resolves({ recharge, person, server, wire }, added('500'));
    });
}

test('offline: the page says so, and the same key goes out when the network is back', async ({
    recharge,
    person,
    server,
    wire,
    context,
    console,
}) => {
    console.allow(FAILED_TO_LOAD);
    await context.setOffline(true);
    await recharge.recharge('5');
    await recharge.expectUnconfirmed();
    await context.setOffline(false);
    await resolves({ recharge, person, server, wire }, added('500'));
});

test.describe('on a network that fails for real', () => {
    for (const [fault, words] of [
        ['lost', 'the connection breaks before the answer'],
        ['cut', 'the connection breaks in the middle of the answer'],
    ]) {
        test(words, async ({ page, context, server, wire, console }) => {
            console.allow(FAILED_TO_LOAD);
            const proxy = await Proxy.start(server);
            const person = await signUp(server, context);
            const recharge = new RechargePage(page);
            await recharge.open(proxy.url);
            proxy.fault = fault;
            await recharge.recharge('5');
            await recharge.expectUnconfirmed();
            expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
            // The browser may have sent it twice by itself already.
            expect(proxy.recharges).toBeGreaterThan(0);
            proxy.fault = undefined;
            await resolves({ recharge, person, server, wire }, replayed('500'));
            await proxy.stop();
        });
    }

    test('the server is away: the button comes back, and works when the server does', async ({
        page,
        context,
        server,
        wire,
        console,
    }) => {
        console.allow(FAILED_TO_LOAD);
        const proxy = await Proxy.start(server);
        const person = await signUp(server, context);
        const recharge = new RechargePage(page);
        await recharge.open(proxy.url);
        await proxy.stop();
        await recharge.recharge('5');
        await recharge.expectUnconfirmed();
        await recharge.button.click();
        await recharge.expectUnconfirmed();
        const again = await Proxy.start(server, proxy.port);
        await recharge.button.click();
        await recharge.expectSuccess(added('500'), '500');
        expect(wire.count).toBe(3);
        expect(wire.keys).toHaveLength(1);
        expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
        await again.stop();
    });
});

test.describe('an answer that takes long', () => {
    // The page's own waiting is made shorter, not the test's longer.
    test.beforeEach(async ({ page }) => page.clock.install());

    test('after eight seconds the page says so; the late answer still counts', async ({
        recharge,
        person,
        server,
        wire,
        page,
    }) => {
        const answer = await recharge.hold();
        await recharge.recharge('5');
        await answer.stopped;
        await page.clock.fastForward(8_000);
        await expect(recharge.status).toHaveText(/^This takes longer than usual\./);
        await expect(recharge.button).toBeDisabled();
        answer.release();
        await recharge.expectSuccess(added('500'), '500');
        expect(wire.count).toBe(1);
        expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
    });

    test('an answer that comes after the page gave up waiting is shown as the success it is', async ({
        recharge,
        person,
        server,
        wire,
        page,
    }) => {
        const answer = await recharge.hold();
        await recharge.recharge('5');
        await answer.stopped;
        await page.clock.fastForward(30_000);
        await recharge.expectUnconfirmed();
        answer.release();
        await recharge.expectSuccess(added('500'), '500');
        await expect(recharge.key).not.toHaveValue(wire.keys[0]);
        expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
    });

    test('of two answers to one intent the first is shown, and the second changes nothing', async ({
        recharge,
        person,
        server,
        wire,
        page,
    }) => {
        const first = await recharge.hold();
        await recharge.recharge('5');
        await first.stopped;
        await page.clock.fastForward(30_000);
        await recharge.expectUnconfirmed();
        await recharge.button.click();
        await recharge.expectSuccess(replayed('500'), '500');
        const key = await recharge.key.inputValue();

        // The intent after that is on its way when the first attempt's answer arrives at last.
        const third = await recharge.hold({ before: true });
        await recharge.recharge('7');
        await third.stopped;
        const arrived = page.waitForResponse((response) => response.request().postData().includes(wire.keys[0]));
        first.release();
        await (await arrived).finished();
        await expect(recharge.button).toBeDisabled();
        await expect(recharge.status).toHaveText('Recharging. Please wait.');
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
        // The first attempt's answer is a proxy's page, and comes while the second attempt is on its way.
        let fail;
        await recharge.intercept((route) => (fail = () => route.fulfill(html(200))));
        await recharge.recharge('5');
        await page.clock.fastForward(30_000);
        await recharge.expectUnconfirmed();
        const second = await recharge.hold();
        await recharge.button.click();
        await second.stopped;
        const arrived = page.waitForResponse((response) => response.url().includes('/api/page/'));
        await fail();
        await (await arrived).finished();
        await expect(recharge.status).toHaveText('Recharging. Please wait.');
        await expect(recharge.button).toBeDisabled();
        second.release();
        await recharge.expectSuccess(added('500'), '500');
        expect(wire.keys).toHaveLength(1);
        expect(await server.facts(person.id, wire.keys[0])).toEqual(oneCredit(500));
    });
});
