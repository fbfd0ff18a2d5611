//! The chain on PostgreSQL: READ COMMITTED, every slice as one array per column, through `unnest`.

use std::time::Duration;

use app::tier::Tier;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions, Connection};
use uuid::Uuid;

use super::failure::sort;
use super::{Completion, Credit, LedgerRow, NewOrder, OrderKey, Store, StoreError, row};
use crate::order::Order;

/// A connection to a PostgreSQL server.
#[derive(Debug)]
pub struct Postgres {
    connection: PgConnection,
}

/// How a connection to a PostgreSQL server is opened.
#[derive(Debug, Clone)]
pub struct PostgresConfig {
    options: PgConnectOptions,
}

impl PostgresConfig {
    /// Connections to the database that the address (`postgres://…`) names. They wait for a lock as long as told, and
    /// for a statement ten times as long.
    ///
    /// # Errors
    /// When the address cannot be read.
    pub fn new(url: &str, lock_wait: Duration) -> Result<Self, sqlx::Error> {
        let lock = lock_wait.as_millis();
        let options = url
            .parse::<PgConnectOptions>()?
            .application_name("recharge")
            .options([
                ("lock_timeout", lock.to_string()),
                ("statement_timeout", (lock * 10).to_string()),
                ("idle_in_transaction_session_timeout", (lock * 10).to_string()),
                ("default_transaction_isolation", "read committed".to_owned()),
                // A plan made while the tables were empty would be kept, and scan them when they are not.
                ("plan_cache_mode", "force_custom_plan".to_owned()),
            ])
            .disable_statement_logging();
        Ok(Self { options })
    }

    /// The options of a connection.
    pub fn options(&self) -> &PgConnectOptions {
        &self.options
    }
}

impl Store for Postgres {
    type Config = PostgresConfig;

    async fn open(config: &Self::Config) -> Result<Self, StoreError> {
        let connection = PgConnection::connect_with(&config.options).await.map_err(failed)?;
        Ok(Self { connection })
    }

    async fn close(self) -> Result<(), StoreError> {
        self.connection.close().await.map_err(failed)
    }

    async fn begin(&mut self) -> Result<(), StoreError> {
        self.run("begin").await
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
        let people: Vec<i64> = keys.iter().map(|key| key.user_id).collect();
        let keys: Vec<&str> = keys.iter().map(|key| key.key.as_str()).collect();
        let rows = sqlx::query(
            "select o.order_no, o.user_id, o.idempotency_key, o.amount_minor, o.currency, o.status, o.bonus_tokens, o.tier,
                    o.created_at
             from unnest($1::bigint[], $2::text[]) as k (user_id, idempotency_key)
             join recharge_order as o on o.user_id = k.user_id and o.idempotency_key = k.idempotency_key collate \"C\"",
        )
        .bind(people)
        .bind(keys)
        .fetch_all(&mut self.connection)
        .await
        .map_err(failed)?;
        rows.iter().map(|row| row::order(row, failed)).collect()
    }

