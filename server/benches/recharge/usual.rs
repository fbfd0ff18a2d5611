//! The usual way: one transaction per recharge, and a statement per step, through a pool of the same driver. As careful
//! as the chain: the unique indexes, the compare-and-sets and the locked account are all there.

use std::pin::Pin;
use std::sync::Arc;

use app::key::IdempotencyKey;
use server::clock;
use sqlx::mysql::MySqlPoolOptions;
use sqlx::postgres::PgPoolOptions;
use sqlx::sqlite::SqlitePoolOptions;
use sqlx::{AssertSqlSafe, MySqlPool, PgPool, SqlitePool};

use crate::setting::Setting;
use server::database::Engine;

/// The statements of one recharge, in the engine's spelling.
#[derive(Clone)]
struct Words {
    find: Arc<str>,
    insert: Arc<str>,
    pay: Arc<str>,
    account: Arc<str>,
    ledger: Arc<str>,
    add: Arc<str>,
    complete: Arc<str>,
    order: Arc<str>,
}

enum Pool {
    Sqlite(SqlitePool),
    Postgres(PgPool),
    MySql(MySqlPool),
}

/// The usual way, with two sizes of pool.
pub struct Usual {
    pools: Vec<Pool>,
    words: Words,
}

macro_rules! recharge {
    ($transaction:expr, $words:expr, $user:expr, $key:expr) => {{
        let (words, user, key) = ($words, $user, $key);
        let (order_no, now) = (clock::order_no().to_string(), clock::now());
        let mut tx = $transaction;
        let known: Option<(String,)> = sqlx::query_as(AssertSqlSafe(Arc::clone(&words.find)))
            .bind(user)
            .bind(key.as_str())
            .fetch_optional(&mut *tx)
            .await
            .unwrap();
        assert!(known.is_none());
        sqlx::query(AssertSqlSafe(Arc::clone(&words.insert)))
            .bind(&order_no)
            .bind(user)
            .bind(key.as_str())
            .bind(now)
            .bind(now)
            .execute(&mut *tx)
            .await
            .unwrap();
        let paid = sqlx::query(AssertSqlSafe(Arc::clone(&words.pay))).bind(&order_no).execute(&mut *tx).await.unwrap();
        assert_eq!(paid.rows_affected(), 1);
        let (balance,): (i64,) =
            sqlx::query_as(AssertSqlSafe(Arc::clone(&words.account))).bind(user).fetch_one(&mut *tx).await.unwrap();
        sqlx::query(AssertSqlSafe(Arc::clone(&words.ledger)))
            .bind(user)
            .bind(&order_no)
            .bind(balance + 5_250)
            .bind(now)
            .execute(&mut *tx)
            .await
            .unwrap();
        sqlx::query(AssertSqlSafe(Arc::clone(&words.add))).bind(user).execute(&mut *tx).await.unwrap();
        let done =
            sqlx::query(AssertSqlSafe(Arc::clone(&words.complete))).bind(&order_no).execute(&mut *tx).await.unwrap();
        assert_eq!(done.rows_affected(), 1);
        let _: (i64,) =
            sqlx::query_as(AssertSqlSafe(Arc::clone(&words.order))).bind(&order_no).fetch_one(&mut *tx).await.unwrap();
        tx.commit().await.unwrap();
    }};
}

impl Usual {
    /// Opens the pools.
    pub async fn open(setting: &Setting) -> Self {
        let mut pools = Vec::new();
        match &setting.engine {
            Engine::Sqlite(config) => {
                for size in [1, 4] {
                    let options = SqlitePoolOptions::new()
                        .max_connections(size)
                        .acquire_timeout(std::time::Duration::from_mins(1));
                    pools.push(Pool::Sqlite(options.connect_with(config.options().clone()).await.unwrap()));
                }
            }
            Engine::Postgres(config) => {
                for size in [8, 32] {
                    let options =
                        PgPoolOptions::new().max_connections(size).acquire_timeout(std::time::Duration::from_mins(1));
                    pools.push(Pool::Postgres(options.connect_with(config.options().clone()).await.unwrap()));
                }
            }
            Engine::MySql(config) => {
                for size in [8, 32] {
                    let options = MySqlPoolOptions::new()
                        .max_connections(size)
                        .acquire_timeout(std::time::Duration::from_mins(1));
                    pools.push(Pool::MySql(options.connect_with(config.options().clone()).await.unwrap()));
                }
            }
        }
        let mysql = matches!(setting.engine, Engine::MySql(_));
        let lock = if matches!(setting.engine, Engine::Sqlite(_)) { "" } else { " for update" };
        Self { pools, words: words(mysql, lock) }
    }

    /// How many sizes of pool there are.
    pub fn pools(&self) -> usize {
        self.pools.len()
    }

    /// Recharges of 50.00 through the pool.
    pub fn recharges(
        self: &Arc<Self>,
        pool: usize,
    ) -> impl Fn(i64, IdempotencyKey) -> Pin<Box<dyn Future<Output = ()> + Send>> + Clone + Send + Sync + use<> {
        let usual = Arc::clone(self);
        move |user, key| {
            let usual = Arc::clone(&usual);
            Box::pin(async move { usual.recharge(pool, user, key).await })
        }
    }

    async fn recharge(&self, pool: usize, user: i64, key: IdempotencyKey) {
        let words = &self.words;
        match &self.pools[pool] {
            Pool::Sqlite(pool) => recharge!(pool.begin_with("begin immediate").await.unwrap(), words, user, key),
            Pool::Postgres(pool) => recharge!(pool.begin().await.unwrap(), words, user, key),
            Pool::MySql(pool) => recharge!(pool.begin().await.unwrap(), words, user, key),
        }
    }
}

fn words(mysql: bool, lock: &str) -> Words {
    let spell = |text: &str| -> Arc<str> {
        let mut text = text.to_owned();
        for number in (1..=5).rev().filter(|_| mysql) {
            text = text.replace(&format!("${number}"), "?");
        }
        text.into()
    };
    Words {
        find: spell("select order_no from recharge_order where user_id = $1 and idempotency_key = $2"),
        insert: spell(
            "insert into recharge_order
                (order_no, user_id, idempotency_key, amount_minor, currency, status, tier, created_at, updated_at)
             values ($1, $2, $3, 5000, 'USD', 0, 'Mid', $4, $5)",
        ),
        pay: spell("update recharge_order set status = 1 where order_no = $1 and status = 0"),
        account: spell(&format!("select balance from token_account where user_id = $1{lock}")),
        ledger: spell(
            "insert into token_ledger (user_id, change_type, biz_id, change_amount, balance_after, created_at)
             values ($1, 'RECHARGE_BONUS', $2, 5250, $3, $4)",
        ),
        add: spell("update token_account set balance = balance + 5250, version = version + 1 where user_id = $1"),
        complete: spell("update recharge_order set status = 2, bonus_tokens = 5250 where order_no = $1 and status = 1"),
        order: spell("select bonus_tokens from recharge_order where order_no = $1"),
    }
}
