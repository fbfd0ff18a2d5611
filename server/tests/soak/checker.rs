//! The judge. It shares no code with the program: it knows the history, the tables, and the rules in its own words and
//! its own arithmetic.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::history::{Act, Answer, Dress, Exchange, Request};
use crate::tables::{Order, Tables};

/// The tiers that the migrations seed: name, smallest amount in cents, tokens per unit.
const TIERS: [(&str, i64, i64); 4] =
    [("Low", 100, 100), ("Mid", 5_000, 105), ("High", 20_000, 110), ("Super", 100_000, 120)];
/// The status of a row that only keeps its key from being used.
const VOIDED: i64 = 3;
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
    /// A key was said to be void, and no voided row stands under it.
    LostVoid,
    /// A key was said to be used, and no order stands under it.
    NothingUsed,
    /// A voided row that nobody asked for, or that has an amount, tokens or a tier.
    WrongVoid,
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
    voided: HashMap<Name<'a>, Vec<&'a Order>>,
    breaches: Vec<Breach>,
}

/// All broken rules.
pub fn check(history: &[Exchange], tables: &Tables) -> Vec<Breach> {
    let (asked, orders, voided) = (BTreeMap::new(), HashMap::new(), HashMap::new());
    let mut judge = Judge { tables, history, asked, orders, voided, breaches: Vec::new() };
    for exchange in history {
        if let Some(key) = &exchange.request.key {
            judge.asked.entry((exchange.request.person, key)).or_default().push(exchange);
        }
    }
    for order in &tables.orders {
        let rows = if order.status == VOIDED { &mut judge.voided } else { &mut judge.orders };
        rows.entry((order.person, &order.key)).or_default().push(order);
    }
    judge.answers();
    judge.keys();
    judge.orders();
    judge.voids();
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
    let right = request.act == Act::Recharge && has_key(request) && request.dress == Dress::Own;
    minor(request.amount.as_ref()?).filter(|minor| right && *minor > 0)
}

/// Whether a request may void its key.
fn may_void(request: &Request) -> bool {
    request.act == Act::Void && has_key(request) && request.dress == Dress::Own
}

fn has_key(request: &Request) -> bool {
    let right = |key: &String| (1..=255).contains(&key.len()) && key.bytes().all(|byte| (0x21..=0x7e).contains(&byte));
    request.key.as_ref().is_some_and(right)
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

/// Whether the rules allow this answer at all. Where something stands under the key, an amount outside the limits is looked
/// into as well.
fn may_be_answered(request: &Request, answer: &Answer, stands: bool) -> bool {
    let intent = intended(request).is_some();
    if request.act == Act::Void {
        return match answer {
            Answer::Nothing => true,
            Answer::Voided => may_void(request),
            Answer::Problem { status, name } => match (status, name.as_str()) {
                (503, "busy") => true,
                (503, "outcome-unknown") | (409, "key-used") => may_void(request),
                (401, "not-signed-in") => request.dress == Dress::Unsigned,
                (403, "foreign-origin") => request.dress == Dress::Foreign,
                _ => false,
            },
            Answer::Success { .. } | Answer::Strange(_) => false,
        };
    }
    match answer {
        Answer::Nothing => true,
        Answer::Success { .. } => intent,
        Answer::Problem { status, name } => match (status, name.as_str()) {
            (503, "busy") => true,
            (422, "key-reused") | (410, "key-voided") => well_formed(request).is_some(),
            (503, "outcome-unknown") | (409, "twin-running") => intent || (stands && well_formed(request).is_some()),
            (401, "not-signed-in") => request.dress == Dress::Unsigned,
            (403, "not-yours") => request.dress == Dress::OfAnother,
            (403, "foreign-origin") => request.dress == Dress::Foreign,
            (400, _) => request.dress == Dress::Own && !intent,
            _ => false,
        },
        Answer::Voided | Answer::Strange(_) => false,
    }
}

/// Whether an answer says that the key is void.
fn says_void(answer: &Answer) -> bool {
    match answer {
        Answer::Voided => true,
        Answer::Problem { name, .. } => name == "key-voided",
        _ => false,
    }
}

/// Whether a request that was answered so may have made the order.
fn may_have_made_it(answer: &Answer) -> bool {
    match answer {
        Answer::Nothing | Answer::Strange(_) => true,
        Answer::Success { replayed, .. } => !replayed,
        Answer::Voided => false,
        Answer::Problem { name, .. } => name == "outcome-unknown" || name == "internal",
    }
}

fn name(exchange: &Exchange) -> Option<Name<'_>> {
    exchange.request.key.as_deref().map(|key| (exchange.request.person, key))
}

