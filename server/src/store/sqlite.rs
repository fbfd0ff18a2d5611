//! The chain on SQLite: one writer, `begin immediate`, every slice as one JSON parameter per statement.

use std::time::Duration;

use app::tier::Tier;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection};
use uuid::Uuid;

use super::failure::sort;
use super::{Completion, Credit, LedgerRow, NewOrder, OrderKey, Store, StoreError, json, row};
use crate::order::Order;

/// A connection to a SQLite file.
#[derive(Debug)]
pub struct Sqlite {
    connection: SqliteConnection,
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
        Ok(Self { connection })
    }

    async fn close(self) -> Result<(), StoreError> {
        self.connection.close().await.map_err(failed)
    }

    async fn begin(&mut self) -> Result<(), StoreError> {
        // A transaction that reads first and writes later cannot wait for its turn in SQLite: it takes the write lock
        // at once.
        self.run("begin immediate").await
    }

    async fn commit(&mut self) -> Result<(), StoreError> {
        self.run("commit").await
    }

    async fn rollback(&mut self) -> Result<(), StoreError> {
        self.run("rollback").await
    }

    async fn tiers(&mut self) -> Result<Vec<Tier>, StoreError> {
        let rows = sqlx::query_as(row::TIERS).fetch_all(&mut self.connection).await.map_err(failed)?;
        Ok(row::tiers(rows))
    }

    async fn find_orders(&mut self, keys: &[OrderKey]) -> Result<Vec<Order>, StoreError> {
        let keys = json(keys.iter().map(|key| (key.user_id, key.key.as_str())))?;
        let rows = sqlx::query(
            "select o.order_no, o.user_id, o.idempotency_key, o.amount_minor, o.currency, o.status, o.bonus_tokens, o.tier,
                    o.created_at
             from json_each(?1) as k
             cross join recharge_order as o
                on o.user_id = k.value ->> 0 and o.idempotency_key = k.value ->> 1",
        )
        .bind(keys)
        .fetch_all(&mut self.connection)
        .await
        .map_err(failed)?;
        rows.iter().map(|row| row::order(row, failed)).collect()
    }

    async fn claim_orders(&mut self, orders: &[NewOrder]) -> Result<Vec<Order>, StoreError> {
        let orders = json(orders.iter().map(|order| {
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
        // The update that changes nothing makes `returning` show the row that stands, whoever wrote it. Only a conflict
        // of this one index leads to it; any other fails the statement.
        let rows = sqlx::query(
            "insert into recharge_order
                (order_no, user_id, idempotency_key, amount_minor, currency, status, tier, created_at, updated_at)
             select o.value ->> 0, o.value ->> 1, o.value ->> 2, o.value ->> 3, o.value ->> 4, 0, o.value ->> 5,
                    o.value ->> 6, o.value ->> 6
             from json_each(?1) as o
             where true
             on conflict (user_id, idempotency_key) do update set updated_at = updated_at
             returning order_no, user_id, idempotency_key, amount_minor, currency, status, bonus_tokens, tier, created_at",
        )
        .bind(orders)
        .fetch_all(&mut self.connection)
        .await
        .map_err(failed)?;
        rows.iter().map(|row| row::order(row, failed)).collect()
    }

    async fn pay(&mut self, orders: &[Uuid]) -> Result<u64, StoreError> {
        self.change(
            "update recharge_order set status = 1
             where order_no in (select value from json_each(?1)) and status = 0",
            json(orders.iter())?,
        )
        .await
    }

    async fn lock_accounts(&mut self, people: &[i64], now: i64) -> Result<Vec<(i64, i64)>, StoreError> {
        // The write lock of the transaction is the lock of every account. The update that changes nothing makes
        // `returning` show the accounts that were there already.
        sqlx::query_as(
            "insert into token_account (user_id, balance, created_at, updated_at)
             select value, 0, ?2, ?2 from json_each(?1)
             where true
             on conflict (user_id) do update set balance = balance
             returning user_id, balance",
        )
        .bind(json(people.iter())?)
        .bind(now)
        .fetch_all(&mut self.connection)
        .await
        .map_err(failed)
    }

    async fn insert_ledger(&mut self, rows: &[LedgerRow]) -> Result<u64, StoreError> {
        let rows = rows.iter().map(|row| (row.user_id, row.order_no, row.change, row.balance_after, row.at));
        self.change(
            "insert into token_ledger (user_id, change_type, biz_id, change_amount, balance_after, created_at)
             select value ->> 0, 'RECHARGE_BONUS', value ->> 1, value ->> 2, value ->> 3, value ->> 4
             from json_each(?1)
             order by key",
            json(rows)?,
        )
        .await
    }

    async fn add_to_balances(&mut self, credits: &[Credit]) -> Result<u64, StoreError> {
        let credits = credits.iter().map(|credit| (credit.user_id, credit.tokens, credit.rows, credit.at));
        self.change(
            "update token_account as a
             set balance = a.balance + c.tokens, version = a.version + c.changes, updated_at = c.at
             from (select value ->> 0 as user_id, value ->> 1 as tokens, value ->> 2 as changes, value ->> 3 as at
                   from json_each(?1)) as c
             where a.user_id = c.user_id",
            json(credits)?,
        )
        .await
    }

    async fn complete(&mut self, orders: &[Completion]) -> Result<u64, StoreError> {
        self.change(
            "update recharge_order as o
             set status = 2, bonus_tokens = c.tokens
             from (select value ->> 0 as order_no, value ->> 1 as tokens from json_each(?1)) as c
             where o.order_no = c.order_no and o.status = 1",
            json(orders.iter().map(|order| (order.order_no, order.tokens)))?,
        )
        .await
    }
}

impl Sqlite {
    async fn run(&mut self, sql: &'static str) -> Result<(), StoreError> {
        sqlx::query(sql).execute(&mut self.connection).await.map(drop).map_err(failed)
    }

    /// Runs a statement over a slice and returns how many rows it changed.
    async fn change(&mut self, sql: &'static str, slice: String) -> Result<u64, StoreError> {
        let done = sqlx::query(sql).bind(slice).execute(&mut self.connection).await.map_err(failed)?;
        Ok(done.rows_affected())
    }
}

/// Sorts an error by its code in <https://sqlite.org/rescode.html>, without the extension in the upper bits.
fn failed(error: sqlx::Error) -> StoreError {
    sort(error, |code| match code.parse::<i32>().ok()? & 0xff {
        // Busy, locked.
        5 | 6 => Some(StoreError::Busy),
        // Out of memory, read-only, interrupted, I/O, corrupt, full, cannot open, protocol, not a database.
        7 | 8 | 9 | 10 | 11 | 13 | 14 | 15 | 26 => Some(StoreError::Away),
        _ => None,
    })
}
