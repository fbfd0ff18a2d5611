//! The history of a run: every request and what became of it. With the tables it is all that the checker knows.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// On whose behalf a request comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dress {
    /// With the person's session.
    Own,
    /// With a session that does not exist.
    Unsigned,
    /// With the person's session, but it names somebody else.
    OfAnother,
    /// With the person's session, but sent by a page of another site.
    Foreign,
}

/// What a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// To recharge.
    Recharge,
    /// To void the key, whatever its amount would be.
    Void,
}

/// A request, with key and amount in the words in which they are sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub act: Act,
    pub person: i64,
    pub key: Option<String>,
    pub amount: Option<String>,
    pub dress: Dress,
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// No whole answer: the server was killed, or the client did not stay for it.
    Nothing,
    /// A success.
    Success { order_no: String, tokens: i64, replayed: bool },
    /// The key is void.
    Voided,
    /// A problem, by the name that its type has.
    Problem { status: u16, name: String },
    /// Something that this program never answers.
    Strange(String),
}

/// A request and its answer, with the time of both since the run began.
#[derive(Clone, PartialEq, Eq)]
pub struct Exchange {
    pub request: Request,
    pub sent: Duration,
    pub answered: Duration,
    pub answer: Answer,
}

/// All exchanges so far.
#[derive(Debug)]
pub struct History {
    began: Instant,
    exchanges: Mutex<Vec<Exchange>>,
}

impl Answer {
    /// Whether it decides the request's intent. Whatever does not leaves the key to be asked about again.
    pub fn is_definite(&self) -> bool {
        match self {
            Self::Nothing => false,
            Self::Problem { status, .. } => *status < 500 && ![401, 409, 429].contains(status),
            Self::Success { .. } | Self::Voided | Self::Strange(_) => true,
        }
    }
}

/// How often each kind of answer came: a run that met only some of them has shown less than it seems.
pub fn tally(exchanges: &[Exchange]) -> BTreeMap<&str, usize> {
    let mut tally = BTreeMap::new();
    for exchange in exchanges {
        let kind = match &exchange.answer {
            Answer::Nothing => "no answer",
            Answer::Success { replayed: false, .. } => "first",
            Answer::Success { replayed: true, .. } => "replay",
            Answer::Voided => "voided",
            Answer::Problem { name, .. } => name,
            Answer::Strange(_) => "strange",
        };
        *tally.entry(kind).or_default() += 1;
    }
    tally
}

impl History {
    pub fn begin() -> Self {
        Self { began: Instant::now(), exchanges: Mutex::default() }
    }

    /// The time since the run began.
    pub fn now(&self) -> Duration {
        self.began.elapsed()
    }

    pub fn add(&self, exchange: Exchange) {
        self.exchanges.lock().unwrap_or_else(PoisonError::into_inner).push(exchange);
    }

    /// A copy of the exchanges so far, in the order in which they ended.
    pub fn exchanges(&self) -> Vec<Exchange> {
        self.exchanges.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl fmt::Debug for Exchange {
    /// One line: a failed run prints many of them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { request, sent, answered, answer } = self;
        let Request { act, person, key, amount, dress } = request;
        write!(f, "{sent:.6?} to {answered:.6?}: {act:?} {dress:?} {person} {key:?} {amount:?} -> {answer:?}")
    }
}
