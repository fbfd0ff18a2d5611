//! Signing up, in and out, and who may send what.

use reqwest::Client;
use serde_json::Value;

use crate::app::{On, TestApp, browser, nothing};
use crate::engine::on_every_engine;

on_every_engine! {
    pages_lead_to_sign_in_and_back;
    the_session_cookie_is_guarded_rotated_and_stored_as_a_hash;
    signing_out_ends_the_session_on_the_server;
    an_unknown_address_and_a_wrong_password_are_told_alike;
    sign_up_says_what_is_wrong_and_keeps_the_address;
    a_foreign_origin_is_refused_everywhere;
    the_public_origin_is_trusted;
}

async fn post(client: &Client, url: &str, form: &[(&str, &str)]) -> reqwest::Response {
    client.post(url).form(form).send().await.unwrap()
}

async fn pages_lead_to_sign_in_and_back(on: On) {
    let app = TestApp::start(on).await;
    let person = app.person("someone").await;
    let client = browser();
    let away = client.get(format!("{}/history?orders_before=1&x=%2F", app.url)).send().await.unwrap();
    let location = away.headers()["location"].to_str().unwrap();
    assert_eq!((away.status().as_u16(), location), (303, "/sign-in?next=/history%3Forders_before%3D1%26x%3D%252F"));
    let page = client.get(format!("{}{location}", app.url)).send().await.unwrap().text().await.unwrap();
    assert!(page.contains("value=\"/history?orders_before=1&amp;x=%2F\""), "{page}");

    let form =
        [("email", person.email.as_str()), ("password", "correct horse"), ("next", "/history?orders_before=1&x=%2F")];
    let back = post(&client, &format!("{}/sign-in", app.url), &form).await;
    assert_eq!(
        (back.status().as_u16(), &back.headers()["location"]),
        (303, &"/history?orders_before=1&x=%2F".parse().unwrap())
    );
    for evil in ["//evil.example", "https://evil.example/", "/\\evil.example", "javascript:alert(1)"] {
        let form = [("email", person.email.as_str()), ("password", "correct horse"), ("next", evil)];
        assert_eq!(post(&client, &format!("{}/sign-in", app.url), &form).await.headers()["location"], "/");
    }
}

async fn the_session_cookie_is_guarded_rotated_and_stored_as_a_hash(on: On) {
    let app = TestApp::start(on).await;
    let person = app.person("cookie").await;
    let form = [("email", person.email.as_str()), ("password", "correct horse")];
    let url = format!("{}/sign-in", app.url);
    let secret = |response: &reqwest::Response| {
        let cookie = response.headers()["set-cookie"].to_str().unwrap().to_owned();
        for part in ["HttpOnly", "SameSite=Lax", "Path=/"] {
            assert!(cookie.contains(part), "{cookie}");
        }
        let secret = cookie.split_once('=').unwrap().1.split_once(';').unwrap().0.to_owned();
        (cookie.contains("Secure"), secret)
    };

    let client = browser();
    let (secure, first) = secret(&post(&client, &url, &form).await);
    let (_, second) = secret(&post(&client, &url, &form).await);
    assert!(!secure && first != second && first.len() == 64);
    let behind_https = client.post(&url).form(&form).header("x-forwarded-proto", "https").send().await.unwrap();
    assert!(secret(&behind_https).0);

    let with = |secret: &str| {
        let request = browser().get(format!("{}/api/account", app.url));
        let request = request.header("cookie", format!("recharge_session={secret}"));
        async { request.send().await.unwrap().status().as_u16() }
    };
    assert_eq!((with(&first).await, with(&second).await), (401, 401), "each sign-in ends the session before it");
    let database = app.connect().await;
    let hashes: Vec<String> =
        sqlx::query_scalar("select token_hash from sessions").fetch_all(&database.pool).await.unwrap();
    assert!(hashes.iter().all(|hash| *hash != first && *hash != second && hash.len() == 64));
    assert_eq!(with(&hashes[0]).await, 401, "the hash is no secret");

    sqlx::query("update sessions set expires_at = 1").execute(&database.pool).await.unwrap();
    assert_eq!(person.get("/api/account").await.status(), 401, "a session ends");
}

async fn signing_out_ends_the_session_on_the_server(on: On) {
    let app = TestApp::start(on).await;
    let person = app.person("out").await;
    let out = person.client.post(format!("{}/sign-out", app.url)).send().await.unwrap();
    assert_eq!((out.status().as_u16(), &out.headers()["location"]), (303, &"/sign-in".parse().unwrap()));
    assert_eq!(person.get("/api/account").await.status(), 401);
    let database = app.connect().await;
    let left: i64 = sqlx::query_scalar("select count(*) from sessions").fetch_one(&database.pool).await.unwrap();
    assert_eq!(left, 0);
    assert_eq!(person.get("/sign-out").await.status(), 405, "a link never signs anybody out");
}

