use super::*;
use crate::money::Amount;
use crate::view::{OrderView, Resolution};

pub(super) fn key(text: &str) -> IdempotencyKey {
    IdempotencyKey::parse(text).unwrap()
}

pub(super) fn recharged(key: &IdempotencyKey, replayed: bool) -> Recharged {
    let order = OrderView {
        order_no: "1".to_owned(),
        amount: Amount::from_minor(100),
        currency: "USD".parse().unwrap(),
        tokens: 100,
        tier: "Low".to_owned(),
        at: String::new(),
        key: key.clone(),
    };
    Recharged { order, replayed, account: None }
}

fn success() -> Resolution {
    Resolution::Recharged(recharged(&key("a"), false))
}

pub(super) fn around<'a>(stored: Option<&'a str>, next: &str) -> Surroundings<'a> {
    Surroundings { stored, next: key(next), now: 7, chance: 0.0 }
}

pub(super) fn page(person: i64, served: &str) -> Loaded {
    Loaded { person, served: key(served), done: None, open: None }
}

fn fresh() -> Intent {
    Intent::load(page(1, "a"), None).0
}

/// A page that was loaded while this stood in storage.
fn loaded(served: &str, stored: &str) -> Intent {
    Intent::load(page(1, served), Some(stored)).0
}

fn sent(task: Option<Task>) -> Request {
    match task {
        Some(Task::Send(request)) => request,
        other => panic!("{other:?}"),
    }
}

/// A page that has sent 5 under the key `a` and got no answer, to its last retry.
fn unresolved() -> (Intent, Request) {
    let mut intent = fresh();
    let first = sent(intent.press("5", &around(None, "n")));
    let mut task = intent.answered(&first, Err(Problem::OutcomeUnknown), None, &around(None, "n"));
    while let Some(Task::Wait(number, _)) = task {
        let again = sent(intent.due(number));
        assert_eq!((&again.key, again.ask), (&first.key, Ask::Recharge));
        task = intent.answered(&again, Err(Problem::OutcomeUnknown), None, &around(None, "n"));
    }
    assert_eq!(intent.state(), &State::Open(Some(Problem::OutcomeUnknown)));
    (intent, first)
}

#[test]
fn a_second_press_while_in_flight_sends_nothing() {
    let mut intent = fresh();
    assert!(intent.press("5", &around(None, "b")).is_some());
    assert_eq!(intent.press("5", &around(None, "b")), None);
    assert_eq!(intent.press("6", &around(None, "b")), None);
    assert_eq!(intent.discard(), None);
}

#[test]
fn a_reload_takes_up_what_was_sent_and_only_that() {
    let mut intent = fresh();
    let unsent = intent.stored().write();
    assert_eq!(loaded("b", &unsent).key(), &key("b"));
    intent.press("5", &around(None, "n"));
    let stored = intent.stored().write();
    let (again, task) = Intent::load(page(1, "b"), Some(&stored));
    let asked = sent(task);
    assert_eq!((asked.ask, &asked.key, again.has_sent("5.00")), (Ask::Resolve, &key("a"), true));
    assert_eq!(again.attempted().unwrap().at, 7);
    assert_eq!(Intent::load(page(2, "b"), Some(&stored)).0.key(), &key("b"), "another person's");
}

#[test]
fn what_the_server_says_after_a_reload_is_shown() {
    let mut intent = fresh();
    intent.press("5", &around(None, "n"));
    let stored = intent.stored().write();
    let answers = [
        (Ok(success()), State::Succeeded(recharged(&key("a"), false), How::Resumed), "n"),
        (Ok(Resolution::Voided), State::Discarded(Some(Attempted::new("5", 7))), "n"),
        (Ok(Resolution::Unresolved), State::Open(None), "a"),
        (Err(Problem::NotSignedIn), State::Open(Some(Problem::NotSignedIn)), "a"),
        (Err(Problem::OutcomeUnknown), State::Waiting(Problem::OutcomeUnknown), "a"),
    ];
    for (answer, state, next) in answers {
        let (mut again, task) = Intent::load(page(1, "b"), Some(&stored));
        again.answered(&sent(task), answer, None, &around(Some(&stored), "n"));
        assert_eq!((again.state(), again.key()), (&state, &key(next)));
    }
}

