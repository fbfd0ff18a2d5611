//! The chain on MySQL and MariaDB: READ COMMITTED, and texts of which there are few, so that each is prepared once. A
//! statement names the rows of a slice in a list; what a list cannot say is plain for a few rows, which is faster, and
//! one JSON parameter, through `json_table`, for many.

mod few;
mod listed;
mod many;

use std::time::Duration;

use sqlx::mysql::{MySqlArguments, MySqlConnectOptions, MySqlConnection, MySqlDatabaseError};
use sqlx::query::Query;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection};
use uuid::Uuid;

use super::failure::sort;
use super::row::OrderRow;
use super::{LedgerRow, LookUp, NewOrder, OrderKey, Store, StoreError, guard, row};
use crate::order::Order;

/// A connection to a MySQL or MariaDB server.
#[derive(Debug)]
pub struct MySql {
    connection: MySqlConnection,
}

/// How many rows are a few: up to here plain statements were faster than a table made of JSON.
const FEW: usize = 16;

/// A row of a look-up: the columns of an order; or a tier, which has no number, its minimum as the amount and its rate as
/// the tokens.
type LookUpRow =
    (Option<String>, Option<i64>, Option<String>, i64, Option<String>, Option<i64>, Option<i64>, String, Option<i64>);

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
        // A transaction begins with its first statement: a round trip less for each slice.
        open.run("set session autocommit = 0").await?;
        let seconds = config.lock_wait.as_millis().div_ceil(1000).max(1);
        // MariaDB can end a transaction whose client fell silent, and gives its locks back; to MySQL that is a comment.
        let waits = format!(
            "set session innodb_lock_wait_timeout = {seconds} /*M!100300 , idle_transaction_timeout = {} */",
            seconds * 10
        );
        // Numbers in a text of this program.
        sqlx::raw_sql(AssertSqlSafe(waits)).execute(&mut open.connection).await.map_err(failed)?;
        Ok(open)
    }

    async fn close(self) -> Result<(), StoreError> {
        self.connection.close().await.map_err(failed)
    }

    async fn begin(&mut self, keys: &[OrderKey]) -> Result<LookUp, StoreError> {
        self.look_up(keys).await
    }

    async fn commit(&mut self) -> Result<(), StoreError> {
        self.run("commit").await
    }

    async fn rollback(&mut self) -> Result<(), StoreError> {
        self.run("rollback").await
    }

    async fn claim_orders(&mut self, orders: &[NewOrder]) -> Result<Vec<Order>, StoreError> {
        // On a conflict the row is left as it is. Which conflict it was is not known then, but whoever does not find an
        // order under its own key afterwards has lost on another index, and that is an error.
        if orders.len() <= FEW {
            self.insert_few(orders).await?;
        } else {
            self.insert_many(orders).await?;
        }
        let lost = self.lost_listed(orders).await?;
        if lost.is_empty() {
            return Ok(Vec::new());
        }
        self.look_up(&lost).await?.all_of(lost.len())
    }

    async fn pay(&mut self, orders: &[Uuid]) -> Result<(), StoreError> {
        guard("pay", orders.len(), self.pay_listed(orders).await?)
    }

    async fn lock_accounts(&mut self, people: &[i64], now: i64) -> Result<Vec<(i64, i64)>, StoreError> {
        let locked = self.locked(people).await?;
        if locked.len() == people.len() {
            return Ok(locked);
        }
        self.make_accounts(people, now).await?;
        self.locked(people).await
    }

    async fn grant(&mut self, rows: &[LedgerRow]) -> Result<(), StoreError> {
        let (written, added) =
            if rows.len() <= FEW { self.grant_few(rows).await? } else { self.grant_many(rows).await? };
        guard("ledger", rows.len(), written)?;
        guard("balance", super::people(rows), added)
    }

    async fn complete(&mut self, orders: &[Uuid]) -> Result<(), StoreError> {
        guard("complete", orders.len(), self.complete_listed(orders).await?)
    }
}

impl MySql {
    /// The orders that stand under these keys, and the tiers in force.
    async fn look_up(&mut self, keys: &[OrderKey]) -> Result<LookUp, StoreError> {
        let rows = match keys {
            [key] => self.look_one_up(key).await?,
            keys => self.look_many_up(keys).await?,
        };
        let mut found = LookUp::default();
        for (order_no, user_id, key, amount, currency, status, tokens, tier, created_at) in rows {
            match (order_no, user_id, key, currency, status, created_at) {
                (Some(order_no), Some(user_id), Some(key), Some(currency), Some(status), Some(created_at)) => {
                    let order_no = row::number(&order_no)?;
                    let row = OrderRow(order_no, user_id, key, amount, currency, status, tokens, tier, created_at);
                    found.orders.push(row::order(row)?);
                }
                _ => found.tiers.extend(row::tiers(vec![(tier, amount, tokens.unwrap_or_default())])),
            }
        }
        Ok(found)
    }

    async fn run(&mut self, sql: &'static str) -> Result<(), StoreError> {
        sqlx::raw_sql(sql).execute(&mut self.connection).await.map(drop).map_err(failed)
    }

    /// Runs a statement and returns how many rows it met. The driver asks the server to count the rows that the condition
    /// matched, so a compare-and-set counts those it was true of.
    async fn change(&mut self, query: Query<'_, sqlx::MySql, MySqlArguments>) -> Result<u64, StoreError> {
        Ok(query.execute(&mut self.connection).await.map_err(failed)?.rows_affected())
    }
}

/// Sorts an error by its SQLSTATE and number in MariaDB's and MySQL's references.
pub(crate) fn failed(error: sqlx::Error) -> StoreError {
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
