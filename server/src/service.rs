//! The one way in that the page, the plain form and the JSON API share.

use std::sync::Arc;

use crate::database::Database;
use app::money::{Currency, Limits};
use app::port::{self, Person, Port};
use app::problem::Problem;
use app::view::Recharged;

use crate::chain::{self, Answered};
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

impl Service {
    /// Takes what was sent through the chain, from step 0 on.
    ///
    /// # Errors
    /// Any [`Problem`].
    pub async fn recharge(&self, person: Option<&Person>, amount: &str, key: &str) -> Result<Answered, Problem> {
        let intent = chain::validate(person, amount, key, self.terms.limits)?;
        let answer = self.writer.recharge(intent.clone()).await;
        match &answer {
            Ok(answered) => tracing::info!(
                user_id = intent.user_id,
                order_no = %answered.order.order_no,
                amount = %answered.order.amount,
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
}

impl Port for Service {
    fn recharge<'a>(
        &'a self,
        person: Option<&'a Person>,
        amount: &'a str,
        key: &'a str,
    ) -> port::Answer<'a, Result<Recharged, Problem>> {
        Box::pin(async move {
            let Answered { order, replayed, .. } = self.recharge(person, amount, key).await?;
            // The recharge stands whether or not the account can be read now.
            let account = self.database.in_time(reads::account(&self.database, order.user_id)).await;
            let account = account.inspect_err(|error| tracing::warn!(%error, "the account cannot be read")).ok();
            Ok(Recharged { order: order.view(), replayed, account })
        })
    }
}
