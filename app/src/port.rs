//! The way from the pages to the chain: a trait that the server implements, so that nothing here knows a database.

use std::future::Future;
use std::pin::Pin;

use crate::problem::Problem;
use crate::view::Recharged;

/// The person on whose behalf a request acts, as the server found it by the session cookie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// The number of the account.
    pub user_id: i64,
    /// The address the person signed up with, in lower case.
    pub email: String,
}

/// A future that can be held by a trait object and moved between threads.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What a page can ask of the server.
pub trait Port: Send + Sync {
    /// Takes an intent as it was typed and sent through the whole chain and waits for its outcome. Dropping the future
    /// does not stop an intent that was handed over.
    ///
    /// # Errors
    /// Any [`Problem`]; [`Problem::key_fate`] says whether the same key must be used again.
    fn recharge<'a>(
        &'a self,
        person: Option<&'a Person>,
        amount: &'a str,
        key: &'a str,
    ) -> Answer<'a, Result<Recharged, Problem>>;
}
