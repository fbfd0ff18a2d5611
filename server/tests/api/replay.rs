//! What a key means once it was used: replays, other amounts, other people, changed tiers.

use serde_json::{Value, json};

use crate::app::{On, Person, TestApp, nothing, once};
use crate::engine::on_every_engine;

on_every_engine! {
    the_same_key_with_another_amount_is_refused;
    the_same_key_of_two_people_is_two_intents;
    spellings_of_one_uuid_are_different_keys;
    changed_limits_do_not_hide_what_went_through;
    changed_tiers_do_not_change_what_was_granted;
    an_empty_tier_table_refuses_and_burns_no_key;
    a_full_balance_refuses_and_stays_exact;
}

/// A5: the same amount, however it is written, replays; another one is refused and names the field.
async fn the_same_key_with_another_amount_is_refused(on: On) {
    let app = TestApp::start(on).await;
    let person = app.person("a5").await;
    let first = person.recharge("100", "k").await;
    for same in [json!("100"), json!("100.0"), json!("100.00"), json!("0100"), json!(100)] {
        let response = person.post(&json!({ "amount": same, "idempotentKey": "k" })).send().await.unwrap();
        assert_eq!(
            (response.status(), response.headers()["idempotent-replayed"] == "true"),
            (200.try_into().unwrap(), true)
        );
        let replay: Value = response.json().await.unwrap();
        assert_eq!((&replay["orderNo"], &replay["bonusToken"]), (&first["orderNo"], &first["bonusToken"]));
    }
    for other in ["100.01", "99.99", "1"] {
        let response = person.sync(other, "k").send().await.unwrap();
        assert_eq!(response.status(), 422);
        let problem: Value = response.json().await.unwrap();
        assert_eq!((&problem["field"], &problem["type"]), (&"amount".into(), &"/problems/key-reused".into()));
    }
    assert_eq!(app.facts(&person, "k").await, once(10_500));
}

/// A4: one text is two keys for two people, and neither learns of the other.
async fn the_same_key_of_two_people_is_two_intents(on: On) {
    let app = TestApp::start(on).await;
    let (one, two) = (app.person("one").await, app.person("two").await);
    one.recharge("100", "k").await;
    assert_eq!(app.facts(&two, "k").await, nothing());
    let answer = two.recharge("1", "k").await;
    assert_eq!((&answer["idempotentHit"], &answer["bonusToken"]), (&false.into(), &"100".into()));
    assert_eq!(app.facts(&one, "k").await, once(10_500));
    assert_eq!(app.facts(&two, "k").await, once(100));
}

/// A3 and S15: a key is what was sent, byte for byte.
async fn spellings_of_one_uuid_are_different_keys(on: On) {
    let app = TestApp::start(on).await;
    let person = app.person("a3").await;
    let spellings = [
        "6a8de85e-03ae-4be8-8fb3-ab2e48e6fd69",
        "6A8DE85E-03AE-4BE8-8FB3-AB2E48E6FD69",
        "6a8de85e03ae4be88fb3ab2e48e6fd69",
        "{6a8de85e-03ae-4be8-8fb3-ab2e48e6fd69}",
        "k1",
        "K1",
    ];
    for key in spellings {
        assert_eq!(person.recharge("1", key).await["idempotentHit"], false, "{key}");
    }
    for key in spellings {
        assert_eq!(person.recharge("1", key).await["idempotentHit"], true, "{key}");
    }
    assert_eq!(person.balance().await, 600);
}

/// A10: a replay answers with what was granted, whatever the tiers are now.
async fn changed_tiers_do_not_change_what_was_granted(on: On) {
    let app = TestApp::start(on).await;
    let person = app.person("a10").await;
    person.recharge("100", "before").await;
    let database = app.connect().await;
    sqlx::query("update bonus_tier set tokens_per_unit = 200").execute(&database.pool).await.unwrap();
    assert_eq!(person.recharge("100", "before").await["bonusToken"], "10500");
    assert_eq!(person.recharge("100", "after").await["bonusToken"], "20000");
}

/// What went through is answered whatever the limits are now; what did not is refused as ever.
async fn changed_limits_do_not_hide_what_went_through(on: On) {
    let app = TestApp::start(on).await;
    let person = app.person("limits").await;
    let first = person.recharge("40000", "k").await;
    let database = app.stop().await;
    let app = TestApp::start_in(database, &["--max-amount", "30000"]).await;
    let person = Person { url: app.url.clone(), ..person };
    let again = person.recharge("40000", "k").await;
    assert_eq!((&again["orderNo"], &again["idempotentHit"]), (&first["orderNo"], &true.into()));
    assert_eq!(person.sync("40000", "other").send().await.unwrap().status(), 400);
    assert_eq!(person.sync("40001", "k").send().await.unwrap().status(), 422);
    assert_eq!(app.facts(&person, "k").await, once(4_800_000));
}

/// A11: with no tiers at all there is a clear refusal, and the key is not burned.
async fn an_empty_tier_table_refuses_and_burns_no_key(on: On) {
    let app = TestApp::start(on).await;
    let person = app.person("a11").await;
    let database = app.connect().await;
    sqlx::query("delete from bonus_tier").execute(&database.pool).await.unwrap();
    let response = person.sync("100", "k").send().await.unwrap();
    assert_eq!(response.status(), 422);
    assert_eq!(response.json::<Value>().await.unwrap()["type"], "/problems/no-tier");
    assert_eq!(person.get("/").await.status(), 200);
    assert_eq!(app.facts(&person, "k").await, nothing());
    let insert = "insert into bonus_tier (name, min_amount_minor, tokens_per_unit) values ('B', 5000, 3), ('A', 1, 2)";
    sqlx::query(insert).execute(&database.pool).await.unwrap();
    assert_eq!(person.recharge("100", "k").await["bonusToken"], "300");
}

/// S14: a balance near the 64-bit maximum refuses what does not fit, stays a whole number, and burns no key.
async fn a_full_balance_refuses_and_stays_exact(on: On) {
    let app = TestApp::start(on).await;
    let person = app.person("s14").await;
    let other = app.person("bystander").await;
    person.recharge("1", "first").await;
    let database = app.connect().await;
    // All but 150 of the room is taken. (The largest number is spelled as a difference, which no engine rounds.)
    let fill = "insert into token_ledger (user_id, change_type, biz_id, change_amount, balance_after, created_at)
                values ($1, 'TEST', 'fill', 9223372036854775807 - 250, 9223372036854775807 - 150, 0)";
    sqlx::query(database.sql(fill)).bind(person.user_id).execute(&database.pool).await.unwrap();
    let fill = "update token_account set balance = 9223372036854775807 - 150 where user_id = $1";
    sqlx::query(database.sql(fill)).bind(person.user_id).execute(&database.pool).await.unwrap();

    let requests = [person.sync("2", "too-much"), other.sync("1", "fine"), person.sync("1", "fits")];
    let answers = futures_util::future::join_all(requests.map(|request| async { request.send().await.unwrap() })).await;
    let statuses: Vec<u16> = answers.iter().map(|answer| answer.status().as_u16()).collect();
    assert_eq!(statuses, [422, 200, 200]);
    assert_eq!(person.balance().await, i64::MAX - 50);
    assert_eq!(app.facts(&person, "too-much").await.orders, 0);
    if on == On::Sqlite {
        let kind = "select typeof(balance) from token_account where balance > 1000";
        assert_eq!(sqlx::query_scalar::<_, String>(kind).fetch_one(&database.pool).await.unwrap(), "integer");
    }
    app.assert_verified();
}
