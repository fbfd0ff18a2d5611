// What a browser has to fetch before the recharge page lives, as a server sends it, and the most that this may be.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';

import { site } from './support/site.js';

// In bytes, after brotli.
const LIMIT = 120_000;

// All that there is: the page loads each of them, or the build would not have made it.
const files = readdirSync(join(site, 'pkg'), { recursive: true })
    .filter((name) => /\.(js|wasm|css)$/.test(name))
    .map((name) => {
        const content = readFileSync(join(site, 'pkg', name));
        // Node's default is brotli's best quality, 11, with which `cargo leptos build --precompress` compresses too.
        return { name, raw: content.length, brotli: brotliCompressSync(content).length };
    });
const [style, code] = [true, false].map((css) => files.filter(({ name }) => name.endsWith('.css') === css));
const sum = (of, files) => files.reduce((total, file) => total + file[of], 0);

const line = (name, raw, brotli) => console.log(name.padEnd(44), String(raw).padStart(9), String(brotli).padStart(9));
line('', 'raw', 'brotli');
for (const { name, raw, brotli } of [...style, ...code]) line(name, raw, brotli);
line(`JS and WASM, of at most ${LIMIT}`, sum('raw', code), sum('brotli', code));

if (!code.some(({ name }) => name.endsWith('.wasm'))) {
    console.error(`\nThere is no WASM in ${site}: run \`make weight\` or \`make test\`, which build it.`);
    process.exitCode = 1;
} else if (sum('brotli', code) > LIMIT) {
    console.error(
        `\nThe page is ${sum('brotli', code) - LIMIT} bytes too heavy. \`make weight\` lists the crates that the WASM` +
            '\nis made of: leave out a dependency or a feature, or move work from the island to the server.',
    );
    process.exitCode = 1;
}
