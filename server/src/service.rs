//! The one way in that the page, the plain form and the JSON API share.

use std::sync::Arc;

use crate::database::Database;
use app::money::{Amount, Currency, Limits};
use app::port::{self, Person, Port};
use app::problem::Problem;
use app::view::{AccountView, Recharged};

use crate::chain::{self, Answered, Intent};
use crate::people::Passwords;
use crate::reads;
use crate::writer::Writer;

/// What every request handler shares. Cloning it is cheap.
#[derive(Debug, Clone)]
pub struct Service {
    /// The way to the chain.
    pub writer: Writer,
    /// The connections for everything else.
    pub database: Database,
    /// The turns at hashing passwords.
    pub passwords: Passwords,
    /// What does not change while the server runs.
    pub terms: Arc<Terms>,
}

/// What does not change while the server runs.
#[derive(Debug)]
pub struct Terms {
    /// The limits of an amount.
    pub limits: Limits,
    /// The currency of all amounts.
    pub currency: Currency,
    /// After how many days a person has to sign in again.
    pub session_days: u32,
    /// Whether people are known to reach the server over https.
    pub https: bool,
}

/// The signed-in person, if they are the one that the page was made for. A page that does not say so is anybody's.
///
/// # Errors
/// [`Problem::NotSignedIn`] or [`Problem::NotYours`].
pub fn meant_for<'a>(person: Option<&'a Person>, meant: &str) -> Result<&'a Person, Problem> {
    let person = person.ok_or(Problem::NotSignedIn)?;
    if meant.is_empty() || meant == person.user_id.to_string() { Ok(person) } else { Err(Problem::NotYours) }
}

impl Service {
    /// Takes what was sent through the chain, from step 0 on.
    ///
    /// # Errors
    /// Any [`Problem`].
    pub async fn recharge(&self, person: Option<&Person>, amount: &str, key: &str) -> Result<Answered, Problem> {
        let intent = match chain::validate(person, amount, key, self.terms.limits, self.terms.currency) {
            // The limits may have changed since the key was used: what went through is answered all the same.
            Err(problem @ (Problem::AmountTooSmall | Problem::AmountTooLarge)) => {
                self.known(person, amount, key).await.ok_or(problem)?
            }
            intent => intent?,
        };
        let answer = self.writer.recharge(intent.clone()).await;
        match &answer {
            Ok(answered) => tracing::info!(
                user_id = intent.user_id,
                order_no = %answered.order.order_no,
                amount = %answered.order.amount,
                currency = answered.order.currency.code(),
                tokens = answered.tokens,
                replayed = answered.replayed,
                "recharged"
            ),
            Err(problem) => {
                tracing::info!(user_id = intent.user_id, amount = %intent.amount, problem = problem.slug(), "not recharged");
            }
        }
        answer
    }

    /// The account, or `None`, with a word in the log, where it cannot be read in time.
    async fn read_account(&self, user_id: i64) -> Option<AccountView> {
        let account = reads::account(&self.database, user_id).await;
        account.inspect_err(|error| tracing::warn!(%error, "the account cannot be read")).ok()
    }

    /// The intent of a key that has an order already, whatever the limits are now.
    async fn known(&self, person: Option<&Person>, amount: &str, key: &str) -> Option<Intent> {
        let none = Limits { min: Amount::from_minor(1), max: Amount::from_minor(i64::MAX) };
        let intent = chain::validate(person, amount, key, none, self.terms.currency).ok()?;
        let known = reads::is_used(&self.database, intent.user_id, intent.key.as_str()).await;
        known
            .inspect_err(|error| tracing::warn!(%error, "a key cannot be looked up"))
            .unwrap_or(false)
            .then_some(intent)
    }
}

impl Port for Service {
    fn recharge<'a>(
        &'a self,
        person: Option<&'a Person>,
        meant: &'a str,
        amount: &'a str,
        key: &'a str,
    ) -> port::Answer<'a, Result<Recharged, Problem>> {
        Box::pin(async move {
            meant_for(person, meant)?;
            let Answered { order, replayed, .. } = self.recharge(person, amount, key).await?;
            // The recharge stands whether or not the account can be read now.
            let account = self.read_account(order.user_id).await;
            Ok(Recharged { order: order.view(), replayed, account })
        })
    }

    fn account<'a>(
        &'a self,
        person: Option<&'a Person>,
        meant: &'a str,
    ) -> port::Answer<'a, Result<AccountView, Problem>> {
        Box::pin(async move {
            let user_id = meant_for(person, meant)?.user_id;
            self.read_account(user_id).await.ok_or(Problem::Busy)
        })
    }
}
