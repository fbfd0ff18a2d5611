//! The judge is judged: a small history that is right, spoilt in one way at a time.

use std::time::Duration;

use crate::checker::{Rule, check};
use crate::history::{Act, Answer, Dress, Exchange, Request};
use crate::tables::{Account, LedgerRow, Order, Tables};

/// A history and the tables after it.
struct Case {
    history: Vec<Exchange>,
    tables: Tables,
}

fn exchange(at: u64, person: i64, key: &str, amount: &str, answer: Answer) -> Exchange {
    let (key, amount) = (Some(key.to_owned()), Some(amount.to_owned()));
    let request = Request { act: Act::Recharge, person, key, amount, dress: Dress::Own };
    Exchange { request, sent: Duration::from_secs(at), answered: Duration::from_secs(at + 1), answer }
}

fn void(at: u64, person: i64, key: &str, answer: Answer) -> Exchange {
    let request = Request { act: Act::Void, person, key: Some(key.to_owned()), amount: None, dress: Dress::Own };
    Exchange { request, sent: Duration::from_secs(at), answered: Duration::from_secs(at + 1), answer }
}

/// The row of a voided key.
fn voided(number: &str, person: i64, key: &str) -> Order {
    Order { status: 3, tokens: None, ..order(number, person, key, 0, 0, "") }
}

fn success(order_no: &str, tokens: i64, replayed: bool) -> Answer {
    Answer::Success { order_no: order_no.to_owned(), tokens, replayed }
}

fn problem(status: u16, name: &str) -> Answer {
    Answer::Problem { status, name: name.to_owned() }
}

fn order(number: &str, person: i64, key: &str, minor: i64, tokens: i64, tier: &str) -> Order {
    let (number, key, tier) = (number.to_owned(), key.to_owned(), tier.to_owned());
    Order { number, person, key, minor, status: 2, tokens: Some(tokens), tier }
}

fn row(person: i64, order_no: &str, change: i64, after: i64) -> LedgerRow {
    LedgerRow { person, kind: "RECHARGE_BONUS".to_owned(), order_no: order_no.to_owned(), change, after }
}

/// Two people with one key text, a retry, a reuse, a lost answer, refusals and voided keys: all as it should be.
fn right() -> Case {
    Case {
        history: vec![
            exchange(0, 1, "k", "50", success("a", 5_250, false)),
            exchange(2, 1, "k", "50.00", success("a", 5_250, true)),
            exchange(4, 1, "k", "51", problem(422, "key-reused")),
            // No order could have this amount, but it names one.
            exchange(5, 1, "k", "50000.01", problem(422, "key-reused")),
            exchange(4, 2, "k", "1.01", Answer::Nothing),
            exchange(6, 2, "k", "1.01", success("b", 101, true)),
            exchange(8, 1, "late", "1000", problem(503, "busy")),
            exchange(10, 1, "late", "1000", success("c", 120_000, false)),
            exchange(12, 3, "small", "0.99", problem(400, "amount-too-small")),
            exchange(12, 3, "a b", "50", problem(400, "key-malformed")),
            void(14, 1, "k", problem(409, "key-used")),
            void(14, 3, "k", Answer::Voided),
            exchange(16, 3, "k", "50", problem(410, "key-voided")),
            void(18, 3, "lost", Answer::Nothing),
        ],
        tables: Tables {
            orders: vec![
                order("a", 1, "k", 5_000, 5_250, "Mid"),
                order("b", 2, "k", 101, 101, "Low"),
                order("c", 1, "late", 100_000, 120_000, "Super"),
                voided("v", 3, "k"),
                voided("w", 3, "lost"),
            ],
            ledger: vec![row(1, "a", 5_250, 5_250), row(2, "b", 101, 101), row(1, "c", 120_000, 125_250)],
            accounts: vec![Account { person: 1, balance: 125_250 }, Account { person: 2, balance: 101 }],
        },
    }
}

/// What the judge finds after the case was spoilt.
fn found(spoil: impl FnOnce(&mut Case)) -> Vec<Rule> {
    let mut case = right();
    spoil(&mut case);
    check(&case.history, &case.tables).into_iter().map(|breach| breach.rule).collect()
}

