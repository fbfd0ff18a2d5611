//! The life of an intent in the browser, as a plain state machine without web types.
//!
//! ```text
//!            press                 success: new key
//!   Ready ─────────▶ InFlight ───────────────────────▶ Succeeded ─┐
//!     ▲                │  ▲ │  definite refusal: new key          │ press
//!     │                │  │ └──────────────────────────▶ Refused ─┤
//!     │                │  └──────────────────────────┐            ▼
//!     │                │ outcome not known: same key │ press   InFlight
//!     │                └───────────────────────▶ Unconfirmed
//!   page load ◀── localStorage (an attempt that was sent comes back as Unconfirmed)
//! ```
//!
//! The key exists before the button can be pressed and is stored before it is sent. It changes only where the arrow
//! says so; everything else keeps it, so that a retry can only ever meet its own order.

use serde::{Deserialize, Serialize};

use crate::key::IdempotencyKey;
use crate::problem::{KeyFate, Problem};
use crate::view::Recharged;

/// What localStorage holds for one person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stored {
    v: u8,
    person: i64,
    key: IdempotencyKey,
    /// The amount that was sent with the key, as it was typed; `None` while nothing was sent.
    attempted: Option<String>,
}

/// The version of [`Stored`] that this program writes. Content of any other version is discarded.
const VERSION: u8 = 1;

/// The longest stored text that is looked at: anything longer was not written by this program.
const MAX_STORED: usize = 1024;

/// Where an intent is in its life.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// Nothing was sent with the key.
    Ready,
    /// A request is on its way.
    InFlight,
    /// Something was sent, and what became of it is not known.
    Unconfirmed(Problem),
    /// The last intent ended in this order; the key is a new one.
    Succeeded(Recharged),
    /// The last intent was refused for good; the key is a new one.
    Refused(Problem),
}

/// A request that the page has to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// The key to send.
    pub key: IdempotencyKey,
    /// The amount to send, as it was typed.
    pub amount: String,
    /// Which of this page's attempts it is: an answer is told apart from that of an attempt that was given up.
    pub number: u32,
}

/// One person's intent in one page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intent {
    person: i64,
    key: IdempotencyKey,
    attempted: Option<String>,
    /// The amount of an attempt under this key whose outcome is not known.
    open: Option<String>,
    attempts: u32,
    state: State,
}

impl Intent {
    /// The intent of a page that has just loaded: the stored one if it was sent and not resolved, else a new one under
    /// the key that the server wrote into the page, which the plain form uses too. `done` is the key of the order whose
    /// receipt the page shows: an intent that ended in it is resolved.
    #[must_use]
    pub fn load(person: i64, served: IdempotencyKey, stored: Option<&str>, done: Option<&IdempotencyKey>) -> Self {
        let state = State::Ready;
        let mut intent = Self { person, key: served, attempted: None, open: None, attempts: 0, state };
        if let Some(stored) = Stored::read(person, stored)
            && stored.attempted.is_some()
            && done != Some(&stored.key)
        {
            intent.adopt(stored);
        }
        intent
    }

    /// Where the intent is.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The key that the next attempt sends.
    #[must_use]
    pub fn key(&self) -> &IdempotencyKey {
        &self.key
    }

    /// The amount that was sent and whose outcome is not known, as it was typed.
    #[must_use]
    pub fn attempted(&self) -> Option<&str> {
        self.attempted.as_deref()
    }

    /// What has to stand in localStorage now.
    #[must_use]
    pub fn stored(&self) -> Stored {
        Stored { v: VERSION, person: self.person, key: self.key.clone(), attempted: self.attempted.clone() }
    }

    /// The button was pressed, or the form submitted in any other way. What storage holds is read first: it is the
    /// truth, and this page only mirrors it. Returns the request to send, or `None` while one is on its way.
    pub fn press(&mut self, amount: &str, stored: Option<&str>) -> Option<Attempt> {
        if self.state == State::InFlight {
            return None;
        }
        if let Some(stored) = Stored::read(self.person, stored) {
            self.key = stored.key;
        }
        self.attempted = Some(amount.to_owned());
        self.attempts += 1;
        self.state = State::InFlight;
        Some(Attempt { key: self.key.clone(), amount: amount.to_owned(), number: self.attempts })
    }

