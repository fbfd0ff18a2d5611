//! What a database server says of its connections: which wait for a lock, and which have a transaction open. This is how
//! a test knows that a request has come as far as it should.

use std::time::Duration;

use sqlx::{AnyConnection, Row};

use crate::engine::{On, TestDatabase};

/// Longer than anything takes that is not stuck.
const TOO_LONG: Duration = Duration::from_secs(30);

/// An eye on one database.
pub struct Watch {
    on: On,
    connection: AnyConnection,
}

impl Watch {
    /// Opens a connection to look through.
    pub async fn open(on: On, database: &TestDatabase) -> Self {
        Self { on, connection: database.connection().await }
    }

    /// Waits until so many connections wait for a lock, and returns their numbers.
    pub async fn until_waiting(&mut self, count: usize) -> Vec<i64> {
        let waiting = async {
            loop {
                let waiting = self.waiting().await;
                if waiting.len() == count {
                    return waiting;
                }
            }
        };
        tokio::time::timeout(TOO_LONG, waiting).await.expect("nobody waits for a lock")
    }

    /// Waits until a connection other than this one waits for a lock, and returns its number.
    pub async fn until_another_waits(&mut self, than: i64) -> i64 {
        let another = async {
            loop {
                if let Some(number) = self.waiting().await.into_iter().find(|number| *number != than) {
                    return number;
                }
            }
        };
        tokio::time::timeout(TOO_LONG, another).await.expect("nobody else waits for a lock")
    }

    /// Fails if a connection is left in the middle of a transaction.
    pub async fn assert_no_transaction_is_open(&mut self) {
        assert_eq!(self.in_transaction().await, Vec::<i64>::new());
    }

    /// Waits until no connection is in the middle of a transaction: a server notices only in time that a client left.
    pub async fn until_no_transaction_is_open(&mut self) {
        let none = async { while !self.in_transaction().await.is_empty() {} };
        tokio::time::timeout(TOO_LONG, none).await.expect("a transaction stays open");
    }

    async fn waiting(&mut self) -> Vec<i64> {
        match self.on {
            On::Postgres => {
                self.numbers(
                    "select cast(pid as bigint) from pg_stat_activity
                     where datname = current_database() and wait_event_type = 'Lock'",
                )
                .await
            }
            On::MySql => self.transactions(|transaction| transaction.contains("LOCK WAIT")).await,
            On::Sqlite => unreachable!("a file has no server to ask"),
        }
    }

    async fn in_transaction(&mut self) -> Vec<i64> {
        match self.on {
            On::Postgres => {
                self.numbers(
                    "select cast(pid as bigint) from pg_stat_activity
                     where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
                        and backend_type = 'client backend'",
                )
                .await
            }
            On::MySql => self.transactions(|transaction| transaction.contains(", ACTIVE ")).await,
            On::Sqlite => unreachable!("a file has no server to ask"),
        }
    }

    /// The connections of transactions of some kind, by the monitor: the table of the transactions shows a copy that
    /// frequent readers keep from being renewed.
    async fn transactions(&mut self, kind: fn(&str) -> bool) -> Vec<i64> {
        let monitor = sqlx::raw_sql("show engine innodb status").fetch_one(&mut self.connection).await.unwrap();
        let monitor: String = monitor.get(2);
        let number = |transaction: &str| {
            let (_, number) = transaction.split_once("thread id ")?;
            number.split(',').next()?.parse().ok()
        };
        let of_this_kind: Vec<i64> =
            monitor.split("---TRANSACTION").skip(1).filter(|words| kind(words)).filter_map(number).collect();
        // Other tests have databases of their own on the same server.
        let here = "select cast(id as signed) from information_schema.processlist
                    where db = database() and id <> connection_id()";
        let here = self.numbers(here).await;
        of_this_kind.into_iter().filter(|number| here.contains(number)).collect()
    }

    async fn numbers(&mut self, sql: &'static str) -> Vec<i64> {
        sqlx::query_scalar(sql).fetch_all(&mut self.connection).await.unwrap()
    }
}
