// What can take the place of the server's answer: handlers for `intercept` and `always`.

import { address } from './wire.js';

/** A page that a proxy answers with, with these headers. */
export const html = (status, headers) => ({ status, headers, contentType: 'text/html', body: '<h1>Bad gateway</h1>' });

/** The server never sees the request. */
export const refused = (route) => route.abort('connectionrefused');

/** The server does what it is asked for, and its answer is lost. */
export const lost = async (route) => {
    await route.fetch();
    await route.abort('connectionreset');
};

/** The server does nothing, and asks for so long a pause that the page leaves the rest to the person. */
export const away = (route) => route.fulfill(html(503, { 'retry-after': '300' }));

/** The server does what it is asked for; what comes back is a proxy's page that asks for as long a pause. */
export const lostForLong = async (route) => {
    await route.fetch();
    await away(route);
};

/** One of the server's own problems, by the name that it has in answers. */
export const problem = (status, name, headers, ask = 'recharge') => (route) =>
    route.fulfill({ status, headers: { serverfnerror: address(ask), ...headers }, json: name });
