//! Voiding a key: it and a recharge of the same key never both win, whoever comes first, whatever is lost on the way.

use std::time::Duration;

use futures_util::future::join_all;
use reqwest::{Method, RequestBuilder, Response};
use serde_json::{Value, json};
use sqlx::{AnyConnection, AssertSqlSafe, Executor};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::app::{Facts, On, Person, TestApp, browser, nothing, once, told};
use crate::engine::on_every_engine;
use crate::hang_up::session;
use crate::interleave::recharge_outside;
use crate::same_key::at_once;
use crate::sync::{problem, refused};
use crate::watch::Watch;
use server::http::SESSION_COOKIE;

on_every_engine! {
    a_voided_key_is_never_recharged;
    a_recharge_that_stands_is_not_voided;
    a_key_is_voided_or_recharged_and_never_both;
    a_voided_key_is_its_own_persons;
    a_key_may_hold_every_character_in_an_address;
    what_is_no_key_is_refused_and_leaves_no_trace;
    a_page_of_another_site_voids_nothing;
    the_page_asks_and_discards;
    a_voided_row_stays_what_it_is;
    a_client_that_leaves_has_voided_the_key_or_not;
}

mod held {
    //! What needs two open transactions, which a SQLite file does not allow.
    use super::{
        a_recharge_waits_for_a_void_and_sees_its_end, a_void_does_not_wait_for_ever,
        a_void_waits_for_a_recharge_and_sees_its_end,
    };

    crate::engine::on_both_servers! {
        a_void_does_not_wait_for_ever;
        a_void_waits_for_a_recharge_and_sees_its_end;
        a_recharge_waits_for_a_void_and_sees_its_end;
    }
}

impl Person {
    /// A request about a key, which has to be percent-encoded.
    pub fn key(&self, method: Method, encoded: &str) -> RequestBuilder {
        self.client.request(method, format!("{}/api/recharge/keys/{encoded}", self.url))
    }

    async fn ask(&self, key: &str) -> Response {
        self.key(Method::GET, key).send().await.unwrap()
    }

    async fn void(&self, key: &str) -> Response {
        self.key(Method::DELETE, key).send().await.unwrap()
    }

    /// What the page's server function of this name answers.
    async fn page_function(&self, name: &str, form: &[(&str, &str)]) -> (u16, Value) {
        let response = self.client.post(format!("{}/api/page/{name}", self.url)).form(form).send().await.unwrap();
        (response.status().as_u16(), response.json().await.unwrap())
    }
}

/// A voided key, and no other trace.
pub fn voided(balance: i64) -> Facts {
    Facts { orders: 1, completed: 0, ledger_rows: 0, balance }
}

/// Fails unless the answer is that the key is voided.
async fn assert_voided(response: Response) {
    assert_eq!((response.status().as_u16(), &response.headers()["cache-control"]), (204, &"no-store".parse().unwrap()));
    assert_eq!(response.text().await.unwrap(), "");
}

/// The status of the one row that stands under the key.
async fn status(app: &TestApp, person: &Person, key: &str) -> i64 {
    let database = app.connect().await;
    let sql = database.sql("select status from recharge_order where user_id = $1 and idempotency_key = $2");
    sqlx::query_scalar(sql).bind(person.user_id).bind(key).fetch_one(&database.pool).await.unwrap()
}

/// Whoever sends it, in whatever way, with whatever amount; what went before is not harmed.
async fn a_voided_key_is_never_recharged(on: On) {
    let app = TestApp::start(on).await;
    let person = app.person("void").await;
    person.recharge("50", "before").await;
    assert_eq!(problem(person.ask("k").await).await, refused(404, "key-unused"));
    for _ in 0..2 {
        assert_voided(person.void("k").await).await;
        assert_eq!(app.facts(&person, "k").await, voided(5250));
    }
    assert_eq!(status(&app, &person, "k").await, 3);
    // The last one is outside the limits: of a key that is not used that would be said.
    for amount in ["50", "60", "50000.01"] {
        let response = person.sync(amount, "k").send().await.unwrap();
        assert!(response.headers().get("retry-after").is_none());
        assert_eq!(problem(response).await, refused(410, "key-voided"), "{amount}");
        assert_eq!(person.page(amount, "k").send().await.unwrap().status(), 410);
        assert_eq!(person.form(amount, "k").send().await.unwrap().status(), 410);
    }
    assert_eq!(problem(person.ask("k").await).await, refused(410, "key-voided"));
    assert_eq!(app.facts(&person, "k").await, voided(5250));
    // No list shows it.
    for path in ["/", "/history"] {
        let page = person.get(path).await.text().await.unwrap();
        assert_eq!((page.contains("$50.00"), page.contains("$0.00")), (true, false), "{path}");
    }
    assert_eq!(person.recharge("50", "after").await["idempotentHit"], false);
    assert_eq!(app.facts(&person, "k").await, voided(10_500));
    app.assert_verified();
}

