//! Sorting a database's errors by what can be done about them, once for each engine's codes.

use sqlx::Error;

use super::StoreError;

/// Sorts an error by the kind that the engine's code has. What has no code did not come from the database, but from the
/// way to it.
pub(super) fn sort(error: Error, kind: impl Fn(&str) -> Option<fn(Error) -> StoreError>) -> StoreError {
    let known = match &error {
        Error::Database(database) => database.code().and_then(|code| kind(&code)),
        Error::Io(_) | Error::WorkerCrashed | Error::Tls(_) | Error::Protocol(_) | Error::PoolTimedOut => {
            Some(StoreError::Away as fn(Error) -> StoreError)
        }
        _ => None,
    };
    known.unwrap_or(StoreError::Refused)(error)
}
