// What goes over the wire: every request that could move money or settle what became of it is written down, whoever
// answers it.

/** The address of a server function of the page: `recharge`, `resolve` or `discard`. */
export const address = (ask) => `/api/page/${ask}`;

/** The address of the server function that recharges. */
export const PAGE = address('recharge');

const ASKS = new Map(['recharge', 'resolve', 'discard'].map((ask) => [address(ask), ask]));

/** The requests of a browser context about intents, in order. */
export class Wire {
    constructor(context) {
        /** The requests for a recharge, by the page or by its plain form. */
        this.recharges = [];
        /** The keys that the server was asked about. */
        this.resolves = [];
        /** The keys that the server was asked to void. */
        this.discards = [];
        /** What was asked, in order: `form`, `recharge`, `resolve` or `discard`. */
        this.asks = [];
        this.gets = [];
        context.on('request', (request) => {
            const { pathname } = new URL(request.url());
            if (request.method() === 'GET') this.gets.push(request.url());
            const ask = pathname === '/' ? 'form' : ASKS.get(pathname);
            if (request.method() !== 'POST' || !ask) return;
            const body = new URLSearchParams(request.postData() ?? '');
            const [amount, key] = [body.get('amount'), body.get('idempotency_key')];
            this.asks.push(ask);
            if (ask === 'resolve') this.resolves.push(key);
            else if (ask === 'discard') this.discards.push(key);
            else this.recharges.push({ way: ask === 'form' ? 'form' : 'page', amount, key });
        });
    }

    /** How many requests for a recharge there were. */
    get count() {
        return this.recharges.length;
    }

    /** The different keys that a recharge was sent with, in order of their first use. */
    get keys() {
        return [...new Set(this.recharges.map((recharge) => recharge.key))];
    }
}