impl<'a> Judge<'a> {
    fn found(&mut self, rule: Rule, person: i64, key: &str, detail: impl std::fmt::Debug) {
        self.breaches.push(Breach { rule, person, key: key.to_owned(), detail: format!("{detail:?}") });
    }

    /// The rows that are orders.
    fn made(&self) -> impl Iterator<Item = &'a Order> + use<'a> {
        self.tables.orders.iter().filter(|order| order.status != VOIDED)
    }

    fn standing(&self, exchange: &'a Exchange) -> &[&'a Order] {
        name(exchange).and_then(|name| self.orders.get(&name)).map_or(&[], Vec::as_slice)
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
        let wanted = intended(&exchange.request);
        let standing = self.standing(exchange);
        let voided = name(exchange).is_some_and(|name| self.voided.contains_key(&name));
        if !may_be_answered(&exchange.request, &exchange.answer, voided || !standing.is_empty()) {
            broken.push(Rule::UnexpectedAnswer);
        }
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
            Answer::Problem { name, .. } if name == "key-used" && standing.is_empty() => broken.push(Rule::NothingUsed),
            answer if says_void(answer) && !voided => broken.push(Rule::LostVoid),
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
        for order in self.made() {
            for rule in self.broken_of(order) {
                self.found(rule, order.person, &order.key, order);
            }
            let rows = rows.get(order.number.as_str()).map_or(&[][..], Vec::as_slice);
            if rows != [(order.person, order.tokens.unwrap_or_default(), "RECHARGE_BONUS")] {
                self.found(Rule::WrongLedgerRows, order.person, &order.key, (order, rows));
            }
        }
        let mut rows: BTreeMap<Name<'_>, usize> = BTreeMap::new();
        for order in &self.tables.orders {
            *rows.entry((order.person, &order.key)).or_default() += 1;
        }
        let twice: Vec<_> = rows.into_iter().filter(|(_, rows)| *rows > 1).map(|(name, _)| name).collect();
        for (person, key) in twice {
            self.found(Rule::TwoOrders, person, key, ());
        }
    }

    /// Each voided row by itself, and against its requests.
    fn voids(&mut self) {
        let voided: Vec<_> = self.tables.orders.iter().filter(|order| order.status == VOIDED).collect();
        for row in voided {
            let asked = self.asked.get(&(row.person, row.key.as_str())).map_or(&[][..], Vec::as_slice);
            // "Busy" promises that nothing was written.
            let made = |answer: &Answer| match answer {
                Answer::Problem { name, .. } => name == "outcome-unknown",
                _ => true,
            };
            let made = asked.iter().any(|exchange| may_void(&exchange.request) && made(&exchange.answer));
            if !made || row.minor != 0 || row.tokens.is_some() || !row.tier.is_empty() {
                self.found(Rule::WrongVoid, row.person, &row.key, row);
            }
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
        let orders: BTreeSet<_> = self.made().map(|order| order.number.as_str()).collect();
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
        self.made().for_each(|order| add(order.person, 1, order.tokens.unwrap_or_default()));
        self.tables.ledger.iter().for_each(|row| add(row.person, 2, row.change));
        let buyers: BTreeSet<_> = self.made().map(|order| order.person).collect();
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
