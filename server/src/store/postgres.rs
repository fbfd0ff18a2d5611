//! The chain on PostgreSQL: READ COMMITTED, every slice as one array per column, through `unnest`.

use std::collections::HashSet;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions, Connection};
use uuid::Uuid;

use super::failure::sort;
use super::{LedgerRow, LookUp, NewOrder, OrderKey, Store, StoreError, guard, row};
use crate::order::Order;

/// A connection to a PostgreSQL server.
#[derive(Debug)]
pub struct Postgres {
    connection: PgConnection,
    /// Orders to be paid with the next statement.
    to_pay: Vec<Uuid>,
    /// Ledger rows to be written with the next statement.
    to_grant: Vec<LedgerRow>,
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
        // Every statement of the chain goes by unique index from one slice to the rows of a table. A plan for that is made
        // once; made while the tables were empty it would scan them, and still do so when they are not.
        let options = config.options.clone().options([
            ("plan_cache_mode", "force_generic_plan"),
            ("enable_seqscan", "off"),
            ("enable_hashjoin", "off"),
            ("enable_mergejoin", "off"),
            ("enable_indexscan", "off"),
            ("enable_indexonlyscan", "off"),
            ("jit", "off"),
        ]);
        let connection = PgConnection::connect_with(&options).await.map_err(failed)?;
        Ok(Self { connection, to_pay: Vec::new(), to_grant: Vec::new() })
    }

    async fn close(self) -> Result<(), StoreError> {
        self.connection.close().await.map_err(failed)
    }

    async fn begin(&mut self, keys: &[OrderKey]) -> Result<LookUp, StoreError> {
        self.to_pay.clear();
        self.to_grant.clear();
        self.run("begin").await?;
        self.look_up(keys).await
    }

    async fn commit(&mut self) -> Result<(), StoreError> {
        self.run("commit").await
    }

    async fn rollback(&mut self) -> Result<(), StoreError> {
        self.run("rollback").await
    }

    async fn claim_orders(&mut self, orders: &[NewOrder]) -> Result<Vec<Order>, StoreError> {
        let numbers: Vec<String> = orders.iter().map(|order| order.order_no.to_string()).collect();
        let people: Vec<i64> = orders.iter().map(|order| order.user_id).collect();
        let keys: Vec<&str> = orders.iter().map(|order| order.key.as_str()).collect();
        let amounts: Vec<i64> = orders.iter().map(|order| order.amount.minor()).collect();
        let tiers: Vec<&str> = orders.iter().map(|order| order.tier.as_str()).collect();
        let times: Vec<i64> = orders.iter().map(|order| order.at).collect();
        let currencies: Vec<&str> = orders.iter().map(|order| order.currency.code()).collect();
        let inserted: Vec<String> = sqlx::query_scalar(
            "insert into recharge_order
                (order_no, user_id, idempotency_key, amount_minor, currency, status, tier, created_at, updated_at)
             select order_no, user_id, idempotency_key, amount_minor, currency, 0, tier, at, at
             from unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::text[], $6::bigint[], $7::text[])
                with ordinality as o (order_no, user_id, idempotency_key, amount_minor, tier, at, currency, place)
             order by place
             on conflict (user_id, idempotency_key) do nothing
             returning order_no",
        )
        .bind(&numbers)
        .bind(people)
        .bind(keys)
        .bind(amounts)
        .bind(tiers)
        .bind(times)
        .bind(currencies)
        .fetch_all(&mut self.connection)
        .await
        .map_err(failed)?;
        let inserted: HashSet<String> = inserted.into_iter().collect();
        let lost = orders.iter().zip(&numbers).filter(|(_, number)| !inserted.contains(*number));
        let lost: Vec<OrderKey> = lost.map(|(order, _)| order.order_key()).collect();
        if lost.is_empty() {
            return Ok(Vec::new());
        }
        // A statement of its own: the one above does not see what another transaction committed while it waited.
        self.look_up(&lost).await?.all_of(lost.len())
    }

    async fn pay(&mut self, orders: &[Uuid]) -> Result<(), StoreError> {
        self.to_pay.extend(orders);
        Ok(())
    }

    async fn lock_accounts(&mut self, people: &[i64], now: i64) -> Result<Vec<(i64, i64)>, StoreError> {
        let locked = self.pay_and_lock(people).await?;
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
        self.pay_and_lock(people).await
    }

    async fn grant(&mut self, rows: &[LedgerRow]) -> Result<(), StoreError> {
        self.to_grant.extend_from_slice(rows);
        Ok(())
    }

    async fn complete(&mut self, orders: &[Uuid]) -> Result<(), StoreError> {
        let rows = std::mem::take(&mut self.to_grant);
        let people: Vec<i64> = rows.iter().map(|row| row.user_id).collect();
        let numbers: Vec<String> = rows.iter().map(|row| row.order_no.to_string()).collect();
        let changes: Vec<i64> = rows.iter().map(|row| row.change).collect();
        let balances: Vec<i64> = rows.iter().map(|row| row.balance_after).collect();
        let times: Vec<i64> = rows.iter().map(|row| row.at).collect();
        // Balances and orders get what the ledger rows of this very statement say, and nothing else.
        let (written, added, completed): (i64, i64, i64) = sqlx::query_as(
            "with written as (
                insert into token_ledger (user_id, change_type, biz_id, change_amount, balance_after, created_at)
                select user_id, 'RECHARGE_BONUS', order_no, change_amount, balance_after, at
                from unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[]) with ordinality
                    as l (user_id, order_no, change_amount, balance_after, at, place)
                order by place
                returning user_id, biz_id, change_amount, created_at
             ), added as (
                update token_account as a
                set balance = a.balance + g.tokens, version = a.version + g.changes, updated_at = g.at
                from (select user_id, cast(sum(change_amount) as bigint) as tokens, count(*) as changes,
                             max(created_at) as at
                      from written group by user_id) as g
                where a.user_id = g.user_id
                returning 1
             ), completed as (
                update recharge_order as o
                set status = 2, bonus_tokens = w.change_amount
                from written as w
                where o.order_no = w.biz_id and o.status = 1
                returning 1
             )
             select (select count(*) from written), (select count(*) from added), (select count(*) from completed)",
        )
        .bind(people)
        .bind(numbers)
        .bind(changes)
        .bind(balances)
        .bind(times)
        .fetch_one(&mut self.connection)
        .await
        .map_err(failed)?;
        guard("ledger", rows.len(), written.unsigned_abs())?;
        guard("balance", super::people(&rows), added.unsigned_abs())?;
        guard("complete", orders.len(), completed.unsigned_abs())
    }
}

