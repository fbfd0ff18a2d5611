//! What localStorage holds of an intent. It is the truth that all tabs of a person share; each tab only mirrors it.

use serde::{Deserialize, Serialize};

use crate::key::IdempotencyKey;
use crate::money::Amount;

/// What localStorage holds for one person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stored {
    v: u8,
    person: i64,
    pub(super) key: IdempotencyKey,
    /// What was sent with the key; `None` while nothing was.
    pub(super) attempted: Option<Attempted>,
}

/// What was sent under a key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attempted {
    /// The amount, as it was typed.
    pub amount: String,
    /// When it was sent first: milliseconds since 1970-01-01 UTC by the browser's clock.
    pub at: i64,
    /// Whether more than one page has sent it, so that none of them knows all the answers.
    #[serde(default)]
    pub shared: bool,
}

/// The version of [`Stored`] that this program writes. Content of any other version is discarded.
const VERSION: u8 = 2;

/// The longest stored text that is looked at, in bytes: anything longer was not written by this program.
const MAX_STORED: usize = 1024;

/// The longest amount that is kept as it was typed, in bytes: one with more leading zeros than that would not fit.
const MAX_AMOUNT: usize = 32;

impl Stored {
    pub(super) fn new(person: i64, key: IdempotencyKey, attempted: Option<Attempted>) -> Self {
        Self { v: VERSION, person, key, attempted }
    }

    /// Reads what storage holds. Another person's, another version's or any other content is discarded.
    pub(super) fn read(person: i64, text: Option<&str>) -> Option<Self> {
        let text = text.filter(|text| text.len() <= MAX_STORED)?;
        let stored: Self = serde_json::from_str(text).ok()?;
        (stored.v == VERSION && stored.person == person && stored.attempted.as_ref().is_none_or(Attempted::is_whole))
            .then_some(stored)
    }

    /// The key.
    #[must_use]
    pub fn key(&self) -> &IdempotencyKey {
        &self.key
    }

    /// Whether more than one page has sent it.
    pub(super) fn is_shared(&self) -> bool {
        self.attempted.as_ref().is_some_and(|attempted| attempted.shared)
    }

    /// The text to store.
    #[must_use]
    pub fn write(&self) -> String {
        // A struct of plain fields always has a JSON form; were it otherwise, an empty text would be discarded on reading.
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl Attempted {
    /// What is sent now.
    pub(super) fn new(typed: &str, at: i64) -> Self {
        let short = (typed.len() > MAX_AMOUNT).then(|| Amount::parse(typed).ok()).flatten();
        Self { amount: short.map_or_else(|| typed.to_owned(), |amount| amount.to_string()), at, shared: false }
    }

    /// Whether it is an amount that this program may have sent: text that was written into storage by hand is not shown.
    fn is_whole(&self) -> bool {
        self.amount.len() <= MAX_AMOUNT && Amount::parse(&self.amount).is_ok()
    }

    /// Whether the other text means the same amount: `100` and `100.00` do.
    pub(super) fn is(&self, amount: &str) -> bool {
        self.amount == amount || Amount::parse(&self.amount).is_ok_and(|own| Amount::parse(amount) == Ok(own))
    }
}
