//! Every sentence that a person reads, in one place.

use crate::intent::How;
use crate::money::{Currency, Limits};
use crate::problem::Problem;

/// What a problem is about, in a few words.
#[must_use]
pub fn title(problem: Problem) -> &'static str {
    match problem {
        Problem::AmountMalformed => "The amount cannot be read",
        Problem::AmountTooSmall => "The amount is too small",
        Problem::AmountTooLarge => "The amount is too large",
        Problem::KeyMissing => "The idempotency key is missing",
        Problem::KeyMalformed => "The idempotency key is malformed",
        Problem::KeyTwice => "The idempotency key was sent twice",
        Problem::BodyMalformed => "The request cannot be read",
        Problem::NotSignedIn => "Nobody is signed in",
        Problem::NotYours => "That is another person's account",
        Problem::ForeignOrigin => "The request comes from another site",
        Problem::NotFound => "There is nothing here",
        Problem::MethodNotAllowed => "That cannot be done here",
        Problem::BodyTooLarge => "The request is too long",
        Problem::KeyReused => "The key stands for another amount",
        Problem::KeyVoided => "The key was voided",
        Problem::KeyUsed => "The key is used",
        Problem::KeyUnused => "Nothing stands under the key",
        Problem::NoTier => "No tier applies",
        Problem::BalanceLimit => "The balance is full",
        Problem::TwinRunning => "Still under way",
        Problem::Busy => "Too busy just now",
        Problem::OutcomeUnknown => "Not confirmed yet",
        Problem::Internal => "Something went wrong here",
    }
}

/// What happened and what to do, for the person or the program that sent the request.
#[must_use]
pub fn detail(problem: Problem, limits: Limits, currency: Currency) -> String {
    match problem {
        Problem::AmountMalformed => {
            "Enter the amount in digits, with a point before the cents, such as 50 or 49.99: no blank, comma or sign."
                .to_owned()
        }
        Problem::AmountTooSmall => format!("The smallest amount is {}.", currency.show(limits.min)),
        Problem::AmountTooLarge => format!("The largest amount is {}.", currency.show(limits.max)),
        other => explanation(other).to_owned(),
    }
}

/// What a problem means and what to do about it, without the numbers of one installation.
#[must_use]
pub fn explanation(problem: Problem) -> &'static str {
    match problem {
        Problem::AmountMalformed => {
            "An amount is digits, optionally followed by a point and one or two digits: no sign, blank, comma or \
             exponent. Nothing was stored; correct the amount and send it again."
        }
        Problem::AmountTooSmall => {
            "The amount is below the smallest one that is accepted. Nothing was stored; send a larger amount."
        }
        Problem::AmountTooLarge => {
            "The amount is above the largest one that is accepted. Nothing was stored; send a smaller amount."
        }
        Problem::KeyMissing => {
            "Send an idempotency key, either as idempotentKey in the body or in the header Idempotency-Key. Use one key \
             for one decision to pay, and the same key for every retry. Nothing was stored."
        }
        Problem::KeyMalformed => {
            "An idempotency key is 1 to 255 characters of visible ASCII (0x21 to 0x7E). Nothing was stored."
        }
        Problem::KeyTwice => "Send the idempotency key once: either in the body or in one header. Nothing was stored.",
        Problem::BodyMalformed => "The body is not what this address takes. Nothing was stored.",
        Problem::NotSignedIn => "Sign in and send the same request, with the same key, again. Nothing was stored.",
        Problem::NotYours => {
            "The request is meant for another account than the one that is signed in now. Nothing was paid. Load the page \
             again and look whose account it shows."
        }
        Problem::ForeignOrigin => {
            "A page of another site sent this request in your name, so it was refused. Nothing was stored."
        }
        Problem::NotFound => "There is no page and nothing else at this address.",
        Problem::MethodNotAllowed => "This address exists, but not for this method.",
        Problem::BodyTooLarge => "No request of this program needs so long a body. Nothing was stored.",
        Problem::KeyReused => {
            "An earlier recharge with this key went through with another amount, and stands. Nothing was paid now. To \
             pay again, start a new recharge with a new key."
        }
        Problem::KeyVoided => {
            "This recharge was discarded: nothing was paid, and nothing ever will be with this key. To pay, start a new \
             recharge with a new key."
        }
        Problem::KeyUsed => {
            "A recharge with this key went through, so the key cannot be voided. Ask for the key to see the order."
        }
        Problem::KeyUnused => {
            "No recharge stands under this key so far. One that is still on its way may change that; to rule it out, void \
             the key."
        }
        Problem::NoTier => "There is no rate for this amount, so it would buy nothing. Nothing was paid.",
        Problem::BalanceLimit => "The account cannot hold so many more tokens. Nothing was paid.",
        Problem::TwinRunning => {
            "An earlier request with this key is still under way. Try again in a moment, with the same key: you will not \
             be charged twice."
        }
        Problem::Busy => "Nothing was paid. Try again in a moment, with the same key.",
        Problem::OutcomeUnknown => {
            "We could not confirm this. Try again, with the same key: you will not be charged twice."
        }
        Problem::Internal => "This is our fault. Try again, with the same key: you will not be charged twice.",
    }
}

