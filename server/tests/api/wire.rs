//! S7, S9 and S17: a wire that fails between the program and its database server, at exactly the wrong moment.

use std::sync::Arc;
use std::time::Duration;

use reqwest::{Method, Response};
use serde_json::Value;

use crate::app::{On, Person, TestApp, TestDatabase, once};
use crate::engine::on_both_servers;
use crate::proxy::{Fault, Proxy, Where};
use crate::void::voided;
use crate::watch::Watch;

on_both_servers! {
    a_lost_answer_to_commit_is_looked_up;
    a_commit_that_does_not_arrive_is_run_again;
    a_commit_that_arrives_after_it_was_given_up_is_one_credit;
    a_commit_whose_answer_never_comes_is_looked_into;
    the_locks_of_a_writer_that_is_cut_off_are_given_back;
    a_server_that_is_gone_with_its_answer_leaves_the_outcome_unknown;
    answers_to_commit_that_are_always_lost_leave_the_outcome_unknown;
    a_connection_that_ends_at_any_statement_is_replaced;
    a_server_that_is_away_is_503_and_nothing_is_stored;
    a_writer_that_cannot_begin_is_503_and_nothing_is_stored;
    a_server_that_falls_silent_is_503_and_the_key_resolves_it;
    a_server_that_falls_silent_before_the_person_is_found_is_503;
    a_server_that_falls_silent_after_the_recharge_does_not_hide_it;
    a_server_that_falls_silent_keeps_no_page_waiting;
    clients_that_hang_up_leave_no_transaction_open;
    a_void_whose_wire_fails_is_decided_all_the_same;
    a_void_that_arrives_after_it_was_given_up_voids_the_key;
    a_void_that_nobody_can_confirm_is_unknown;
    a_key_that_cannot_be_looked_up_is_busy;
}

/// A server behind a wire with faults, and a person who has recharged once.
struct Wired {
    app: TestApp,
    proxy: Proxy,
    person: Person,
    watch: Watch,
}

impl Wired {
    async fn start(on: On, settings: &[&str]) -> Self {
        let database = Arc::new(TestDatabase::create(on).await);
        let proxy = Proxy::to(on, &database).await;
        let watch = Watch::open(on, &database).await;
        let app = TestApp::start_through(database, &proxy.url, settings).await;
        let person = app.person("wired").await;
        person.recharge("1", "before").await;
        Self { app, proxy, person, watch }
    }

    async fn send(&self, key: &str) -> Response {
        let answer = self.person.sync("50", key).send();
        tokio::time::timeout(Duration::from_secs(30), answer).await.expect("no answer").unwrap()
    }

    /// The number of the one order that stands under the key.
    async fn order(&self, key: &str) -> String {
        let database = self.app.connect().await;
        let sql = database.sql("select order_no from recharge_order where idempotency_key = $1");
        sqlx::query_scalar(sql).bind(key).fetch_one(&database.pool).await.unwrap()
    }

    /// On a sound wire the key gives its one order, everything adds up, and nothing is left open.
    async fn resolve(mut self, key: &str, replayed: bool) {
        self.proxy.mend();
        let answer = self.person.recharge("50", key).await;
        assert_eq!(answer["idempotentHit"], replayed);
        assert_eq!(answer["orderNo"], self.order(key).await.as_str());
        assert_eq!(self.app.facts(&self.person, key).await, once(100 + 5250));
        self.watch.until_no_transaction_is_open().await;
        self.app.assert_verified();
    }
}

/// The kind of a problem that may be tried again.
async fn passing_problem(response: Response) -> Value {
    assert_eq!((response.status().as_u16(), &response.headers()["retry-after"]), (503, &"1".parse().unwrap()));
    response.json::<Value>().await.unwrap()["type"].clone()
}

/// S9 and S17: one order, under the number that its request was given first, which is told as the first, not as a replay.
async fn a_lost_answer_to_commit_is_looked_up(on: On) {
    let wired = Wired::start(on, &[]).await;
    wired.proxy.order(Where::Commit, Fault::LoseAnswer, 1);
    let response = wired.send("k").await;
    assert_eq!((response.status().as_u16(), wired.proxy.happened()), (200, 1));
    let answer: Value = response.json().await.unwrap();
    assert_eq!((&answer["idempotentHit"], &answer["bonusToken"]), (&false.into(), &"5250".into()));
    assert_eq!(answer["orderNo"], wired.order("k").await.as_str());
    wired.resolve("k", true).await;
}

/// For the program this looks the same as the case above; here the recharge has to be run again.
async fn a_commit_that_does_not_arrive_is_run_again(on: On) {
    let wired = Wired::start(on, &[]).await;
    wired.proxy.order(Where::Commit, Fault::CutBefore, 1);
    let response = wired.send("k").await;
    assert_eq!((response.status().as_u16(), wired.proxy.happened()), (200, 1));
    assert_eq!(response.json::<Value>().await.unwrap()["idempotentHit"], false);
    wired.resolve("k", true).await;
}

