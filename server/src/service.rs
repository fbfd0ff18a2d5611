//! The one way in that the page, the plain form and the JSON API share.

use std::sync::Arc;

use crate::database::Database;
use app::money::{Amount, Currency, Limits};
use app::port::{self, Caller, Person, Port};
use app::problem::Problem;
use app::view::{AccountView, Recharged, Resolution};
use app::words::Language;

use crate::chain::{self, Answered, Intent};
use crate::order::Order;
use crate::people::Passwords;
use crate::reads;
use crate::store::OrderKey;
use crate::voiding;
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

/// What a key came to, for good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decided {
    /// It was recharged with.
    Recharged(Answered),
    /// It was voided.
    Voided,
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

    /// What the person's key came to, if anything stands under it. Changes nothing.
    ///
    /// # Errors
    /// [`Problem::NotSignedIn`], [`Problem::KeyMissing`], [`Problem::KeyMalformed`], [`Problem::Busy`] or
    /// [`Problem::Internal`].
    pub async fn resolve(&self, person: Option<&Person>, key: &str) -> Result<Option<Decided>, Problem> {
        let standing = voiding::standing(&self.database, &order_key(person, key)?).await;
        let standing = standing.map_err(|error| {
            tracing::error!(%error, "a key cannot be looked up");
            if error.is_passing() { Problem::Busy } else { Problem::Internal }
        })?;
        standing.map(decided).transpose()
    }

    /// Voids the person's key, unless something stands under it. Dropping the future does not stop it.
    ///
    /// # Errors
    /// Those of [`Service::resolve`], and [`Problem::OutcomeUnknown`].
    pub async fn void(&self, person: Option<&Person>, key: &str) -> Result<Decided, Problem> {
        let (key, database, currency) = (order_key(person, key)?, self.database.clone(), self.terms.currency);
        // In a task of its own: whoever discards an intent and leaves at once has discarded it.
        let voiding = tokio::spawn(async move { voiding::void(&database, &key, currency).await });
        let stands = voiding.await.unwrap_or_else(|error| {
            tracing::error!(%error, "a void was given up; to void again tells what became of it");
            Err(Problem::OutcomeUnknown)
        });
        decided(stands?)
    }

    /// The answer of a page to a recharge that stands, whether or not the account can be read now.
    async fn recharged(&self, answered: Answered, language: Language) -> Recharged {
        let Answered { order, replayed, .. } = answered;
        let account = self.read_account(order.user_id, language).await;
        Recharged { order: order.view(language), replayed, account }
    }

    /// The answer of a page to what a key came to.
    async fn resolution(&self, decided: Decided, language: Language) -> Resolution {
        match decided {
            Decided::Recharged(answered) => Resolution::Recharged(self.recharged(answered, language).await),
            Decided::Voided => Resolution::Voided,
        }
    }

    /// The account, or `None`, with a word in the log, where it cannot be read in time.
    async fn read_account(&self, user_id: i64, language: Language) -> Option<AccountView> {
        let account = reads::account(&self.database, user_id, language).await;
        account.inspect_err(|error| tracing::warn!(%error, "the account cannot be read")).ok()
    }

    /// The intent of a key that has an order already, whatever the limits are now.
    async fn known(&self, person: Option<&Person>, amount: &str, key: &str) -> Option<Intent> {
        let none = Limits { min: Amount::from_minor(1), max: Amount::from_minor(i64::MAX) };
        let intent = chain::validate(person, amount, key, none, self.terms.currency).ok()?;
        let key = OrderKey { user_id: intent.user_id, key: intent.key.clone() };
        let standing = voiding::standing(&self.database, &key).await;
        standing.inspect_err(|error| tracing::warn!(%error, "a key cannot be looked up")).ok().flatten().map(|_| intent)
    }
}

/// The signed-in person's key.
fn order_key(person: Option<&Person>, key: &str) -> Result<OrderKey, Problem> {
    let user_id = person.ok_or(Problem::NotSignedIn)?.user_id;
    Ok(OrderKey { user_id, key: chain::well_formed(key)? })
}

/// What the row that stands under a key means.
fn decided(order: Order) -> Result<Decided, Problem> {
    match order.granted() {
        Ok(tokens) => Ok(Decided::Recharged(Answered { order, replayed: true, tokens })),
        Err(Problem::KeyVoided) => Ok(Decided::Voided),
        Err(problem) => Err(problem),
    }
}

impl Port for Service {
    fn recharge<'a>(
        &'a self,
        caller: &'a Caller,
        meant: &'a str,
        amount: &'a str,
        key: &'a str,
    ) -> port::Answer<'a, Result<Recharged, Problem>> {
        Box::pin(async move {
            meant_for(caller.person.as_ref(), meant)?;
            let answered = self.recharge(caller.person.as_ref(), amount, key).await?;
            Ok(self.recharged(answered, caller.language).await)
        })
    }

    fn account<'a>(&'a self, caller: &'a Caller, meant: &'a str) -> port::Answer<'a, Result<AccountView, Problem>> {
        Box::pin(async move {
            let user_id = meant_for(caller.person.as_ref(), meant)?.user_id;
            self.read_account(user_id, caller.language).await.ok_or(Problem::Busy)
        })
    }

    fn resolve<'a>(
        &'a self,
        caller: &'a Caller,
        meant: &'a str,
        key: &'a str,
    ) -> port::Answer<'a, Result<Resolution, Problem>> {
        Box::pin(async move {
            meant_for(caller.person.as_ref(), meant)?;
            match self.resolve(caller.person.as_ref(), key).await? {
                Some(decided) => Ok(self.resolution(decided, caller.language).await),
                None => Ok(Resolution::Unresolved),
            }
        })
    }

    fn void<'a>(
        &'a self,
        caller: &'a Caller,
        meant: &'a str,
        key: &'a str,
    ) -> port::Answer<'a, Result<Resolution, Problem>> {
        Box::pin(async move {
            meant_for(caller.person.as_ref(), meant)?;
            let decided = self.void(caller.person.as_ref(), key).await?;
            Ok(self.resolution(decided, caller.language).await)
        })
    }
}