impl Postgres {
    async fn run(&mut self, sql: &'static str) -> Result<(), StoreError> {
        sqlx::raw_sql(sql).execute(&mut self.connection).await.map(drop).map_err(failed)
    }

    /// The orders that stand under these keys, and the tiers in force.
    async fn look_up(&mut self, keys: &[OrderKey]) -> Result<LookUp, StoreError> {
        let (people, keys): (Vec<i64>, Vec<&str>) = keys.iter().map(|key| (key.user_id, key.key.as_str())).unzip();
        let (orders, tiers): (String, String) = sqlx::query_as(
            "select
                (select cast(coalesce(json_agg(json_build_array(o.order_no, o.user_id, o.idempotency_key, o.amount_minor,
                            o.currency, o.status, o.bonus_tokens, o.tier, o.created_at)), '[]') as text)
                 from unnest($1::bigint[], $2::text[]) as k (user_id, idempotency_key)
                 join recharge_order as o
                    on o.user_id = k.user_id and o.idempotency_key = k.idempotency_key collate \"C\"),
                (select cast(coalesce(json_agg(json_build_array(name, min_amount_minor, tokens_per_unit)), '[]') as text)
                 from bonus_tier)",
        )
        .bind(people)
        .bind(keys)
        .fetch_one(&mut self.connection)
        .await
        .map_err(failed)?;
        row::look_up(&orders, &tiers)
    }

    /// Pays what is to be paid, and locks the accounts that are there, in the order of their numbers.
    async fn pay_and_lock(&mut self, people: &[i64]) -> Result<Vec<(i64, i64)>, StoreError> {
        let to_pay: Vec<String> = std::mem::take(&mut self.to_pay).iter().map(Uuid::to_string).collect();
        let (paid, locked): (i64, String) = sqlx::query_as(
            "with paid as (
                update recharge_order set status = 1 where order_no = any($1::text[]) and status = 0 returning 1
             ), locked as (
                select user_id, balance from token_account where user_id = any($2::bigint[]) order by user_id for update
             )
             select (select count(*) from paid),
                    (select cast(coalesce(json_agg(json_build_array(user_id, balance)), '[]') as text) from locked)",
        )
        .bind(&to_pay)
        .bind(people)
        .fetch_one(&mut self.connection)
        .await
        .map_err(failed)?;
        guard("pay", to_pay.len(), paid.unsigned_abs())?;
        row::read(&locked)
    }
}

/// Sorts an error by its SQLSTATE in PostgreSQL's appendix of error codes.
pub(crate) fn failed(error: sqlx::Error) -> StoreError {
    sort(error, |code| match code {
        // Serialization failure, deadlock, lock not available, statement cancelled by its timeout.
        "40001" | "40P01" | "55P03" | "57014" => Some(StoreError::Busy),
        // Connection, resources, shutdown and crash, read-only, idle in a transaction.
        code if code.starts_with("08") || code.starts_with("53") || code.starts_with("57P") => Some(StoreError::Away),
        "25006" | "25P03" => Some(StoreError::Away),
        _ => None,
    })
}