/// The transaction is still open at the server while the same key comes again: it waits for what becomes of the first.
async fn a_commit_that_arrives_after_it_was_given_up_is_one_credit(on: On) {
    let wired = Wired::start(on, &["--lock-wait-ms", "500"]).await;
    wired.proxy.order(Where::Commit, Fault::StandStill, 1);
    assert_eq!(passing_problem(wired.send("k").await).await, "/problems/outcome-unknown");
    assert_eq!(wired.app.facts(&wired.person, "k").await.orders, 0);
    wired.resolve("k", true).await;
}

/// COMMIT took effect, its connection fell silent, and the time of an attempt is over: the keys are looked up on another
/// connection, and who waits hears of success.
async fn a_commit_whose_answer_never_comes_is_looked_into(on: On) {
    let wired = Wired::start(on, &["--lock-wait-ms", "300"]).await;
    wired.proxy.order(Where::Commit, Fault::KeepAnswer, 1);
    let response = wired.send("k").await;
    assert_eq!(response.status(), 200);
    assert_eq!(response.json::<Value>().await.unwrap()["idempotentHit"], false);
    assert_eq!(wired.proxy.happened(), 1);
    assert_eq!(wired.app.facts(&wired.person, "k").await, once(5350));
    wired.app.assert_verified();
}

/// The database server does not notice that a wire was cut: without a limit the key, and the account, would be locked for
/// as long as the transaction stays open. Another server of the program is told so until then.
async fn the_locks_of_a_writer_that_is_cut_off_are_given_back(on: On) {
    let wired = Wired::start(on, &["--lock-wait-ms", "300"]).await;
    let other = TestApp::start_in(Arc::clone(&wired.app.database), &["--lock-wait-ms", "300"]).await;
    let person = wired.person.at(&other);
    wired.proxy.order(Where::Commit, Fault::StandStill, 1);
    assert_eq!(passing_problem(wired.send("k").await).await, "/problems/outcome-unknown");
    // Until the server ends the transaction that nobody will, whoever comes is told to come again.
    let given_back = async { while person.sync("50", "k").send().await.unwrap().status() == 503 {} };
    tokio::time::timeout(Duration::from_secs(30), given_back).await.expect("the locks are never given back");
    wired.resolve("k", true).await;
}

/// S9: nobody can be asked what became of it, so nobody is told that it failed.
async fn a_server_that_is_gone_with_its_answer_leaves_the_outcome_unknown(on: On) {
    let wired = Wired::start(on, &["--lock-wait-ms", "500"]).await;
    wired.proxy.order(Where::Commit, Fault::LoseAnswerAndServer, 1);
    assert_eq!(passing_problem(wired.send("k").await).await, "/problems/outcome-unknown");
    // Without the database not even the person is known: busy, and still not failed.
    assert_eq!(passing_problem(wired.send("k").await).await, "/problems/busy");
    wired.resolve("k", true).await;
}

/// S9 and S17: however often COMMIT is not confirmed, it is one order.
async fn answers_to_commit_that_are_always_lost_leave_the_outcome_unknown(on: On) {
    let wired = Wired::start(on, &[]).await;
    wired.proxy.order(Where::Commit, Fault::LoseAnswer, u32::MAX);
    assert_eq!(passing_problem(wired.send("k").await).await, "/problems/outcome-unknown");
    assert_eq!(passing_problem(wired.send("k").await).await, "/problems/outcome-unknown");
    assert!(wired.proxy.happened() > 2);
    wired.resolve("k", true).await;
}

/// Before and after every single statement.
async fn a_connection_that_ends_at_any_statement_is_replaced(on: On) {
    let mut wired = Wired::start(on, &[]).await;
    let mut balance = 100;
    for fault in [Fault::CutBefore, Fault::LoseAnswer] {
        for number in 0.. {
            let key = format!("{fault:?}-{number}");
            wired.proxy.order(Where::Nth(number), fault, 1);
            let response = wired.send(&key).await;
            assert_eq!(response.status(), 200, "{key}");
            assert_eq!(response.json::<Value>().await.unwrap()["idempotentHit"], false, "{key}");
            balance += 5250;
            assert_eq!(wired.app.facts(&wired.person, &key).await, once(balance), "{key}");
            if wired.proxy.happened() == 0 {
                assert!(number >= 6, "a recharge has at least as many statements");
                break;
            }
        }
    }
    wired.watch.until_no_transaction_is_open().await;
    wired.app.assert_verified();
}