async fn a_recharge_that_stands_is_not_voided(on: On) {
    let app = TestApp::start(on).await;
    let person = app.person("void").await;
    let first = person.recharge("50", "k").await;
    for _ in 0..2 {
        let response = person.void("k").await;
        assert!(response.headers().get("retry-after").is_none());
        assert_eq!(problem(response).await, refused(409, "key-used"));
    }
    let response = person.ask("k").await;
    assert_eq!((response.status().as_u16(), &response.headers()["cache-control"]), (200, &"no-store".parse().unwrap()));
    let answer: Value = response.json().await.unwrap();
    assert_eq!(
        answer,
        json!({ "orderNo": first["orderNo"], "status": 2, "bonusToken": "5250", "idempotentHit": true })
    );
    assert_eq!(told(&person.sync("50", "k").send().await.unwrap()), (200, "true"));
    assert_eq!(app.facts(&person, "k").await, once(5250));
    app.assert_verified();
}

/// Fifty at one instant, half of them to void: all are told of the same end.
async fn a_key_is_voided_or_recharged_and_never_both(on: On) {
    let app = TestApp::start(on).await;
    let person = app.person("race").await;
    let mut balance = 0;
    for round in 0..20 {
        let key = format!("round-{round}");
        // One or the other is sent first.
        let requests = (0..50).map(|number| match (number + round) % 2 {
            0 => person.key(Method::DELETE, &key),
            _ => person.sync("50", &key),
        });
        let answers = at_once(requests.collect()).await.into_iter().map(|answer| async {
            let status = answer.status().as_u16();
            let order = answer.json::<Value>().await.ok().and_then(|body| Some(body["orderNo"].as_str()?.to_owned()));
            (status, order)
        });
        let mut answers = join_all(answers).await;
        answers.sort();
        let sent = answers.len();
        answers.dedup();
        match &answers[..] {
            [(204, None), (410, None)] => assert_eq!(app.facts(&person, &key).await, voided(balance)),
            [(200, Some(_)), (409, None)] => {
                balance += 5250;
                assert_eq!(app.facts(&person, &key).await, once(balance));
            }
            _ => panic!("{sent} answers: {answers:?}"),
        }
    }
    app.assert_verified();
}

/// Nobody learns of another's key, or harms it.
async fn a_voided_key_is_its_own_persons(on: On) {
    let app = TestApp::start(on).await;
    let (one, two) = (app.person("one").await, app.person("two").await);
    one.recharge("50", "used").await;
    assert_voided(one.void("voided").await).await;
    for key in ["used", "voided", "unused"] {
        assert_eq!(problem(two.ask(key).await).await, refused(404, "key-unused"), "{key}");
    }
    assert_voided(two.void("used").await).await;
    assert_eq!(told(&one.sync("50", "used").send().await.unwrap()), (200, "true"));
    assert_eq!(two.recharge("50", "voided").await["idempotentHit"], false);
    assert_eq!(one.sync("50", "voided").send().await.unwrap().status(), 410);
    assert_eq!((one.balance().await, two.balance().await), (5250, 5250));
    let stranger = browser();
    for method in [Method::GET, Method::DELETE] {
        for key in ["used", "k%20", "%FF"] {
            let request = stranger.request(method.clone(), format!("{}/api/recharge/keys/{key}", app.url));
            assert_eq!(problem(request.send().await.unwrap()).await, refused(401, "not-signed-in"));
        }
    }
    app.assert_verified();
}

/// Each byte as %XX, so that nothing on the way can take it for something else.
fn encoded(key: &str) -> String {
    key.bytes().map(|byte| format!("%{byte:02X}")).collect::<Vec<_>>().concat()
}