#[test]
fn rubbish_in_storage_is_discarded() {
    let long = format!(
        "{{\"v\":2,\"person\":1,\"key\":\"{}\",\"attempted\":{{\"amount\":\"5\",\"at\":1}}}}",
        "k".repeat(2000)
    );
    let rubbish = [
        "",
        "null",
        "[]",
        "{}",
        r#"{"v":1,"person":1,"key":"a","attempted":"5"}"#,
        r#"{"v":3,"person":1,"key":"a","attempted":{"amount":"5","at":1}}"#,
        r#"{"v":2,"person":1,"key":"a b","attempted":{"amount":"5","at":1}}"#,
        r#"{"v":2,"person":1,"key":"","attempted":{"amount":"5","at":1}}"#,
        r#"{"v":2,"person":1,"key":"a","attempted":5}"#,
        r#"{"v":2,"person":1,"key":"a","attempted":{"amount":"5"}}"#,
        r#"{"v":2,"person":1,"key":"a","attempted":{"amount":"call 555","at":1}}"#,
        r#"{"v":2,"person":1,"key":"a","attempted":{"amount":"5","at":1},"tokens":9}"#,
        &long,
    ];
    for text in rubbish {
        let mut intent = loaded("served", text);
        assert_eq!((intent.key(), intent.state()), (&key("served"), &State::Ready), "{text}");
        assert_eq!(sent(intent.press("5", &around(Some(text), "n"))).key, key("served"), "{text}");
    }
}

#[test]
fn an_amount_with_many_zeros_survives_a_reload() {
    let mut intent = fresh();
    let typed = format!("{}5", "0".repeat(3000));
    assert_eq!(sent(intent.press(&typed, &around(None, "n"))).amount, "5.00");
    assert!(loaded("b", &intent.stored().write()).has_sent(&typed));
}

#[test]
fn a_late_success_of_the_same_key_counts_and_its_twin_does_not() {
    let mut intent = fresh();
    let first = sent(intent.press("5", &around(None, "b")));
    intent.answered(&first, Err(Problem::OutcomeUnknown), None, &around(None, "b"));
    let second = sent(intent.press("5", &around(None, "b")));
    assert_eq!(second.key, first.key);
    intent.answered(&first, Err(Problem::Busy), None, &around(None, "b"));
    assert_eq!(intent.state(), &State::Sending, "that was the answer to one that was given up");
    intent.answered(&first, Ok(success()), None, &around(None, "b"));
    assert_eq!(intent.key(), &key("b"));
    intent.answered(&second, Ok(success()), None, &around(None, "c"));
    assert_eq!(intent.key(), &key("b"), "the key of the second is resolved already");
}

#[test]
fn the_server_is_left_alone_as_long_as_it_asks_and_then_the_person_decides() {
    let mut intent = fresh();
    let first = sent(intent.press("5", &around(None, "b")));
    let asked = Duration::from_secs(7);
    let task = intent.answered(&first, Err(Problem::Busy), Some(asked), &around(None, "b"));
    assert_eq!(task, Some(Task::Wait(1, asked)));
    let second = sent(intent.due(1));
    assert_eq!(intent.due(1), None, "its request is on its way");
    let task = intent.answered(&second, Err(Problem::Busy), Some(Duration::from_mins(5)), &around(None, "b"));
    assert_eq!((task, intent.state()), (None, &State::Open(Some(Problem::Busy))));
    assert_eq!(intent.key(), &key("a"));
}

#[test]
fn a_press_during_a_pause_makes_its_end_mean_nothing() {
    let mut intent = fresh();
    let first = sent(intent.press("5", &around(None, "b")));
    intent.answered(&first, Err(Problem::OutcomeUnknown), None, &around(None, "b"));
    let pause = intent.pausing().unwrap();
    let second = sent(intent.press("5", &around(None, "b")));
    assert_eq!(intent.due(pause), None);
    intent.answered(&second, Err(Problem::OutcomeUnknown), None, &around(None, "b"));
    assert_eq!(intent.due(pause), None);
}

