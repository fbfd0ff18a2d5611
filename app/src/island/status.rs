//! What the status line says: the state of the intent, in words.

use super::life;
use crate::intent::{Attempted, Intent, State};
use crate::money::{Amount, show_tokens};
use crate::words::Speech;

/// The words for where the intent is.
pub(super) fn status(intent: &Intent, slow: bool, offline: bool, speech: Speech) -> String {
    let words = speech.words();
    let amount = |attempted: Option<&Attempted>| {
        // What was sent can be read, or it would not have been sent.
        let amount = attempted.and_then(|attempted| Amount::parse(&attempted.amount).ok());
        amount.map(|amount| speech.money(amount)).unwrap_or_default()
    };
    let before = || amount(intent.attempted());
    let now = match intent.state() {
        State::Sending | State::Asking | State::Discarding if slow => words.still_waiting.to_owned(),
        State::Sending => words.in_flight.to_owned(),
        State::Asking => (words.asking)(&before()),
        State::Discarding if intent.then().is_some() => (words.discarding_first)(&before()),
        State::Discarding => words.discarding.to_owned(),
        State::Waiting(problem) => (words.waiting)(*problem, offline).to_owned(),
        State::Open(problem) => (words.open)(
            *problem,
            &before(),
            &intent.attempted().map(|sent| life::show_time(sent.at, speech.language)).unwrap_or_default(),
        ),
        State::Succeeded(recharged, how) => {
            let order = &recharged.order;
            (words.succeeded)(&show_tokens(order.tokens), &order.currency.show(order.amount, speech.language), *how)
        }
        State::Refused(problem) => speech.refusal(*problem),
        State::Discarded(Some(voided)) => (words.discarded)(&amount(Some(voided))),
        State::Ready | State::Discarded(None) => String::new(),
    };
    match intent.instead_of() {
        Some(first) => (words.discarded_first)(&amount(Some(first))) + &now,
        None => now,
    }
}

/// How the status line looks.
pub(super) fn tone(state: &State) -> &'static str {
    match state {
        State::Succeeded(..) => "good",
        State::Waiting(_) | State::Open(_) => "open",
        State::Refused(_) => "bad",
        State::Ready | State::Sending | State::Asking | State::Discarding | State::Discarded(_) => "",
    }
}
