//! The chain on SQLite: one writer, `begin immediate`, every slice as one JSON parameter per text.

use std::time::Duration;

use futures_util::TryStreamExt as _;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection, Either, Executor as _, Row as _};
use uuid::Uuid;

use super::failure::sort;
use super::{LedgerRow, LookUp, NewOrder, OrderKey, Store, StoreError, granted, guard, json, named, row};
use crate::order::Order;

/// A connection to a SQLite file. Each call is a hand-over to the driver's thread, which costs more than most statements:
/// what can go together is one text of several statements.
#[derive(Debug)]
pub struct Sqlite {
    connection: SqliteConnection,
    /// (`user_id`, balance) of the accounts of the orders that were just claimed.
    locked: Vec<(i64, i64)>,
    /// How many of the orders that are granted next are to be paid before.
    to_pay: usize,
    /// Ledger rows to be written with the next text.
    to_grant: Vec<LedgerRow>,
}

/// What a text of several statements came to.
#[derive(Debug, Default)]
struct Done {
    /// How many rows each of the statements changed; what a reading one has here means nothing.
    changed: Vec<u64>,
    /// The columns of the row that was read.
    read: Vec<String>,
}

/// How a connection to a SQLite file is opened.
#[derive(Debug, Clone)]
pub struct SqliteConfig {
    options: SqliteConnectOptions,
}

impl SqliteConfig {
    /// Connections to the file that the address (`sqlite:path`) names, which is created if it is missing. They wait for
    /// a lock as long as told, and a committed transaction survives a power cut.
    ///
    /// # Errors
    /// When the address cannot be read.
    pub fn new(url: &str, lock_wait: Duration) -> Result<Self, sqlx::Error> {
        let options = url
            .parse::<SqliteConnectOptions>()?
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .busy_timeout(lock_wait)
            // In KiB, for the indexes in which each recharge lands somewhere else: without it a full slice outgrows the
            // cache, and pages are written before their time.
            .pragma("cache_size", "-65536")
            // In pages, of which a full slice writes about a thousand: else the file would be written after each.
            .pragma("wal_autocheckpoint", "8000")
            // What a failing statement would have to put back is kept in memory, not in a file that is made for each.
            .pragma("temp_store", "memory")
            .disable_statement_logging();
        Ok(Self { options })
    }

    /// Where the file lies.
    pub fn options(&self) -> &SqliteConnectOptions {
        &self.options
    }
}

impl Store for Sqlite {
    type Config = SqliteConfig;

    async fn open(config: &Self::Config) -> Result<Self, StoreError> {
        let connection = SqliteConnection::connect_with(&config.options).await.map_err(failed)?;
        Ok(Self { connection, locked: Vec::new(), to_pay: 0, to_grant: Vec::new() })
    }

    async fn close(self) -> Result<(), StoreError> {
        self.connection.close().await.map_err(failed)
    }

    async fn begin(&mut self, keys: &[OrderKey]) -> Result<LookUp, StoreError> {
        self.locked.clear();
        self.to_pay = 0;
        self.to_grant.clear();
        // A transaction that reads first and writes later cannot wait for its turn in SQLite: it takes the write lock
        // at once.
        let done = self
            .run(
                "begin immediate;
                 select
                    (select json_group_array(json_array(o.order_no, o.user_id, o.idempotency_key, o.amount_minor,
                                o.currency, o.status, o.bonus_tokens, o.tier, o.created_at))
                     from json_each(?1) as k
                     cross join recharge_order as o
                        on o.user_id = k.value ->> 0 and o.idempotency_key = k.value ->> 1),
                    (select json_group_array(json_array(name, min_amount_minor, tokens_per_unit)) from bonus_tier)",
                &[named(keys)?],
            )
            .await?;
        row::look_up(done.column(0)?, done.column(1)?)
    }

    async fn commit(&mut self) -> Result<(), StoreError> {
        self.run("commit", &[]).await.map(drop)
    }

    async fn rollback(&mut self) -> Result<(), StoreError> {
        self.run("rollback", &[]).await.map(drop)
    }

