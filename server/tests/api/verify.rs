//! S20: `recharge verify` finds whatever was planted by hand, names it, and says so by its exit code.

use std::process::Command;

use reqwest::Method;

use crate::app::{On, TestApp};
use crate::engine::on_every_engine;

on_every_engine! {
    a_balance_that_was_changed_by_hand_is_found;
}

/// Plants something after a few honest recharges and returns what the check prints, and its exit code.
async fn planted(sql: &str) -> (String, i32) {
    let app = TestApp::start(On::Sqlite).await;
    let person = app.person("s20").await;
    person.recharge("50", "k1").await;
    person.recharge("1", "k2").await;
    assert_eq!(person.key(Method::DELETE, "k3").send().await.unwrap().status(), 204);
    let mut connection = app.database.connection().await;
    if sql.is_empty() {
        return said(&app);
    }
    let free = "pragma foreign_keys = off; pragma ignore_check_constraints = on; drop trigger token_ledger_no_update;
                drop trigger token_ledger_no_delete; drop trigger token_ledger_no_replace;";
    sqlx::raw_sql(free).execute(&mut connection).await.unwrap();
    sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(&mut connection).await.unwrap();
    said(&app)
}

fn said(app: &TestApp) -> (String, i32) {
    let output = app.verify();
    (String::from_utf8(output.stdout).unwrap(), output.status.code().unwrap())
}

/// On every engine: in order before, named and counted afterwards.
async fn a_balance_that_was_changed_by_hand_is_found(on: On) {
    let app = TestApp::start(on).await;
    let person = app.person("s20").await;
    person.recharge("50", "k").await;
    app.assert_verified();
    let database = app.connect().await;
    sqlx::query("update token_account set balance = balance + 1").execute(&database.pool).await.unwrap();
    let output = app.verify();
    let said = String::from_utf8(output.stdout).unwrap();
    let words = format!("account {}: the balance is 5251, the sum of its ledger 5250", person.user_id);
    assert!(
        said.contains(&words)
            && said.contains("NOT RIGHT: 1 accounts, 1 orders, 1 ledger rows, 0 voided keys, 1 breaches"),
        "{said}"
    );
    assert_eq!(output.status.code(), Some(1));
}

#[tokio::test]
async fn nothing_planted_nothing_found() {
    assert_eq!(
        planted("").await,
        ("all right: 1 accounts, 2 orders, 2 ledger rows, 1 voided keys, 0 breaches\n".to_owned(), 0)
    );
}

#[tokio::test]
async fn every_kind_of_drift_is_found_and_named() {
    for (sql, words) in [
        ("select 1", "the database lacks the trigger token_ledger_no_update"),
        (
            "create table copy as select * from token_ledger; drop table token_ledger;
             alter table copy rename to token_ledger;
             insert into token_ledger select 3, user_id, change_type, biz_id, change_amount, 5450, 0
             from token_ledger where id = 2;
             update token_account set balance = 5450",
            "the ledger has 2 rows of RECHARGE_BONUS where it may have one",
        ),
        (
            "update token_account set balance = balance + 1",
            "account 1: the balance is 5351, the sum of its ledger 5350",
        ),
        ("delete from token_ledger where id = 2", "account 1: the balance is 5350, the sum of its ledger 5250"),
        ("delete from token_ledger where id = 2", "it is COMPLETED and has no ledger row"),
        ("delete from token_account", "ledger row 1: its account 1 does not exist"),
        ("update token_ledger set balance_after = 7 where id = 1", "ledger row 1 of account 1: balance_after is 7"),
        ("update token_ledger set balance_after = 7 where id = 1", "ledger row 2 of account 1: balance_after is 5350"),
        ("update token_ledger set change_amount = 99 where id = 2", "it granted 100 tokens, its ledger row credits 99"),
        ("update recharge_order set user_id = 2", "ledger row credits 5250 to account 1"),
        ("update recharge_order set status = 1, bonus_tokens = null", "has the status 1"),
        ("update recharge_order set status = 0, bonus_tokens = null, created_at = 0", "it has stood at the status 0"),
        ("update recharge_order set status = 3 where idempotency_key = 'k2'", "and it has the amount of an order, 100"),
        ("update recharge_order set status = 3 where idempotency_key = 'k2'", "has the status 3"),
        ("update recharge_order set bonus_tokens = 7 where status = 3", "or its tokens, 7"),
        ("update recharge_order set tier = 'Low' where status = 3", "or its tier"),
        (
            "insert into token_ledger (user_id, change_type, biz_id, change_amount, balance_after, created_at)
             select 1, 'RECHARGE_BONUS', order_no, 5, 5355, 0 from recharge_order where status = 3;
             update token_account set balance = 5355",
            "has the status 3",
        ),
        ("delete from recharge_order where idempotency_key = 'k1'", "ledger row 1 of account 1: its order"),
        (
            "insert into token_ledger (user_id, change_type, biz_id, change_amount, balance_after, created_at)
             values (1, 'RECHARGE_BONUS', 'made-up', 5, 5355, 0)",
            "its order made-up does not exist",
        ),
    ] {
        let (text, code) = planted(sql).await;
        assert!(text.contains(words), "{sql}: {text}");
        assert!(text.contains("NOT RIGHT"), "{text}");
        assert_eq!(code, 1, "{sql}");
    }
}

#[tokio::test]
async fn a_database_that_is_not_there_is_not_found_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("none.db");
    let output = Command::new(env!("CARGO_BIN_EXE_recharge"))
        .arg("verify")
        .env("DATABASE_URL", format!("sqlite:{}", path.display()))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("there is no database at"));
    assert!(!path.exists());
}

#[tokio::test]
async fn bad_settings_stop_the_start_with_what_would_be_good() {
    for (name, value, words) in [
        ("DATABASE_URL", "oracle:thing", "such as sqlite:data/recharge.db"),
        ("DATABASE_URL", "sqlite::memory:", "such as sqlite:data/recharge.db"),
        ("RECHARGE_ADDR", "nowhere", "write an address and a port, such as 127.0.0.1:3000"),
        ("RECHARGE_CURRENCY", "JPY", "use one of AUD"),
        ("RECHARGE_MIN_AMOUNT", "1,00", "write an amount such as 1.00"),
        ("RECHARGE_MIN_AMOUNT", "60000", "must be at least 0.01 and not above the largest"),
        ("RECHARGE_QUEUE", "0", "a number from 1 to"),
        ("RECHARGE_PUBLIC_ORIGIN", "tokens.example", "such as https://tokens.example"),
        ("RECHARGE_PUBLIC_ORIGIN", "HTTPS://tokens.example", "such as https://tokens.example"),
        ("RECHARGE_SESSION_DAYS", "0", "1..=3650"),
        ("RECHARGE_CONNECTIONS", "4294967295", "1..=1000"),
        ("RECHARGE_WAIT_MS", "0", "a number of milliseconds from 1"),
        ("RECHARGE_LOCK_WAIT_MS", "18446744073709551615", "a number of milliseconds from 1"),
        ("RECHARGE_LOG", "!!nonsense=", "RECHARGE_LOG"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_recharge"))
            .env("DATABASE_URL", format!("sqlite:{}", folder.path().join("r.db").display()))
            .env("RECHARGE_ADDR", "127.0.0.1:0")
            .env(name, value)
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{name}={value}: {said}");
        assert!(said.contains(words) && !said.contains("panicked"), "{name}={value}: {said}");
    }
}
