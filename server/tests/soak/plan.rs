//! What is asked: a seeded mix of everything that people, browsers, proxies and programs send.

use std::sync::{Mutex, PoisonError};

use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};
use uuid::Builder;

use crate::history::{Act, Dress, Request};
use crate::people::Person;

/// Amounts in cents at the borders of limits and tiers.
const BORDERS: [i64; 10] = [100, 101, 4_999, 5_000, 19_999, 20_000, 99_999, 100_000, 4_999_999, 5_000_000];
const BAD_AMOUNTS: [&str; 14] =
    ["", "0", "0.99", "50000.01", "-1", "+5", "1e3", "1.001", "5.", ".5", "1,5", " 5", "5 ", "٥"];
const DISGUISES: [Dress; 3] = [Dress::Unsigned, Dress::OfAnother, Dress::Foreign];
/// Those in which a key can be voided: an address names nobody.
const STRANGERS: [Dress; 2] = [Dress::Unsigned, Dress::Foreign];
/// Retries mostly concern something recent.
const RECENT: usize = 24;

/// One decision to recharge.
#[derive(Debug, Clone)]
struct Intent {
    person: i64,
    key: String,
    minor: i64,
}

/// The intents so far, of all who ask.
#[derive(Debug)]
pub struct Plan<'a> {
    people: &'a [Person],
    known: Mutex<Vec<Intent>>,
}

impl<'a> Plan<'a> {
    pub fn new(people: &'a [Person]) -> Self {
        Self { people, known: Mutex::default() }
    }

    /// Requests that are to be sent at the same moment.
    pub fn next(&self, rng: &mut SmallRng) -> Vec<Request> {
        match rng.random_range(0..100) {
            0..28 => vec![self.fresh(rng).request(rng)],
            28..50 => self.twins(rng),
            50..70 => vec![self.earlier(rng).request(rng)],
            70..78 => vec![Intent { minor: minor(rng), ..self.earlier(rng) }.request(rng)],
            78..84 => vec![self.remember(Intent { person: self.anybody(rng), ..self.earlier(rng) }).request(rng)],
            84..86 => vec![self.other_case(rng).request(rng)],
            86..90 => vec![self.void(rng)],
            _ => vec![malformed(self.fresh(rng).request(rng), rng)],
        }
    }

    /// One intent, several times; now and then one of them with another amount.
    fn twins(&self, rng: &mut SmallRng) -> Vec<Request> {
        let intent = if rng.random_bool(0.8) { self.fresh(rng) } else { self.earlier(rng) };
        let mut twins: Vec<_> = (0..rng.random_range(2..6)).map(|_| intent.request(rng)).collect();
        if rng.random_bool(0.2) {
            twins.push(Intent { minor: minor(rng), ..intent.clone() }.request(rng));
        }
        if rng.random_bool(0.2) {
            let place = rng.random_range(0..=twins.len());
            twins.insert(place, intent.void());
        }
        twins
    }

    /// Something recent is discarded, or something that nobody has asked for yet, or by somebody who may not.
    fn void(&self, rng: &mut SmallRng) -> Request {
        let intent = if rng.random_bool(0.7) { self.earlier(rng) } else { self.fresh(rng) };
        let dress = if rng.random_bool(0.9) { Dress::Own } else { *STRANGERS.choose(rng).unwrap_or(&Dress::Foreign) };
        Request { dress, ..intent.void() }
    }

    /// The same key in capitals: another key.
    fn other_case(&self, rng: &mut SmallRng) -> Intent {
        let earlier = self.earlier(rng);
        self.remember(Intent { key: earlier.key.to_ascii_uppercase(), ..earlier })
    }

    fn fresh(&self, rng: &mut SmallRng) -> Intent {
        self.remember(Intent { person: self.anybody(rng), key: key(rng), minor: minor(rng) })
    }

    fn earlier(&self, rng: &mut SmallRng) -> Intent {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let from = if rng.random_bool(0.8) { known.len().saturating_sub(RECENT) } else { 0 };
        let intent = known[from..].choose(rng).cloned();
        drop(known);
        intent.unwrap_or_else(|| self.fresh(rng))
    }

    /// Notes an intent before it is sent, so that others may ask for it while it is under way.
    fn remember(&self, intent: Intent) -> Intent {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).push(intent.clone());
        intent
    }

    /// Mostly one of a few, who therefore do several things at once.
    fn anybody(&self, rng: &mut SmallRng) -> i64 {
        let crowd = if rng.random_bool(0.5) { self.people.len() } else { 4 };
        self.people[rng.random_range(0..crowd)].id
    }
}

impl Intent {
    fn request(&self, rng: &mut SmallRng) -> Request {
        let amount = Some(spelled(self.minor, rng));
        Request { act: Act::Recharge, person: self.person, key: Some(self.key.clone()), amount, dress: Dress::Own }
    }

    fn void(&self) -> Request {
        let key = Some(self.key.clone());
        Request { act: Act::Void, person: self.person, key, amount: None, dress: Dress::Own }
    }
}

/// An amount in one of its spellings.
fn spelled(minor: i64, rng: &mut SmallRng) -> String {
    let (units, cents) = (minor / 100, minor % 100);
    match rng.random_range(0..3) {
        0 if cents == 0 => units.to_string(),
        1 if cents % 10 == 0 => format!("{units}.{}", cents / 10),
        _ => format!("{units}.{cents:02}"),
    }
}

fn minor(rng: &mut SmallRng) -> i64 {
    if rng.random_bool(0.3) { *BORDERS.choose(rng).unwrap_or(&100) } else { rng.random_range(100..=5_000_000) }
}

/// A key as the page makes it, or any text that the grammar allows; but not one or two dots, which the client takes for a
/// way through folders, however they are encoded.
fn key(rng: &mut SmallRng) -> String {
    if rng.random_bool(0.7) {
        return Builder::from_random_bytes(rng.random()).into_uuid().to_string();
    }
    let length = *[1, 2, 8, 40, 255].choose(rng).unwrap_or(&8);
    let key: String = (0..length).map(|_| char::from(rng.random_range(b'!'..=b'~'))).collect();
    if key == "." || key == ".." { key.replace('.', "%2E") } else { key }
}

/// Spoils a request in one way.
fn malformed(mut request: Request, rng: &mut SmallRng) -> Request {
    match rng.next_u32() % 8 {
        0..=1 => request.amount = BAD_AMOUNTS.choose(rng).map(|&amount| amount.to_owned()),
        2 => request.amount = None,
        3 => request.key = None,
        4 => request.key = ["", " ", "a b", "a\u{e9}", "a\0", "a\n"].choose(rng).map(|&key| key.to_owned()),
        5 => request.key = Some("k".repeat(256)),
        _ => request.dress = *DISGUISES.choose(rng).unwrap_or(&Dress::Unsigned),
    }
    request
}