async fn a_key_may_hold_every_character_in_an_address(on: On) {
    let app = TestApp::start(on).await;
    let person = app.person("odd").await;
    let all: String = (0x21..=0x7e_u8).map(char::from).collect();
    let longest = "%/".repeat(127);
    for key in [all.as_str(), &longest, "a/b", "/", "%", "%2F", "100%", "a+b", "?", "#", "a?b=c#d", "...", "\\", "'"] {
        let (used, voided) = (format!("{key}U"), format!("{key}v"));
        person.recharge("1", &used).await;
        assert_eq!(person.ask(&encoded(&used)).await.status(), 200, "{key}");
        assert_eq!(problem(person.void(&encoded(&used)).await).await, refused(409, "key-used"), "{key}");
        assert_voided(person.void(&encoded(&voided)).await).await;
        assert_eq!(status(&app, &person, &voided).await, 3, "{key}");
        assert_eq!(person.sync("1", &voided).send().await.unwrap().status(), 410, "{key}");
        // Byte for byte: in other letters it is another key.
        assert_eq!(problem(person.ask(&encoded(&format!("{key}u"))).await).await, refused(404, "key-unused"), "{key}");
    }
    // As people write it by hand: a plus is a plus, and what is decoded once is not decoded again.
    for (written, key) in [("p+q", "p+q"), ("p%2Bq", "p+q"), ("p%252Fq", "p%2Fq"), ("p%2Fq", "p/q"), ("9%", "9%")] {
        assert_voided(person.void(written).await).await;
        assert_eq!(status(&app, &person, key).await, 3, "{written}");
    }
    app.assert_verified();
}

async fn what_is_no_key_is_refused_and_leaves_no_trace(on: On) {
    let app = TestApp::start(on).await;
    let person = app.person("malformed").await;
    let long = "k".repeat(256);
    for method in [Method::GET, Method::DELETE] {
        for key in ["k%20", "%20k", "a%00", "k%0A", "%7F", "%C3%A9", "%FF", "%EF%BB%BFk", &long] {
            let response = person.key(method.clone(), key).send().await.unwrap();
            assert_eq!(problem(response).await, refused(400, "key-malformed"), "{key}");
        }
        let response = person.key(method.clone(), "%20").send().await.unwrap();
        assert_eq!(problem(response).await, refused(400, "key-missing"));
        assert_eq!(problem(person.key(method.clone(), "").send().await.unwrap()).await, refused(404, "not-found"));
        assert_eq!(problem(person.key(method, "a/b").send().await.unwrap()).await, refused(404, "not-found"));
    }
    let response = person.key(Method::POST, "k").send().await.unwrap();
    assert_eq!(problem(response).await, refused(405, "method-not-allowed"));
    for name in ["resolve", "discard"] {
        for (key, kind) in [("", "key-missing"), ("a b", "key-malformed"), (&long, "key-malformed")] {
            let refused = person.page_function(name, &[("idempotency_key", key)]).await;
            assert_eq!(refused, (400, json!(kind)), "{name} {key}");
        }
    }
    let database = app.connect().await;
    let rows: i64 = sqlx::query_scalar("select count(*) from recharge_order").fetch_one(&database.pool).await.unwrap();
    assert_eq!(rows, 0);
}

/// Neither by the browser's own mark, nor by the origin that it names.
async fn a_page_of_another_site_voids_nothing(on: On) {
    let app = TestApp::start(on).await;
    let person = app.person("csrf").await;
    for (name, value) in [("origin", "http://foreign.example"), ("sec-fetch-site", "cross-site")] {
        let response = person.key(Method::DELETE, "k").header(name, value).send().await.unwrap();
        assert_eq!(problem(response).await, refused(403, "foreign-origin"), "{name}");
        let page = person.client.post(format!("{}/api/page/discard", app.url)).form(&[("idempotency_key", "k")]);
        assert_eq!(page.header(name, value).send().await.unwrap().status(), 403, "{name}");
    }
    assert_eq!(app.facts(&person, "k").await, nothing());
    let own = person.key(Method::DELETE, "k").header("origin", &app.url).header("sec-fetch-site", "same-origin");
    assert_voided(own.send().await.unwrap()).await;
}