#[test]
fn what_is_right_is_found_right() {
    assert_eq!(found(|_| ()), []);
}

#[test]
fn a_double_credit_is_found() {
    // With a row in the ledger, in the balance only, and as a second order under the key.
    let row_and_balance = found(|case| {
        case.tables.ledger.push(row(2, "b", 101, 202));
        case.tables.accounts[1].balance = 202;
    });
    assert_eq!(row_and_balance, [Rule::WrongLedgerRows, Rule::WrongBalance]);
    assert_eq!(found(|case| case.tables.accounts[1].balance = 202), [Rule::WrongBalance]);
    let second_order = found(|case| {
        case.tables.orders.push(order("d", 2, "k", 101, 101, "Low"));
        case.tables.ledger.push(row(2, "d", 101, 202));
        case.tables.accounts[1].balance = 202;
    });
    assert_eq!(second_order, [Rule::TwoOrders]);
}

#[test]
fn a_lost_success_is_found() {
    let gone = found(|case| {
        case.tables.orders.remove(1);
        case.tables.ledger.remove(1);
        case.tables.accounts.remove(1);
    });
    assert_eq!(gone, [Rule::LostSuccess]);
    assert_eq!(found(|case| case.history[1].answer = success("z", 5_250, true)), [Rule::LostSuccess, Rule::TwoNumbers]);
    // A success for another amount than that of the order.
    let other = found(|case| case.history[2].answer = success("a", 5_355, true));
    assert_eq!(other, [Rule::LostSuccess]);
}

#[test]
fn wrong_tokens_are_found() {
    assert_eq!(found(|case| case.history[0].answer = success("a", 5_251, false)), [Rule::WrongTokensTold]);
    let stored = found(|case| {
        case.tables.orders[1].tokens = Some(102);
        case.tables.ledger[1] = row(2, "b", 102, 102);
        case.tables.accounts[1].balance = 102;
    });
    assert_eq!(stored, [Rule::WrongOrder]);
    assert_eq!(found(|case| case.tables.orders[0].tier = "Low".to_owned()), [Rule::WrongOrder]);
    assert_eq!(found(|case| case.tables.orders[0].status = 1), [Rule::WrongOrder]);
}

#[test]
fn an_order_that_nobody_asked_for_is_found() {
    let stray = |case: &mut Case, key: &str, person: i64| {
        case.tables.orders.push(order("d", person, key, 5_000, 5_250, "Mid"));
        case.tables.ledger.push(row(person, "d", 5_250, 5_250));
        case.tables.accounts.push(Account { person, balance: 5_250 });
    };
    assert_eq!(found(|case| stray(case, "never", 4)), [Rule::UnaskedOrder]);
    assert_eq!(found(|case| stray(case, "k", 4)), [Rule::UnaskedOrder]);
    assert_eq!(found(|case| stray(case, "a b", 3)), [Rule::RefusedLeftTrace]);
    assert_eq!(found(|case| stray(case, "small", 3)), [Rule::RefusedLeftTrace]);
}

#[test]
fn a_false_first_is_found() {
    let second = found(|case| case.history[1].answer = success("a", 5_250, false));
    assert_eq!(second, [Rule::TwoFirst, Rule::LateFirst]);
    let late = found(|case| {
        case.history[0].answer = success("a", 5_250, true);
        case.history[1].answer = success("a", 5_250, false);
    });
    assert_eq!(late, [Rule::LateFirst]);
    // "Busy" promises that nothing was stored.
    assert_eq!(found(|case| case.history[7].answer = success("c", 120_000, true)), [Rule::NobodyMadeIt]);
}

