//! What the chain asks of a database. One file per engine implements it in that engine's own SQL, with a constant number
//! of statements per slice; the chain itself knows none of them.

mod failure;
mod mysql;
mod postgres;
mod row;
mod sqlite;

use std::collections::HashSet;
use std::future::Future;

use app::key::IdempotencyKey;
use app::money::{Amount, Currency};
use app::tier::Tier;
use serde::Serialize;
use uuid::Uuid;

pub(crate) use self::mysql::failed as failed_on_mysql;
pub use self::mysql::{MySql, MySqlConfig};
pub(crate) use self::postgres::failed as failed_on_postgres;
pub use self::postgres::{Postgres, PostgresConfig};
pub(crate) use self::row::{OrderRow, TIERS, number, order, tiers};
pub(crate) use self::sqlite::failed as failed_on_sqlite;
pub use self::sqlite::{Sqlite, SqliteConfig};
use crate::order::Order;

/// The person and the key: what names an intent, and the order in which orders are locked.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OrderKey {
    /// The person.
    pub user_id: i64,
    /// The key.
    pub key: IdempotencyKey,
}

/// An order to be created.
#[derive(Debug, Clone)]
pub struct NewOrder {
    /// Its number.
    pub order_no: Uuid,
    /// The person who pays.
    pub user_id: i64,
    /// The key that names its intent.
    pub key: IdempotencyKey,
    /// What is paid.
    pub amount: Amount,
    /// The currency of the amount.
    pub currency: Currency,
    /// The name of the tier that applies.
    pub tier: String,
    /// When its request arrived: milliseconds since 1970-01-01 UTC.
    pub at: i64,
}

impl NewOrder {
    /// The person and the key: what names its intent.
    pub fn order_key(&self) -> OrderKey {
        OrderKey { user_id: self.user_id, key: self.key.clone() }
    }
}

/// A row for the ledger.
#[derive(Debug, Clone)]
pub struct LedgerRow {
    /// The person whose balance changes.
    pub user_id: i64,
    /// The order that grants the tokens.
    pub order_no: Uuid,
    /// The tokens.
    pub change: i64,
    /// The balance after them.
    pub balance_after: i64,
    /// When the order's request arrived: milliseconds since 1970-01-01 UTC.
    pub at: i64,
}

/// What steps 1 and 2 need to know, at one moment.
#[derive(Debug, Default)]
pub struct LookUp {
    /// The orders that stand under the keys.
    pub orders: Vec<Order>,
    /// The tiers in force.
    pub tiers: Vec<Tier>,
}

impl LookUp {
    /// The orders, of which there must be one under each of so many keys.
    fn all_of(self, keys: usize) -> Result<Vec<Order>, StoreError> {
        if self.orders.len() == keys { Ok(self.orders) } else { Err(StoreError::NoOrderStands) }
    }
}