/// The page's server functions: a form goes in, JSON comes back, and the person must be the one the page was made for.
async fn the_page_asks_and_discards(on: On) {
    let app = TestApp::start(on).await;
    let (person, other) = (app.person("page").await, app.person("other").await);
    let meant = person.user_id.to_string();
    let form = [("user_id", meant.as_str()), ("idempotency_key", "k")];
    assert_eq!(person.page_function("resolve", &form).await, (200, json!("Unresolved")));
    for name in ["resolve", "discard"] {
        assert_eq!(other.page_function(name, &form).await, (403, json!("not-yours")), "{name}");
        let stranger = browser().post(format!("{}/api/page/{name}", app.url)).form(&form).send().await.unwrap();
        assert_eq!((stranger.status().as_u16(), stranger.json().await.unwrap()), (401, json!("not-signed-in")));
    }
    assert_eq!(app.facts(&other, "k").await, nothing());
    assert_eq!(app.facts(&person, "k").await, nothing());
    for name in ["discard", "discard", "resolve"] {
        assert_eq!(person.page_function(name, &form).await, (200, json!("Voided")), "{name}");
    }
    let order = person.recharge("50", "used").await["orderNo"].clone();
    let form = [("user_id", meant.as_str()), ("idempotency_key", "used")];
    for name in ["discard", "resolve"] {
        let (code, answer) = person.page_function(name, &form).await;
        let recharged = &answer["Recharged"];
        assert_eq!((code, &recharged["order"]["order_no"], &recharged["replayed"]), (200, &order, &json!(true)));
        assert_eq!(recharged["account"]["balance"], 5250);
        assert_eq!(recharged["account"]["orders"].as_array().unwrap().len(), 1, "a voided key is no order");
    }
    assert_eq!(app.facts(&person, "used").await, once(5250));
    app.assert_verified();
}

/// The database itself keeps a voided row from becoming an order, and an order from becoming void.
async fn a_voided_row_stays_what_it_is(on: On) {
    let app = TestApp::start(on).await;
    let person = app.person("checks").await;
    person.recharge("50", "used").await;
    assert_voided(person.void("voided").await).await;
    let mut connection = app.database.connection().await;
    for (sql, name) in [
        ("update recharge_order set status = 0 where status = 3", "recharge_order_amount"),
        ("update recharge_order set status = 1 where status = 3", "recharge_order_amount"),
        ("update recharge_order set status = 2, bonus_tokens = 1 where status = 3", "recharge_order_amount"),
        ("update recharge_order set bonus_tokens = 0 where status = 3", "recharge_order_tokens"),
        ("update recharge_order set status = 3 where status = 2", "recharge_order_tokens"),
    ] {
        let message = sqlx::query(sql).execute(&mut connection).await.expect_err(sql).to_string();
        assert!(message.contains(name), "{sql}: {message}");
    }
    assert_eq!(app.facts(&person, "voided").await, voided(5250));
    app.assert_verified();
}

/// The one who comes later waits at the index, and is told what the first one's end was.
async fn a_void_waits_for_a_recharge_and_sees_its_end(on: On) {
    let app = TestApp::start(on).await;
    let mut watch = Watch::open(on, &app.database).await;
    let mut outside = app.database.connection().await;
    let person = app.person("held").await;

    recharge_outside(&mut outside, person.user_id, "k").await;
    let void = tokio::spawn(person.key(Method::DELETE, "k").send());
    watch.until_waiting(1).await;
    assert_eq!(problem(person.ask("k").await).await, refused(404, "key-unused"));
    outside.execute("rollback").await.unwrap();
    assert_voided(void.await.unwrap().unwrap()).await;
    assert_eq!(app.facts(&person, "k").await, voided(0));

    let order = recharge_outside(&mut outside, person.user_id, "l").await;
    let meant = person.user_id.to_string();
    let form = [("user_id", meant.as_str()), ("idempotency_key", "l")];
    let void = tokio::spawn(person.key(Method::DELETE, "l").send());
    let discard = person.client.post(format!("{}/api/page/discard", app.url)).form(&form).send();
    let discard = tokio::spawn(discard);
    watch.until_waiting(2).await;
    assert!(!void.is_finished() && !discard.is_finished());
    outside.execute("commit").await.unwrap();
    assert_eq!(problem(void.await.unwrap().unwrap()).await, refused(409, "key-used"));
    let discarded: Value = discard.await.unwrap().unwrap().json().await.unwrap();
    assert_eq!(discarded["Recharged"]["order"]["order_no"], order.as_str());
    assert_eq!(app.facts(&person, "l").await, once(5250));
    watch.assert_no_transaction_is_open().await;
    app.assert_verified();
}

