//! The engines: which one an address names, and how its writers are started.

use std::path::PathBuf;

use super::DatabaseError;
use crate::settings::DatabaseSettings;
use crate::store::{
    MySql, MySqlConfig, Postgres, PostgresConfig, Sqlite, SqliteConfig, StoreError, failed_on_mysql,
    failed_on_postgres, failed_on_sqlite,
};
use crate::writer::{Running, Waits, Writer};

/// How many writers a database server gets: on two cores more were slower. They meet only in the database.
const WRITERS: usize = 2;

/// The engine that an address names, and how its writers connect.
#[derive(Debug, Clone)]
pub enum Engine {
    /// A SQLite file.
    Sqlite(SqliteConfig),
    /// A server that speaks PostgreSQL's protocol.
    Postgres(PostgresConfig),
    /// A server that speaks MySQL's protocol.
    MySql(MySqlConfig),
}

impl Engine {
    /// The engine of the settings' address.
    ///
    /// # Errors
    /// [`DatabaseError::Address`] if it names none that this program knows.
    pub fn choose(settings: &DatabaseSettings) -> Result<Self, DatabaseError> {
        let url = settings.database_url.as_str();
        let wait = settings.lock_wait();
        let engine = match url.split_once(':').map(|(scheme, _)| scheme) {
            // Every connection would get an empty database of its own.
            Some("sqlite") if !url.contains(":memory:") && !url.contains("mode=memory") => {
                SqliteConfig::new(url, wait).map(Self::Sqlite).ok()
            }
            Some("postgres" | "postgresql") => PostgresConfig::new(url, wait).map(Self::Postgres).ok(),
            Some("mysql" | "mariadb") => MySqlConfig::new(url, wait).map(Self::MySql).ok(),
            _ => None,
        };
        let engine = engine.filter(|engine| engine.file().is_none_or(|file| !file.as_os_str().is_empty()));
        engine.ok_or_else(|| DatabaseError::Address(without_password(url)))
    }

    /// The file of a SQLite database.
    pub fn file(&self) -> Option<PathBuf> {
        match self {
            Self::Sqlite(config) => Some(config.options().get_filename().to_owned()),
            Self::Postgres(_) | Self::MySql(_) => None,
        }
    }

    /// Checks that there is a database to look at: a check must not make an empty one and find it in order.
    ///
    /// # Errors
    /// [`DatabaseError::Missing`].
    pub fn check_exists(&self, settings: &DatabaseSettings) -> Result<(), DatabaseError> {
        let there = self.file().is_none_or(|file| file.is_file());
        if there { Ok(()) } else { Err(DatabaseError::Missing(settings.database_url.clone())) }
    }

    /// How to sort an error of this engine's driver by what can be done about it.
    pub fn sorting(&self) -> fn(sqlx::Error) -> StoreError {
        match self {
            Self::Sqlite(_) => failed_on_sqlite,
            Self::Postgres(_) => failed_on_postgres,
            Self::MySql(_) => failed_on_mysql,
        }
    }

    /// What a connection is told that neither reads nor writes for the chain: to wait for a lock no longer than so many
    /// milliseconds, rounded up to whole seconds where the engine counts in these, and to keep what it committed through
    /// a power cut.
    pub fn manners(&self, lock_wait_ms: u64) -> String {
        match self {
            Self::Sqlite(_) => format!("pragma busy_timeout = {lock_wait_ms}; pragma synchronous = full"),
            Self::Postgres(_) => format!("set lock_timeout = {lock_wait_ms}"),
            Self::MySql(_) => {
                format!("set session innodb_lock_wait_timeout = {}", lock_wait_ms.div_ceil(1000).max(1))
            }
        }
    }

    /// Starts the writers.
    pub fn start_writers(&self, capacity: usize, waits: Waits) -> (Writer, Running) {
        match self {
            Self::Sqlite(config) => Writer::start::<Sqlite>(config, 1, capacity, waits),
            Self::Postgres(config) => Writer::start::<Postgres>(config, WRITERS, capacity, waits),
            Self::MySql(config) => Writer::start::<MySql>(config, WRITERS, capacity, waits),
        }
    }
}

/// The address with its password left out, wherever it stands: messages end up in logs.
pub fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let rest = rest.split_once('?').map_or(rest, |(rest, _)| rest);
    let (authority, path) = rest.split_once('/').map_or((rest, ""), |(authority, path)| (authority, path));
    match authority.rsplit_once('@') {
        Some((user, host)) => {
            let user = user.split_once(':').map_or(user, |(user, _)| user);
            format!("{scheme}://{user}@{host}/{path}")
        }
        None => format!("{scheme}://{rest}"),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_password_is_not_spoken() {
        for (url, spoken) in [
            ("postgres://me:secret@host:5432/db?sslmode=require", "postgres://me@host:5432/db"),
            ("mysql://me:se@cret@host/db", "mysql://me@host/db"),
            ("postgres://host/db", "postgres://host/db"),
            ("postgres://host/db?user=me&password=secret", "postgres://host/db"),
            ("sqlite:data/recharge.db", "sqlite:data/recharge.db"),
        ] {
            assert_eq!(super::without_password(url), spoken);
        }
    }
}
