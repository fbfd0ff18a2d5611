// What goes over the wire: every request that could move money is written down, whoever answers it.

/** The address of the page's server function. */
export const PAGE = '/api/page/recharge';

/** The requests of a browser context that ask for a recharge, in order. */
export class Wire {
    constructor(context) {
        this.recharges = [];
        this.gets = [];
        context.on('request', (request) => {
            const { pathname } = new URL(request.url());
            if (request.method() === 'GET') this.gets.push(request.url());
            if (request.method() !== 'POST' || (pathname !== PAGE && pathname !== '/')) return;
            const body = new URLSearchParams(request.postData() ?? '');
            const [amount, key] = [body.get('amount'), body.get('idempotency_key')];
            this.recharges.push({ way: pathname === '/' ? 'form' : 'page', amount, key });
        });
    }

    /** How many requests there were. */
    get count() {
        return this.recharges.length;
    }

    /** The different keys, in order of their first use. */
    get keys() {
        return [...new Set(this.recharges.map((recharge) => recharge.key))];
    }
}