/// What the page says below the button when the outcome is open and the person decides how to go on.
#[must_use]
pub fn open(problem: Option<Problem>, amount: &str) -> String {
    match problem {
        None => format!(
            "Nothing has come of your recharge of {amount} so far. Try again or discard it: either way you pay at most once."
        ),
        Some(Problem::NotSignedIn) => {
            "You are no longer signed in. Sign in and go on: you will not be charged twice.".to_owned()
        }
        Some(Problem::TwinRunning) => {
            "Your recharge is still under way. Try again in a moment: you will not be charged twice.".to_owned()
        }
        Some(Problem::Busy) => "We are too busy just now and nothing was paid. Try again in a moment.".to_owned(),
        Some(_) => "We could not confirm this. Try again – you will not be charged twice.".to_owned(),
    }
}

/// What the page says while it waits to try again by itself.
#[must_use]
pub fn waiting(problem: Problem, offline: bool) -> &'static str {
    match problem {
        _ if offline => {
            "You are offline. This goes on by itself as soon as you are online again; you will not be charged twice."
        }
        Problem::Busy => "We are too busy just now and nothing was paid yet. Trying again by ourselves in a moment.",
        Problem::TwinRunning => "Your recharge is still under way. Asking again in a moment.",
        _ => "We could not confirm this yet. Trying again by ourselves – you will not be charged twice.",
    }
}

/// The name of the program.
pub const NAME: &str = "Recharge";
/// The button, ready.
pub const RECHARGE: &str = "Recharge";
/// The button, in flight.
pub const RECHARGING: &str = "Recharging…";
/// The button after an outcome that is not known.
pub const TRY_AGAIN: &str = "Try again";
/// The status line while a request takes long.
pub const STILL_WAITING: &str =
    "This takes longer than usual. Please keep the page open; you will not be charged twice.";
/// The status line while a request is on its way.
pub const IN_FLIGHT: &str = "Recharging. Please wait.";
/// The heading over field errors.
pub const CHECK_THE_AMOUNT: &str = "Please check the amount";
/// Before a sign-in that a page asked for.
pub const SIGN_IN_FIRST: &str = "Sign in to go on.";

/// The button that voids what was sent.
pub const DISCARD: &str = "Discard";
/// The status line after a discard.
pub const DISCARDED: &str = "Discarded. Nothing was paid, and nothing will be.";
/// The status line while a key is voided.
pub const DISCARDING: &str = "Discarding. Please wait.";
/// The link to the sign-in page when a session ended.
pub const SIGN_IN_AND_GO_ON: &str = "Sign in and go on";

/// The status line while the server is asked what became of an amount that was sent.
#[must_use]
pub fn asking(amount: &str) -> String {
    format!("Looking up what became of your recharge of {amount}.")
}

/// The status line while a recharge with another amount waits for the end of the one before.
#[must_use]
pub fn discarding_first(amount: &str) -> String {
    format!("First we make sure of your recharge of {amount}. Please wait.")
}

/// What is told of the amount that was sent first and then changed.
#[must_use]
pub fn discarded_first(amount: &str) -> String {
    format!("Your recharge of {amount} is discarded; nothing was paid for it.")
}

/// The status line after a success.
#[must_use]
pub fn succeeded(tokens: &str, amount: &str, how: How) -> String {
    match how {
        How::Sent => format!("Recharged: {tokens} tokens were added."),
        How::Repeated => {
            format!("Recharged: {tokens} tokens. This had gone through already; you were not charged again.")
        }
        How::Resumed => format!("Your recharge of {amount} went through: {tokens} tokens were added."),
        How::NotDiscarded => {
            format!(
                "Your recharge of {amount} had gone through before it could be discarded: {tokens} tokens were added."
            )
        }
        How::BeforeOther => format!(
            "Your earlier recharge of {amount} had gone through: {tokens} tokens were added. Nothing else was paid. To pay \
             the other amount too, press Recharge once more."
        ),
        How::Elsewhere => format!("Recharged in another tab: {tokens} tokens were added."),
    }
}

/// The hint below the amount field.
#[must_use]
pub fn limits_hint(limits: Limits, currency: Currency) -> String {
    format!("From {} to {}.", currency.show(limits.min), currency.show(limits.max))
}

/// Why a sign-up or a sign-in was not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignProblem {
    /// The e-mail address cannot be one.
    Email,
    /// The password has fewer than eight or more than 128 characters.
    Password,
    /// The e-mail address has an account.
    Taken,
    /// No account has this e-mail address and this password.
    Credentials,
}

impl SignProblem {
    /// What to tell the person.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Email => "Enter an e-mail address, such as name@example.com.",
            Self::Password => "Choose a password of 8 to 128 characters.",
            Self::Taken => "There is an account with this e-mail address. Sign in instead.",
            Self::Credentials => "No account has this e-mail address and this password. Check both and try again.",
        }
    }
}
