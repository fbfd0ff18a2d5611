//! What the status line says: the state of the intent, in words.

use crate::intent::{Attempted, Intent, State};
use crate::money::{Amount, Currency, Limits, show_tokens};
use crate::words;

/// The words for where the intent is.
pub(super) fn status(intent: &Intent, slow: bool, offline: bool, limits: Limits, currency: Currency) -> String {
    let amount = |attempted: Option<&Attempted>| {
        // What was sent can be read, or it would not have been sent.
        let amount = attempted.and_then(|attempted| Amount::parse(&attempted.amount).ok());
        amount.map(|amount| currency.show(amount)).unwrap_or_default()
    };
    let before = || amount(intent.attempted());
    let now = match intent.state() {
        State::Ready => String::new(),
        State::Sending | State::Asking | State::Discarding if slow => words::STILL_WAITING.to_owned(),
        State::Sending => words::IN_FLIGHT.to_owned(),
        State::Asking => words::asking(&before()),
        State::Discarding if intent.then().is_some() => words::discarding_first(&before()),
        State::Discarding => words::DISCARDING.to_owned(),
        State::Waiting(problem) => words::waiting(*problem, offline).to_owned(),
        State::Open(problem) => words::open(*problem, &before()),
        State::Succeeded(recharged, how) => {
            let order = &recharged.order;
            words::succeeded(&show_tokens(order.tokens), &order.currency.show(order.amount), *how)
        }
        State::Refused(problem) => words::detail(*problem, limits, currency),
        State::Discarded => words::DISCARDED.to_owned(),
    };
    match intent.instead_of() {
        Some(first) => format!("{} {now}", words::discarded_first(&amount(Some(first)))),
        None => now,
    }
}

/// How the status line looks.
pub(super) fn tone(state: &State) -> &'static str {
    match state {
        State::Succeeded(..) => "good",
        State::Waiting(_) | State::Open(_) => "open",
        State::Refused(_) => "bad",
        State::Ready | State::Sending | State::Asking | State::Discarding | State::Discarded => "",
    }
}