async fn a_server_that_is_away_is_503_and_nothing_is_stored(on: On) {
    let wired = Wired::start(on, &["--lock-wait-ms", "500"]).await;
    wired.proxy.take_down();
    assert_eq!(passing_problem(wired.send("k").await).await, "/problems/busy");
    assert_eq!(wired.app.facts(&wired.person, "k").await.orders, 0);
    wired.resolve("k", false).await;
}

/// The person is found, and then the writer fails: nothing was stored, and that is certain.
async fn a_writer_that_cannot_begin_is_503_and_nothing_is_stored(on: On) {
    let wired = Wired::start(on, &[]).await;
    wired.proxy.order(Where::Begin, Fault::CutBefore, u32::MAX);
    assert_eq!(passing_problem(wired.send("k").await).await, "/problems/busy");
    assert!(wired.proxy.happened() > 1, "it was tried again");
    assert_eq!(wired.app.facts(&wired.person, "k").await.orders, 0);
    wired.resolve("k", false).await;
}

/// Nothing moves: each request has its answer in time all the same, whether its recharge was taken up, waits behind
/// that, or did not get so far as to wait.
async fn a_server_that_falls_silent_is_503_and_the_key_resolves_it(on: On) {
    let wired = Wired::start(on, &["--wait-ms", "300"]).await;
    wired.proxy.order(Where::Commit, Fault::StandStill, 1);
    let taken_up = wired.send("k");
    let late = async {
        wired.proxy.until_happened().await;
        wired.send("k").await
    };
    let (taken_up, late) = tokio::join!(taken_up, late);
    assert_eq!(passing_problem(taken_up).await, "/problems/outcome-unknown");
    assert_eq!(passing_problem(late).await, "/problems/busy");
    wired.proxy.mend();
    // What was taken up goes on as soon as the wire does; so short a wait may need another attempt.
    while wired.send("k").await.status() == 503 {}
    wired.resolve("k", true).await;
}

/// Not every silence is noticed when a connection is taken from the pool: this one begins after that.
async fn a_server_that_falls_silent_before_the_person_is_found_is_503(on: On) {
    let wired = Wired::start(on, &["--lock-wait-ms", "300"]).await;
    wired.proxy.order(Where::Reading("from sessions as s"), Fault::StandStill, 1);
    assert_eq!(passing_problem(wired.send("k").await).await, "/problems/busy");
    assert_eq!(wired.proxy.happened(), 1);
    wired.resolve("k", false).await;
}

/// B9: the recharge stands, and the page is told so, though the account cannot be read.
async fn a_server_that_falls_silent_after_the_recharge_does_not_hide_it(on: On) {
    let wired = Wired::start(on, &["--lock-wait-ms", "300"]).await;
    wired.proxy.order(Where::Reading("from token_account"), Fault::StandStill, 1);
    let answer = wired.person.page("50", "k").send();
    let response = tokio::time::timeout(Duration::from_secs(30), answer).await.expect("no answer").unwrap();
    assert_eq!((response.status().as_u16(), wired.proxy.happened()), (200, 1));
    let answer: Value = response.json().await.unwrap();
    assert_eq!((&answer["replayed"], &answer["account"]), (&false.into(), &Value::Null));
    wired.resolve("k", true).await;
}

/// Whatever is read: the page, the form's answer, the lists, the account, and whether the server is ready.
async fn a_server_that_falls_silent_keeps_no_page_waiting(on: On) {
    let wired = Wired::start(on, &["--lock-wait-ms", "300"]).await;
    for (path, words) in [
        ("/", "from token_account"),
        ("/", "from bonus_tier"),
        ("/history", "from token_ledger"),
        ("/api/account", "from token_account"),
        ("/readyz", "from bonus_tier"),
    ] {
        wired.proxy.order(Where::Reading(words), Fault::StandStill, 1);
        let answer = tokio::time::timeout(Duration::from_secs(30), wired.person.get(path)).await;
        assert_eq!(answer.expect("no answer").status(), 503, "{path}");
        assert_eq!(wired.proxy.happened(), 1, "{path}");
        wired.proxy.mend();
        assert_eq!(wired.person.get(path).await.status(), 200, "{path}");
    }
}

