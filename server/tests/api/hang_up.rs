//! S8: clients that leave before their answer. The intent is wholly there or wholly absent, and a retry credits once.

use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::app::{On, Person, TestApp, browser, once};
use crate::engine::on_every_engine;
use server::http::SESSION_COOKIE;

on_every_engine! {
    a_client_that_leaves_at_any_moment_is_credited_once_after_all;
}

/// The raw bytes of a recharge request, so that the socket can be closed at any byte.
fn request(session: &str, host: &str, key: &str) -> String {
    let body = json!({ "amount": "50", "idempotentKey": key }).to_string();
    format!(
        "POST /api/recharge/sync HTTP/1.1\r\nHost: {host}\r\nCookie: {SESSION_COOKIE}={session}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Signs in once more and takes the session's secret out of the answer.
pub async fn session(app: &TestApp, person: &Person) -> String {
    let form = [("email", person.email.as_str()), ("password", "correct horse")];
    let response = browser().post(format!("{}/sign-in", app.url)).form(&form).send().await.unwrap();
    let cookie = response.headers()["set-cookie"].to_str().unwrap().to_owned();
    cookie.split_once('=').unwrap().1.split_once(';').unwrap().0.to_owned()
}

async fn a_client_that_leaves_at_any_moment_is_credited_once_after_all(on: On) {
    let app = TestApp::start(on).await;
    let person = app.person("s8").await;
    let session = session(&app, &person).await;
    let host = app.url.strip_prefix("http://").unwrap();

    for round in 0_i64..40 {
        let key = format!("left-{round}");
        let bytes = request(&session, host, &key).into_bytes();
        let mut socket = TcpStream::connect(host).await.unwrap();
        // Half of the rounds leave in the middle of the request, the others at some moment after it.
        let sent = if round % 2 == 0 { bytes.len() } else { bytes.len() * usize::try_from(round).unwrap() / 40 };
        socket.write_all(&bytes[..sent]).await.unwrap();
        if round % 4 == 0 {
            // As much of the answer as there is after so many microseconds; usually none.
            let wait = Duration::from_micros(u64::try_from(round).unwrap() * 150);
            let _ = tokio::time::timeout(wait, socket.read(&mut [0; 16])).await;
        }
        drop(socket);
        let before = app.facts(&person, &key).await;
        assert_eq!(
            (before.orders, before.orders),
            (before.completed, before.ledger_rows),
            "wholly there or wholly absent"
        );
        person.recharge("50", &key).await;
        assert_eq!(app.facts(&person, &key).await, once(5250 * (round + 1)));
    }
    app.assert_verified();
}