    /// Whether this is the attempt that the page waits for now.
    #[must_use]
    pub fn waits_for(&self, attempt: &Attempt) -> bool {
        self.state == State::InFlight && attempt.number == self.attempts && attempt.key == self.key
    }

    /// An attempt was answered, or given up as [`Problem::OutcomeUnknown`]. A success of the current key counts
    /// whichever attempt brought it; any other answer counts only if it is that of the last attempt. Returns whether
    /// anything changed.
    pub fn answered(&mut self, attempt: &Attempt, answer: Result<Recharged, Problem>, next: IdempotencyKey) -> bool {
        if attempt.key != self.key || !(self.waits_for(attempt) || answer.is_ok()) {
            return false;
        }
        match answer {
            Ok(recharged) => {
                self.replace_key(next);
                self.state = State::Succeeded(recharged);
            }
            // The refusal is that of the last attempt. One before it may still be on its way under the same key, unless
            // the answer is that it has arrived.
            Err(problem) if problem.key_fate() == KeyFate::Replaced => {
                if self.open.is_some() && problem != Problem::KeyReused {
                    self.attempted.clone_from(&self.open);
                } else {
                    self.replace_key(next);
                }
                self.state = State::Refused(problem);
            }
            Err(problem) => {
                self.open.get_or_insert_with(|| attempt.amount.clone());
                self.state = State::Unconfirmed(problem);
            }
        }
        true
    }

    fn adopt(&mut self, stored: Stored) {
        self.key = stored.key;
        self.open.clone_from(&stored.attempted);
        self.attempted = stored.attempted;
        self.state = State::Unconfirmed(Problem::OutcomeUnknown);
    }

    fn replace_key(&mut self, next: IdempotencyKey) {
        self.key = next;
        self.attempted = None;
        self.open = None;
    }
}

impl Stored {
    /// Reads what storage holds. Another person's, another version's or any other content is discarded.
    fn read(person: i64, text: Option<&str>) -> Option<Self> {
        let text = text.filter(|text| text.len() <= MAX_STORED)?;
        let stored: Self = serde_json::from_str(text).ok()?;
        (stored.v == VERSION && stored.person == person).then_some(stored)
    }

