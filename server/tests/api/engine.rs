//! The engines that the tests run on, and a database of its own for each test.

use server::database::{Database, Engine};
use server::settings::DatabaseSettings;
use sqlx::{AnyConnection, Connection};
use tempfile::TempDir;
use uuid::Uuid;

/// An engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum On {
    Sqlite,
    Postgres,
    MySql,
}

/// A database of a test's own. That of a server goes when the server goes; a file goes with the test.
pub struct TestDatabase {
    pub url: String,
    /// Where a file lies. It goes with the test.
    _folder: TempDir,
}

/// Makes one test per engine of each function.
macro_rules! on_every_engine {
    ($($name:ident;)+) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() { super::$name(crate::engine::On::Sqlite).await; })+
        }
        crate::engine::on_both_servers! { $($name;)+ }
    };
}
pub(crate) use on_every_engine;

/// Makes one test per database server of each function, for what does not exist in a file.
macro_rules! on_both_servers {
    ($($name:ident;)+) => {
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() { super::$name(crate::engine::On::Postgres).await; })+
        }
        mod mysql {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() { super::$name(crate::engine::On::MySql).await; })+
        }
    };
}
pub(crate) use on_both_servers;

impl TestDatabase {
    /// Makes an empty database.
    pub async fn create(on: On) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = match on {
            On::Sqlite => format!("sqlite:{}", folder.path().join("recharge.db").display()),
            On::Postgres => made(&server("TEST_POSTGRES_URL"), "postgres").await,
            On::MySql => made(&server("TEST_MYSQL_URL"), "mysql").await,
        };
        Self { url, _folder: folder }
    }

    /// What the program is told about the database.
    pub fn settings(&self) -> DatabaseSettings {
        DatabaseSettings { database_url: self.url.clone(), lock_wait_ms: 4_000 }
    }

    /// Connections to the database that are not the server's.
    pub async fn connect(&self) -> Database {
        let settings = self.settings();
        let engine = Engine::choose(&settings).unwrap();
        Database::open(&settings, &engine, 2).await.unwrap()
    }

    /// One connection, for what must happen on the same one.
    pub async fn connection(&self) -> AnyConnection {
        sqlx::any::install_default_drivers();
        AnyConnection::connect(&self.url).await.unwrap()
    }
}

fn server(variable: &str) -> String {
    std::env::var(variable).unwrap_or_else(|_| panic!("{variable} is not set; call ./with-databases cargo test"))
}

/// Makes a database on a server, by way of one that is always there, and returns its address.
async fn made(server: &str, always: &str) -> String {
    sqlx::any::install_default_drivers();
    let name = format!("t{}", Uuid::new_v4().simple());
    let mut connection = AnyConnection::connect(&format!("{server}/{always}")).await.unwrap();
    let sql = sqlx::AssertSqlSafe(format!("create database {name}"));
    sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
    format!("{server}/{name}")
}
