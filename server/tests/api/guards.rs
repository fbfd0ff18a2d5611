//! What the database itself refuses, and that the server does not start without it.

use sqlx::AnyConnection;

use crate::app::{On, TestApp, bind, once};

async fn refused(connection: &mut AnyConnection, sql: &'static str) -> String {
    sqlx::query(sql).execute(connection).await.expect_err(sql).to_string()
}

#[tokio::test]
async fn ledger_rows_are_never_changed_removed_or_replaced() {
    let app = TestApp::start(On::Sqlite).await;
    let person = app.person("ledger").await;
    person.recharge("50", "k").await;
    let mut connection = app.database.connection().await;
    for sql in [
        "update token_ledger set change_amount = 1",
        "update token_ledger set created_at = 0",
        "delete from token_ledger",
        "insert or replace into token_ledger select * from token_ledger",
        "insert or replace into token_ledger (user_id, change_type, biz_id, change_amount, balance_after, created_at)
         select user_id, change_type, biz_id, 9, 9, 0 from token_ledger",
    ] {
        assert!(refused(&mut connection, sql).await.contains("append-only"), "{sql}");
    }
    app.assert_verified();
}

#[tokio::test]
async fn checks_hold_against_whatever_is_written() {
    let app = TestApp::start(On::Sqlite).await;
    let person = app.person("checks").await;
    person.recharge("50", "k").await;
    let mut connection = app.database.connection().await;
    for (sql, name) in [
        ("update recharge_order set status = 4", "recharge_order_status"),
        ("update recharge_order set status = -1", "recharge_order_status"),
        ("update recharge_order set amount_minor = 0", "recharge_order_amount"),
        ("update recharge_order set amount_minor = -5", "recharge_order_amount"),
        ("update recharge_order set amount_minor = 1.5", "cannot store REAL"),
        ("update recharge_order set bonus_tokens = null", "recharge_order_tokens"),
        ("update recharge_order set idempotency_key = null", "NOT NULL"),
        ("update recharge_order set idempotency_key = ''", "recharge_order_key_length"),
        ("update token_account set balance = -1", "token_account_balance"),
        ("update token_account set balance = balance + 9223372036854775807", "cannot store REAL"),
        ("delete from users", "FOREIGN KEY"),
    ] {
        let message = refused(&mut connection, sql).await;
        assert!(message.contains(name), "{sql}: {message}");
    }
    assert_eq!(app.facts(&person, "k").await, once(5250));
}

/// Every index and trigger that the promise rests on is asked for at the start.
#[tokio::test]
async fn the_server_does_not_start_without_what_its_promise_rests_on() {
    for (sql, named) in [
        ("drop trigger token_ledger_no_update", "token_ledger_no_update"),
        ("drop trigger token_ledger_no_delete", "token_ledger_no_delete"),
        ("drop trigger token_ledger_no_replace", "token_ledger_no_replace"),
        (
            "create table copy as select * from recharge_order; drop table recharge_order;
             alter table copy rename to recharge_order",
            "user_id,idempotency_key of recharge_order",
        ),
        (
            "create table copy as select * from token_ledger; drop table token_ledger;
             alter table copy rename to token_ledger;
             create unique index not_enough on token_ledger (biz_id, change_type) where change_type <> 'RECHARGE_BONUS'",
            "biz_id,change_type of token_ledger",
        ),
    ] {
        let database = TestApp::start(On::Sqlite).await.stop().await;
        let mut connection = database.connection().await;
        sqlx::raw_sql("pragma foreign_keys = off").execute(&mut connection).await.unwrap();
        sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
        let error = bind(&database.url, &[]).await.expect_err(sql).to_string();
        assert!(error.contains(named) && error.contains("restore it"), "{sql}: {error}");
    }
}

/// S12: a unique violation of another index is an error and rolls back, never a success.
#[tokio::test]
async fn another_unique_index_that_fires_is_an_error() {
    let app = TestApp::start(On::Sqlite).await;
    let person = app.person("s12").await;
    let other = app.person("bystander").await;
    person.recharge("50", "first").await;
    let mut connection = app.database.connection().await;
    let index = "create unique index planted on recharge_order (user_id, amount_minor) where amount_minor = 5000";
    sqlx::query(index).execute(&mut connection).await.unwrap();
    let (broken, fine) = tokio::join!(person.sync("50", "second").send(), other.sync("50", "mine").send());
    assert_eq!(broken.unwrap().status(), 500);
    assert_eq!(fine.unwrap().status(), 200, "one that fails harms no other");
    assert_eq!(app.facts(&person, "second").await.orders, 0);
    assert_eq!(person.balance().await, 5250);
    sqlx::query("drop index planted").execute(&mut connection).await.unwrap();
    assert_eq!(person.recharge("50", "second").await["idempotentHit"], false, "the key is not burned");
    app.assert_verified();
}

/// Money is added once even where steps 1 to 4 are bypassed: the ledger already has the order's row.
#[tokio::test]
async fn an_order_that_was_credited_is_never_credited_again() {
    let app = TestApp::start(On::Sqlite).await;
    let person = app.person("bypass").await;
    person.recharge("50", "k").await;
    let mut connection = app.database.connection().await;
    let again = "insert into token_ledger (user_id, change_type, biz_id, change_amount, balance_after, created_at)
                 select user_id, change_type, biz_id, change_amount, balance_after * 2, 0 from token_ledger";
    assert!(sqlx::query(again).execute(&mut connection).await.is_err());
    sqlx::query("drop trigger token_ledger_no_replace").execute(&mut connection).await.unwrap();
    let message = sqlx::query(again).execute(&mut connection).await.unwrap_err().to_string();
    assert!(message.contains("UNIQUE"), "{message}");
}
