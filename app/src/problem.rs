//! Everything that can stop a recharge, as a closed list: the page, the form and the JSON API all answer from it.

use leptos::prelude::FromServerFnError;
use leptos::server_fn::error::ServerFnErrorErr;
use serde::{Deserialize, Serialize};

use crate::encoding::JsonText;

/// Why a request was not answered with a success. No variant carries text: what people read is in [`crate::words`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
pub enum Problem {
    /// The amount is not digits, optionally with a point and one or two digits.
    AmountMalformed,
    /// The amount is below the smallest that is accepted.
    AmountTooSmall,
    /// The amount is above the largest that is accepted.
    AmountTooLarge,
    /// No idempotency key was sent.
    KeyMissing,
    /// The idempotency key is not 1 to 255 characters of visible ASCII.
    KeyMalformed,
    /// The idempotency key was sent more than once.
    KeyTwice,
    /// The body cannot be read as what the endpoint takes.
    BodyMalformed,
    /// Nobody is signed in.
    NotSignedIn,
    /// The request names a person who is not the caller.
    NotYours,
    /// The request was sent by a page of another site.
    ForeignOrigin,
    /// There is nothing at this address.
    NotFound,
    /// The address exists, but not with this method.
    MethodNotAllowed,
    /// The body is longer than any request of this program.
    BodyTooLarge,
    /// The key already stands for a recharge of another amount.
    KeyReused,
    /// The key was voided: nothing was ever paid with it, and nothing will be.
    KeyVoided,
    /// The key has a recharge that went through, so it cannot be voided.
    KeyUsed,
    /// So far nothing stands under the key.
    KeyUnused,
    /// No tier applies to the amount.
    NoTier,
    /// The account cannot hold so many tokens.
    BalanceLimit,
    /// Another request with the same key is still under way: its outcome will be this one's.
    TwinRunning,
    /// The queue is full or the database away: nothing was stored.
    Busy,
    /// Whether the recharge happened is not known yet: the same key resolves it.
    OutcomeUnknown,
    /// A fault of this program. The database rolled back, or the same key resolves it.
    Internal,
}

/// What becomes of an intent's key after a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyFate {
    /// The outcome is not known, or nothing was decided: the same key must be used again.
    Kept,
    /// A definite refusal: the next attempt is a new intent.
    Replaced,
}

impl Problem {
    /// All problems, in the order in which their documentation lists them.
    pub const ALL: [Self; 23] = [
        Self::AmountMalformed,
        Self::AmountTooSmall,
        Self::AmountTooLarge,
        Self::KeyMissing,
        Self::KeyMalformed,
        Self::KeyTwice,
        Self::BodyMalformed,
        Self::NotSignedIn,
        Self::NotYours,
        Self::ForeignOrigin,
        Self::NotFound,
        Self::MethodNotAllowed,
        Self::BodyTooLarge,
        Self::KeyReused,
        Self::KeyVoided,
        Self::KeyUsed,
        Self::KeyUnused,
        Self::NoTier,
        Self::BalanceLimit,
        Self::TwinRunning,
        Self::Busy,
        Self::OutcomeUnknown,
        Self::Internal,
    ];