    async fn claim_orders(&mut self, orders: &[NewOrder]) -> Result<Vec<Order>, StoreError> {
        let numbers: Vec<String> = orders.iter().map(|order| order.order_no.to_string()).collect();
        let people: Vec<i64> = orders.iter().map(|order| order.user_id).collect();
        let keys: Vec<&str> = orders.iter().map(|order| order.key.as_str()).collect();
        let amounts: Vec<i64> = orders.iter().map(|order| order.amount.minor()).collect();
        let tiers: Vec<&str> = orders.iter().map(|order| order.tier.as_str()).collect();
        let times: Vec<i64> = orders.iter().map(|order| order.at).collect();
        let currencies: Vec<&str> = orders.iter().map(|order| order.currency.code()).collect();
        sqlx::query(
            "insert into recharge_order
                (order_no, user_id, idempotency_key, amount_minor, currency, status, tier, created_at, updated_at)
             select order_no, user_id, idempotency_key, amount_minor, currency, 0, tier, at, at
             from unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::text[], $6::bigint[], $7::text[])
                with ordinality as o (order_no, user_id, idempotency_key, amount_minor, tier, at, currency, place)
             order by place
             on conflict (user_id, idempotency_key) do nothing",
        )
        .bind(numbers)
        .bind(people)
        .bind(keys)
        .bind(amounts)
        .bind(tiers)
        .bind(times)
        .bind(currencies)
        .execute(&mut self.connection)
        .await
        .map_err(failed)?;
        // A statement of its own: the one above does not see what another transaction committed while it waited.
        let keys: Vec<OrderKey> =
            orders.iter().map(|order| OrderKey { user_id: order.user_id, key: order.key.clone() }).collect();
        self.find_orders(&keys).await
    }

    async fn pay(&mut self, orders: &[Uuid]) -> Result<u64, StoreError> {
        let orders: Vec<String> = orders.iter().map(Uuid::to_string).collect();
        let paid = sqlx::query("update recharge_order set status = 1 where order_no = any($1::text[]) and status = 0")
            .bind(orders)
            .execute(&mut self.connection)
            .await
            .map_err(failed)?;
        Ok(paid.rows_affected())
    }

    async fn lock_accounts(&mut self, people: &[i64], now: i64) -> Result<Vec<(i64, i64)>, StoreError> {
        let locked = self.locked(people).await?;
        if locked.len() == people.len() {
            return Ok(locked);
        }
        sqlx::query(
            "insert into token_account (user_id, balance, created_at, updated_at)
             select user_id, 0, $2, $2 from unnest($1::bigint[]) as p (user_id) order by user_id
             on conflict (user_id) do nothing",
        )
        .bind(people)
        .bind(now)
        .execute(&mut self.connection)
        .await
        .map_err(failed)?;
        self.locked(people).await
    }

    async fn insert_ledger(&mut self, rows: &[LedgerRow]) -> Result<u64, StoreError> {
        let people: Vec<i64> = rows.iter().map(|row| row.user_id).collect();
        let orders: Vec<String> = rows.iter().map(|row| row.order_no.to_string()).collect();
        let changes: Vec<i64> = rows.iter().map(|row| row.change).collect();
        let balances: Vec<i64> = rows.iter().map(|row| row.balance_after).collect();
        let times: Vec<i64> = rows.iter().map(|row| row.at).collect();
        let written = sqlx::query(
            "insert into token_ledger (user_id, change_type, biz_id, change_amount, balance_after, created_at)
             select user_id, 'RECHARGE_BONUS', order_no, change_amount, balance_after, at
             from unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[]) with ordinality
                as l (user_id, order_no, change_amount, balance_after, at, place)
             order by place",
        )
        .bind(people)
        .bind(orders)
        .bind(changes)
        .bind(balances)
        .bind(times)
        .execute(&mut self.connection)
        .await
        .map_err(failed)?;
        Ok(written.rows_affected())
    }

    async fn add_to_balances(&mut self, credits: &[Credit]) -> Result<u64, StoreError> {
        let people: Vec<i64> = credits.iter().map(|credit| credit.user_id).collect();
        let tokens: Vec<i64> = credits.iter().map(|credit| credit.tokens).collect();
        let changes: Vec<i64> = credits.iter().map(|credit| credit.rows).collect();
        let times: Vec<i64> = credits.iter().map(|credit| credit.at).collect();
        let added = sqlx::query(
            "update token_account as a
             set balance = a.balance + c.tokens, version = a.version + c.changes, updated_at = c.at
             from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]) as c (user_id, tokens, changes, at)
             where a.user_id = c.user_id",
        )
        .bind(people)
        .bind(tokens)
        .bind(changes)
        .bind(times)
        .execute(&mut self.connection)
        .await
        .map_err(failed)?;
        Ok(added.rows_affected())
    }

    async fn complete(&mut self, orders: &[Completion]) -> Result<u64, StoreError> {
        let numbers: Vec<String> = orders.iter().map(|order| order.order_no.to_string()).collect();
        let tokens: Vec<i64> = orders.iter().map(|order| order.tokens).collect();
        let completed = sqlx::query(
            "update recharge_order as o
             set status = 2, bonus_tokens = c.tokens
             from unnest($1::text[], $2::bigint[]) as c (order_no, tokens)
             where o.order_no = c.order_no collate \"C\" and o.status = 1",
        )
        .bind(numbers)
        .bind(tokens)
        .execute(&mut self.connection)
        .await
        .map_err(failed)?;
        Ok(completed.rows_affected())
    }
}

impl Postgres {
    async fn run(&mut self, sql: &'static str) -> Result<(), StoreError> {
        sqlx::query(sql).execute(&mut self.connection).await.map(drop).map_err(failed)
    }

    /// Locks the accounts that are there, in the order of their numbers.
    async fn locked(&mut self, people: &[i64]) -> Result<Vec<(i64, i64)>, StoreError> {
        sqlx::query_as(
            "select user_id, balance from token_account where user_id = any($1::bigint[]) order by user_id for update",
        )
        .bind(people)
        .fetch_all(&mut self.connection)
        .await
        .map_err(failed)
    }
}

/// Sorts an error by its SQLSTATE in PostgreSQL's appendix of error codes.
fn failed(error: sqlx::Error) -> StoreError {
    sort(error, |code| match code {
        // Serialization failure, deadlock, lock not available, statement cancelled by its timeout.
        "40001" | "40P01" | "55P03" | "57014" => Some(StoreError::Busy),
        // Connection, resources, shutdown and crash, read-only, idle in a transaction.
        code if code.starts_with("08") || code.starts_with("53") || code.starts_with("57P") => Some(StoreError::Away),
        "25006" | "25P03" => Some(StoreError::Away),
        _ => None,
    })
}
