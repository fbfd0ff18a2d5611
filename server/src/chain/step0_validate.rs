//! Step 0, validate: after it there is an [`Intent`], whose person is known, whose amount is within the limits and whose
//! key is well formed. Whatever is refused here is refused before it reaches the writer, and nothing is stored.

use app::key::{IdempotencyKey, KeyError};
use app::money::{Amount, Currency, Limits};
use app::port::Person;
use app::problem::Problem;

/// One decision of one person to recharge one amount.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intent {
    /// The person.
    pub user_id: i64,
    /// The key that names the intent.
    pub key: IdempotencyKey,
    /// What is paid.
    pub amount: Amount,
    /// The currency of the amount.
    pub currency: Currency,
}

/// Reads an intent from what was sent.
///
/// # Errors
/// The [`Problem`] of the person, the amount or the key, in this order.
pub fn validate(
    person: Option<&Person>,
    amount: &str,
    key: &str,
    limits: Limits,
    currency: Currency,
) -> Result<Intent, Problem> {
    let user_id = person.ok_or(Problem::NotSignedIn)?.user_id;
    let amount = limits.admit(amount)?;
    Ok(Intent { user_id, key: well_formed(key)?, amount, currency })
}

/// Reads a key as it was sent.
///
/// # Errors
/// [`Problem::KeyMissing`] or [`Problem::KeyMalformed`].
pub fn well_formed(key: &str) -> Result<IdempotencyKey, Problem> {
    IdempotencyKey::parse(key).map_err(|error| match error {
        KeyError::Missing => Problem::KeyMissing,
        KeyError::Malformed => Problem::KeyMalformed,
    })
}