    /// The name of the problem in addresses and answers.
    #[must_use]
    pub fn slug(self) -> &'static str {
        match self {
            Self::AmountMalformed => "amount-malformed",
            Self::AmountTooSmall => "amount-too-small",
            Self::AmountTooLarge => "amount-too-large",
            Self::KeyMissing => "key-missing",
            Self::KeyMalformed => "key-malformed",
            Self::KeyTwice => "key-twice",
            Self::BodyMalformed => "body-malformed",
            Self::NotSignedIn => "not-signed-in",
            Self::NotYours => "not-yours",
            Self::ForeignOrigin => "foreign-origin",
            Self::NotFound => "not-found",
            Self::MethodNotAllowed => "method-not-allowed",
            Self::BodyTooLarge => "body-too-large",
            Self::KeyReused => "key-reused",
            Self::KeyVoided => "key-voided",
            Self::KeyUsed => "key-used",
            Self::KeyUnused => "key-unused",
            Self::NoTier => "no-tier",
            Self::BalanceLimit => "balance-limit",
            Self::TwinRunning => "twin-running",
            Self::Busy => "busy",
            Self::OutcomeUnknown => "outcome-unknown",
            Self::Internal => "internal",
        }
    }

    /// The problem of that name.
    #[must_use]
    pub fn from_slug(slug: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|problem| problem.slug() == slug)
    }

    /// The HTTP status of an answer with this problem.
    #[must_use]
    pub fn status(self) -> u16 {
        match self {
            Self::AmountMalformed
            | Self::AmountTooSmall
            | Self::AmountTooLarge
            | Self::KeyMissing
            | Self::KeyMalformed
            | Self::KeyTwice
            | Self::BodyMalformed => 400,
            Self::NotSignedIn => 401,
            Self::NotYours | Self::ForeignOrigin => 403,
            Self::NotFound | Self::KeyUnused => 404,
            Self::MethodNotAllowed => 405,
            Self::TwinRunning | Self::KeyUsed => 409,
            Self::KeyVoided => 410,
            Self::BodyTooLarge => 413,
            Self::KeyReused | Self::NoTier | Self::BalanceLimit => 422,
            Self::Busy | Self::OutcomeUnknown => 503,
            Self::Internal => 500,
        }
    }

    /// After how many seconds another attempt is worth making, where waiting helps.
    #[must_use]
    pub fn retry_after(self) -> Option<u32> {
        matches!(self, Self::TwinRunning | Self::Busy | Self::OutcomeUnknown).then_some(1)
    }

    /// The request field that is at fault, by its name in the JSON API.
    #[must_use]
    pub fn field(self) -> Option<&'static str> {
        match self {
            Self::AmountMalformed
            | Self::AmountTooSmall
            | Self::AmountTooLarge
            | Self::KeyReused
            | Self::NoTier
            | Self::BalanceLimit => Some("amount"),
            Self::KeyMissing | Self::KeyMalformed | Self::KeyTwice => Some("idempotentKey"),
            Self::NotYours => Some("userId"),
            _ => None,
        }
    }

    /// Whether the key survives: it does whenever the outcome is not definite, so that a retry can never pay twice.
    #[must_use]
    pub fn key_fate(self) -> KeyFate {
        match self {
            Self::NotSignedIn
            | Self::KeyUnused
            | Self::TwinRunning
            | Self::Busy
            | Self::OutcomeUnknown
            | Self::Internal => KeyFate::Kept,
            _ => KeyFate::Replaced,
        }
    }
}

impl From<Problem> for &'static str {
    fn from(problem: Problem) -> Self {
        problem.slug()
    }
}

impl TryFrom<String> for Problem {
    type Error = &'static str;

    fn try_from(slug: String) -> Result<Self, Self::Error> {
        Self::from_slug(&slug).ok_or("not the name of a problem")
    }
}

impl FromServerFnError for Problem {
    type Encoder = JsonText;

    /// On the server this means that the arguments could not be read. In the browser it means that no answer of ours
    /// arrived (the network failed, or a proxy answered with a page of its own), so the outcome is not known.
    fn from_server_fn_error(error: ServerFnErrorErr) -> Self {
        #[cfg(feature = "ssr")]
        if !matches!(error, ServerFnErrorErr::ServerError(_) | ServerFnErrorErr::Response(_)) {
            crate::server_fn::set_status(Self::BodyMalformed);
            return Self::BodyMalformed;
        }
        let _ = error;
        Self::OutcomeUnknown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_problem_is_found_by_its_name() {
        for problem in Problem::ALL {
            assert_eq!(Problem::from_slug(problem.slug()), Some(problem));
        }
        assert_eq!(Problem::from_slug("made-up"), None);
    }

    #[test]
    fn a_key_is_kept_exactly_while_the_outcome_is_open() {
        let kept: Vec<_> = Problem::ALL.into_iter().filter(|problem| problem.key_fate() == KeyFate::Kept).collect();
        let open = [
            Problem::NotSignedIn,
            Problem::KeyUnused,
            Problem::TwinRunning,
            Problem::Busy,
            Problem::OutcomeUnknown,
            Problem::Internal,
        ];
        assert_eq!(kept, open);
    }
}
