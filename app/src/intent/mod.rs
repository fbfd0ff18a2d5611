//! The life of an intent in the browser, as a plain state machine without web types.
//!
//! ```text
//!              press                      it stands
//!    Ready ───────────▶ Sending ─────────────────────────▶ Succeeded ──┐
//!                        ▲ │ ▲ │    definite refusal                   │
//!                        │ │ │ └─────────────────────────▶ Refused ────┤ press, with
//!                  again │ │ │ by itself                               │ a new key
//!                        │ ▼ │ (a few times)                           ▼
//!                        │ Waiting                                  Sending
//!                        │ ▲ │ no more retries                         ▲
//!                        │ │ ▼             it is void                  │
//!      page load ──▶ Asking ─▶ Open ──▶ Discarding ──────▶ Discarded ──┘
//!   (something was        nothing yet    (the person discards,
//!    sent before)                         or changes the amount)
//! ```
//!
//! Asking and Discarding end in Succeeded if the recharge went through, and they wait and try again like Sending.
//!
//! The key exists before the button can be pressed and is stored before it is sent. It is replaced only when its fate is
//! certain: a recharge stands under it, it is void, or it was refused and nothing of it can be on its way. Everything
//! else keeps it, so that a retry can only ever meet its own order. Under one key only one amount is ever sent: for
//! another one the old key is voided first.

mod answer;
mod pause;
mod stored;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod two_tabs;

use std::time::Duration;

pub use self::stored::{Attempted, Stored};
use crate::key::IdempotencyKey;
use crate::problem::Problem;
use crate::view::Recharged;

/// After this long, in milliseconds, another tab that sent something is taken to be gone: it gives a request up before.
const ABANDONED_MS: i64 = 45_000;

/// Where an intent is in its life.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// Nothing was sent with the key.
    Ready,
    /// A request to recharge is on its way.
    Sending,
    /// The server is asked what became of the key.
    Asking,
    /// The server is asked to void the key.
    Discarding,
    /// The last request was not answered for certain, and will be repeated by itself.
    Waiting(Problem),
    /// What was sent is not resolved, and the person decides how to go on. `None`: the server knows nothing of it so far.
    Open(Option<Problem>),
    /// The last intent ended in an order; the key is a new one.
    Succeeded(Recharged, How),
    /// The last intent was refused for good; the key is a new one.
    Refused(Problem),
    /// The last intent, of this amount, was voided; the key is a new one. `None`: it was another tab's.
    Discarded(Option<Attempted>),
}

/// How a page came to know of a recharge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// By sending it.
    Sent,
    /// By sending it again: an earlier request had done it.
    Repeated,
    /// By asking, after the page was loaded.
    Resumed,
    /// By trying to discard it.
    NotDiscarded,
    /// When the person wanted to pay another amount: nothing of that was sent.
    BeforeOther,
    /// From another tab.
    Elsewhere,
}

/// What a request asks of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ask {
    /// To recharge.
    Recharge,
    /// What became of the key.
    Resolve,
    /// To void the key.
    Discard,
}

/// A request that the page has to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// What it asks.
    pub ask: Ask,
    /// The key to send.
    pub key: IdempotencyKey,
    /// The amount to send with [`Ask::Recharge`], as it was typed.
    pub amount: String,
    /// Which of this page's requests it is: an answer is told apart from that of a request that was given up.
    pub number: u32,
}

/// What the page has to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Task {
    /// Send this.
    Send(Request),
    /// Call [`Intent::due`] with this number after that time.
    Wait(u32, Duration),
}

/// What the page finds around it when something happens.
#[derive(Debug, Clone)]
pub struct Surroundings<'a> {
    /// What storage holds now.
    pub stored: Option<&'a str>,
    /// A new key, for the case that one is needed.
    pub next: IdempotencyKey,
    /// The browser's time: milliseconds since 1970-01-01 UTC.
    pub now: i64,
    /// A number from 0 to 1, another one every time.
    pub chance: f64,
}

/// What a page brings along when it is loaded.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The person it was made for.
    pub person: i64,
    /// The key that the server wrote into it, which the plain form uses too.
    pub served: IdempotencyKey,
    /// The key of the order whose receipt it shows: an intent that ended in it is resolved.
    pub done: Option<IdempotencyKey>,
    /// What the plain form had sent with the served key, and why it is not resolved.
    pub open: Option<(Attempted, Problem)>,
}