/// S7: pages, forms and programs that leave at any moment. What the next one does is seen by everybody.
async fn clients_that_hang_up_leave_no_transaction_open(on: On) {
    let mut wired = Wired::start(on, &["--connections", "2"]).await;
    let person = &wired.person;
    let leaving = (0..40_u64).map(|number| {
        let key = format!("left-{number}");
        let request = match number % 3 {
            0 => person.sync("1", &key),
            1 => person.page("1", &key),
            _ => person.form("1", &key),
        };
        tokio::spawn(async move {
            // The moment to leave, from the first byte to well after the answer.
            let _ = tokio::time::timeout(Duration::from_micros(number * 700), request.send()).await;
        })
    });
    for left in futures_util::future::join_all(leaving).await {
        left.unwrap();
    }
    person.recharge("50", "next").await;
    let facts = wired.app.facts(person, "next").await;
    assert_eq!((facts.orders, facts.completed, facts.ledger_rows), (1, 1, 1));
    wired.watch.until_no_transaction_is_open().await;
    for number in 0..40 {
        person.recharge("1", &format!("left-{number}")).await;
    }
    assert_eq!(wired.app.facts(person, "next").await, once(100 + 5250 + 40 * 100));
    wired.watch.until_no_transaction_is_open().await;
    wired.app.assert_verified();
}

/// The statement that voids, and the one that looks what stands under a key.
const VOIDS: Where = Where::Reading("insert into recharge_order");
const LOOKS: Where = Where::Reading("from recharge_order where user_id");

impl Wired {
    async fn about(&self, method: Method, key: &str) -> Response {
        let answer = self.person.key(method, key).send();
        tokio::time::timeout(Duration::from_secs(30), answer).await.expect("no answer").unwrap()
    }

    /// On a sound wire the key is void, or can be voided.
    async fn resolve_void(mut self, key: &str) {
        self.proxy.mend();
        assert_eq!(self.about(Method::DELETE, key).await.status(), 204);
        assert_eq!(self.about(Method::GET, key).await.status(), 410);
        assert_eq!(self.send(key).await.status(), 410);
        assert_eq!(self.app.facts(&self.person, key).await, voided(100));
        self.watch.until_no_transaction_is_open().await;
        self.app.assert_verified();
    }
}

/// The insert does not arrive, or its answer is lost, or never comes; or that of the look that follows.
async fn a_void_whose_wire_fails_is_decided_all_the_same(on: On) {
    let wired = Wired::start(on, &["--lock-wait-ms", "300"]).await;
    for at in [VOIDS, LOOKS] {
        for fault in [Fault::CutBefore, Fault::LoseAnswer, Fault::KeepAnswer] {
            let key = format!("{at:?}-{fault:?}").replace(|letter: char| !letter.is_ascii_alphanumeric(), "-");
            wired.proxy.order(at, fault, 1);
            // Only an answer that never comes may use the time up, when it is that of the last look.
            let status = wired.about(Method::DELETE, &key).await.status().as_u16();
            let unconfirmed = at == LOOKS && fault == Fault::KeepAnswer && status == 503;
            assert!(status == 204 || unconfirmed, "{key}: {status}");
            assert_eq!(wired.proxy.happened(), 1, "{key}");
            assert_eq!(wired.app.facts(&wired.person, &key).await, voided(100), "{key}");
            assert_eq!(wired.about(Method::DELETE, &key).await.status(), 204, "{key}");
        }
    }
    wired.resolve_void("next").await;
}

/// It is still on its way when its request is answered: that the key is free is not said then.
async fn a_void_that_arrives_after_it_was_given_up_voids_the_key(on: On) {
    let wired = Wired::start(on, &["--lock-wait-ms", "300"]).await;
    wired.proxy.order(VOIDS, Fault::StandStill, 1);
    assert_eq!(passing_problem(wired.about(Method::DELETE, "k").await).await, "/problems/outcome-unknown");
    assert_eq!(wired.app.facts(&wired.person, "k").await.orders, 0);
    wired.resolve_void("k").await;
}

/// The row stands, and nobody can be asked.
async fn a_void_that_nobody_can_confirm_is_unknown(on: On) {
    let wired = Wired::start(on, &["--lock-wait-ms", "500"]).await;
    wired.proxy.order(VOIDS, Fault::KeepAnswer, 1);
    let gone = async {
        wired.proxy.until_happened().await;
        while wired.app.facts(&wired.person, "k").await.orders == 0 {}
        wired.proxy.take_down();
    };
    let (answer, ()) = tokio::join!(wired.about(Method::DELETE, "k"), gone);
    assert_eq!(passing_problem(answer).await, "/problems/outcome-unknown");
    assert_eq!(wired.app.facts(&wired.person, "k").await, voided(100));
    wired.resolve_void("k").await;
}

async fn a_key_that_cannot_be_looked_up_is_busy(on: On) {
    let wired = Wired::start(on, &["--lock-wait-ms", "300"]).await;
    wired.proxy.order(LOOKS, Fault::StandStill, 1);
    assert_eq!(passing_problem(wired.about(Method::GET, "before").await).await, "/problems/busy");
    wired.proxy.mend();
    assert_eq!(wired.about(Method::GET, "before").await.status(), 200);
    wired.resolve_void("k").await;
}