#[test]
fn another_amount_waits_until_the_key_of_the_first_is_void() {
    let (mut intent, _) = unresolved();
    let stored = intent.stored().write();
    let void = sent(intent.press("6", &around(Some(&stored), "b")));
    assert_eq!((void.ask, &void.key), (Ask::Discard, &key("a")));
    let second = sent(intent.answered(&void, Ok(Resolution::Voided), None, &around(Some(&stored), "b")));
    assert_eq!((second.ask, &second.key, second.amount.as_str()), (Ask::Recharge, &key("b"), "6"));
}

#[test]
fn another_amount_is_not_sent_when_the_first_went_through() {
    for late in [false, true] {
        let (mut intent, first) = unresolved();
        let void = sent(intent.press("6", &around(None, "b")));
        let answered = if late { &first } else { &void };
        assert_eq!(intent.answered(answered, Ok(success()), None, &around(None, "b")), None);
        assert!(matches!(intent.state(), State::Succeeded(_, How::BeforeOther)));
        assert_eq!((intent.key(), intent.then()), (&key("b"), None));
    }
}

#[test]
fn what_is_discarded_is_void_or_stands() {
    let (mut intent, _) = unresolved();
    let void = sent(intent.discard());
    intent.answered(&void, Ok(Resolution::Voided), None, &around(None, "b"));
    assert_eq!((intent.state(), intent.key()), (&State::Discarded(Some(Attempted::new("5", 7))), &key("b")));
    let (mut intent, _) = unresolved();
    let void = sent(intent.discard());
    intent.answered(&void, Ok(success()), None, &around(None, "b"));
    assert!(matches!(intent.state(), State::Succeeded(_, How::NotDiscarded)));
}

#[test]
fn a_request_that_may_still_arrive_keeps_its_key_through_a_refusal_of_another() {
    let (mut intent, _) = unresolved();
    let again = sent(intent.press("5", &around(None, "b")));
    intent.answered(&again, Err(Problem::NoTier), None, &around(None, "b"));
    assert_eq!((intent.state(), intent.key()), (&State::Open(Some(Problem::NoTier)), &key("a")));
}

#[test]
fn a_refusal_of_all_that_was_sent_ends_the_intent() {
    for before in [Problem::Busy, Problem::NotSignedIn] {
        let mut intent = fresh();
        let first = sent(intent.press("5", &around(None, "b")));
        intent.answered(&first, Err(before), None, &around(None, "b"));
        let second = sent(intent.press("5", &around(None, "b")));
        intent.answered(&second, Err(Problem::NoTier), None, &around(None, "b"));
        assert_eq!((intent.state(), intent.key()), (&State::Refused(Problem::NoTier), &key("b")));
    }
}

#[test]
fn a_key_that_stands_for_another_amount_is_asked_about() {
    let mut intent = fresh();
    let first = sent(intent.press("5", &around(None, "b")));
    let asked = sent(intent.answered(&first, Err(Problem::KeyReused), None, &around(None, "b")));
    assert_eq!((asked.ask, &asked.key), (Ask::Resolve, &key("a")));
    intent.answered(&asked, Ok(success()), None, &around(None, "b"));
    assert!(matches!(intent.state(), State::Succeeded(_, How::BeforeOther)));
}

#[test]
fn a_page_with_the_receipt_of_an_intent_knows_that_it_is_resolved() {
    let mut intent = fresh();
    intent.press("5", &around(None, "n"));
    let stored = intent.stored().write();
    let showing = |done| Intent::load(Loaded { done: Some(key(done)), ..page(1, "b") }, Some(&stored)).0;
    assert_eq!(showing("a").state(), &State::Ready);
    assert_eq!(showing("c").key(), &key("a"));
}

#[test]
fn what_the_plain_form_left_open_is_open() {
    let open = Some((Attempted { amount: "5".to_owned(), at: 7, shared: false }, Problem::OutcomeUnknown));
    let (mut intent, task) = Intent::load(Loaded { open, ..page(1, "a") }, None);
    assert_eq!((task, intent.state()), (None, &State::Open(Some(Problem::OutcomeUnknown))));
    assert_eq!(sent(intent.press("6", &around(None, "b"))).ask, Ask::Discard);
}