#[test]
fn a_false_refusal_is_found() {
    assert_eq!(found(|case| case.history[2].request.amount = Some("50.0".to_owned())), [Rule::NothingReused]);
    assert_eq!(found(|case| case.history[6].answer = problem(500, "internal")), [Rule::UnexpectedAnswer]);
    assert_eq!(found(|case| case.history[6].answer = problem(400, "key-malformed")), [Rule::UnexpectedAnswer]);
    assert_eq!(found(|case| case.history[6].answer = Answer::Strange("200 {}".to_owned())), [Rule::UnexpectedAnswer]);
    let admitted = found(|case| case.history[8].answer = problem(503, "outcome-unknown"));
    assert_eq!(admitted, [Rule::UnexpectedAnswer]);
    // It may be said of a key that has an order.
    assert_eq!(found(|case| case.history[3].answer = problem(503, "outcome-unknown")), []);
}

#[test]
fn an_open_end_is_found() {
    let never_told = found(|case| case.history[7].answer = Answer::Nothing);
    assert_eq!(never_told, [Rule::LeftOpen, Rule::UntoldOrder]);
}

#[test]
fn a_ledger_that_does_not_fit_is_found() {
    assert_eq!(found(|case| case.tables.ledger[2].after += 1), [Rule::BrokenChain]);
    let foreign = found(|case| {
        case.tables.ledger.push(row(2, "z", 7, 108));
        case.tables.accounts[1].balance = 108;
    });
    assert_eq!(foreign, [Rule::ForeignLedgerRow, Rule::WrongBalance]);
    let missing = found(|case| drop(case.tables.ledger.remove(1)));
    assert_eq!(missing, [Rule::WrongLedgerRows, Rule::WrongBalance]);
    let of_another_kind = found(|case| case.tables.ledger[0].kind = "GIFT".to_owned());
    assert_eq!(of_another_kind, [Rule::WrongLedgerRows]);
    assert_eq!(found(|case| case.tables.accounts.push(Account { person: 9, balance: 0 })), [Rule::EmptyAccount]);
}

#[test]
fn a_void_that_does_not_hold_is_found() {
    let gone = found(|case| drop(case.tables.orders.remove(3)));
    assert_eq!(gone, [Rule::LostVoid, Rule::LostVoid]);
    // A void and a recharge that both won: by the answers, by the tables, and by both.
    let recharged = found(|case| case.history[12].answer = success("z", 5_250, false));
    assert_eq!(recharged, [Rule::LostSuccess]);
    let both = found(|case| {
        case.history[12].answer = success("d", 5_250, false);
        case.tables.orders.push(order("d", 3, "k", 5_000, 5_250, "Mid"));
        case.tables.ledger.push(row(3, "d", 5_250, 5_250));
        case.tables.accounts.push(Account { person: 3, balance: 5_250 });
    });
    assert_eq!(both, [Rule::TwoOrders]);
    assert_eq!(found(|case| case.history[10].answer = Answer::Voided), [Rule::LostVoid]);
    assert_eq!(found(|case| case.history[11].answer = problem(409, "key-used")), [Rule::NothingUsed, Rule::WrongVoid]);
    // A voided key with a credit.
    let credited = found(|case| case.tables.ledger.push(row(3, "v", 7, 7)));
    assert_eq!(credited, [Rule::ForeignLedgerRow, Rule::WrongBalance, Rule::EmptyAccount]);
}

#[test]
fn a_void_that_nobody_asked_for_is_found() {
    assert_eq!(found(|case| case.tables.orders.push(voided("x", 4, "k"))), [Rule::WrongVoid]);
    assert_eq!(found(|case| case.tables.orders.push(voided("x", 3, "small"))), [Rule::WrongVoid]);
    assert_eq!(found(|case| case.history[13].answer = problem(503, "busy")), [Rule::WrongVoid]);
    let foreign = found(|case| {
        case.history[13].request.dress = Dress::Foreign;
        case.history[13].answer = problem(403, "foreign-origin");
    });
    assert_eq!(foreign, [Rule::WrongVoid]);
    assert_eq!(found(|case| case.tables.orders[3].minor = 100), [Rule::WrongVoid]);
    assert_eq!(found(|case| case.tables.orders[3].tier = "Low".to_owned()), [Rule::WrongVoid]);
    assert_eq!(
        found(|case| case.history[11].request.dress = Dress::Unsigned),
        [Rule::UnexpectedAnswer, Rule::WrongVoid]
    );
}
