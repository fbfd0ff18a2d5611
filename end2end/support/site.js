// Where the build leaves what a browser loads.

import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const target = fileURLToPath(new URL('../../target/', import.meta.url));

/** The site of the release profile, as people get it, or another one that RECHARGE_SITE_ROOT names. */
export const site = resolve(process.env.RECHARGE_SITE_ROOT ?? `${target}/release/site`);
