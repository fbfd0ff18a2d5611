//! S5 and S6: the errors with which a database server asks for another attempt, by its own codes: planted once at each
//! table, and a real deadlock and a real lock that is held too long.

use reqwest::Method;
use serde_json::Value;
use sqlx::{AnyConnection, AssertSqlSafe, Executor};

use crate::app::{On, TestApp, nothing, once, told};
use crate::engine::on_both_servers;
use crate::void::voided;
use crate::watch::Watch;

on_both_servers! {
    a_code_that_asks_for_another_attempt_gets_one;
    any_other_code_is_a_failure_and_burns_no_key;
    a_void_tries_again_where_that_can_help;
    the_victim_of_a_deadlock_is_run_again;
    a_lock_that_is_held_too_long_is_503_and_the_key_stays_good;
    a_connection_that_an_operator_kills_is_replaced;
}

/// What the chain does to the tables, statement by statement.
const CHANGES: [&str; 4] =
    ["insert on recharge_order", "update on recharge_order", "insert on token_ledger", "update on token_account"];

async fn run(connection: &mut AnyConnection, sql: String) {
    connection.execute(sqlx::raw_sql(AssertSqlSafe(sql))).await.unwrap();
}

/// Lets the first change of this kind fail with the code. What counts it is not undone by a rollback: a sequence.
async fn plant(on: On, connection: &mut AnyConnection, change: &str, code: &str) {
    let clean_up = if on == On::Postgres {
        "drop sequence if exists planted cascade; drop function if exists planted cascade"
    } else {
        "drop trigger if exists planted; drop sequence if exists planted"
    };
    run(connection, clean_up.to_owned()).await;
    run(connection, "create sequence planted".to_owned()).await;
    if on == On::Postgres {
        let function = format!(
            "create function planted() returns trigger language plpgsql as $$
             begin
                if nextval('planted') = 1 then raise exception 'planted' using errcode = '{code}'; end if;
                return new;
             end $$;
             create trigger planted before {change} for each row execute function planted()"
        );
        run(connection, function).await;
    } else {
        let trigger = format!(
            "create trigger planted before {change} for each row
             if nextval(planted) = 1 then signal sqlstate 'HY000' set mysql_errno = {code}; end if"
        );
        run(connection, trigger).await;
    }
}

async fn a_code_that_asks_for_another_attempt_gets_one(on: On) {
    // Serialization failure, deadlock, lock not available, statement cancelled, no more connections, shutdown; deadlock,
    // lock wait timeout, statement timeout, no more connections, shutdown, no more of this user, killed.
    let codes = match on {
        On::Postgres => ["40001", "40P01", "55P03", "57014", "53300", "57P01"].as_slice(),
        _ => ["1213", "1205", "1969", "1040", "1053", "1203", "1927"].as_slice(),
    };
    let app = TestApp::start(on).await;
    let person = app.person("s6").await;
    let mut outside = app.database.connection().await;
    let mut balance = 0;
    for code in codes {
        for change in CHANGES {
            plant(on, &mut outside, change, code).await;
            let key = format!("{code}-{change}").replace(' ', "-");
            assert_eq!(person.recharge("50", &key).await["idempotentHit"], false, "{key}");
            balance += 5250;
            assert_eq!(app.facts(&person, &key).await, once(balance), "{key}");
        }
    }
    app.assert_verified();
}

/// The chain does not guess: what it does not know stops the transaction.
async fn any_other_code_is_a_failure_and_burns_no_key(on: On) {
    let code = if on == On::Postgres { "22023" } else { "1644" };
    let app = TestApp::start(on).await;
    let person = app.person("s6").await;
    let mut outside = app.database.connection().await;
    let mut balance = 0;
    for change in CHANGES {
        plant(on, &mut outside, change, code).await;
        let key = change.replace(' ', "-");
        assert_eq!(person.sync("50", &key).send().await.unwrap().status(), 500, "{key}");
        assert_eq!(app.facts(&person, &key).await.orders, 0, "{key}");
        assert_eq!(person.recharge("50", &key).await["idempotentHit"], false, "{key}");
        balance += 5250;
        assert_eq!(app.facts(&person, &key).await, once(balance), "{key}");
    }
    app.assert_verified();
}

/// The same of the one statement that voids a key.
async fn a_void_tries_again_where_that_can_help(on: On) {
    let (passing, other) = match on {
        On::Postgres => (["40001", "40P01", "55P03", "53300"], "22023"),
        _ => (["1213", "1205", "1969", "1040"], "1644"),
    };
    let app = TestApp::start(on).await;
    let person = app.person("s6").await;
    let mut outside = app.database.connection().await;
    for code in passing {
        plant(on, &mut outside, CHANGES[0], code).await;
        assert_eq!(person.key(Method::DELETE, code).send().await.unwrap().status(), 204, "{code}");
        assert_eq!(app.facts(&person, code).await, voided(0), "{code}");
    }
    plant(on, &mut outside, CHANGES[0], other).await;
    assert_eq!(person.key(Method::DELETE, "k").send().await.unwrap().status(), 500);
    assert_eq!(app.facts(&person, "k").await, nothing());
    assert_eq!(person.recharge("50", "k").await["idempotentHit"], false);
    app.assert_verified();
}

