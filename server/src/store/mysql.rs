//! The chain on MySQL and MariaDB: READ COMMITTED, every slice as one JSON parameter, through `json_table`, so that the
//! text of each statement is constant and is prepared once.
//!
//! Statements that lock rows are told the index: over a table with few rows the server would rather read all of it, and
//! so wait for the rows of other writers, outside the one order of locks.

use std::time::Duration;

use sqlx::mysql::{MySqlConnectOptions, MySqlConnection, MySqlDatabaseError};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection};
use uuid::Uuid;

use super::failure::sort;
use super::{LedgerRow, LookUp, NewOrder, OrderKey, Store, StoreError, guard, json, row};
use crate::order::Order;

/// A connection to a MySQL or MariaDB server.
#[derive(Debug)]
pub struct MySql {
    connection: MySqlConnection,
    /// The ledger rows that were written last, as the parameter of a statement: what they granted is what their orders
    /// are completed with.
    granted: String,
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
        let mut open = Self { connection, granted: String::new() };
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
        self.granted.clear();
        self.run("start transaction").await
    }

    async fn commit(&mut self) -> Result<(), StoreError> {
        self.run("commit").await
    }

    async fn rollback(&mut self) -> Result<(), StoreError> {
        self.run("rollback").await
    }

    async fn look_up(&mut self, keys: &[OrderKey]) -> Result<LookUp, StoreError> {
        let (orders, tiers): (String, String) = sqlx::query_as(
            "select
                cast((select coalesce(json_arrayagg(json_array(o.order_no, o.user_id, o.idempotency_key, o.amount_minor,
                            o.currency, o.status, o.bonus_tokens, o.tier, o.created_at)), '[]')
                 from json_table(?, '$[*]' columns (
                        user_id bigint path '$[0]',
                        idempotency_key varchar(255) character set ascii collate ascii_bin path '$[1]')) as k
                 straight_join recharge_order as o
                    on o.user_id = k.user_id and o.idempotency_key = k.idempotency_key) as char character set utf8mb4),
                cast((select coalesce(json_arrayagg(json_array(name, min_amount_minor, tokens_per_unit)), '[]')
                 from bonus_tier) as char character set utf8mb4)",
        )
        .bind(json(keys.iter().map(|key| (key.user_id, key.key.as_str())))?)
        .fetch_one(&mut self.connection)
        .await
        .map_err(failed)?;
        row::look_up(&orders, &tiers)
    }

    async fn claim_orders(&mut self, orders: &[NewOrder]) -> Result<Vec<Order>, StoreError> {
        let rows = json(orders.iter().map(|order| {
            let (key, tier) = (order.key.as_str(), order.tier.as_str());
            (order.order_no, order.user_id, key, order.amount.minor(), tier, order.at, order.currency.code())
        }))?;
        // On a conflict the row is left as it is. Which conflict it was is not known here, but whoever does not find an
        // order under its own key afterwards has lost on another index, and that is an error.
        self.change(
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
            &rows,
        )
        .await?;
        let standing: String = sqlx::query_scalar(
            "select cast(coalesce(json_arrayagg(
                        case when o.order_no <> n.order_no or o.status <> 0 then
                            json_array(o.order_no, o.user_id, o.idempotency_key, o.amount_minor, o.currency, o.status,
                                o.bonus_tokens, o.tier, o.created_at) end), '[]') as char character set utf8mb4)
             from json_table(?, '$[*]' columns (
                    order_no varchar(36) character set ascii collate ascii_bin path '$[0]',
                    user_id bigint path '$[1]',
                    idempotency_key varchar(255) character set ascii collate ascii_bin path '$[2]')) as n
             straight_join recharge_order as o
                on o.user_id = n.user_id and o.idempotency_key = n.idempotency_key",
        )
        .bind(&rows)
        .fetch_one(&mut self.connection)
        .await
        .map_err(failed)?;
        row::stood_before(&standing, orders.len())
    }

    async fn pay(&mut self, orders: &[Uuid]) -> Result<(), StoreError> {
        let paid = self
            .change(
                "update json_table(?, '$[*]' columns (
                        order_no varchar(36) character set ascii collate ascii_bin path '$')) as p
                 straight_join recharge_order as o force index (primary) on o.order_no = p.order_no
                 set o.status = 1
                 where o.status = 0",
                &json(orders.iter())?,
            )
            .await?;
        guard("pay", orders.len(), paid)
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

    async fn grant(&mut self, rows: &[LedgerRow]) -> Result<(), StoreError> {
        let granted = json(rows.iter().map(|row| (row.user_id, row.order_no, row.change, row.balance_after, row.at)))?;
        let written = self
            .change(
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
                &granted,
            )
            .await?;
        guard("ledger", rows.len(), written)?;
        let added = self
            .change(
                "update (select user_id, cast(sum(change_amount) as signed) as tokens, count(*) as changes, max(at) as at
                         from json_table(?, '$[*]' columns (
                            user_id bigint path '$[0]',
                            change_amount bigint path '$[2]',
                            at bigint path '$[4]')) as l
                         group by user_id) as g
                 straight_join token_account as a force index (primary) on a.user_id = g.user_id
                 set a.balance = a.balance + g.tokens, a.version = a.version + g.changes, a.updated_at = g.at",
                &granted,
            )
            .await?;
        guard("balance", super::people(rows), added)?;
        self.granted = granted;
        Ok(())
    }

    async fn complete(&mut self, orders: &[Uuid]) -> Result<(), StoreError> {
        let granted = std::mem::take(&mut self.granted);
        let completed = self
            .change(
                "update json_table(?, '$[*]' columns (
                        order_no varchar(36) character set ascii collate ascii_bin path '$[1]',
                        tokens bigint path '$[2]')) as g
                 straight_join recharge_order as o force index (primary) on o.order_no = g.order_no
                 set o.status = 2, o.bonus_tokens = g.tokens
                 where o.status = 1",
                &granted,
            )
            .await?;
        guard("complete", orders.len(), completed)
    }
}

impl MySql {
    async fn run(&mut self, sql: &'static str) -> Result<(), StoreError> {
        sqlx::raw_sql(sql).execute(&mut self.connection).await.map(drop).map_err(failed)
    }

    /// Runs a statement over a slice and returns how many rows it met. The driver asks the server to count the rows that
    /// the condition matched, so a compare-and-set counts those it was true of.
    async fn change(&mut self, sql: &'static str, slice: &str) -> Result<u64, StoreError> {
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
