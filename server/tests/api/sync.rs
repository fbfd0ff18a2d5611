//! `POST /api/recharge/sync`: what programs send, rightly and wrongly.

use app::words::Language;
use reqwest::Response;
use serde_json::{Value, json};

use crate::app::{On, Person, TestApp, browser, nothing, once, told};
use crate::engine::on_every_engine;

on_every_engine! {
    the_answer_is_what_the_table_says;
    without_a_key_nothing_happens;
    broken_text_is_a_clear_400;
    an_amount_outside_the_grammar_or_the_limits_stores_nothing;
    a_client_cannot_choose_its_tokens;
    only_the_own_account_can_be_recharged;
    every_problem_is_a_page_and_every_wrong_address_a_problem;
}

pub async fn problem(response: Response) -> (u16, String) {
    assert_eq!(response.headers()["content-type"], "application/problem+json");
    let status = response.status().as_u16();
    let problem: Value = response.json().await.unwrap();
    assert_eq!(problem["status"], status);
    for member in ["title", "detail"] {
        assert!(!problem[member].as_str().unwrap().is_empty());
    }
    let kind = problem["type"].as_str().unwrap().strip_prefix("/problems/").unwrap().to_owned();
    (status, kind)
}

async fn refusal(person: &Person, body: &Value) -> (u16, String) {
    problem(person.post(body).send().await.unwrap()).await
}

pub fn refused(status: u16, kind: &str) -> (u16, String) {
    (status, kind.to_owned())
}

async fn the_answer_is_what_the_table_says(on: On) {
    let app = TestApp::start(on).await;
    let person = app.person("sync").await;
    let response = person
        .post(&json!({ "userId": person.user_id, "amount": "100.00", "idempotentKey": "k" }))
        .send()
        .await
        .unwrap();
    assert_eq!(told(&response), (200, "false"));
    assert_eq!(response.headers()["content-type"], "application/json");
    let answer: Value = response.json().await.unwrap();
    let order_no = answer["orderNo"].as_str().unwrap().to_owned();
    assert_eq!(answer, json!({ "orderNo": order_no, "status": 2, "bonusToken": "10500", "idempotentHit": false }));
    assert_eq!(&order_no[14..15], "7", "an order number is a UUIDv7");

    let request =
        person.post(&json!({ "amount": 100, "userId": person.user_id.to_string() })).header("Idempotency-Key", "k");
    let response = request.send().await.unwrap();
    assert_eq!(response.headers()["idempotent-replayed"], "true");
    let answer: Value = response.json().await.unwrap();
    assert_eq!(answer, json!({ "orderNo": order_no, "status": 2, "bonusToken": "10500", "idempotentHit": true }));

    let account: Value = person.get("/api/account").await.json().await.unwrap();
    assert_eq!(account, json!({ "userId": person.user_id, "email": "sync@example.com", "balance": "10500" }));
}

/// A1: a key that is missing in any way.
async fn without_a_key_nothing_happens(on: On) {
    let app = TestApp::start(on).await;
    let person = app.person("a1").await;
    for body in [
        json!({ "amount": "50" }),
        json!({ "amount": "50", "idempotentKey": null }),
        json!({ "amount": "50", "idempotentKey": "" }),
        json!({ "amount": "50", "idempotentKey": "   " }),
    ] {
        assert_eq!(refusal(&person, &body).await, refused(400, "key-missing"), "{body}");
    }
    let twice = json!({ "amount": "50", "idempotentKey": "k" });
    let response = person.post(&twice).header("Idempotency-Key", "k").send().await.unwrap();
    assert_eq!(problem(response).await, refused(400, "key-twice"));
    let request = person.post(&json!({ "amount": "50" })).header("Idempotency-Key", "k").header("Idempotency-Key", "k");
    assert_eq!(problem(request.send().await.unwrap()).await, refused(400, "key-twice"));
    let response = person.post(&json!({ "amount": "50" })).header("Idempotency-Key", "").send().await.unwrap();
    assert_eq!(problem(response).await, refused(400, "key-missing"));
    assert_eq!(app.facts(&person, "k").await, nothing());
}

/// A2: text that no key and no amount may hold, and bodies that are not JSON.
async fn broken_text_is_a_clear_400(on: On) {
    let app = TestApp::start(on).await;
    let person = app.person("a2").await;
    for key in ["k 1", "k\u{0}", "k\n", "\t", "ключ", "k\u{7f}", "\u{feff}k", &"k".repeat(256)] {
        let body = json!({ "amount": "50", "idempotentKey": key });
        assert_eq!(refusal(&person, &body).await, refused(400, "key-malformed"), "{key:?}");
    }
    for key in [json!(5), json!(["k"]), json!({ "k": 1 }), json!(true)] {
        let body = json!({ "amount": "50", "idempotentKey": key });
        assert_eq!(refusal(&person, &body).await, refused(400, "key-malformed"), "{key}");
    }
    let request = person.post(&json!({ "amount": "50" })).header("Idempotency-Key", &b"k\xff"[..]);
    assert_eq!(problem(request.send().await.unwrap()).await, refused(400, "key-malformed"));
    let bodies: [&[u8]; 10] = [
        b"[\"1\",\"50\",\"k\"]",
        b"",
        b"{",
        b"[]",
        b"null",
        b"\"50\"",
        b"amount=50&idempotentKey=k",
        b"{\"amount\":\"50\",\"idempotentKey\":\"\\ud800\"}",
        b"{\"amount\":\"50\",\"idempotentKey\":\"\xff\"}",
        b"{\"amount\":\"50\",\"amount\":\"60\",\"idempotentKey\":\"k\"}",
    ];
    for body in bodies {
        let request = person.client.post(format!("{}/api/recharge/sync", app.url)).body(body.to_vec());
        let (status, kind) = problem(request.send().await.unwrap()).await;
        assert_eq!(status, 400, "{}", String::from_utf8_lossy(body));
        assert!(
            ["body-malformed", "key-malformed", "key-missing", "amount-malformed"].contains(&kind.as_str()),
            "{kind}"
        );
    }
    let request = person.client.post(format!("{}/api/recharge/sync", app.url)).body("x".repeat(20_000));
    assert_eq!(problem(request.send().await.unwrap()).await, refused(413, "body-too-large"));
    assert_eq!(person.balance().await, 0);
}

