//! The ceiling: the bare multi-row writes of a full slice, in as many connections as there are writers. Orders that are
//! complete at once, their ledger rows and the balances: three statements, with nothing looked up, locked, compared or
//! read back.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use serde_json::json;
use server::clock;
use server::database::Engine;
use server::writer::SLICE;
use sqlx::mysql::MySqlConnection;
use sqlx::postgres::PgConnection;
use sqlx::sqlite::SqliteConnection;
use sqlx::{Connection, Executor};
use uuid::Uuid;

use crate::load::{Rate, person};
use crate::setting::Setting;

const SQLITE: [&str; 3] = [
    "insert into recharge_order (order_no, user_id, idempotency_key, amount_minor, currency, status, bonus_tokens, tier,
                                 created_at, updated_at)
     select value ->> 1, value ->> 0, value ->> 2, 5000, 'USD', 2, 5250, 'Mid', value ->> 4, value ->> 4
     from json_each(?1)",
    "insert into token_ledger (user_id, change_type, biz_id, change_amount, balance_after, created_at)
     select value ->> 0, 'RECHARGE_BONUS', value ->> 1, 5250, value ->> 3, value ->> 4 from json_each(?1)",
    "update token_account as a set balance = a.balance + 5250, version = a.version + 1
     from (select value ->> 0 as user_id from json_each(?1)) as p where a.user_id = p.user_id",
];

const POSTGRES: [&str; 3] = [
    "insert into recharge_order (order_no, user_id, idempotency_key, amount_minor, currency, status, bonus_tokens, tier,
                                 created_at, updated_at)
     select o, u, k, 5000, 'USD', 2, 5250, 'Mid', t, t
     from unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::bigint[]) as s (u, o, k, b, t)",
    "insert into token_ledger (user_id, change_type, biz_id, change_amount, balance_after, created_at)
     select u, 'RECHARGE_BONUS', o, 5250, b, t
     from unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::bigint[]) as s (u, o, k, b, t)",
    "update token_account as a set balance = a.balance + 5250, version = a.version + 1
     from unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::bigint[]) as s (u, o, k, b, t)
     where a.user_id = s.u",
];

const MYSQL: [&str; 3] = [
    "insert into recharge_order (order_no, user_id, idempotency_key, amount_minor, currency, status, bonus_tokens, tier,
                                 created_at, updated_at)
     select o, u, k, 5000, 'USD', 2, 5250, 'Mid', t, t
     from json_table(?, '$[*]' columns (u bigint path '$[0]', o char(36) path '$[1]', k char(36) path '$[2]',
                                        t bigint path '$[4]')) as s",
    "insert into token_ledger (user_id, change_type, biz_id, change_amount, balance_after, created_at)
     select u, 'RECHARGE_BONUS', o, 5250, b, t
     from json_table(?, '$[*]' columns (u bigint path '$[0]', o char(36) path '$[1]', b bigint path '$[3]',
                                        t bigint path '$[4]')) as s",
    "update json_table(?, '$[*]' columns (u bigint path '$[0]')) as s
     straight_join token_account as a force index (primary) on a.user_id = s.u
     set a.balance = a.balance + 5250, a.version = a.version + 1",
];

/// Writes slices for so long.
pub async fn run(setting: &Setting, time: Duration) -> Rate {
    let began = Instant::now();
    let connections = if matches!(setting.engine, Engine::Sqlite(_)) { 1 } else { 2 };
    let written = join_all((0..connections).map(|own| async move {
        let mut slices = Slices { own, connections, next: 0, balances: setting.balances().await };
        match &setting.engine {
            Engine::Sqlite(config) => {
                let mut to = SqliteConnection::connect_with(config.options()).await.unwrap();
                write_slices!(to, SQLITE, "begin immediate", time, slices, |query, slice| query.bind(slice.json()))
            }
            Engine::MySql(config) => {
                let mut to = MySqlConnection::connect_with(config.options()).await.unwrap();
                write_slices!(to, MYSQL, "start transaction", time, slices, |query, slice| query.bind(slice.json()))
            }
            Engine::Postgres(config) => {
                let mut to = PgConnection::connect_with(config.options()).await.unwrap();
                write_slices!(to, POSTGRES, "begin", time, slices, |query, slice| query
                    .bind(&slice.people)
                    .bind(&slice.orders)
                    .bind(&slice.keys)
                    .bind(&slice.balances)
                    .bind(&slice.times))
            }
        }
    }))
    .await;
    Rate { per_second: f64::from(written.into_iter().sum::<u32>()) / began.elapsed().as_secs_f64(), p99_ms: 0.0 }
}

macro_rules! write_slices {
    ($to:ident, $texts:ident, $begin:literal, $time:ident, $slices:ident, |$query:ident, $slice:ident| $bind:expr) => {{
        let began = Instant::now();
        let mut written = 0_u32;
        while began.elapsed() < $time {
            let $slice = $slices.next();
            $to.execute(sqlx::raw_sql($begin)).await.unwrap();
            for text in $texts {
                let $query = sqlx::query(text);
                $bind.execute(&mut $to).await.unwrap();
            }
            $to.execute(sqlx::raw_sql("commit")).await.unwrap();
            written += u32::try_from(SLICE).unwrap();
        }
        $to.close().await.unwrap();
        written
    }};
}
use write_slices;

/// The slices of one connection, each of other people than those of the others.
struct Slices {
    own: u64,
    connections: u64,
    next: u64,
    balances: Vec<i64>,
}

/// A slice, column by column.
struct Slice {
    people: Vec<i64>,
    orders: Vec<String>,
    keys: Vec<String>,
    balances: Vec<i64>,
    times: Vec<i64>,
}

impl Slices {
    fn next(&mut self) -> Slice {
        let mut people = Vec::new();
        while people.len() < SLICE {
            let person = person(self.next);
            self.next += 1;
            if person.unsigned_abs() % self.connections == self.own {
                people.push(person);
            }
        }
        people.sort_unstable();
        let balances = people.iter().map(|person| {
            let balance = &mut self.balances[usize::try_from(*person).unwrap() - 1];
            *balance += 5_250;
            *balance
        });
        Slice {
            balances: balances.collect(),
            orders: people.iter().map(|_| clock::order_no().to_string()).collect(),
            keys: people.iter().map(|_| Uuid::new_v4().to_string()).collect(),
            times: people.iter().map(|_| clock::now()).collect(),
            people,
        }
    }
}

impl Slice {
    fn json(&self) -> String {
        let rows: Vec<_> = (0..self.people.len())
            .map(|row| json!([self.people[row], self.orders[row], self.keys[row], self.balances[row], self.times[row]]))
            .collect();
        serde_json::to_string(&rows).unwrap()
    }
}