async fn an_unknown_address_and_a_wrong_password_are_told_alike(on: On) {
    let app = TestApp::start(on).await;
    let person = app.person("known").await;
    let url = format!("{}/sign-in", app.url);
    let mut pages = Vec::new();
    for email in [person.email.as_str(), "unknown@example.com"] {
        let response = post(&browser(), &url, &[("email", email), ("password", "wrong")]).await;
        assert_eq!(response.status(), 422);
        let page = response.text().await.unwrap();
        // What follows the document is a script with a random nonce.
        let (document, _) = page.split_once("</html>").unwrap();
        pages.push(document.replace(email, ""));
    }
    assert_eq!(pages[0], pages[1]);
}

async fn sign_up_says_what_is_wrong_and_keeps_the_address(on: On) {
    let app = TestApp::start(on).await;
    app.person("taken").await;
    let url = format!("{}/sign-up", app.url);
    for (email, password, words) in [
        ("not an address", "correct horse", "Enter an e-mail address"),
        ("a@", "correct horse", "Enter an e-mail address"),
        ("", "correct horse", "Enter an e-mail address"),
        ("new@example.com", "short", "Choose a password"),
        ("new@example.com", &"x".repeat(129), "Choose a password"),
        (" TAKEN@example.com ", "correct horse", "There is an account with this e-mail address"),
    ] {
        let response = post(&browser(), &url, &[("email", email), ("password", password)]).await;
        assert_eq!(response.status(), 422, "{email:?}");
        let page = response.text().await.unwrap();
        assert!(page.contains(words) && page.contains(&format!("value=\"{email}\"")), "{email:?}: {page}");
        assert!(!page.contains(password) || password == "short", "the password is not repeated");
    }
    let (first, second) = (browser(), browser());
    let (one, two) = tokio::join!(
        post(&first, &url, &[("email", "race@example.com"), ("password", "correct horse")]),
        post(&second, &url, &[("email", "Race@Example.com"), ("password", "correct horse")]),
    );
    let mut statuses = [one.status().as_u16(), two.status().as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [303, 422], "one mailbox is one account");
}

/// A request that a page of another site sends in somebody's name is refused, on every way in.
async fn a_foreign_origin_is_refused_everywhere(on: On) {
    let app = TestApp::start(on).await;
    let person = app.person("csrf").await;
    let own = app.url.clone();
    let foreign: [&[(&str, &str)]; 5] = [
        &[("origin", "https://evil.example")],
        &[("origin", "null")],
        &[("sec-fetch-site", "cross-site")],
        &[("sec-fetch-site", "same-site"), ("origin", "http://other.127.0.0.1")],
        &[("origin", "http://127.0.0.1:1")],
    ];
    for headers in foreign {
        let with = |mut request: reqwest::RequestBuilder| {
            for (name, value) in headers {
                request = request.header(*name, *value);
            }
            async { request.send().await.unwrap() }
        };
        for request in [person.sync("50", "k"), person.form("50", "k"), person.page("50", "k")] {
            let response = with(request).await;
            assert_eq!(response.status(), 403, "{headers:?}");
            assert_eq!(response.json::<Value>().await.unwrap()["type"], "/problems/foreign-origin");
        }
        let form = [("email", "evil@example.com"), ("password", "correct horse")];
        for path in ["/sign-out", "/sign-in", "/sign-up"] {
            assert_eq!(with(person.client.post(format!("{own}{path}")).form(&form)).await.status(), 403, "{headers:?}");
        }
    }
    assert_eq!(app.facts(&person, "k").await, nothing());
    for (name, value) in [("origin", own.as_str()), ("sec-fetch-site", "same-origin"), ("sec-fetch-site", "none")] {
        assert_eq!(person.sync("50", "k").header(name, value).send().await.unwrap().status(), 200, "{name} {value}");
    }
    assert_eq!(person.balance().await, 5250);
}

/// Behind a proxy that changes the host, the origin that browsers see is trusted by name.
async fn the_public_origin_is_trusted(on: On) {
    let app = TestApp::start_with(on, &["--public-origin", "https://tokens.example"]).await;
    let person = app.person("proxied").await;
    let response = person.sync("50", "k").header("origin", "https://tokens.example").send().await.unwrap();
    assert_eq!(response.status(), 200);
    let response = person.sync("50", "k").header("origin", "http://tokens.example").send().await.unwrap();
    assert_eq!(response.status(), 403);
}
