//! A migrated database with people in it, and a writer on it with the program's own settings.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use app::key::IdempotencyKey;
use app::money::Amount;
use server::chain::Intent;
use server::database::{Database, Engine};
use server::settings::DatabaseSettings;
use server::writer::{Running, Waits, Writer};
use tempfile::TempDir;
use uuid::Uuid;

/// How many people there are, each with an account.
pub const PEOPLE: u64 = 10_000;

/// A database to measure on.
pub struct Setting {
    pub engine: Engine,
    pub database: Database,
    _folder: TempDir,
}

/// A number from the environment, or the usual one.
pub fn number(variable: &str, usual: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

impl Setting {
    /// Makes a database of the engine. A file lies in the target folder: a disk that keeps what was flushed, and not a
    /// folder in memory.
    pub async fn new(engine: &str) -> Self {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let name = format!("b{}", Uuid::new_v4().simple());
        let url = match engine {
            "sqlite" => format!("sqlite:{}", folder.path().join("recharge.db").display()),
            "postgres" => made("TEST_POSTGRES_URL", "postgres", &name).await,
            "mysql" => made("TEST_MYSQL_URL", "mysql", &name).await,
            other => panic!("unknown engine {other}"),
        };
        let settings = DatabaseSettings { database_url: url, lock_wait_ms: 4_000 };
        let engine = Engine::choose(&settings).unwrap();
        server::database::migrate(&settings, &engine).await.unwrap();
        let database = Database::open(&settings, &engine, 4).await.unwrap();
        let setting = Self { engine, database, _folder: folder };
        setting.fill().await;
        setting
    }

    /// A writer with the program's own number of queues.
    pub fn writer(&self) -> (Writer, Running) {
        let waits = Waits { answer: Duration::from_mins(1), attempt: Duration::from_secs(30) };
        self.engine.start_writers(4_096, waits)
    }

    /// Keys that were used, with their people.
    pub async fn used_keys(&self) -> Arc<[(i64, IdempotencyKey)]> {
        let rows: Vec<(i64, String)> =
            sqlx::query_as("select user_id, idempotency_key from recharge_order where amount_minor = 5000 limit 5000")
                .fetch_all(&self.database.pool)
                .await
                .unwrap();
        rows.into_iter().map(|(user, key)| (user, IdempotencyKey::parse(&key).unwrap())).collect()
    }

    /// The balances of all people, in the order of their numbers.
    pub async fn balances(&self) -> Vec<i64> {
        let sql = "select balance from token_account order by user_id";
        sqlx::query_scalar(sql).fetch_all(&self.database.pool).await.unwrap()
    }

    /// Speed that loosened a guard would show here.
    pub async fn assert_verified(&self) {
        let report = server::verify::verify(&self.database).await.unwrap();
        assert!(report.breaches.is_empty(), "{:?}", report.breaches.first());
    }

    async fn fill(&self) {
        // The numbers 1 to 10 000, in words that all engines share.
        let digits = "(select 0 as d union select 1 union select 2 union select 3 union select 4 union select 5
                       union select 6 union select 7 union select 8 union select 9)";
        let numbers = format!(
            "select a.d + 10 * b.d + 100 * c.d + 1000 * d.d + 1 as n
             from {digits} as a cross join {digits} as b cross join {digits} as c cross join {digits} as d"
        );
        for sql in [
            format!(
                "insert into users (id, email, password_hash, created_at)
                 select n, concat('p', n), '', 0 from ({numbers}) as n order by n"
            ),
            format!(
                "insert into token_account (user_id, balance, created_at, updated_at)
                 select n, 0, 0, 0 from ({numbers}) as n order by n"
            ),
        ] {
            sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(&self.database.pool).await.unwrap();
        }
        let analyze = match self.engine {
            Engine::Sqlite(_) | Engine::Postgres(_) => "analyze",
            Engine::MySql(_) => "analyze table users, token_account",
        };
        sqlx::raw_sql(analyze).execute(&self.database.pool).await.unwrap();
    }
}

async fn made(variable: &str, always: &str, name: &str) -> String {
    let server = std::env::var(variable).unwrap_or_else(|_| panic!("{variable} is not set; call make bench"));
    sqlx::any::install_default_drivers();
    let mut connection =
        <sqlx::AnyConnection as sqlx::Connection>::connect(&format!("{server}/{always}")).await.unwrap();
    let sql = sqlx::AssertSqlSafe(format!("create database {name}"));
    sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
    // Nothing encrypts what stays on this machine: that would measure something else.
    let plain = if always == "postgres" { "sslmode=disable" } else { "ssl-mode=disabled" };
    format!("{server}/{name}?{plain}")
}

/// Recharges of 50.00 through the writer that have to stand.
pub fn recharges(
    writer: &Writer,
) -> impl Fn(i64, IdempotencyKey) -> Pin<Box<dyn Future<Output = ()> + Send>> + Clone + Send + Sync + use<> {
    let writer = writer.clone();
    move |user_id, key| {
        let writer = writer.clone();
        Box::pin(async move {
            let amount = Amount::from_minor(5_000);
            writer.recharge(Intent { user_id, key, amount, currency: "USD".parse().unwrap() }).await.unwrap();
        })
    }
}
