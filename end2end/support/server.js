// The real program with a database of its own, as the tests start, question and stop it.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { site, target } from './site.js';

const run = promisify(execFile);

export class Server {
    /**
     * Starts a server on a free port and waits until it answers: with settings of its own if need be, and the program of a
     * development build, or another.
     */
    static async start(settings = {}, program = join(target, 'debug', 'recharge')) {
        for (const needed of [program, site]) {
            if (!existsSync(needed)) throw new Error(`${needed} is missing: run \`make test\` or \`make release\` first`);
        }
        const server = new Server();
        server.program = program;
        server.folder = await mkdtemp(join(tmpdir(), 'recharge-end2end-'));
        server.database = join(server.folder, 'recharge.db');
        server.environment = {
            PATH: process.env.PATH,
            DATABASE_URL: `sqlite:${server.database}`,
            RECHARGE_ADDR: '127.0.0.1:0',
            RECHARGE_SITE_ROOT: site,
            RECHARGE_LOG: 'info,sqlx=warn',
            NO_COLOR: '1',
            ...settings,
        };
        await server.begin();
        return server;
    }

    /** Starts the program. The system picks the port; the program says which. */
    async begin() {
        const running = spawn(this.program, ['serve'], { env: this.environment, stdio: ['ignore', 'ignore', 'pipe'] });
        this.process = running;
        this.url = await new Promise((resolve, reject) => {
            this.log = '';
            running.stderr.on('data', (text) => {
                this.log += text;
                const said = this.log.match(/open (http:\/\/[\d.:]+)/);
                if (said) resolve(said[1]);
            });
            running.on('exit', () => reject(new Error(`the server did not start:\n${this.log}`)));
            running.on('error', reject);
        });
        const alive = await fetch(`${this.url}/healthz`);
        if (!alive.ok) throw new Error(`/healthz answers ${alive.status}`);
    }

    /** Ends the program without a warning, wherever it is. */
    async kill() {
        const ended = once(this.process, 'exit');
        this.process.kill('SIGKILL');
        await ended;
    }

    /** Starts a program that was killed, at the same address and on the same database. */
    async restart() {
        this.environment.RECHARGE_ADDR = new URL(this.url).host;
        await this.begin();
    }

    /** Stops the server in good order and has `recharge verify` prove that no money was lost. */
    async stop() {
        try {
            const ended = once(this.process, 'exit');
            this.process.kill('SIGTERM');
            const [code] = await ended;
            if (code !== 0) throw new Error(`the server ended with ${code}:\n${this.log}`);
            await run(this.program, ['verify'], { env: this.environment }).catch((error) => {
                throw new Error(`recharge verify is not content:\n${error.stdout}${error.stderr}`);
            });
        } finally {
            this.process.kill('SIGKILL');
            await rm(this.folder, { recursive: true, force: true });
        }
    }

    /** Locks the database against the server's writing. Returns the function that ends that. */
    async lock() {
        const other = spawn('sqlite3', ['-cmd', '.timeout 5000', this.database], { stdio: ['pipe', 'pipe', 'inherit'] });
        other.stdin.write("begin immediate;\nselect 'locked';\n");
        await once(other.stdout, 'data');
        return async () => {
            const ended = once(other, 'exit');
            other.stdin.end('rollback;\n');
            await ended;
        };
    }

    /** The rows of a query; `values` take the place of the question marks. */
    async query(sql, ...values) {
        const literal = (value) => (typeof value === 'number' ? value : `'${value.replaceAll("'", "''")}'`);
        const filled = sql.replaceAll('?', () => literal(values.shift()));
        const { stdout } = await run('sqlite3', ['-readonly', '-json', '-cmd', '.timeout 5000', this.database, filled]);
        return stdout ? JSON.parse(stdout) : [];
    }

    /** What the database holds of a person and a key, and how many orders the person has with other keys. */
    async facts(userId, key) {
        const [row] = await this.query(
            `with of_person as (select * from recharge_order where user_id = ?),
                  of_key as (select * from of_person where idempotency_key = ?)
             select (select count(*) from of_key) as orders,
                    (select count(*) from of_key where status = 2) as completed,
                    (select count(*) from of_key where status = 3 and amount_minor = 0) as voids,
                    (select count(*) from token_ledger where biz_id in (select order_no from of_key)) as ledger,
                    coalesce((select balance from token_account where user_id = ?), 0) as balance,
                    (select count(*) from of_person) - (select count(*) from of_key) as others`,
            userId,
            key,
            userId,
        );
        return row;
    }

    /** All orders of a person, oldest first, each with what the ledger credited for it. */
    orders(userId) {
        return this.query(
            `select idempotency_key as key, amount_minor as minor, status, bonus_tokens as tokens,
                    (select sum(change_amount) from token_ledger where biz_id = order_no) as credited
             from recharge_order where user_id = ? order by order_no`,
            userId,
        );
    }
}

/** The facts of one credit of so many tokens, and nothing else. */
export const oneCredit = (tokens) => ({ orders: 1, completed: 1, voids: 0, ledger: 1, balance: tokens, others: 0 });

/** The facts of no trace. */
export const nothing = { orders: 0, completed: 0, voids: 0, ledger: 0, balance: 0, others: 0 };

/** The facts of a key that was voided: a row that keeps it from ever being used, and no money. */
export const voided = { orders: 1, completed: 0, voids: 1, ledger: 0, balance: 0, others: 0 };
