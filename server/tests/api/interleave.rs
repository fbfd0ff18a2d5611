//! S2, S3 and S4, each made exactly: whoever loses the race for a key sees the winner's order, or wins after all. Both
//! transactions have to be open at once, which a SQLite file does not allow: there the loser waits at BEGIN, as in
//! `lock.rs`.

use app::key::IdempotencyKey;
use app::money::Amount;
use server::chain::Intent;
use server::clock;
use server::database::Engine;
use server::order::Status;
use server::store::{MySql, NewOrder, OrderKey, Postgres, Store};
use server::writer::{Waits, Writer};
use sqlx::{AnyConnection, AssertSqlSafe, Executor};
use std::time::Duration;

use crate::app::{On, TestApp, TestDatabase, assert_verified, once, told};
use crate::engine::on_both_servers;
use crate::slices::{prepare, three_people};
use crate::watch::Watch;

on_both_servers! {
    the_loser_waits_and_gets_the_winners_order;
    the_loser_wins_when_the_winner_rolls_back;
    what_was_committed_after_the_look_up_is_seen;
}

/// Begins a transaction outside of the program and does in it what the chain does for a new person: 50.00, 5250 tokens.
/// Returns the number of its order.
pub async fn recharge_outside(connection: &mut AnyConnection, user_id: i64, key: &str) -> String {
    let order = clock::order_no().to_string();
    let now = clock::now();
    for sql in [
        "begin".to_owned(),
        format!(
            "insert into recharge_order (order_no, user_id, idempotency_key, amount_minor, currency, status, bonus_tokens,
                                         tier, created_at, updated_at)
             values ('{order}', {user_id}, '{key}', 5000, 'USD', 2, 5250, 'Mid', {now}, {now})"
        ),
        format!(
            "insert into token_account (user_id, balance, version, created_at, updated_at)
             values ({user_id}, 5250, 1, {now}, {now})"
        ),
        format!(
            "insert into token_ledger (user_id, change_type, biz_id, change_amount, balance_after, created_at)
             values ({user_id}, 'RECHARGE_BONUS', '{order}', 5250, 5250, {now})"
        ),
    ] {
        connection.execute(sqlx::raw_sql(AssertSqlSafe(sql))).await.unwrap();
    }
    order
}

/// S4; and S3: the loser's connection is good for the next, and was not replaced.
async fn the_loser_waits_and_gets_the_winners_order(on: On) {
    let app = TestApp::start(on).await;
    let mut watch = Watch::open(on, &app.database).await;
    let mut outside = app.database.connection().await;
    let person = app.person("s4").await;

    let order = recharge_outside(&mut outside, person.user_id, "k").await;
    let request = tokio::spawn(person.sync("50", "k").send());
    let loser = watch.until_waiting(1).await;
    assert!(!request.is_finished());
    outside.execute("commit").await.unwrap();
    let response = request.await.unwrap().unwrap();
    assert_eq!(told(&response), (200, "true"));
    assert_eq!(response.json::<serde_json::Value>().await.unwrap()["orderNo"], order.as_str());
    assert_eq!(app.facts(&person, "k").await, once(5250));
    watch.assert_no_transaction_is_open().await;

    assert_eq!(person.recharge("50", "next").await["idempotentHit"], false);
    assert_eq!(app.facts(&person, "next").await, once(10_500));
    outside.execute("begin").await.unwrap();
    let sql = format!("select balance from token_account where user_id = {} for update", person.user_id);
    outside.execute(sqlx::raw_sql(AssertSqlSafe(sql))).await.unwrap();
    let request = tokio::spawn(person.sync("50", "last").send());
    assert_eq!(watch.until_waiting(1).await, loser, "the same connection");
    outside.execute("rollback").await.unwrap();
    assert_eq!(request.await.unwrap().unwrap().status(), 200);
    assert_eq!(app.facts(&person, "last").await, once(15_750));
    watch.assert_no_transaction_is_open().await;
    app.assert_verified();
}

/// S4, the other end: nothing of the winner remains, so the loser's recharge is the first.
async fn the_loser_wins_when_the_winner_rolls_back(on: On) {
    let app = TestApp::start(on).await;
    let mut watch = Watch::open(on, &app.database).await;
    let mut outside = app.database.connection().await;
    let person = app.person("s4").await;

    let order = recharge_outside(&mut outside, person.user_id, "k").await;
    let request = tokio::spawn(person.sync("50", "k").send());
    watch.until_waiting(1).await;
    outside.execute("rollback").await.unwrap();
    let response = request.await.unwrap().unwrap();
    assert_eq!(told(&response), (200, "false"));
    assert_ne!(response.json::<serde_json::Value>().await.unwrap()["orderNo"], order.as_str());
    assert_eq!(app.facts(&person, "k").await, once(5250));
    watch.assert_no_transaction_is_open().await;
    app.assert_verified();
}

/// S2: one looks the key up and pauses, another recharges and commits, the first goes on.
async fn what_was_committed_after_the_look_up_is_seen(on: On) {
    let database = TestDatabase::create(on).await;
    let engine = prepare(&database).await;
    let user_id = three_people(&database.connect().await).await;
    match engine {
        Engine::Postgres(config) => seen_after_the_look_up::<Postgres>(&config, user_id).await,
        Engine::MySql(config) => seen_after_the_look_up::<MySql>(&config, user_id).await,
        Engine::Sqlite(_) => unreachable!("not on a file"),
    }
    assert_verified(&database);
}

async fn seen_after_the_look_up<S: Store>(config: &S::Config, user_id: i64) {
    let key = IdempotencyKey::parse("s2").unwrap();
    let amount = Amount::from_minor(5_000);
    let mut slow = S::open(config).await.unwrap();
    assert!(slow.begin(&[OrderKey { user_id, key: key.clone() }]).await.unwrap().orders.is_empty());

    let waits = Waits { answer: Duration::from_mins(1), attempt: Duration::from_secs(10) };
    let (writer, running) = Writer::start::<S>(config, 1, 1, waits);
    let currency = "USD".parse().unwrap();
    let fast = writer.recharge(Intent { user_id, key: key.clone(), amount, currency }).await.unwrap();
    assert!(!fast.replayed);

    let late = NewOrder {
        order_no: clock::order_no(),
        user_id,
        key,
        amount,
        currency,
        tier: "Mid".to_owned(),
        at: clock::now(),
    };
    let standing = slow.claim_orders(std::slice::from_ref(&late)).await.unwrap();
    assert_eq!(standing, [fast.order]);
    assert_eq!((standing[0].status, standing[0].bonus_tokens), (Status::Completed, Some(5_250)));
    slow.commit().await.unwrap();

    // S3: nothing of the lost race is left on the connection.
    let next = NewOrder { key: IdempotencyKey::parse("s3").unwrap(), ..late };
    slow.begin(&[OrderKey { user_id, key: next.key.clone() }]).await.unwrap();
    assert_eq!(slow.claim_orders(&[next]).await.unwrap(), []);
    slow.rollback().await.unwrap();
    drop(writer);
    running.end().await;
}
