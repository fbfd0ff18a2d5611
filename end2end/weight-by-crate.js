// Which crates the WASM is made of: the functions' bytes before compression, summed by crate.
//
// The WASM that is served has no names. The compiler's still has: it is taken the same way again, with names kept. What
// is shown is where a function was written, so a closure of ours that the standard library wraps may count as the library's.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { target } from './support/site.js';

const LIBRARY = new Set(['alloc', 'core', 'std']);

/** The crate of a function by its name: the first that it speaks of, but the standard library only for want of another. */
function crateOf(name = '') {
    const crates = name.replace(/\[\w+\]/g, '').match(/(?<![\w:}])[a-z_]\w*(?=::)/g) ?? [];
    if (crates.length > 0) return crates.find((crate) => !LIBRARY.has(crate)) ?? crates[0];
    // An island is exported under its own name.
    return /^[A-Z]\w*_\d+/.test(name) ? 'app' : 'between WASM and JS';
}

/** The size and the name of each function, and the size of the data. */
function read(bytes) {
    let at = 8;
    const number = () => {
        for (let value = 0, scale = 1; ; scale *= 128) {
            const byte = bytes[at++];
            value += (byte & 127) * scale;
            if (byte < 128) return value;
        }
    };
    const text = () => {
        const length = number();
        return bytes.toString('utf8', at, (at += length));
    };
    const times = (each) => Array.from({ length: number() }, each);

    const names = new Map();
    const sizes = [];
    let imported = 0;
    let data = 0;
    while (at < bytes.length) {
        const id = bytes[at++];
        const end = number() + at;
        if (id === 2) {
            // All that wasm-bindgen imports are functions, and functions are numbered from the imported ones on.
            imported = number();
        } else if (id === 10) {
            times(() => {
                const size = number();
                sizes.push(size);
                at += size;
            });
        } else if (id === 11) {
            data = end - at;
        } else if (id === 0 && text() === 'name') {
            while (at < end) {
                const kind = bytes[at++];
                const next = number() + at;
                if (kind === 1) times(() => names.set(number(), text()));
                at = next;
            }
        }
        at = end;
    }
    return { data, functions: sizes.map((size, index) => ({ size, crate: crateOf(names.get(imported + index)) })) };
}

const folder = mkdtempSync(join(tmpdir(), 'recharge-weight-'));
try {
    const named = join(folder, 'recharge_bg.wasm');
    const compiled = join(target, 'wasm32-unknown-unknown', 'wasm-release', 'frontend.wasm');
    execFileSync('wasm-bindgen', ['--target=web', '--out-name=recharge', `--out-dir=${folder}`, compiled]);
    execFileSync('wasm-opt', ['-Oz', '-g', named, '-o', named]);
    const { data, functions } = read(readFileSync(named));

    const sums = new Map([['data (texts and tables)', data]]);
    for (const { crate, size } of functions) sums.set(crate, (sums.get(crate) ?? 0) + size);
    const total = [...sums.values()].reduce((a, b) => a + b);
    for (const [crate, size] of [...sums].sort(([, a], [, b]) => b - a)) {
        console.log(crate.padEnd(28), String(size).padStart(8), `${((100 * size) / total).toFixed(1).padStart(5)} %`);
    }
} finally {
    rmSync(folder, { recursive: true });
}
