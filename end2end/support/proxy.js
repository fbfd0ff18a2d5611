// A network that fails for real: a proxy between browser and server that loses the server's answer to a recharge, cuts
// it off in the middle, keeps it back until the server is gone, or is not there at all.

import { connect, createServer } from 'node:net';

import { gate } from './gate.js';
import { PAGE } from './wire.js';

export class Proxy {
    /** Listens on a free port, or on the port of a proxy that was stopped. */
    static async start(server, port = 0) {
        const proxy = new Proxy();
        const { hostname, port: target } = new URL(server.url);
        proxy.server = server;
        /** What becomes of the answers to recharges: undefined, `lost`, `cut` or `kept`. */
        proxy.fault = undefined;
        /** How many recharges passed: a browser repeats a request by itself when an old connection breaks. */
        proxy.recharges = 0;
        /** Opens when the first answer is kept back. */
        proxy.keeps = gate();
        proxy.sockets = new Set();
        proxy.listener = createServer((browser) => proxy.join(browser, connect(target, hostname)));
        await new Promise((resolve) => proxy.listener.listen(port, '127.0.0.1', resolve));
        proxy.port = proxy.listener.address().port;
        proxy.url = `http://127.0.0.1:${proxy.port}`;
        return proxy;
    }

    join(browser, server) {
        let recharging = false;
        for (const socket of [browser, server]) {
            this.sockets.add(socket);
            socket.on('error', () => {});
            socket.on('close', () => {
                this.sockets.delete(socket);
                (socket === browser ? server : browser).destroy();
            });
        }
        browser.on('data', (bytes) => {
            // A connection carries many requests, one after the other.
            if (bytes.includes(' HTTP/1.1\r\n')) {
                recharging = bytes.includes(`POST ${PAGE}`);
                if (recharging) this.recharges += 1;
            }
            server.write(bytes);
        });
        server.on('data', (bytes) => {
            if (!recharging || !this.fault) return browser.write(bytes);
            // The server has committed: it answers only then. All but the last bytes of the body arrive, or nothing.
            if (this.fault === 'kept') this.keeps.open();
            else if (this.fault === 'cut') browser.write(bytes.subarray(0, bytes.length - 20), () => browser.destroy());
            else browser.destroy();
        });
    }

    /** From now on connections are refused. */
    async stop() {
        const closed = new Promise((resolve) => this.listener.close(resolve));
        for (const socket of this.sockets) socket.destroy();
        await closed;
    }
}
