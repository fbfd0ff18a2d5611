//! The judge. It shares no code with the program: it knows the history, the tables, and the rules in its own words and
//! its own arithmetic.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::history::{Answer, Dress, Exchange, Request};
use crate::tables::{Order, Tables};

/// The tiers that the migrations seed: name, smallest amount in cents, tokens per unit.
const TIERS: [(&str, i64, i64); 4] =
    [("Low", 100, 100), ("Mid", 5_000, 105), ("High", 20_000, 110), ("Super", 100_000, 120)];
const LIMITS: std::ops::RangeInclusive<i64> = 100..=5_000_000;

/// A rule that was broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// An answer that this request must not get.
    UnexpectedAnswer,
    /// A success was answered, and its order does not stand under the key.
    LostSuccess,
    /// A success was answered with other tokens than the amount buys.
    WrongTokensTold,
    /// "Other amount" was answered, and the key does not stand with another amount.
    NothingReused,
    /// Two successes of one key have different order numbers.
    TwoNumbers,
    /// Two successes of one key both say that they were the first.
    TwoFirst,
    /// A success says that it was the first, though it was asked for after another was answered.
    LateFirst,
    /// An intent never got a definite answer.
    LeftOpen,
    /// One key has two orders.
    TwoOrders,
    /// Nobody ever asked for this order.
    UnaskedOrder,
    /// All that was ever asked with this key was refused, and it has an order.
    RefusedLeftTrace,
    /// Nobody was ever told of this order.
    UntoldOrder,
    /// Each request for this order was told that it stored nothing, or that another one was first.
    NobodyMadeIt,
    /// The order is not completed, or its tokens or tier are not those of its amount.
    WrongOrder,
    /// The order does not have exactly one ledger row, with its person and its tokens.
    WrongLedgerRows,
    /// A ledger row belongs to no order.
    ForeignLedgerRow,
    /// A balance after a ledger row is not the one before plus the change.
    BrokenChain,
    /// Balance, sum of the orders and sum of the ledger differ.
    WrongBalance,
    /// An account of somebody who has no order.
    EmptyAccount,
}

/// A broken rule, and whom it concerns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breach {
    pub rule: Rule,
    pub person: i64,
    /// Empty where no single key is concerned.
    pub key: String,
    pub detail: String,
}

type Name<'a> = (i64, &'a str);

/// The history and the tables, sorted by person and key.
struct Judge<'a> {
    tables: &'a Tables,
    history: &'a [Exchange],
    asked: BTreeMap<Name<'a>, Vec<&'a Exchange>>,
    orders: HashMap<Name<'a>, Vec<&'a Order>>,
    breaches: Vec<Breach>,
}

/// All broken rules.
pub fn check(history: &[Exchange], tables: &Tables) -> Vec<Breach> {
    let mut judge = Judge { tables, history, asked: BTreeMap::new(), orders: HashMap::new(), breaches: Vec::new() };
    for exchange in history {
        if let Some(key) = &exchange.request.key {
            judge.asked.entry((exchange.request.person, key)).or_default().push(exchange);
        }
    }
    for order in &tables.orders {
        judge.orders.entry((order.person, &order.key)).or_default().push(order);
    }
    judge.answers();
    judge.keys();
    judge.orders();
    judge.ledger();
    judge.balances();
    judge.breaches
}

/// The amount of a request that may become an order, in cents.
pub fn intended(request: &Request) -> Option<i64> {
    well_formed(request).filter(|minor| LIMITS.contains(minor))
}

/// The amount of a request that can be told what became of its key, in cents: outside the limits it can never become an
/// order, but it may name one.
fn well_formed(request: &Request) -> Option<i64> {
    let key = request.key.as_ref()?;
    let right = (1..=255).contains(&key.len()) && key.bytes().all(|byte| (0x21..=0x7e).contains(&byte));
    minor(request.amount.as_ref()?).filter(|minor| right && *minor > 0 && request.dress == Dress::Own)
}

