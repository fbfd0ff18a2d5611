//! The chain on MySQL and MariaDB: READ COMMITTED, every slice as one JSON parameter, through `json_table`, so that the
//! text of each statement is constant and is prepared once.
//!
//! Statements that lock rows are told the index: over a table with few rows the server would rather read all of it, and
//! so wait for the rows of other writers, outside the one order of locks.

use std::time::Duration;

use app::tier::Tier;
use sqlx::mysql::{MySqlConnectOptions, MySqlConnection, MySqlDatabaseError};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection};
use uuid::Uuid;

use super::failure::sort;
use super::{Completion, Credit, LedgerRow, NewOrder, OrderKey, Store, StoreError, json, row};
use crate::order::Order;

/// A connection to a MySQL or MariaDB server.
#[derive(Debug)]
pub struct MySql {
    connection: MySqlConnection,
}

/// How a connection to a MySQL or MariaDB server is opened.
#[derive(Debug, Clone)]
pub struct MySqlConfig {
    options: MySqlConnectOptions,
    lock_wait: Duration,
}

impl MySqlConfig {
    /// Connections to the database that the address (`mysql://…`) names. They wait for a lock as long as told, rounded
    /// up to whole seconds.
    ///
    /// # Errors
    /// When the address cannot be read.
    pub fn new(url: &str, lock_wait: Duration) -> Result<Self, sqlx::Error> {
        let options = url.parse::<MySqlConnectOptions>()?.disable_statement_logging();
        Ok(Self { options, lock_wait })
    }

    /// The options of a connection.
    pub fn options(&self) -> &MySqlConnectOptions {
        &self.options
    }
}

impl Store for MySql {
    type Config = MySqlConfig;

    async fn open(config: &Self::Config) -> Result<Self, StoreError> {
        let connection = MySqlConnection::connect_with(&config.options).await.map_err(failed)?;
        let mut open = Self { connection };
        open.run("set session transaction isolation level read committed").await?;
        let seconds = config.lock_wait.as_millis().div_ceil(1000).max(1);
        // MariaDB can end a transaction whose client fell silent, and gives its locks back; to MySQL that is a comment.
        let waits = format!(
            "set session innodb_lock_wait_timeout = {seconds} /*M!100300 , idle_transaction_timeout = {} */",
            seconds * 10
        );
        // Two numbers in a text of this program.
        sqlx::raw_sql(AssertSqlSafe(waits)).execute(&mut open.connection).await.map_err(failed)?;
        Ok(open)
    }

    async fn close(self) -> Result<(), StoreError> {
        self.connection.close().await.map_err(failed)
    }

    async fn begin(&mut self) -> Result<(), StoreError> {
        self.run("start transaction").await
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
        let rows = sqlx::query(
            "select o.order_no, o.user_id, o.idempotency_key, o.amount_minor, o.currency, o.status, o.bonus_tokens, o.tier,
                    o.created_at
             from json_table(?, '$[*]' columns (
                    user_id bigint path '$[0]',
                    idempotency_key varchar(255) character set ascii collate ascii_bin path '$[1]')) as k
             straight_join recharge_order as o
                on o.user_id = k.user_id and o.idempotency_key = k.idempotency_key",
        )
        .bind(json(keys.iter().map(|key| (key.user_id, key.key.as_str())))?)
        .fetch_all(&mut self.connection)
        .await
        .map_err(failed)?;
        rows.iter().map(|row| row::order(row, failed)).collect()
    }

    async fn claim_orders(&mut self, orders: &[NewOrder]) -> Result<Vec<Order>, StoreError> {
        let rows = json(orders.iter().map(|order| {
            let (key, tier) = (order.key.as_str(), order.tier.as_str());
            (order.order_no, order.user_id, key, order.amount.minor(), tier, order.at, order.currency.code())
        }))?;
        // On a conflict the row is left as it is. Which conflict it was is not known here, but whoever does not find an
        // order under its own key afterwards has lost on another index, and that is an error.
        sqlx::query(
            "insert into recharge_order
                (order_no, user_id, idempotency_key, amount_minor, currency, status, tier, created_at, updated_at)
             select o.order_no, o.user_id, o.idempotency_key, o.amount_minor, o.currency, 0, o.tier, o.at, o.at
             from json_table(?, '$[*]' columns (
                    order_no varchar(36) character set ascii collate ascii_bin path '$[0]',
                    user_id bigint path '$[1]',
                    idempotency_key varchar(255) character set ascii collate ascii_bin path '$[2]',
                    amount_minor bigint path '$[3]',
                    tier varchar(100) character set utf8mb4 collate utf8mb4_bin path '$[4]',
                    at bigint path '$[5]',
                    currency varchar(3) character set ascii collate ascii_bin path '$[6]')) as o
             on duplicate key update order_no = recharge_order.order_no",
        )
        .bind(rows)
        .execute(&mut self.connection)
        .await
        .map_err(failed)?;
        let keys: Vec<OrderKey> =
            orders.iter().map(|order| OrderKey { user_id: order.user_id, key: order.key.clone() }).collect();
        let standing = self.find_orders(&keys).await?;
        if standing.len() == orders.len() { Ok(standing) } else { Err(StoreError::NoOrderStands) }
    }

