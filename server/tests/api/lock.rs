//! The database in trouble: locked by somebody else, gone, or too slow. Nothing is stored, nothing is burned.

use reqwest::Method;
use serde_json::Value;
use sqlx::Executor;

use crate::app::{On, TestApp, nothing, once};
use crate::interleave::recharge_outside;
use crate::sync::{problem, refused};

/// S5: the write lock held from outside for longer than the server waits for it.
#[tokio::test]
async fn a_lock_that_is_held_too_long_is_503_and_the_key_stays_good() {
    let app = TestApp::start_with(On::Sqlite, &["--lock-wait-ms", "50"]).await;
    let person = app.person("s5").await;
    let mut holder = app.database.connection().await;
    holder.execute("begin immediate").await.unwrap();
    for request in [person.sync("50", "k"), person.page("50", "k"), person.form("50", "k")] {
        let response = request.send().await.unwrap();
        assert_eq!((response.status().as_u16(), &response.headers()["retry-after"]), (503, &"1".parse().unwrap()));
    }
    let problem: Value = person.sync("50", "k").send().await.unwrap().json().await.unwrap();
    assert_eq!(problem["type"], "/problems/busy");
    assert_eq!(app.facts(&person, "k").await, nothing());
    holder.execute("rollback").await.unwrap();
    assert_eq!(person.recharge("50", "k").await["idempotentHit"], false);
    assert_eq!(app.facts(&person, "k").await, once(5250));
}

/// A lock that is given back in time is waited for.
#[tokio::test]
async fn a_lock_that_is_given_back_is_waited_for() {
    let app = TestApp::start_with(On::Sqlite, &["--queue", "1"]).await;
    let person = app.person("s5").await;
    let mut holder = app.database.connection().await;
    holder.execute("begin immediate").await.unwrap();
    let first = tokio::spawn(person.sync("50", "k").send());
    let mut second = tokio::spawn(person.sync("50", "k").send());
    // The queue is full as soon as the writer waits for the lock with one of them, and the other waits for the writer.
    while person.get("/readyz").await.status() != 503 {
        if second.is_finished() {
            second = tokio::spawn(person.sync("50", "k").send());
        }
    }
    holder.execute("rollback").await.unwrap();
    for request in [first, second] {
        assert_eq!(request.await.unwrap().unwrap().status(), 200);
    }
    assert_eq!(app.facts(&person, "k").await, once(5250));
}

/// A void waits in the same way, for as long and no longer, and nothing of it is left behind.
#[tokio::test]
async fn a_void_waits_for_a_lock_and_not_for_ever() {
    let app = TestApp::start_with(On::Sqlite, &["--lock-wait-ms", "50"]).await;
    let person = app.person("void").await;
    let mut holder = app.database.connection().await;
    holder.execute("begin immediate").await.unwrap();
    let response = person.key(Method::DELETE, "k").send().await.unwrap();
    assert!(response.headers().contains_key("retry-after"));
    assert_eq!(problem(response).await, refused(503, "busy"));
    holder.execute("rollback").await.unwrap();
    assert_eq!(app.facts(&person, "k").await, nothing());
    assert_eq!(person.recharge("50", "k").await["idempotentHit"], false);

    let app = TestApp::start(On::Sqlite).await;
    let person = app.person("void").await;
    let mut holder = app.database.connection().await;
    recharge_outside(&mut holder, person.user_id, "k").await;
    let void = tokio::spawn(person.key(Method::DELETE, "k").send());
    for _ in 0..20 {
        assert_eq!(problem(person.key(Method::GET, "k").send().await.unwrap()).await, refused(404, "key-unused"));
    }
    assert!(!void.is_finished(), "the lock was waited for");
    holder.execute("commit").await.unwrap();
    assert_eq!(problem(void.await.unwrap().unwrap()).await, refused(409, "key-used"));
    assert_eq!(app.facts(&person, "k").await, once(5250));
    app.assert_verified();
}

