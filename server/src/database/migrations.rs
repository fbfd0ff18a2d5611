//! Bringing a database up to date. Several processes may start at once on an empty database: one does the work, the
//! others wait for it.

use std::os::unix::fs::DirBuilderExt as _;
use std::time::Duration;

use sqlx::migrate::{MigrateError, Migrator};
use sqlx::{Connection, MySqlConnection, PgConnection, SqliteConnection};

use super::engine::without_password;
use super::{DatabaseError, Engine};
use crate::settings::DatabaseSettings;
use crate::store::{MySqlConfig, PostgresConfig, SqliteConfig};

static SQLITE: Migrator = sqlx::migrate!("../migrations/sqlite");
static POSTGRES: Migrator = sqlx::migrate!("../migrations/postgres");
static MYSQL: Migrator = sqlx::migrate!("../migrations/mysql");

/// How long the next attempt on a SQLite file is waited for.
const SQLITE_PAUSE: Duration = Duration::from_millis(20);

/// How often migrating a SQLite file is tried beyond once for each migration: whoever lost the race for one against another
/// process finds it done the next time.
const SQLITE_ATTEMPTS: usize = 4;

/// Applies the migrations that are missing, under a lock, and makes the file of a SQLite database if it is missing.
///
/// # Errors
/// [`DatabaseError`].
pub async fn migrate(settings: &DatabaseSettings, engine: &Engine) -> Result<(), DatabaseError> {
    let url = || without_password(&settings.database_url);
    if let Some(folder) = engine.file().as_deref().and_then(std::path::Path::parent) {
        // The file holds people's addresses and the hashes of their passwords: a folder that is made for it is its
        // owner's alone.
        std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)
            .map_err(|error| DatabaseError::Folder { folder: folder.display().to_string(), error })?;
    }
    let migrated = match engine {
        Engine::Sqlite(config) => sqlite(config).await,
        Engine::Postgres(config) => postgres(config).await,
        Engine::MySql(config) => mysql(config).await,
    };
    migrated.map_err(|error| match error {
        MigrateError::Execute(error @ (sqlx::Error::Io(_) | sqlx::Error::Database(_) | sqlx::Error::Tls(_))) => {
            DatabaseError::Open { url: url(), error }
        }
        error => DatabaseError::Migrate { url: url(), error },
    })
}

async fn sqlite(config: &SqliteConfig) -> Result<(), MigrateError> {
    let attempts = SQLITE.iter().count() + SQLITE_ATTEMPTS;
    let mut attempt = 1;
    loop {
        let migrated = async {
            let mut connection = SqliteConnection::connect_with(config.options()).await?;
            SQLITE.run(&mut connection).await?;
            Ok(connection.close().await?)
        };
        match migrated.await {
            Err(error) if attempt < attempts => {
                tracing::debug!(%error, attempt, "a migration failed; perhaps another process was faster");
                // The switch to the write-ahead log does not wait for a lock.
                tokio::time::sleep(SQLITE_PAUSE).await;
                attempt += 1;
            }
            done => return done,
        }
    }
}

async fn postgres(config: &PostgresConfig) -> Result<(), MigrateError> {
    // The library takes an advisory lock, and each migration is a transaction of its own. Waiting for the lock may take
    // longer than a writer would wait.
    let mut connection = PgConnection::connect_with(config.options()).await?;
    sqlx::raw_sql("set lock_timeout = 0; set statement_timeout = 0").execute(&mut connection).await?;
    POSTGRES.run(&mut connection).await
}

async fn mysql(config: &MySqlConfig) -> Result<(), MigrateError> {
    let mut connection = MySqlConnection::connect_with(config.options()).await?;
    // A migration is no transaction here. One that was interrupted leaves its mark, with which the library would stop
    // for ever; as each statement can be run again, the mark is removed and the migration repeated. The lock keeps
    // another process's unfinished migration from being taken for an interrupted one. It ends with the connection.
    let locked: Option<i64> = sqlx::query_scalar("select get_lock(concat('recharge migrations ', database()), 120)")
        .fetch_one(&mut connection)
        .await?;
    if locked != Some(1) {
        return Err(MigrateError::Execute(sqlx::Error::PoolTimedOut));
    }
    let marks: i64 = sqlx::query_scalar(
        "select count(*) from information_schema.tables
         where table_schema = database() and table_name = '_sqlx_migrations'",
    )
    .fetch_one(&mut connection)
    .await?;
    if marks > 0 {
        sqlx::query("delete from _sqlx_migrations where success = false").execute(&mut connection).await?;
    }
    MYSQL.run(&mut connection).await?;
    connection.close().await?;
    Ok(())
}
