//! S6 and S11 with two servers on one database: several processes are as correct as one.

use std::sync::Arc;

use reqwest::{RequestBuilder, Response};
use serde_json::Value;
use sqlx::Executor;

use crate::app::{On, Person, TestApp, TestDatabase, once};
use crate::engine::{on_both_servers, on_every_engine};
use crate::interleave::recharge_outside;
use crate::same_key::at_once;
use crate::watch::Watch;

on_every_engine! {
    thirty_at_once_with_one_key_are_one_recharge;
    a_hundred_keys_of_one_new_person_are_a_hundred_credits;
}

mod held {
    //! What needs two open transactions, which a SQLite file does not allow.
    use super::thirty_that_wait_for_one_that_rolls_back_are_one_recharge;

    super::on_both_servers! {
        thirty_that_wait_for_one_that_rolls_back_are_one_recharge;
    }
}

/// Two servers on one database.
async fn two_servers(on: On) -> [TestApp; 2] {
    let database = Arc::new(TestDatabase::create(on).await);
    [TestApp::start_in(Arc::clone(&database), &[]).await, TestApp::start_in(database, &[]).await]
}

/// So many requests, to the servers in turn.
fn in_turn(
    servers: &[TestApp; 2],
    person: &Person,
    count: usize,
    key: impl Fn(usize) -> String,
) -> Vec<RequestBuilder> {
    let person = servers.each_ref().map(|server| person.at(server));
    (0..count).map(|number| person[number % 2].sync("50", &key(number))).collect()
}

/// Fails unless all were told of one order, and one of them that it was the first.
async fn assert_one_order(responses: Vec<Response>) {
    let mut first = 0;
    let mut orders = Vec::new();
    for response in responses {
        assert_eq!(response.status(), 200);
        let answer: Value = response.json().await.unwrap();
        first += i32::from(answer["idempotentHit"] == false);
        orders.push(answer["orderNo"].clone());
    }
    orders.dedup();
    assert_eq!((first, orders.len()), (1, 1));
}

/// S6.
async fn thirty_at_once_with_one_key_are_one_recharge(on: On) {
    let servers = two_servers(on).await;
    let person = servers[0].person("s6").await;
    for round in 1..=10 {
        let key = format!("round-{round}");
        assert_one_order(at_once(in_turn(&servers, &person, 30, |_| key.clone())).await).await;
        assert_eq!(servers[0].facts(&person, &key).await, once(5250 * round));
    }
    servers[0].assert_verified();
}

/// S6, where the first of all rolls back: the two servers wait for it, and then meet each other.
pub async fn thirty_that_wait_for_one_that_rolls_back_are_one_recharge(on: On) {
    let servers = two_servers(on).await;
    let mut watch = Watch::open(on, &servers[0].database).await;
    for round in 0..5 {
        let person = servers[0].person(&format!("s6-{round}")).await;
        let mut outside = servers[0].database.connection().await;
        recharge_outside(&mut outside, person.user_id, "k").await;
        let requests = tokio::spawn(at_once(in_turn(&servers, &person, 30, |_| "k".to_owned())));
        watch.until_waiting(2).await;
        outside.execute("rollback").await.unwrap();
        assert_one_order(requests.await.unwrap()).await;
        assert_eq!(servers[0].facts(&person, "k").await, once(5250));
        watch.assert_no_transaction_is_open().await;
    }
    servers[0].assert_verified();
}

/// S11 and S12: a new person, whose account both servers want to make, and then to lock.
async fn a_hundred_keys_of_one_new_person_are_a_hundred_credits(on: On) {
    let servers = two_servers(on).await;
    let person = servers[0].person("s11").await;
    for response in at_once(in_turn(&servers, &person, 100, |number| format!("key-{number}"))).await {
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["idempotent-replayed"], "false");
    }
    assert_eq!(person.balance().await, 100 * 5250);
    servers[0].assert_verified();
}
