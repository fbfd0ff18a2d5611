//! Opening a database: which engine its address names, its migrations, what it must have, and the connections for
//! everything that is not the chain.

mod engine;
mod guards;
mod migrations;

use std::time::Duration;

use sqlx::any::{AnyArguments, AnyPoolOptions, AnyRow};
use sqlx::query::{Query, QueryAs};
use sqlx::{Any, AnyPool, AssertSqlSafe, FromRow, SqlSafeStr, SqlStr};

pub use self::engine::{Engine, without_password};
pub use self::guards::check_guards;
pub use self::migrations::migrate;
use crate::settings::DatabaseSettings;
use crate::store::StoreError;

/// Why a database cannot be used. The message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// The address names no engine that this program knows.
    #[error(
        "DATABASE_URL is {0:?}; it must be `sqlite:` and the path of a file, such as sqlite:data/recharge.db, or \
         postgres://user:password@host/database, or mysql://user:password@host/database"
    )]
    Address(String),
    /// There is no database.
    #[error("there is no database at {0}; check DATABASE_URL, or make one with `recharge migrate`")]
    Missing(String),
    /// The database's folder cannot be made.
    #[error("the folder {folder} cannot be made: {error}; make it, or point DATABASE_URL elsewhere")]
    Folder {
        /// The folder.
        folder: String,
        /// What the system says.
        error: std::io::Error,
    },
    /// The database cannot be opened.
    #[error(
        "the database at {url} cannot be opened: {error}; check DATABASE_URL, that the server runs or the folder exists, and that you may open it"
    )]
    Open {
        /// The address, without its password.
        url: String,
        /// What the driver says.
        error: sqlx::Error,
    },
    /// The migrations cannot be applied.
    #[error("the database at {url} cannot be brought up to date: {error}")]
    Migrate {
        /// The address, without its password.
        url: String,
        /// What went wrong.
        error: sqlx::migrate::MigrateError,
    },
    /// Something that the guarantees rest on is missing.
    #[error(
        "the database lacks {0}, on which the promise to credit once rests; restore it, for example from a backup or by \
         comparing with the migrations, and start again"
    )]
    Guard(String),
}

/// A statement that reads rows.
type Reading<'q, T> = QueryAs<'q, Any, T, AnyArguments>;

/// What can be read from a row.
pub trait Readable: for<'r> FromRow<'r, AnyRow> + Send + Unpin {}

impl<T: for<'r> FromRow<'r, AnyRow> + Send + Unpin> Readable for T {}

/// How many connections write what is not the chain's.
const WRITES: u32 = 2;

/// Connections for people, sessions, voided keys, lists and checks: everything that is written once for all engines.
#[derive(Debug, Clone)]
pub struct Database {
    /// The connections that read.
    pub pool: AnyPool,
    /// The connections that write people, sessions and voided keys. They are others, so that whoever waits for a lock
    /// keeps no page from being read.
    pub writes: AnyPool,
    mysql: bool,
    sorting: fn(sqlx::Error) -> StoreError,
    patience: Duration,
}

impl Database {
    /// Opens the connections.
    ///
    /// # Errors
    /// [`DatabaseError::Open`].
    pub async fn open(settings: &DatabaseSettings, engine: &Engine, connections: u32) -> Result<Self, DatabaseError> {
        sqlx::any::install_default_drivers();
        let open = |error| DatabaseError::Open { url: without_password(&settings.database_url), error };
        let manners = engine.manners(settings.lock_wait_ms);
        let options =
            AnyPoolOptions::new().acquire_timeout(settings.attempt_wait()).after_connect(move |connection, _| {
                // A number in a text of this program; such statements take no parameter.
                let manners = AssertSqlSafe(manners.clone());
                Box::pin(async move { sqlx::raw_sql(manners).execute(connection).await.map(drop) })
            });
        let url = &settings.database_url;
        let pool = options.clone().max_connections(connections).connect(url).await.map_err(open)?;
        let writes = options.max_connections(WRITES).connect_lazy(url).map_err(open)?;
        let (mysql, patience) = (matches!(engine, Engine::MySql(_)), settings.attempt_wait());
        Ok(Self { pool, writes, mysql, sorting: engine.sorting(), patience })
    }

    /// Closes all connections in good order.
    pub async fn close(&self) {
        self.writes.close().await;
        self.pool.close().await;
    }

    /// All rows of a reading statement.
    ///
    /// # Errors
    /// That of the reading; [`sqlx::Error::PoolTimedOut`] when it takes longer than a connection is waited for: a server
    /// that falls silent ends neither. The same holds for the other methods.
    pub async fn all<T: Readable>(&self, query: Reading<'_, T>) -> Result<Vec<T>, sqlx::Error> {
        self.in_time(query.fetch_all(&self.pool)).await
    }

    /// The one row of a reading statement, if there is one.
    ///
    /// # Errors
    /// As [`Database::all`].
    pub async fn optional<T: Readable>(&self, query: Reading<'_, T>) -> Result<Option<T>, sqlx::Error> {
        self.in_time(query.fetch_optional(&self.pool)).await
    }

    /// Runs a statement that writes.
    ///
    /// # Errors
    /// As [`Database::all`].
    pub async fn write(&self, query: Query<'_, Any, AnyArguments>) -> Result<(), sqlx::Error> {
        self.in_time(query.execute(&self.writes)).await.map(drop)
    }

    /// Sorts an error of one of the methods by what can be done about it.
    pub fn sorted(&self, error: sqlx::Error) -> StoreError {
        (self.sorting)(error)
    }

    /// How long one statement may take, and after how long no further attempt is begun.
    pub fn patience(&self) -> Duration {
        self.patience
    }

    async fn in_time<T>(&self, asking: impl Future<Output = Result<T, sqlx::Error>>) -> Result<T, sqlx::Error> {
        tokio::time::timeout(self.patience, asking).await.unwrap_or(Err(sqlx::Error::PoolTimedOut))
    }

    /// A statement in the words that all engines share: numbered parameters, in the order of their numbers, and
    /// `bigint` in casts. MySQL spells both differently.
    pub fn sql(&self, text: &'static str) -> SqlStr {
        if !self.mysql {
            return text.into_sql_str();
        }
        let mut parts = text.split('$');
        let mut spelled = parts.next().unwrap_or_default().replace(" as bigint)", " as signed)");
        for part in parts {
            spelled.push('?');
            let part = part.trim_start_matches(|digit: char| digit.is_ascii_digit());
            spelled.push_str(&part.replace(" as bigint)", " as signed)"));
        }
        // Only the two spellings were changed in a text of this program.
        AssertSqlSafe(spelled).into_sql_str()
    }
}