/// Digits, then perhaps a point and one or two digits.
fn minor(amount: &str) -> Option<i64> {
    let (units, cents) = match amount.split_once('.') {
        Some((_, cents)) if cents.is_empty() || cents.len() > 2 => return None,
        Some(parts) => parts,
        None => (amount, ""),
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if units.is_empty() || !digits(units) || !digits(cents) {
        return None;
    }
    format!("{units}{cents:0<2}").parse().ok()
}

/// The tier of an amount and the tokens that it buys.
fn bought(minor: i64) -> Option<(&'static str, i64)> {
    let (name, _, rate) = TIERS.iter().rev().find(|(_, min, _)| *min <= minor)?;
    Some((name, minor * rate / 100))
}

/// Whether the rules allow this answer at all.
fn may_be_answered(request: &Request, answer: &Answer) -> bool {
    let intent = intended(request).is_some();
    match answer {
        Answer::Nothing => true,
        Answer::Success { .. } => intent,
        Answer::Problem { status, name } => match (status, name.as_str()) {
            (503, "busy") => true,
            (422, "key-reused") => well_formed(request).is_some(),
            (503, "outcome-unknown") | (409, _) => intent,
            (401, "not-signed-in") => request.dress == Dress::Unsigned,
            (403, "not-yours") => request.dress == Dress::OfAnother,
            (403, "foreign-origin") => request.dress == Dress::Foreign,
            (400, _) => request.dress == Dress::Own && !intent,
            _ => false,
        },
        Answer::Strange(_) => false,
    }
}

/// Whether a request that was answered so may have made the order.
fn may_have_made_it(answer: &Answer) -> bool {
    match answer {
        Answer::Nothing | Answer::Strange(_) => true,
        Answer::Success { replayed, .. } => !replayed,
        Answer::Problem { name, .. } => name == "outcome-unknown" || name == "internal",
    }
}

impl<'a> Judge<'a> {
    fn found(&mut self, rule: Rule, person: i64, key: &str, detail: impl std::fmt::Debug) {
        self.breaches.push(Breach { rule, person, key: key.to_owned(), detail: format!("{detail:?}") });
    }

    fn standing(&self, exchange: &'a Exchange) -> &[&'a Order] {
        let name = exchange.request.key.as_deref().map(|key| (exchange.request.person, key));
        name.and_then(|name| self.orders.get(&name)).map_or(&[], Vec::as_slice)
    }

    /// Each answer by itself, against the order that stands.
    fn answers(&mut self) {
        for exchange in self.history {
            for rule in self.broken_by(exchange) {
                let key = exchange.request.key.as_deref().unwrap_or_default();
                self.found(rule, exchange.request.person, key, exchange);
            }
        }
    }

    fn broken_by(&self, exchange: &'a Exchange) -> Vec<Rule> {
        let mut broken = Vec::new();
        if !may_be_answered(&exchange.request, &exchange.answer) {
            broken.push(Rule::UnexpectedAnswer);
        }
        let wanted = intended(&exchange.request);
        let standing = self.standing(exchange);
        let other_amount = standing.iter().any(|order| Some(order.minor) != wanted);
        match &exchange.answer {
            Answer::Success { order_no, tokens, .. } => {
                if !standing.iter().any(|order| order.number == *order_no && Some(order.minor) == wanted) {
                    broken.push(Rule::LostSuccess);
                }
                if wanted.and_then(bought).map(|(_, tokens)| tokens) != Some(*tokens) {
                    broken.push(Rule::WrongTokensTold);
                }
            }
            Answer::Problem { name, .. } if name == "key-reused" && !other_amount => broken.push(Rule::NothingReused),
            _ => {}
        }
        broken
    }

    /// All answers of one key together.
    fn keys(&mut self) {
        for ((person, key), exchanges) in self.asked.clone() {
            let successes = exchanges.iter().filter_map(|exchange| match &exchange.answer {
                Answer::Success { order_no, replayed, .. } => Some((*exchange, order_no, *replayed)),
                _ => None,
            });
            let numbers: BTreeSet<_> = successes.clone().map(|(_, order_no, _)| order_no).collect();
            if numbers.len() > 1 {
                self.found(Rule::TwoNumbers, person, key, numbers);
            }
            let first: Vec<_> = successes.clone().filter(|(_, _, replayed)| !replayed).collect();
            if first.len() > 1 {
                self.found(Rule::TwoFirst, person, key, &first);
            }
            for (first, ..) in first {
                if successes.clone().any(|(other, ..)| other.answered < first.sent) {
                    self.found(Rule::LateFirst, person, key, first);
                }
            }
            self.open(person, key, &exchanges);
        }
    }

    /// Every intent must have been asked about until the answer was definite.
    fn open(&mut self, person: i64, key: &str, exchanges: &[&Exchange]) {
        let mut decided: BTreeMap<i64, bool> = BTreeMap::new();
        for exchange in exchanges {
            if let Some(minor) = intended(&exchange.request) {
                *decided.entry(minor).or_default() |= exchange.answer.is_definite();
            }
        }
        for (minor, _) in decided.into_iter().filter(|(_, decided)| !decided) {
            self.found(Rule::LeftOpen, person, key, minor);
        }
    }

    /// Each order against its requests and its ledger rows.
    fn orders(&mut self) {
        let mut rows: HashMap<&str, Vec<_>> = HashMap::new();
        for row in &self.tables.ledger {
            rows.entry(&row.order_no).or_default().push((row.person, row.change, row.kind.as_str()));
        }
        for order in &self.tables.orders {
            for rule in self.broken_of(order) {
                self.found(rule, order.person, &order.key, order);
            }
            let rows = rows.get(order.number.as_str()).map_or(&[][..], Vec::as_slice);
            if rows != [(order.person, order.tokens.unwrap_or_default(), "RECHARGE_BONUS")] {
                self.found(Rule::WrongLedgerRows, order.person, &order.key, (order, rows));
            }
        }
        let twice: Vec<_> = self.orders.iter().filter(|(_, orders)| orders.len() > 1).map(|(name, _)| *name).collect();
        for (person, key) in twice {
            self.found(Rule::TwoOrders, person, key, ());
        }
    }

    fn broken_of(&self, order: &Order) -> Vec<Rule> {
        let mut broken = Vec::new();
        let bought = bought(order.minor).map(|(tier, tokens)| (2, tier, Some(tokens)));
        if bought != Some((order.status, order.tier.as_str(), order.tokens)) {
            broken.push(Rule::WrongOrder);
        }
        let asked = self.asked.get(&(order.person, order.key.as_str())).map_or(&[][..], Vec::as_slice);
        let requests = asked.iter().filter(|exchange| intended(&exchange.request) == Some(order.minor));
        let mut answers = requests.map(|exchange| &exchange.answer).peekable();
        if answers.peek().is_none() {
            let refused = asked.iter().any(|exchange| intended(&exchange.request).is_none());
            broken.push(if refused { Rule::RefusedLeftTrace } else { Rule::UnaskedOrder });
            return broken;
        }
        if !answers.clone().any(|answer| matches!(answer, Answer::Success { .. })) {
            broken.push(Rule::UntoldOrder);
        }
        if !answers.any(may_have_made_it) {
            broken.push(Rule::NobodyMadeIt);
        }
        broken
    }

    /// Each ledger row against the one before and its order.
    fn ledger(&mut self) {
        let orders: BTreeSet<_> = self.tables.orders.iter().map(|order| order.number.as_str()).collect();
        let mut balances: BTreeMap<i64, i64> = BTreeMap::new();
        for row in &self.tables.ledger {
            if !orders.contains(row.order_no.as_str()) {
                self.found(Rule::ForeignLedgerRow, row.person, "", row);
            }
            let before = balances.insert(row.person, row.after).unwrap_or_default();
            if before + row.change != row.after {
                self.found(Rule::BrokenChain, row.person, "", (before, row));
            }
        }
    }

    /// Each balance against both sums.
    fn balances(&mut self) {
        // Balance, sum of the orders, sum of the ledger.
        let mut sums: BTreeMap<i64, [i64; 3]> = BTreeMap::new();
        let mut add = |person, place: usize, tokens| sums.entry(person).or_default()[place] += tokens;
        self.tables.accounts.iter().for_each(|account| add(account.person, 0, account.balance));
        self.tables.orders.iter().for_each(|order| add(order.person, 1, order.tokens.unwrap_or_default()));
        self.tables.ledger.iter().for_each(|row| add(row.person, 2, row.change));
        let buyers: BTreeSet<_> = self.tables.orders.iter().map(|order| order.person).collect();
        for (person, sums) in sums {
            if sums.iter().any(|sum| *sum != sums[0]) {
                self.found(Rule::WrongBalance, person, "", sums);
            }
            if !buyers.contains(&person) {
                self.found(Rule::EmptyAccount, person, "", sums);
            }
        }
    }
}