    async fn pay(&mut self, orders: &[Uuid]) -> Result<u64, StoreError> {
        self.change(
            "update json_table(?, '$[*]' columns (
                    order_no varchar(36) character set ascii collate ascii_bin path '$')) as p
             straight_join recharge_order as o force index (primary) on o.order_no = p.order_no
             set o.status = 1
             where o.status = 0",
            json(orders.iter())?,
        )
        .await
    }

    async fn lock_accounts(&mut self, people: &[i64], now: i64) -> Result<Vec<(i64, i64)>, StoreError> {
        let locked = self.locked(people).await?;
        if locked.len() == people.len() {
            return Ok(locked);
        }
        sqlx::query(
            "insert into token_account (user_id, balance, created_at, updated_at)
             select p.user_id, 0, n.now, n.now
             from json_table(?, '$[*]' columns (user_id bigint path '$')) as p
             join (select cast(? as signed) as now) as n
             order by p.user_id
             on duplicate key update user_id = token_account.user_id",
        )
        .bind(json(people.iter())?)
        .bind(now)
        .execute(&mut self.connection)
        .await
        .map_err(failed)?;
        self.locked(people).await
    }

    async fn insert_ledger(&mut self, rows: &[LedgerRow]) -> Result<u64, StoreError> {
        let rows = rows.iter().map(|row| (row.user_id, row.order_no, row.change, row.balance_after, row.at));
        self.change(
            "insert into token_ledger (user_id, change_type, biz_id, change_amount, balance_after, created_at)
             select l.user_id, 'RECHARGE_BONUS', l.order_no, l.change_amount, l.balance_after, l.at
             from json_table(?, '$[*]' columns (
                    place for ordinality,
                    user_id bigint path '$[0]',
                    order_no varchar(36) character set ascii collate ascii_bin path '$[1]',
                    change_amount bigint path '$[2]',
                    balance_after bigint path '$[3]',
                    at bigint path '$[4]')) as l
             order by l.place",
            json(rows)?,
        )
        .await
    }

    async fn add_to_balances(&mut self, credits: &[Credit]) -> Result<u64, StoreError> {
        let credits = credits.iter().map(|credit| (credit.user_id, credit.tokens, credit.rows, credit.at));
        self.change(
            "update json_table(?, '$[*]' columns (
                    user_id bigint path '$[0]',
                    tokens bigint path '$[1]',
                    changes bigint path '$[2]',
                    at bigint path '$[3]')) as c
             straight_join token_account as a force index (primary) on a.user_id = c.user_id
             set a.balance = a.balance + c.tokens, a.version = a.version + c.changes, a.updated_at = c.at",
            json(credits)?,
        )
        .await
    }

    async fn complete(&mut self, orders: &[Completion]) -> Result<u64, StoreError> {
        self.change(
            "update json_table(?, '$[*]' columns (
                    order_no varchar(36) character set ascii collate ascii_bin path '$[0]',
                    tokens bigint path '$[1]')) as c
             straight_join recharge_order as o force index (primary) on o.order_no = c.order_no
             set o.status = 2, o.bonus_tokens = c.tokens
             where o.status = 1",
            json(orders.iter().map(|order| (order.order_no, order.tokens)))?,
        )
        .await
    }
}

impl MySql {
    async fn run(&mut self, sql: &'static str) -> Result<(), StoreError> {
        sqlx::raw_sql(sql).execute(&mut self.connection).await.map(drop).map_err(failed)
    }

    /// Runs a statement over a slice and returns how many rows it met. The driver asks the server to count the rows that
    /// the condition matched, so a compare-and-set counts those it was true of.
    async fn change(&mut self, sql: &'static str, slice: String) -> Result<u64, StoreError> {
        let done = sqlx::query(sql).bind(slice).execute(&mut self.connection).await.map_err(failed)?;
        Ok(done.rows_affected())
    }

    /// Locks the accounts that are there, in the order of their numbers.
    async fn locked(&mut self, people: &[i64]) -> Result<Vec<(i64, i64)>, StoreError> {
        sqlx::query_as(
            "select a.user_id, a.balance
             from json_table(?, '$[*]' columns (user_id bigint path '$')) as p
             straight_join token_account as a force index (primary) on a.user_id = p.user_id
             order by a.user_id
             for update",
        )
        .bind(json(people.iter())?)
        .fetch_all(&mut self.connection)
        .await
        .map_err(failed)
    }
}

/// Sorts an error by its SQLSTATE and number in MariaDB's and MySQL's references.
fn failed(error: sqlx::Error) -> StoreError {
    let number = error.as_database_error().and_then(|error| error.try_downcast_ref::<MySqlDatabaseError>());
    let number = number.map(MySqlDatabaseError::number);
    sort(error, |_| match number? {
        // Deadlock, lock wait timeout, no wait, statement timeouts of both.
        1213 | 1205 | 3572 | 1969 | 3024 => Some(StoreError::Busy),
        // Too many connections, of all or of this user; shutdown, killed, server gone, connection lost, disk full,
        // read-only, idle too long.
        1040 | 1053 | 1203 | 1317 | 1927 | 2006 | 2013 | 1021 | 1290 | 1836 | 4031 => Some(StoreError::Away),
        _ => None,
    })
}