/// One person's intent in one page.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own about what was sent, and any of them can hold"
)]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intent {
    person: i64,
    key: IdempotencyKey,
    /// The keys before it. Their fates are certain, whatever storage holds: it may be full, or take nothing any more.
    settled: Vec<IdempotencyKey>,
    attempted: Option<Attempted>,
    /// Whether this page has it to resolve: it sent it, or took it up when it was loaded. Otherwise another tab has.
    own: bool,
    /// Whether this page has sent it.
    sent: bool,
    /// Whether a request to recharge may have arrived, or may still do so.
    unsure: bool,
    /// The amount to go on with once the old key is void.
    then: Option<String>,
    /// What was voided in favour of the amount that is being sent.
    instead_of: Option<Attempted>,
    /// Why the server is asked about the key, for the words about its answer.
    asked_as: How,
    ask: Ask,
    /// Whether the last request asks without a word, beside whatever the page shows.
    quiet: bool,
    number: u32,
    retries: u32,
    state: State,
}

impl Intent {
    /// The intent of a page that has just loaded: the stored one if something was sent and not resolved, which the
    /// server is then asked about; else that of the plain form; else a new one.
    #[must_use]
    pub fn load(page: Loaded, stored: Option<&str>) -> (Self, Option<Task>) {
        let mut intent = Self {
            person: page.person,
            key: page.served,
            settled: Vec::new(),
            attempted: None,
            own: false,
            sent: false,
            unsure: false,
            then: None,
            instead_of: None,
            asked_as: How::Resumed,
            ask: Ask::Recharge,
            quiet: false,
            number: 0,
            retries: 0,
            state: State::Ready,
        };
        let stored = Stored::read(intent.person, stored).filter(|stored| page.done.as_ref() != Some(&stored.key));
        let sent_elsewhere =
            stored.as_ref().is_some_and(|stored| stored.attempted.is_some() && stored.key != intent.key);
        // What certainly did nothing does not stand in the way of what may have been done.
        let open = page.open.filter(|(_, problem)| *problem != Problem::Busy || !sent_elsewhere);
        if let Some((attempted, problem)) = open {
            (intent.attempted, intent.own, intent.unsure) = (Some(attempted), true, true);
            intent.state = State::Open(Some(problem));
        } else if let Some(stored) =
            stored.as_ref().filter(|stored| stored.key != intent.key && stored.attempted.is_none())
        {
            // Another page went on since this one was made, or the plain form has: was the served key used meanwhile?
            intent.settled.push(stored.key.clone());
            let task = intent.ask_quietly();
            return (intent, Some(task));
        } else if let Some(stored) = stored.filter(|stored| stored.attempted.is_some()) {
            (intent.key, intent.attempted, intent.own, intent.unsure) = (stored.key, stored.attempted, true, true);
            let task = intent.request(Ask::Resolve);
            return (intent, Some(task));
        }
        (intent, None)
    }

    /// Where the intent is.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The key that the next request sends.
    #[must_use]
    pub fn key(&self) -> &IdempotencyKey {
        &self.key
    }

    /// What was sent with the key and is not resolved.
    #[must_use]
    pub fn attempted(&self) -> Option<&Attempted> {
        self.attempted.as_ref()
    }

    /// Whether this amount was sent with the key, and is not resolved.
    #[must_use]
    pub fn has_sent(&self, amount: &str) -> bool {
        self.attempted.as_ref().is_some_and(|attempted| attempted.is(amount))
    }

    /// The amount that follows once the old key is void.
    #[must_use]
    pub fn then(&self) -> Option<&str> {
        self.then.as_deref()
    }

    /// What was voided in favour of the amount that is being sent, or was sent last.
    #[must_use]
    pub fn instead_of(&self) -> Option<&Attempted> {
        self.instead_of.as_ref()
    }