/// Somebody outside holds the account and wants the key, of which the program holds the order and wants the account.
async fn the_victim_of_a_deadlock_is_run_again(on: On) {
    let app = TestApp::start(on).await;
    let person = app.person("s6").await;
    person.recharge("1", "before").await;
    let mut watch = Watch::open(on, &app.database).await;
    let mut outside = app.database.connection().await;
    run(&mut outside, "begin".to_owned()).await;
    // MySQL ends the transaction that has changed less, PostgreSQL the one that first looks for a deadlock: this is not to
    // be it.
    if on == On::Postgres {
        run(&mut outside, "set local deadlock_timeout = '1min'".to_owned()).await;
    }
    let many: Vec<String> = (0..50).map(|number| format!("('heavy-{number}', '', 0)")).collect();
    run(&mut outside, format!("insert into users (email, password_hash, created_at) values {}", many.join(", "))).await;
    let lock = format!("select balance from token_account where user_id = {} for update", person.user_id);
    run(&mut outside, lock).await;
    let request = tokio::spawn(person.sync("50", "k").send());
    watch.until_waiting(1).await;
    let insert = format!(
        "insert into recharge_order (order_no, user_id, idempotency_key, amount_minor, currency, status, tier, created_at,
                                     updated_at)
         values ('outside', {}, 'k', 5000, 'USD', 0, 'Mid', 0, 0)",
        person.user_id
    );
    // It comes through only because the program's transaction is ended.
    run(&mut outside, insert).await;
    watch.until_waiting(1).await;
    run(&mut outside, "rollback".to_owned()).await;
    let response = request.await.unwrap().unwrap();
    assert_eq!(told(&response), (200, "false"));
    assert_eq!(app.facts(&person, "k").await, once(100 + 5250));
    watch.assert_no_transaction_is_open().await;
    app.assert_verified();
}

/// S5 on a server: the account is locked from outside for longer than the program waits.
async fn a_lock_that_is_held_too_long_is_503_and_the_key_stays_good(on: On) {
    let app = TestApp::start_with(on, &["--lock-wait-ms", "200"]).await;
    let person = app.person("s5").await;
    person.recharge("1", "before").await;
    let mut watch = Watch::open(on, &app.database).await;
    let mut outside = app.database.connection().await;
    run(&mut outside, "begin".to_owned()).await;
    let lock = format!("select balance from token_account where user_id = {} for update", person.user_id);
    run(&mut outside, lock).await;
    let response = person.sync("50", "k").send().await.unwrap();
    assert_eq!((response.status().as_u16(), &response.headers()["retry-after"]), (503, &"1".parse().unwrap()));
    assert_eq!(response.json::<Value>().await.unwrap()["type"], "/problems/busy");
    assert_eq!(app.facts(&person, "k").await.orders, 0);
    run(&mut outside, "rollback".to_owned()).await;
    assert_eq!(person.recharge("50", "k").await["idempotentHit"], false);
    assert_eq!(app.facts(&person, "k").await, once(100 + 5250));
    watch.until_no_transaction_is_open().await;
    app.assert_verified();
}

/// In the middle of a statement that waits, and between two slices.
async fn a_connection_that_an_operator_kills_is_replaced(on: On) {
    let app = TestApp::start(on).await;
    let person = app.person("killed").await;
    person.recharge("1", "before").await;
    let mut watch = Watch::open(on, &app.database).await;
    let mut outside = app.database.connection().await;
    let mut operator = app.database.connection().await;
    let kill = |number: i64| match on {
        On::Postgres => format!("select pg_terminate_backend({number})"),
        _ => format!("kill {number}"),
    };
    run(&mut outside, "begin".to_owned()).await;
    let lock = format!("select balance from token_account where user_id = {} for update", person.user_id);
    run(&mut outside, lock).await;
    let request = tokio::spawn(person.sync("50", "k").send());
    let waiting = watch.until_waiting(1).await;
    run(&mut operator, kill(waiting[0])).await;
    let replacement = watch.until_another_waits(waiting[0]).await;
    run(&mut outside, "rollback".to_owned()).await;
    assert_eq!(request.await.unwrap().unwrap().status(), 200);
    assert_eq!(app.facts(&person, "k").await, once(100 + 5250));

    run(&mut operator, kill(replacement)).await;
    assert_eq!(person.recharge("50", "next").await["idempotentHit"], false);
    assert_eq!(app.facts(&person, "next").await, once(100 + 2 * 5250));
    watch.until_no_transaction_is_open().await;
    app.assert_verified();
}