/// The server itself ends the wait, so that it is certain that nothing arrives later.
async fn a_void_does_not_wait_for_ever(on: On) {
    let app = TestApp::start_with(on, &["--lock-wait-ms", "200"]).await;
    let mut watch = Watch::open(on, &app.database).await;
    let mut outside = app.database.connection().await;
    let person = app.person("held").await;
    recharge_outside(&mut outside, person.user_id, "k").await;
    let response = person.void("k").await;
    assert!(response.headers().contains_key("retry-after"));
    assert_eq!(problem(response).await, refused(503, "busy"));
    assert!(watch.until_waiting(0).await.is_empty());
    outside.execute("rollback").await.unwrap();
    assert_eq!(app.facts(&person, "k").await, nothing());
    assert_eq!(told(&person.sync("50", "k").send().await.unwrap()), (200, "false"));
    assert_eq!(app.facts(&person, "k").await, once(5250));
    app.assert_verified();
}

/// Begins a transaction outside of the program in which a key is voided.
async fn void_outside(connection: &mut AnyConnection, user_id: i64, key: &str) {
    let insert = format!(
        "insert into recharge_order (order_no, user_id, idempotency_key, amount_minor, currency, status, tier, created_at,
                                     updated_at)
         values ('{}', {user_id}, '{key}', 0, 'USD', 3, '', 0, 0)",
        server::clock::order_no()
    );
    connection.execute("begin").await.unwrap();
    connection.execute(sqlx::raw_sql(AssertSqlSafe(insert))).await.unwrap();
}

/// The same the other way round: the recharge has looked its key up, found nothing, and waits at the index. What shares its
/// slice is not harmed.
async fn a_recharge_waits_for_a_void_and_sees_its_end(on: On) {
    let app = TestApp::start(on).await;
    let mut watch = Watch::open(on, &app.database).await;
    let mut outside = app.database.connection().await;
    let person = app.person("held").await;

    void_outside(&mut outside, person.user_id, "k").await;
    let recharge = tokio::spawn(person.sync("50", "k").send());
    watch.until_waiting(1).await;
    outside.execute("commit").await.unwrap();
    assert_eq!(problem(recharge.await.unwrap().unwrap()).await, refused(410, "key-voided"));
    assert_eq!(app.facts(&person, "k").await, voided(0));

    void_outside(&mut outside, person.user_id, "l").await;
    let recharge = tokio::spawn(person.sync("50", "l").send());
    watch.until_waiting(1).await;
    outside.execute("rollback").await.unwrap();
    assert_eq!(told(&recharge.await.unwrap().unwrap()), (200, "false"));
    assert_eq!(app.facts(&person, "l").await, once(5250));
    watch.assert_no_transaction_is_open().await;
    app.assert_verified();
}

/// The socket is closed after each of some bytes of the request, or at some moment after it.
async fn a_client_that_leaves_has_voided_the_key_or_not(on: On) {
    let app = TestApp::start(on).await;
    let person = app.person("left").await;
    let session = session(&app, &person).await;
    let host = app.url.strip_prefix("http://").unwrap();
    let mut balance = 0;
    for round in 0..40_usize {
        let key = format!("left-{round}");
        let request = format!(
            "DELETE /api/recharge/keys/{key} HTTP/1.1\r\nHost: {host}\r\nCookie: {SESSION_COOKIE}={session}\r\n\r\n"
        );
        let bytes = request.as_bytes();
        let mut socket = TcpStream::connect(host).await.unwrap();
        let sent = if round % 4 == 0 { bytes.len() * round / 40 } else { bytes.len() };
        socket.write_all(&bytes[..sent]).await.unwrap();
        let wait = Duration::from_micros(u64::try_from(round * round).unwrap() * 5);
        let _ = tokio::time::timeout(wait, socket.read(&mut [0; 16])).await;
        drop(socket);
        let before = app.facts(&person, &key).await;
        assert!(before == voided(balance) || before == Facts { balance, ..nothing() }, "{before:?}");
        // It may still be on its way: whichever comes first, the answer tells what stands.
        match person.sync("50", &key).send().await.unwrap().status().as_u16() {
            200 => {
                balance += 5250;
                assert_eq!(app.facts(&person, &key).await, once(balance));
                assert_eq!(person.void(&key).await.status(), 409);
            }
            410 => {
                assert_eq!(app.facts(&person, &key).await, voided(balance));
                assert_voided(person.void(&key).await).await;
            }
            other => panic!("{other}"),
        }
    }
    app.assert_verified();
}