#[test]
fn a_tab_that_hears_of_another_key_asks_about_its_own() {
    let stored = |text: &str| Intent::load(page(1, text), None).0.stored().write();
    let mut intent = fresh();
    assert_eq!(intent.noticed(&around(Some(&stored("a")), "n")), None);
    let other = stored("b");
    let asked = sent(intent.noticed(&around(Some(&other), "n")));
    assert_eq!((asked.ask, &asked.key), (Ask::Resolve, &key("a")));
    intent.answered(&asked, Ok(success()), None, &around(Some(&other), "n"));
    assert!(matches!(intent.state(), State::Succeeded(_, How::Elsewhere)));
    assert_eq!(intent.key(), &key("b"), "the key is shared");

    let mut intent = fresh();
    let asked = sent(intent.noticed(&around(Some(&other), "n")));
    intent.answered(&asked, Ok(Resolution::Unresolved), None, &around(Some(&other), "n"));
    assert_eq!((intent.state(), intent.key()), (&State::Ready, &key("b")));
}

#[test]
fn a_tab_reads_storage_before_it_sends() {
    let mut other = Intent::load(page(1, "b"), None).0;
    let mut intent = fresh();
    assert_eq!(sent(intent.press("5", &around(Some(&other.stored().write()), "n"))).key, key("b"));
    other.press("5", &around(None, "n"));
    let mut intent = fresh();
    let asked = sent(intent.press("6", &around(Some(&other.stored().write()), "n")));
    assert_eq!((asked.ask, &asked.key), (Ask::Discard, &key("b")), "the other tab is sending another amount");
}

#[test]
fn the_key_that_another_tab_went_on_to_is_not_overwritten() {
    let (intent, _) = unresolved();
    let other = Intent::load(page(1, "b"), None).0.stored().write();
    assert_eq!(intent.to_store(Some(&other)), None);
    assert_eq!(intent.to_store(Some("rubbish")), Some(intent.stored()));
    assert_eq!(intent.to_store(Some(&intent.stored().write())), None, "it is there already");
}

#[test]
fn after_a_success_the_new_key_is_stored_and_sent() {
    let mut intent = fresh();
    let first = sent(intent.press("5", &around(None, "n")));
    let stored = intent.stored().write();
    intent.answered(&first, Ok(success()), None, &around(Some(&stored), "b"));
    let stored = intent.to_store(Some(&stored)).unwrap().write();
    assert_eq!(sent(intent.press("5", &around(Some(&stored), "n"))).key, key("b"));
}

#[test]
fn a_discard_that_nobody_answers_leaves_the_first_amount_to_decide_about() {
    let (mut intent, first) = unresolved();
    let mut task = intent.press("6", &around(None, "b"));
    while let Some(next) = task {
        task = match next {
            Task::Send(request) => intent.answered(&request, Err(Problem::OutcomeUnknown), None, &around(None, "b")),
            Task::Wait(number, _) => intent.due(number),
        };
    }
    assert_eq!((intent.state(), intent.then()), (&State::Open(Some(Problem::OutcomeUnknown)), None));
    intent.answered(&first, Ok(Resolution::Voided), None, &around(None, "b"));
    assert!(matches!(intent.state(), State::Discarded(_)), "and 6 is not sent by itself any more");
}

#[test]
fn that_nothing_was_paid_is_said_only_where_it_is_known() {
    let mut intent = fresh();
    let first = sent(intent.press("5", &around(None, "b")));
    intent.answered(&first, Err(Problem::Busy), None, &around(None, "b"));
    assert_eq!(intent.state(), &State::Waiting(Problem::Busy));
    let (mut intent, _) = unresolved();
    let again = sent(intent.press("5", &around(None, "b")));
    intent.answered(&again, Err(Problem::Busy), None, &around(None, "b"));
    assert_eq!(intent.state(), &State::Waiting(Problem::OutcomeUnknown), "the first may have gone through");
    let (mut intent, _) = unresolved();
    let void = sent(intent.discard());
    intent.answered(&void, Err(Problem::Busy), None, &around(None, "b"));
    assert_eq!(intent.state(), &State::Waiting(Problem::OutcomeUnknown));
}