/// Why a database did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Somebody else holds a lock: worth another attempt of the whole transaction.
    #[error("the database is locked: {0}")]
    Busy(#[source] sqlx::Error),
    /// The database cannot be reached, or its storage fails.
    #[error("the database is away: {0}")]
    Away(#[source] sqlx::Error),
    /// The database refused the statement or its data.
    #[error("the database refused: {0}")]
    Refused(#[source] sqlx::Error),
    /// A row holds what this program never writes.
    #[error("a stored row cannot be read: {0}")]
    Unreadable(String),
    /// After an insert no order stands under its key: it lost on another index than that over person and key.
    #[error("no order stands under a key that was just claimed")]
    NoOrderStands,
    /// A guarded statement changed another number of rows than it was given: a row was not in the state that the chain
    /// relies on.
    #[error("{step} changed {changed} rows where {expected} had to change")]
    Guard {
        /// The guarded step.
        step: &'static str,
        /// How many rows had to change.
        expected: usize,
        /// How many did.
        changed: u64,
    },
}

impl StoreError {
    /// Whether it is a failure of the moment: worth another attempt of the same thing.
    pub fn is_passing(&self) -> bool {
        matches!(self, Self::Busy(_) | Self::Away(_))
    }
}

/// One connection of a writer. All methods between [`Store::begin`] and [`Store::commit`] run in one transaction.
///
/// Every method takes the whole slice at once. Slices come sorted by (`user_id`, key) or by `user_id`, the one order in
/// which every writer of every process takes its locks.
///
/// What only changes rows has no answer of its own, so that an engine may send it together with what follows: `pay` with
/// `lock_accounts`, `grant` with `complete`. Each changes exactly the rows it was given, or the method that sent it fails
/// with [`StoreError::Guard`], before COMMIT.
pub trait Store: Send + Sized + 'static {
    /// What is needed to open a connection.
    type Config: Clone + Send + Sync + 'static;

    /// Opens a connection.
    fn open(config: &Self::Config) -> impl Future<Output = Result<Self, StoreError>> + Send;

    /// Closes the connection in good order.
    fn close(self) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// Begins a transaction that may write, and looks up the orders that stand under these keys, and the tiers in force.
    fn begin(&mut self, keys: &[OrderKey]) -> impl Future<Output = Result<LookUp, StoreError>> + Send;

    /// Commits. After an error it is not known whether the transaction took effect.
    fn commit(&mut self) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// Rolls back. After an error the connection must not be used again.
    fn rollback(&mut self) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// Inserts the orders as `PENDING`, except where the unique index over person and key already holds another. Reads
    /// back which order stands under each key, and returns those that stood there before. Any other conflict is an
    /// error.
    fn claim_orders(&mut self, orders: &[NewOrder]) -> impl Future<Output = Result<Vec<Order>, StoreError>> + Send;

    /// Moves these orders from `PENDING` to `PAID`.
    fn pay(&mut self, orders: &[Uuid]) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// Makes sure that each person has an account, locks the accounts and returns (`user_id`, balance) of each. Where an
    /// account has to be made first, those that are there are locked before it: two processes that make each other's at
    /// the same time can deadlock, which costs one of them another attempt.
    fn lock_accounts(
        &mut self,
        people: &[i64],
        now: i64,
    ) -> impl Future<Output = Result<Vec<(i64, i64)>, StoreError>> + Send;

    /// Appends the rows to the ledger, in the order given, and then adds them to the balances of their accounts. A row
    /// whose order already has one is an error.
    fn grant(&mut self, rows: &[LedgerRow]) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// Moves these orders from `PAID` to `COMPLETED` and stores the tokens that their ledger rows granted.
    fn complete(&mut self, orders: &[Uuid]) -> impl Future<Output = Result<(), StoreError>> + Send;
}

/// Checks that a guarded statement changed as many rows as it had to.
fn guard(step: &'static str, expected: usize, changed: u64) -> Result<(), StoreError> {
    if u64::try_from(expected) == Ok(changed) { Ok(()) } else { Err(StoreError::Guard { step, expected, changed }) }
}

/// How many people the rows concern.
fn people(rows: &[LedgerRow]) -> usize {
    rows.iter().map(|row| row.user_id).collect::<HashSet<_>>().len()
}

/// Keys as the one JSON parameter of a statement: person and key.
fn named(keys: &[OrderKey]) -> Result<String, StoreError> {
    json(keys.iter().map(|key| (key.user_id, key.key.as_str())))
}

/// Ledger rows as the one JSON parameter of a statement: person, order, change, balance after it, time.
fn granted(rows: &[LedgerRow]) -> Result<String, StoreError> {
    json(rows.iter().map(|row| (row.user_id, row.order_no, row.change, row.balance_after, row.at)))
}

/// A slice as the one JSON parameter of a statement: an array with an array, or a plain value, per row.
fn json<T: Serialize>(rows: impl Iterator<Item = T>) -> Result<String, StoreError> {
    let rows: Vec<T> = rows.collect();
    serde_json::to_string(&rows).map_err(|error| StoreError::Unreadable(error.to_string()))
}