    /// Whether a request is on its way.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        matches!(self.state, State::Sending | State::Asking | State::Discarding)
    }

    /// Whether something was sent that is not resolved, so that the person can discard it.
    #[must_use]
    pub fn is_open(&self) -> bool {
        matches!(self.state, State::Waiting(_) | State::Open(_))
    }

    /// Whether this is the request that the page waits for now.
    #[must_use]
    pub fn waits_for(&self, request: &Request) -> bool {
        (self.is_busy() || self.quiet) && request.number == self.number && request.key == self.key
    }

    /// What has to be stored now, if anything has. Where another tab went on to another key, that key stays, and where it
    /// has sent something with the same key, that stays too.
    #[must_use]
    pub fn to_store(&self, stored: Option<&str>) -> Option<Stored> {
        let own = self.stored();
        match Stored::read(self.person, stored) {
            Some(other) if other.key == self.key && other.attempted.is_some() && !own.is_shared() => None,
            Some(other) if other == own => None,
            Some(other) if other.key != self.key && !self.settled.contains(&other.key) => None,
            _ => Some(own),
        }
    }

    /// What a page that has just loaded stores, whatever stands there: an intent that was not resolved was taken up.
    #[must_use]
    pub fn stored(&self) -> Stored {
        Stored::new(self.person, self.key.clone(), self.attempted.clone())
    }

    /// The button was pressed, or the form submitted in any other way. What storage holds is read first. Returns the
    /// request to send, or `None` while one is on its way.
    pub fn press(&mut self, amount: &str, around: &Surroundings<'_>) -> Option<Task> {
        if self.is_busy() {
            return None;
        }
        self.mirror(around.stored);
        self.own = true;
        self.retries = 0;
        (self.then, self.instead_of) = (None, None);
        // Where another tab went on to another key, its key is the one to send: two could not be kept.
        let moved_on = self.others(around.stored).is_some();
        match &mut self.attempted {
            Some(attempted) if moved_on || !attempted.is(amount) => {
                self.then = Some(amount.to_owned());
                return Some(self.request(Ask::Discard));
            }
            // Another page has sent it, and this one does not know with what answer.
            Some(attempted) => attempted.shared |= !self.sent,
            None => self.attempted = Some(Attempted::new(amount, around.now)),
        }
        self.sent = true;
        Some(self.request(Ask::Recharge))
    }

    /// The person gives up what was sent. Returns the request that voids its key.
    pub fn discard(&mut self) -> Option<Task> {
        if !self.is_open() {
            return None;
        }
        (self.then, self.instead_of) = (None, None);
        self.retries = 0;
        Some(self.request(Ask::Discard))
    }

    /// The pause of this number is over: what was not answered is repeated.
    pub fn due(&mut self, number: u32) -> Option<Task> {
        (matches!(self.state, State::Waiting(_)) && number == self.number).then(|| self.request(self.ask))
    }

    /// The number of the pause that is going on.
    #[cfg(test)]
    fn pausing(&self) -> Option<u32> {
        matches!(self.state, State::Waiting(_)).then_some(self.number)
    }

    /// Storage may have been changed by another tab. Where that tab went on to another key, the server is asked what
    /// became of the one that this page holds.
    pub fn noticed(&mut self, around: &Surroundings<'_>) -> Option<Task> {
        if self.is_busy() || matches!(self.state, State::Waiting(_)) {
            return None;
        }
        if self.others(around.stored).is_none() {
            self.mirror(around.stored);
            // Nobody answers any more in the tab that sent it.
            let old = |sent: &Attempted| around.now.saturating_sub(sent.at) > ABANDONED_MS;
            if self.own || !self.attempted.as_ref().is_some_and(old) {
                return None;
            }
            (self.own, self.unsure, self.asked_as) = (true, true, How::Resumed);
            return Some(self.request(Ask::Resolve));
        }
        if !self.own {
            return Some(self.ask_quietly());
        }
        (self.asked_as, self.instead_of) = (How::Elsewhere, None);
        Some(self.request(Ask::Resolve))
    }

    /// Asks what became of a key that this page has not used: only if something did, the page says so.
    fn ask_quietly(&mut self) -> Task {
        let state = std::mem::replace(&mut self.state, State::Ready);
        let task = self.request(Ask::Resolve);
        (self.state, self.quiet, self.asked_as) = (state, true, How::Elsewhere);
        task
    }

    /// What storage holds, if it is of a key that another tab went on to.
    fn others(&self, stored: Option<&str>) -> Option<Stored> {
        let stored = Stored::read(self.person, stored)?;
        (stored.key != self.key && !self.settled.contains(&stored.key)).then_some(stored)
    }

    /// Takes over what storage holds, unless this page itself has something to resolve.
    fn mirror(&mut self, stored: Option<&str>) {
        let stored = Stored::read(self.person, stored).filter(|stored| !self.settled.contains(&stored.key));
        if let Some(stored) = stored.filter(|_| !self.own) {
            (self.key, self.attempted) = (stored.key, stored.attempted);
        }
    }

    /// The next request about the key.
    fn request(&mut self, ask: Ask) -> Task {
        self.ask = ask;
        self.quiet = false;
        self.number += 1;
        self.state = match ask {
            Ask::Recharge => State::Sending,
            Ask::Resolve => State::Asking,
            Ask::Discard => State::Discarding,
        };
        let amount = self.attempted.as_ref().map(|attempted| attempted.amount.clone()).unwrap_or_default();
        Task::Send(Request { ask, key: self.key.clone(), amount, number: self.number })
    }
}