/// A request that nobody takes up in time can say for certain that nothing was stored; one that was taken up cannot.
#[tokio::test]
async fn a_full_queue_and_a_slow_writer_are_told_apart() {
    let app = TestApp::start_with(On::Sqlite, &["--wait-ms", "300", "--queue", "2"]).await;
    let person = app.person("slow").await;
    let mut holder = app.database.connection().await;
    holder.execute("begin immediate").await.unwrap();

    let taken: Value = person.sync("50", "taken").send().await.unwrap().json().await.unwrap();
    assert_eq!(taken["type"], "/problems/outcome-unknown");
    let kinds = (0..5).map(|key| {
        let request = person.sync("50", &format!("waiting-{key}"));
        async { request.send().await.unwrap().json::<Value>().await.unwrap()["type"].clone() }
    });
    for kind in futures_util::future::join_all(kinds).await {
        assert_eq!(kind, "/problems/busy");
    }
    holder.execute("rollback").await.unwrap();

    assert_eq!(app.facts(&person, "waiting-0").await.orders, 0);
    // So short a wait may need another attempt until the writer has the lock; that is what 503 asks for.
    for key in ["taken", "waiting-0", "waiting-1", "waiting-2", "waiting-3", "waiting-4"] {
        while person.sync("50", key).send().await.unwrap().status() == 503 {}
        assert_eq!(app.facts(&person, key).await.orders, 1);
    }
    assert_eq!(person.balance().await, 6 * 5250);
    app.assert_verified();
}

/// A request that gives up while another one with its key is being run says so, and not that nothing was paid.
#[tokio::test]
async fn a_twin_that_is_still_running_is_409() {
    let app = TestApp::start_with(On::Sqlite, &["--wait-ms", "300"]).await;
    let person = app.person("twin").await;
    let mut holder = app.database.connection().await;
    holder.execute("begin immediate").await.unwrap();
    let kind = |response: reqwest::Response| async {
        let retry = response.headers().get("retry-after").is_some();
        (response.status().as_u16(), retry, response.json::<Value>().await.unwrap()["type"].clone())
    };
    let first = kind(person.sync("50", "k").send().await.unwrap()).await;
    assert_eq!(first, (503, true, "/problems/outcome-unknown".into()));
    let twin = kind(person.sync("50", "k").send().await.unwrap()).await;
    assert_eq!(twin, (409, true, "/problems/twin-running".into()));
    holder.execute("rollback").await.unwrap();
    while person.sync("50", "k").send().await.unwrap().status() != 200 {}
    assert_eq!(app.facts(&person, "k").await, once(5250));
}

/// People who sign in while the database is locked keep nobody from reading.
#[tokio::test]
async fn signing_in_behind_a_lock_keeps_no_page_from_being_read() {
    let app = TestApp::start(On::Sqlite).await;
    let person = app.person("reader").await;
    let mut holder = app.database.connection().await;
    holder.execute("begin immediate").await.unwrap();
    let waiting: Vec<_> = (0..6)
        .map(|_| {
            let form = [("email", person.email.clone()), ("password", "correct horse".to_owned())];
            tokio::spawn(crate::app::browser().post(format!("{}/sign-in", app.url)).form(&form).send())
        })
        .collect();
    for _ in 0..20 {
        assert_eq!(person.get("/").await.status(), 200);
    }
    assert!(waiting.iter().any(|request| !request.is_finished()), "the lock was waited for");
    holder.execute("rollback").await.unwrap();
    for request in waiting {
        assert_eq!(request.await.unwrap().unwrap().status(), 303);
    }
}

/// S17 and S9 in the small: COMMIT fails, so the writer looks again, and answers with one order under one number.
#[tokio::test]
async fn a_commit_that_fails_is_looked_into_and_never_called_failed() {
    let app = TestApp::start(On::Sqlite).await;
    let person = app.person("s9").await;
    person.recharge("1", "first").await;
    let mut connection = app.database.connection().await;
    // A deferred constraint speaks up at COMMIT only: a table that nothing fills refers to each new order.
    connection
        .execute(
            "create table planted (order_no text references planted_target (id) deferrable initially deferred);
             create table planted_target (id text primary key);
             create trigger planted after insert on recharge_order when new.idempotency_key = 'fails'
             begin insert into planted values (new.order_no); end",
        )
        .await
        .unwrap();
    let response = person.sync("50", "fails").send().await.unwrap();
    assert_eq!(response.status(), 503);
    assert_eq!(response.json::<Value>().await.unwrap()["type"], "/problems/outcome-unknown");
    assert_eq!(app.facts(&person, "fails").await.orders, 0);
    connection.execute("drop trigger planted").await.unwrap();
    assert_eq!(person.recharge("50", "fails").await["idempotentHit"], false);
    assert_eq!(app.facts(&person, "fails").await, once(5350));
    app.assert_verified();
}