#[test]
fn storage_that_takes_nothing_any_more_does_not_bring_a_settled_key_back() {
    let mut intent = fresh();
    intent.press("5", &around(None, "n"));
    let full = intent.stored().write();
    for next in ["b", "c", "d"] {
        let request =
            sent(intent.press("5", &around(Some(&full), "n")).or_else(|| Some(intent.request(Ask::Recharge))));
        intent.answered(&request, Ok(success()), None, &around(Some(&full), next));
        assert_eq!(intent.key(), &key(next));
        assert_eq!(intent.noticed(&around(Some(&full), "n")), None);
    }
}

#[test]
fn an_amount_that_was_taken_back_is_not_paid() {
    for answer in [Err(Problem::KeyVoided), Ok(success())] {
        let (mut intent, _) = unresolved();
        let void = sent(intent.press("6", &around(None, "b")));
        intent.answered(&void, Err(Problem::OutcomeUnknown), None, &around(None, "b"));
        let back = sent(intent.press("5", &around(None, "b")));
        assert_eq!((back.ask, back.amount.as_str()), (Ask::Recharge, "5"));
        assert_eq!(intent.answered(&back, answer, None, &around(None, "b")), None);
        assert!(matches!(intent.state(), State::Discarded(_) | State::Succeeded(_, How::Sent)), "{intent:?}");
    }
}

#[test]
fn a_page_that_comes_to_life_late_asks_whether_its_key_was_used_meanwhile() {
    let other = Intent::load(page(1, "b"), None).0.stored().write();
    let (mut intent, task) = Intent::load(page(1, "a"), Some(&other));
    let asked = sent(task);
    assert_eq!((asked.ask, &asked.key), (Ask::Resolve, &key("a")));
    intent.answered(&asked, Ok(success()), None, &around(Some(&other), "c"));
    assert!(matches!(intent.state(), State::Succeeded(_, How::Elsewhere)));
    assert_eq!(intent.to_store(Some(&other)).unwrap().key, key("c"), "the other key may be used just as well");
}

#[test]
fn what_a_tab_left_that_is_gone_is_asked_about() {
    let mut gone = fresh();
    gone.press("5", &around(None, "n"));
    let stored = gone.stored().write();
    let mut intent = fresh();
    let later = |now| Surroundings { now, ..around(Some(&stored), "n") };
    assert_eq!(intent.noticed(&later(7)), None, "it may still be at work");
    let asked = sent(intent.noticed(&later(7 + ABANDONED_MS + 1)));
    assert_eq!((asked.ask, &asked.key), (Ask::Resolve, &key("a")));
    intent.answered(&asked, Ok(Resolution::Unresolved), None, &later(100_000));
    assert_eq!(intent.state(), &State::Open(None));
}

#[test]
fn a_form_that_certainly_did_nothing_does_not_hide_what_another_page_sent() {
    let mut other = Intent::load(page(1, "b"), None).0;
    other.press("7", &around(None, "n"));
    let stored = other.stored().write();
    let sent_by_form = |problem| Some((Attempted::new("9", 7), problem));
    let loaded = |problem| Intent::load(Loaded { open: sent_by_form(problem), ..page(1, "a") }, Some(&stored)).0;
    assert_eq!(loaded(Problem::Busy).key(), &key("b"));
    assert_eq!(loaded(Problem::OutcomeUnknown).key(), &key("a"));
}

#[test]
fn a_question_without_an_answer_to_tell_leaves_what_is_said() {
    let mut intent = fresh();
    let first = sent(intent.press("5", &around(None, "n")));
    intent.answered(&first, Ok(success()), None, &around(None, "b"));
    let said = intent.state().clone();
    let other = Intent::load(page(1, "c"), None).0.stored().write();
    let asked = sent(intent.noticed(&around(Some(&other), "n")));
    assert_eq!((asked.ask, &asked.key, intent.state()), (Ask::Resolve, &key("b"), &said));
    intent.answered(&asked, Ok(Resolution::Unresolved), None, &around(Some(&other), "n"));
    assert_eq!((intent.state(), intent.key()), (&said, &key("c")));
}