    /// The text to store.
    #[must_use]
    pub fn write(&self) -> String {
        // A struct of plain fields always has a JSON form; were it otherwise, an empty text would be discarded on reading.
        serde_json::to_string(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::money::Amount;
    use crate::view::OrderView;

    fn key(text: &str) -> IdempotencyKey {
        IdempotencyKey::parse(text).unwrap()
    }

    fn success() -> Recharged {
        let order = OrderView {
            order_no: "1".to_owned(),
            amount: Amount::from_minor(100),
            currency: "USD".parse().unwrap(),
            tokens: 100,
            tier: "Low".to_owned(),
            at: String::new(),
            key: key("a"),
        };
        Recharged { order, replayed: false, account: None }
    }

    #[test]
    fn a_second_press_while_in_flight_sends_nothing() {
        let mut intent = Intent::load(1, key("a"), None, None);
        assert!(intent.press("5", None).is_some());
        assert_eq!(intent.press("5", None), None);
        assert_eq!(intent.press("6", None), None);
    }

    #[test]
    fn a_reload_takes_up_what_was_sent_and_only_that() {
        let mut intent = Intent::load(1, key("a"), None, None);
        let unsent = intent.stored().write();
        assert_eq!(Intent::load(1, key("b"), Some(&unsent), None).key(), &key("b"));
        intent.press("5", None);
        let sent = intent.stored().write();
        let again = Intent::load(1, key("b"), Some(&sent), None);
        assert_eq!((again.key(), again.attempted()), (&key("a"), Some("5")));
        assert_eq!(again.state(), &State::Unconfirmed(Problem::OutcomeUnknown));
        assert_eq!(Intent::load(2, key("b"), Some(&sent), None).key(), &key("b"), "another person's");
    }

    #[test]
    fn rubbish_in_storage_is_discarded() {
        let long = format!("{{\"v\":1,\"person\":1,\"key\":\"{}\",\"attempted\":\"5\"}}", "k".repeat(2000));
        let rubbish = [
            "",
            "null",
            "[]",
            "{}",
            "{\"v\":2,\"person\":1,\"key\":\"a\",\"attempted\":\"5\"}",
            "{\"v\":1,\"person\":1,\"key\":\"a b\",\"attempted\":\"5\"}",
            "{\"v\":1,\"person\":1,\"key\":\"\",\"attempted\":\"5\"}",
            "{\"v\":1,\"person\":1,\"key\":\"a\",\"attempted\":5}",
            "{\"v\":1,\"person\":1,\"key\":\"a\",\"attempted\":\"5\",\"tokens\":9}",
            &long,
        ];
        for text in rubbish {
            let mut intent = Intent::load(1, key("served"), Some(text), None);
            assert_eq!((intent.key(), intent.state()), (&key("served"), &State::Ready), "{text}");
            assert_eq!(intent.press("5", Some(text)).unwrap().key, key("served"), "{text}");
        }
    }

    #[test]
    fn a_late_success_of_the_same_key_counts_and_its_twin_does_not() {
        let mut intent = Intent::load(1, key("a"), None, None);
        let first = intent.press("5", None).unwrap();
        assert!(intent.answered(&first, Err(Problem::OutcomeUnknown), key("b")));
        let second = intent.press("5", None).unwrap();
        assert_eq!(second.key, first.key);
        assert!(!intent.answered(&first, Err(Problem::Busy), key("b")), "an attempt that was given up");
        assert!(intent.answered(&first, Ok(success()), key("b")));
        assert!(!intent.answered(&second, Ok(success()), key("c")), "its key is resolved already");
        assert_eq!(intent.key(), &key("b"));
    }

    #[test]
    fn an_attempt_that_may_still_arrive_keeps_its_key_through_a_refusal_of_another() {
        let mut intent = Intent::load(1, key("a"), None, None);
        let first = intent.press("5", None).unwrap();
        intent.answered(&first, Err(Problem::OutcomeUnknown), key("b"));
        let second = intent.press("60000", None).unwrap();
        assert!(intent.answered(&second, Err(Problem::AmountTooLarge), key("b")));
        assert_eq!((intent.key(), intent.attempted()), (&key("a"), Some("5")));
        assert_eq!(intent.state(), &State::Refused(Problem::AmountTooLarge));
        let third = intent.press("6", None).unwrap();
        assert!(intent.answered(&third, Err(Problem::KeyReused), key("b")));
        assert_eq!((intent.key(), intent.attempted()), (&key("b"), None));
    }

    #[test]
    fn a_page_with_the_receipt_of_an_intent_knows_that_it_is_resolved() {
        let mut intent = Intent::load(1, key("a"), None, None);
        intent.press("5", None);
        let sent = intent.stored().write();
        assert_eq!(Intent::load(1, key("b"), Some(&sent), Some(&key("a"))).state(), &State::Ready);
        assert_eq!(Intent::load(1, key("b"), Some(&sent), Some(&key("c"))).key(), &key("a"));
    }

    proptest! {
        /// Whatever happens in whatever order, the key changes only with a success or a definite refusal, and what is
        /// stored always holds the key that the next press sends.
        #[test]
        fn the_key_changes_only_where_the_diagram_says(events in proptest::collection::vec(0_usize..=22, 0..40)) {
            let mut intent = Intent::load(1, key("k0"), None, None);
            let mut sent: Vec<Attempt> = Vec::new();
            for (index, event) in events.into_iter().enumerate() {
                let before = intent.key().clone();
                let mut resolved = false;
                if event == 0 {
                    sent.extend(intent.press("5", Some(&intent.stored().write())));
                } else if event == 1 {
                    intent = Intent::load(1, key("served"), Some(&intent.stored().write()), None);
                    resolved = intent.attempted().is_none();
                    sent.clear();
                } else if let Some(attempt) = sent.last().cloned() {
                    let answer = Problem::ALL.get(event - 2).map_or_else(|| Ok(success()), |problem| Err(*problem));
                    let definite = answer.as_ref().map_or_else(|p| p.key_fate() == KeyFate::Replaced, |_| true);
                    resolved = intent.answered(&attempt, answer, key(&format!("k{}", index + 1))) && definite;
                }
                prop_assert!(resolved || intent.key() == &before);
                let reread = Stored::read(1, Some(&intent.stored().write())).unwrap();
                prop_assert_eq!(&reread.key, intent.key());
            }
        }
    }
}