    async fn claim_orders(&mut self, orders: &[NewOrder]) -> Result<Vec<Order>, StoreError> {
        let rows = json(orders.iter().map(|order| {
            (
                order.order_no,
                order.user_id,
                order.key.as_str(),
                order.amount.minor(),
                order.currency.code(),
                order.tier.as_str(),
                order.at,
            )
        }))?;
        // Only the conflict of this one index is passed over; any other fails the statement. The accounts are for
        // `lock_accounts`, which comes next: the write lock of the transaction is their lock, and they are all the same
        // to an order that stood before.
        let done = self
            .run(
                "insert into recharge_order
                    (order_no, user_id, idempotency_key, amount_minor, currency, status, tier, created_at, updated_at)
                 select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, 0, value ->> 5, value ->> 6,
                        value ->> 6
                 from json_each(?1)
                 where true
                 on conflict (user_id, idempotency_key) do nothing;
                 insert into token_account (user_id, balance, created_at, updated_at)
                 select value ->> 1, 0, value ->> 6, value ->> 6 from json_each(?1)
                 where true
                 on conflict (user_id) do nothing;
                 select
                    json_group_array(json(case when o.order_no <> n.value ->> 0 or o.status <> 0 then
                        json_array(o.order_no, o.user_id, o.idempotency_key, o.amount_minor, o.currency, o.status,
                            o.bonus_tokens, o.tier, o.created_at) end)),
                    json_group_array(json_array(a.user_id, a.balance))
                 from json_each(?1) as n
                 cross join recharge_order as o
                    on o.user_id = n.value ->> 1 and o.idempotency_key = n.value ->> 2
                 cross join token_account as a on a.user_id = o.user_id",
                &[rows],
            )
            .await?;
        self.locked = row::read(done.column(1)?)?;
        row::stood_before(done.column(0)?, orders.len())
    }

    async fn pay(&mut self, orders: &[Uuid]) -> Result<(), StoreError> {
        self.to_pay += orders.len();
        Ok(())
    }

    async fn lock_accounts(&mut self, _people: &[i64], _now: i64) -> Result<Vec<(i64, i64)>, StoreError> {
        Ok(std::mem::take(&mut self.locked))
    }

    async fn grant(&mut self, rows: &[LedgerRow]) -> Result<(), StoreError> {
        self.to_grant.extend_from_slice(rows);
        Ok(())
    }

    async fn complete(&mut self, orders: &[Uuid]) -> Result<(), StoreError> {
        let (paid, rows) = (std::mem::take(&mut self.to_pay), std::mem::take(&mut self.to_grant));
        let done = self
            .run(
                "update recharge_order set status = 1
                 where order_no in (select value ->> 1 from json_each(?1)) and status = 0;
                 insert into token_ledger (user_id, change_type, biz_id, change_amount, balance_after, created_at)
                 select value ->> 0, 'RECHARGE_BONUS', value ->> 1, value ->> 2, value ->> 3, value ->> 4
                 from json_each(?1)
                 order by key;
                 update token_account as a
                 set balance = a.balance + g.tokens, version = a.version + g.changes, updated_at = g.at
                 from (select value ->> 0 as user_id, sum(value ->> 2) as tokens, count(*) as changes,
                            max(value ->> 4) as at
                       from json_each(?1) group by 1) as g
                 where a.user_id = g.user_id;
                 update recharge_order as o
                 set status = 2, bonus_tokens = g.tokens
                 from (select value ->> 1 as order_no, value ->> 2 as tokens from json_each(?1)) as g
                 where o.order_no = g.order_no and o.status = 1",
                &[granted(&rows)?],
            )
            .await?;
        guard("pay", paid, done.changed(0))?;
        guard("ledger", rows.len(), done.changed(1))?;
        guard("balance", super::people(&rows), done.changed(2))?;
        guard("complete", orders.len(), done.changed(3))
    }
}

impl Sqlite {
    /// Runs all statements of a text, which share the parameters and of which one at most reads, and that one row.
    async fn run(&mut self, sql: &'static str, parameters: &[String]) -> Result<Done, StoreError> {
        let query = parameters.iter().fold(sqlx::query(sql), sqlx::query::Query::bind);
        let mut results = self.connection.fetch_many(query);
        let mut done = Done::default();
        while let Some(result) = results.try_next().await.map_err(failed)? {
            match result {
                Either::Left(result) => done.changed.push(result.rows_affected()),
                Either::Right(row) => {
                    for column in 0..row.len() {
                        done.read.push(row.try_get(column).map_err(failed)?);
                    }
                }
            }
        }
        Ok(done)
    }
}

impl Done {
    fn changed(&self, statement: usize) -> u64 {
        self.changed.get(statement).copied().unwrap_or_default()
    }

    fn column(&self, index: usize) -> Result<&str, StoreError> {
        let missing = || StoreError::Unreadable("a statement returned no row".to_owned());
        self.read.get(index).map(String::as_str).ok_or_else(missing)
    }
}

/// Sorts an error by its code in <https://sqlite.org/rescode.html>, without the extension in the upper bits.
pub(crate) fn failed(error: sqlx::Error) -> StoreError {
    sort(error, |code| match code.parse::<i32>().ok()? & 0xff {
        // Busy, locked.
        5 | 6 => Some(StoreError::Busy),
        // Out of memory, read-only, interrupted, I/O, corrupt, full, cannot open, protocol, not a database.
        7 | 8 | 9 | 10 | 11 | 13 | 14 | 15 | 26 => Some(StoreError::Away),
        _ => None,
    })
}
