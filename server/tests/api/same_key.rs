//! Many requests at once: with one key they are one recharge, with different keys each is one.

use std::sync::Arc;

use futures_util::future::join_all;
use reqwest::StatusCode;
use reqwest::header::HeaderValue;
use serde_json::Value;
use tokio::sync::Barrier;

use crate::app::{On, Person, TestApp, once};
use crate::engine::on_every_engine;

on_every_engine! {
    fifty_at_once_with_one_key_are_one_recharge;
    form_page_and_program_with_one_key_are_one_recharge;
    forty_people_at_once_get_forty_credits;
    a_hundred_keys_of_one_new_person_are_a_hundred_credits;
    one_connection_is_enough;
    a_thousand_times_ten_cents_is_a_hundred_units;
}

/// Sends all the requests at one instant.
pub async fn at_once(requests: Vec<reqwest::RequestBuilder>) -> Vec<reqwest::Response> {
    let barrier = Arc::new(Barrier::new(requests.len()));
    let sent = requests.into_iter().map(|request| {
        let barrier = Arc::clone(&barrier);
        tokio::spawn(async move {
            barrier.wait().await;
            request.send().await.unwrap()
        })
    });
    join_all(sent).await.into_iter().map(Result::unwrap).collect()
}

/// S1, through the JSON API.
async fn fifty_at_once_with_one_key_are_one_recharge(on: On) {
    let app = TestApp::start(on).await;
    let person = app.person("s1").await;
    for round in 1..=20 {
        let key = format!("round-{round}");
        let responses = at_once((0..50).map(|_| person.sync("50", &key)).collect()).await;
        let mut first = 0;
        let mut orders = Vec::new();
        for response in responses {
            assert_eq!(response.status(), 200);
            let replayed = response.headers()["idempotent-replayed"] == "true";
            let answer: Value = response.json().await.unwrap();
            assert_eq!(answer["idempotentHit"], replayed);
            assert_eq!((&answer["status"], &answer["bonusToken"]), (&2.into(), &"5250".into()));
            first += i32::from(!replayed);
            orders.push(answer["orderNo"].clone());
        }
        orders.dedup();
        assert_eq!((first, orders.len()), (1, 1), "round {round}");
        assert_eq!(app.facts(&person, &key).await, once(5250 * round));
    }
    app.assert_verified();
}

/// S1, through the plain form and the page's server function, mixed.
async fn form_page_and_program_with_one_key_are_one_recharge(on: On) {
    let app = TestApp::start(on).await;
    let person = app.person("s1").await;
    let requests = (0..48).map(|number| match number % 3 {
        0 => person.form("50", "mixed"),
        1 => person.page("50.00", "mixed"),
        _ => person.sync("50.0", "mixed"),
    });
    let responses = at_once(requests.collect()).await;
    let receipts: Vec<_> = responses.iter().filter_map(|answer| answer.headers().get("location")).collect();
    assert_eq!(receipts.len(), 16);
    let order = |receipt: &HeaderValue| receipt.to_str().unwrap().split_once('&').unwrap().0.to_owned();
    assert!(receipts.iter().all(|receipt| order(receipt) == order(receipts[0])));
    assert!(responses.iter().all(|answer| matches!(answer.status(), StatusCode::OK | StatusCode::SEE_OTHER)));
    assert_eq!(app.facts(&person, "mixed").await, once(5250));
    app.assert_verified();
}

/// S5: forty people at one instant.
async fn forty_people_at_once_get_forty_credits(on: On) {
    let app = TestApp::start(on).await;
    let people = app.people(40).await;
    let responses = at_once(people.iter().map(|person| person.sync("1", "mine")).collect()).await;
    for (person, response) in people.iter().zip(responses) {
        assert_eq!(
            (response.status(), &response.headers()["idempotent-replayed"]),
            (StatusCode::OK, &"false".parse().unwrap())
        );
        assert_eq!(app.facts(person, "mine").await, once(100));
    }
    app.assert_verified();
}

/// S11, and S12 for a person who has no account row yet.
async fn a_hundred_keys_of_one_new_person_are_a_hundred_credits(on: On) {
    let app = TestApp::start(on).await;
    let person = app.person("s11").await;
    let responses = at_once((0..100).map(|number| person.sync("1.01", &format!("key-{number}"))).collect()).await;
    assert!(responses.iter().all(|response| response.headers()["idempotent-replayed"] == "false"));
    assert_eq!(person.balance().await, 100 * 101);
    app.assert_verified();
}

/// S16: with one connection for everything that is not a recharge, all the same.
async fn one_connection_is_enough(on: On) {
    let app = TestApp::start_with(on, &["--connections", "1"]).await;
    let people = app.people(5).await;
    let requests = people.iter().cycle().take(50).enumerate();
    let requests = requests.map(|(number, person): (_, &Person)| person.page("1", &format!("key-{number}")));
    for response in at_once(requests.collect()).await {
        assert_eq!(response.status(), 200);
    }
    for person in &people {
        assert_eq!(person.balance().await, 1000);
    }
    app.assert_verified();
}

/// S14: a thousand times ten cents is a hundred units; and a tier border is met by the amount, not by the sum.
async fn a_thousand_times_ten_cents_is_a_hundred_units(on: On) {
    let app = TestApp::start_with(on, &["--min-amount", "0.10"]).await;
    let person = app.person("s14").await;
    let database = app.connect().await;
    sqlx::query("update bonus_tier set min_amount_minor = 10 where name = 'Low'")
        .execute(&database.pool)
        .await
        .unwrap();
    for slice in 0..10 {
        let requests = (0..100).map(|number| person.sync("0.10", &format!("key-{slice}-{number}")));
        assert!(at_once(requests.collect()).await.iter().all(|response| response.status() == 200));
    }
    let sum = database.sql("select cast(sum(amount_minor) as bigint) from recharge_order");
    let sum: i64 = sqlx::query_scalar(sum).fetch_one(&database.pool).await.unwrap();
    assert_eq!((sum, person.balance().await), (10_000, 10_000));
    app.assert_verified();
}
