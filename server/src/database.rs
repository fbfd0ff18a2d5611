//! Opening a database: which engine its address names, its migrations, the indexes it must have, and the connections for
//! everything that is not the chain.

use std::path::Path;

use sqlx::any::AnyPoolOptions;
use sqlx::migrate::Migrator;
use sqlx::{AnyPool, Connection, SqliteConnection};

use crate::settings::DatabaseSettings;
use crate::store::SqliteConfig;

static SQLITE: Migrator = sqlx::migrate!("../migrations/sqlite");

/// Why a database cannot be used. The message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// The address names no engine that this program knows.
    #[error("DATABASE_URL is {0:?}; it must be `sqlite:` and the path of a file, such as sqlite:data/recharge.db")]
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
    #[error("the database at {url} cannot be opened: {error}; check DATABASE_URL and the rights to the file")]
    Open {
        /// The address.
        url: String,
        /// What the driver says.
        error: sqlx::Error,
    },
    /// The migrations cannot be applied.
    #[error("the database at {url} cannot be brought up to date: {error}")]
    Migrate {
        /// The address.
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

/// Brings the database up to date, and makes the file if it is missing.
///
/// # Errors
/// [`DatabaseError`].
pub async fn migrate(settings: &DatabaseSettings, config: &SqliteConfig) -> Result<(), DatabaseError> {
    make_folder(config.options().get_filename())?;
    let mut connection = connect(settings, config).await?;
    let url = settings.database_url.clone();
    SQLITE.run(&mut connection).await.map_err(|error| DatabaseError::Migrate { url, error })
}

/// The chain's configuration for the database that the settings name.
///
/// # Errors
/// [`DatabaseError::Address`] if the settings name none that this program knows.
pub fn config(settings: &DatabaseSettings, currency: &str) -> Result<SqliteConfig, DatabaseError> {
    let url = &settings.database_url;
    let address = || DatabaseError::Address(url.clone());
    // Every connection would get an empty database of its own.
    if !url.starts_with("sqlite:") || url.contains(":memory:") || url.contains("mode=memory") {
        return Err(address());
    }
    let config = SqliteConfig::new(url, settings.lock_wait(), currency).map_err(|_| address())?;
    if config.options().get_filename().as_os_str().is_empty() { Err(address()) } else { Ok(config) }
}

/// Checks that there is a database to look at: a check must not make an empty one and find it in order.
///
/// # Errors
/// [`DatabaseError::Missing`].
pub fn check_exists(settings: &DatabaseSettings, config: &SqliteConfig) -> Result<(), DatabaseError> {
    let there = config.options().get_filename().is_file();
    if there { Ok(()) } else { Err(DatabaseError::Missing(settings.database_url.clone())) }
}

/// Checks that every unique index and every trigger is there on which the guarantees rest.
///
/// # Errors
/// [`DatabaseError::Guard`] names the first that is missing.
pub async fn check_guards(settings: &DatabaseSettings, config: &SqliteConfig) -> Result<(), DatabaseError> {
    const UNIQUE: [(&str, &str); 5] = [
        ("recharge_order", "user_id,idempotency_key"),
        ("recharge_order", "order_no"),
        ("token_ledger", "biz_id,change_type"),
        ("users", "email"),
        ("sessions", "token_hash"),
    ];
    const TRIGGERS: [&str; 3] = ["token_ledger_no_update", "token_ledger_no_delete", "token_ledger_no_replace"];

    let mut connection = connect(settings, config).await?;
    let open = |error| DatabaseError::Open { url: settings.database_url.clone(), error };
    for (table, columns) in UNIQUE {
        let found: i64 = sqlx::query_scalar(
            "select count(*)
             from pragma_index_list(?1) as i
             where i.\"unique\" = 1 and i.partial = 0
                and (select group_concat(name) from (select name from pragma_index_info(i.name) order by seqno)) = ?2",
        )
        .bind(table)
        .bind(columns)
        .fetch_one(&mut connection)
        .await
        .map_err(open)?;
        if found == 0 {
            return Err(DatabaseError::Guard(format!("the unique index over {columns} of {table}")));
        }
    }
    for trigger in TRIGGERS {
        let found: i64 = sqlx::query_scalar("select count(*) from sqlite_schema where type = 'trigger' and name = ?1")
            .bind(trigger)
            .fetch_one(&mut connection)
            .await
            .map_err(open)?;
        if found == 0 {
            return Err(DatabaseError::Guard(format!("the trigger {trigger}")));
        }
    }
    Ok(())
}

/// Connections for people, sessions, lists and checks: everything that is written once for all engines.
///
/// # Errors
/// [`DatabaseError::Open`].
pub async fn pool(settings: &DatabaseSettings, connections: u32) -> Result<AnyPool, DatabaseError> {
    sqlx::any::install_default_drivers();
    let url = settings.database_url.clone();
    AnyPoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(settings.lock_wait())
        .connect(&settings.database_url)
        .await
        .map_err(|error| DatabaseError::Open { url, error })
}

async fn connect(settings: &DatabaseSettings, config: &SqliteConfig) -> Result<SqliteConnection, DatabaseError> {
    let open = |error| DatabaseError::Open { url: settings.database_url.clone(), error };
    SqliteConnection::connect_with(config.options()).await.map_err(open)
}

fn make_folder(file: &Path) -> Result<(), DatabaseError> {
    let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) else { return Ok(()) };
    std::fs::create_dir_all(folder)
        .map_err(|error| DatabaseError::Folder { folder: folder.display().to_string(), error })
}
