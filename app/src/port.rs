//! The way from the pages to the chain: a trait that the server implements, so that nothing here knows a database.

use std::future::Future;
use std::pin::Pin;

use crate::problem::Problem;
use crate::view::{AccountView, Recharged, Resolution};
use crate::words::Language;

/// The person on whose behalf a request acts, as the server found it by the session cookie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// The number of the account.
    pub user_id: i64,
    /// The address the person signed up with, in lower case.
    pub email: String,
}

/// Who asks, and in which language the answer is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The person, if anybody is signed in.
    pub person: Option<Person>,
    /// The language.
    pub language: Language,
}

/// A future that can be held by a trait object and moved between threads.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What a page can ask of the server.
pub trait Port: Send + Sync {
    /// Takes an intent as it was typed and sent through the whole chain and waits for its outcome. `meant` is the number
    /// of the account that the page shows, where the page says it: a page that was left open is not used to charge
    /// whoever has signed in since. Dropping the future does not stop an intent that was handed over.
    ///
    /// # Errors
    /// Any [`Problem`]; [`Problem::key_fate`] says whether the same key must be used again.
    fn recharge<'a>(
        &'a self,
        caller: &'a Caller,
        meant: &'a str,
        amount: &'a str,
        key: &'a str,
    ) -> Answer<'a, Result<Recharged, Problem>>;

    /// The balance and the last orders of the person.
    ///
    /// # Errors
    /// [`Problem::NotSignedIn`], [`Problem::NotYours`] or [`Problem::Busy`].
    fn account<'a>(&'a self, caller: &'a Caller, meant: &'a str) -> Answer<'a, Result<AccountView, Problem>>;

    /// What became of the person's intent of this key. Changes nothing.
    ///
    /// # Errors
    /// [`Problem::NotSignedIn`], [`Problem::NotYours`], [`Problem::KeyMissing`], [`Problem::KeyMalformed`] or
    /// [`Problem::Busy`].
    fn resolve<'a>(
        &'a self,
        caller: &'a Caller,
        meant: &'a str,
        key: &'a str,
    ) -> Answer<'a, Result<Resolution, Problem>>;

    /// Voids the key, unless a recharge stands under it: afterwards it is decided, and never
    /// [`Resolution::Unresolved`].
    ///
    /// # Errors
    /// Those of [`Port::resolve`], and [`Problem::OutcomeUnknown`]; asking again is always safe.
    fn void<'a>(&'a self, caller: &'a Caller, meant: &'a str, key: &'a str) -> Answer<'a, Result<Resolution, Problem>>;
}
