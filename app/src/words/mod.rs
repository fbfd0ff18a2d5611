//! Every sentence that a person reads, in one file per language. Each language fills in the same structs, so that one
//! that lacks a sentence does not compile.

mod chinese;
mod english;
mod language;
#[cfg(feature = "ssr")]
mod pages;

use crate::intent::How;
use crate::money::{Amount, Currency, Limits};
use crate::problem::Problem;
use serde::{Deserialize, Serialize};

pub use self::language::{Language, cookie};
#[cfg(feature = "ssr")]
pub use self::pages::{PageWords, SignProblem};

/// The name of the program, which is the same in all languages.
pub const NAME: &str = "Recharge";

/// How a page speaks to a person about amounts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Speech {
    /// The language.
    pub language: Language,
    /// The currency in which amounts are meant.
    pub currency: Currency,
    /// The limits of an amount.
    pub limits: Limits,
}

impl Speech {
    /// The sentences.
    #[must_use]
    pub fn words(self) -> &'static Words {
        self.language.words()
    }

    /// An amount as the person reads it.
    #[must_use]
    pub fn money(self, amount: Amount) -> String {
        self.currency.show(amount, self.language)
    }

    /// Why a recharge was refused, and what to do.
    #[must_use]
    pub fn refusal(self, problem: Problem) -> String {
        let words = self.words();
        match problem {
            Problem::AmountMalformed => words.amount_malformed.to_owned(),
            Problem::AmountTooSmall => (words.amount_too_small)(&self.money(self.limits.min)),
            Problem::AmountTooLarge => (words.amount_too_large)(&self.money(self.limits.max)),
            other => (words.refused)(other).to_owned(),
        }
    }
}

/// The sentences of the interactive part, which are shipped as WASM.
pub struct Words {
    /// The heading over the balance.
    pub your_balance: &'static str,
    /// What follows a number of tokens.
    pub tokens: &'static str,
    /// The heading over the form.
    pub recharge_tokens: &'static str,
    /// The label of the amount field, with the currency's code.
    pub amount: fn(&str) -> String,
    /// The hint below it, with the smallest and the largest amount.
    pub limits: fn(&str, &str) -> String,
    /// What the buttons with amounts are together.
    pub common_amounts: &'static str,
    /// In place of a preview while there is no amount.
    pub enter_amount: &'static str,
    /// In place of a preview when no tier applies.
    pub no_tokens: &'static str,
    /// How much more reaches the next tier: the missing amount, the tier, its tokens per unit, one unit.
    pub next_tier: fn(&str, &str, &str, &str) -> String,
    /// The button, ready.
    pub recharge: &'static str,
    /// The button, in flight.
    pub recharging: &'static str,
    /// The button after an outcome that is not known.
    pub try_again: &'static str,
    /// The button that voids what was sent.
    pub discard: &'static str,
    /// The link to the sign-in page when a session ended.
    pub sign_in_and_go_on: &'static str,
    /// The heading over field errors.
    pub check_the_amount: &'static str,
    /// The amount cannot be read.
    pub amount_malformed: &'static str,
    /// The amount is too small; the smallest one.
    pub amount_too_small: fn(&str) -> String,
    /// The amount is too large; the largest one.
    pub amount_too_large: fn(&str) -> String,
    /// Why a recharge was refused, for problems that are not about the limits of an amount.
    pub refused: fn(Problem) -> &'static str,
    /// A request is on its way.
    pub in_flight: &'static str,
    /// It takes long.
    pub still_waiting: &'static str,
    /// The outcome is open, and the person decides how to go on; the amount that was sent, and when.
    pub open: fn(Option<Problem>, &str, &str) -> String,
    /// The page waits to try again by itself; whether it is offline.
    pub waiting: fn(Problem, bool) -> &'static str,
    /// The server is asked what became of an amount that was sent.
    pub asking: fn(&str) -> String,
    /// A key is voided.
    pub discarding: &'static str,
    /// It is void; the amount that was sent.
    pub discarded: fn(&str) -> String,
    /// A recharge with another amount waits for the end of the one before.
    pub discarding_first: fn(&str) -> String,
    /// What is told of the amount that was sent first and then changed, before another sentence.
    pub discarded_first: fn(&str) -> String,
    /// A success: tokens, amount, and how the page came to know of it.
    pub succeeded: fn(&str, &str, How) -> String,
    /// The heading over the receipt.
    pub receipt: &'static str,
    /// Its rows.
    pub paid: &'static str,
    /// What was added.
    pub credited: &'static str,
    /// The rate.
    pub tier: &'static str,
    /// When.
    pub time: &'static str,
    /// Its number.
    pub order: &'static str,
    /// The button that prints it.
    pub print: &'static str,
    /// The heading over the last orders.
    pub last_recharges: &'static str,
    /// In their place.
    pub not_yet: &'static str,
    /// The link to all of them.
    pub whole_history: &'static str,
    /// The names of the tiers that the program brings along, in this language; any other is shown as it is.
    pub tier_names: [(&'static str, &'static str); 4],
}

impl Words {
    /// The name of a tier.
    #[must_use]
    pub fn tier_name<'a>(&self, name: &'a str) -> &'a str
    where
        'static: 'a,
    {
        self.tier_names.iter().find(|(known, _)| *known == name).map_or(name, |(_, shown)| shown)
    }
}

impl std::fmt::Debug for Words {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Words")
    }
}