/// A7 and A8: amounts outside the grammar or the limits.
async fn an_amount_outside_the_grammar_or_the_limits_stores_nothing(on: On) {
    let app = TestApp::start(on).await;
    let person = app.person("a7").await;
    let malformed = [
        json!("-1"),
        json!("+1"),
        json!("1e2"),
        json!("1_000"),
        json!("1,000"),
        json!(" 1"),
        json!("1 "),
        json!(".5"),
        json!("5."),
        json!("1.005"),
        json!("٣"),
        json!("0x10"),
        json!("NaN"),
        json!(""),
        json!(null),
        json!([1]),
        json!(true),
        json!({ "value": 1 }),
        json!(-1),
        json!(1.005),
        json!(1e300),
    ];
    for amount in malformed {
        let body = json!({ "amount": amount, "idempotentKey": "k" });
        assert_eq!(refusal(&person, &body).await, refused(400, "amount-malformed"), "{amount}");
    }
    assert_eq!(refusal(&person, &json!({ "idempotentKey": "k" })).await, refused(400, "amount-malformed"));
    for (amount, kind) in [
        (json!("0"), "amount-too-small"),
        (json!("0.00"), "amount-too-small"),
        (json!("0.99"), "amount-too-small"),
        (json!(0.99), "amount-too-small"),
        (json!("50000.01"), "amount-too-large"),
        (json!("92233720368547758.08"), "amount-too-large"),
        (json!("9".repeat(300)), "amount-too-large"),
    ] {
        let body = json!({ "amount": amount, "idempotentKey": "k" });
        assert_eq!(refusal(&person, &body).await, refused(400, kind), "{amount}");
    }
    assert_eq!(app.facts(&person, "k").await, nothing());
    assert_eq!(person.recharge("50000", "k").await["bonusToken"], "6000000", "the key was never used");
    assert_eq!(person.recharge("1", "smallest").await["bonusToken"], "100");
}

/// A9: what a client has no say in is ignored.
async fn a_client_cannot_choose_its_tokens(on: On) {
    let app = TestApp::start(on).await;
    let person = app.person("a9").await;
    let body = json!({
        "amount": "50", "idempotentKey": "k", "bonusToken": "999999", "bonusTokens": 999_999, "tier": "Super",
        "status": 0, "price": "0.01", "tokensPerUnit": 1000, "orderNo": "01a2286e-6f2e-705d-be84-badb404fea99",
    });
    let answer: Value = person.post(&body).send().await.unwrap().json().await.unwrap();
    assert_eq!((&answer["bonusToken"], &answer["status"]), (&"5250".into(), &2.into()));
    assert_ne!(answer["orderNo"], body["orderNo"]);
    assert_eq!(app.facts(&person, "k").await, once(5250));
}

async fn only_the_own_account_can_be_recharged(on: On) {
    let app = TestApp::start(on).await;
    let (one, two) = (app.person("one").await, app.person("two").await);
    for user in
        [json!(two.user_id), json!(two.user_id.to_string()), json!(0), json!(-1), json!([one.user_id]), json!("x")]
    {
        let body = json!({ "userId": user, "amount": "50", "idempotentKey": "k" });
        assert_eq!(refusal(&one, &body).await, refused(403, "not-yours"), "{user}");
    }
    assert_eq!((one.balance().await, two.balance().await), (0, 0));
    let stranger = browser().post(format!("{}/api/recharge/sync", app.url));
    let response = stranger.json(&json!({ "amount": "50", "idempotentKey": "k" })).send().await.unwrap();
    assert_eq!(problem(response).await, refused(401, "not-signed-in"));
    let response = browser().get(format!("{}/api/account", app.url)).send().await.unwrap();
    assert_eq!(problem(response).await, refused(401, "not-signed-in"));
}

async fn every_problem_is_a_page_and_every_wrong_address_a_problem(on: On) {
    let app = TestApp::start(on).await;
    let person = app.person("docs").await;
    for problem in app::problem::Problem::ALL {
        let page = person.get(&format!("/problems/{}", problem.slug())).await;
        assert_eq!(page.status(), 200);
        assert!(page.text().await.unwrap().contains((Language::English.page_words().title)(problem)));
    }
    assert_eq!(problem(person.get("/api/nothing").await).await, refused(404, "not-found"));
    assert_eq!(problem(person.get("/api/recharge/sync").await).await, refused(405, "method-not-allowed"));
    assert_eq!(person.get("/nothing").await.status(), 404);
    assert_eq!(person.get("/problems/nothing").await.status(), 404);
    assert_eq!(
        (person.get("/healthz").await.status(), person.get("/readyz").await.status()),
        (200.try_into().unwrap(), 200.try_into().unwrap())
    );
}
