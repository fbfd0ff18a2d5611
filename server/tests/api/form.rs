//! The plain form, for browsers in which no WASM lives: redirect after a success, the page itself after a failure.

use reqwest::{Method, Response};

use crate::app::{On, Person, TestApp, nothing, once};
use crate::engine::on_every_engine;
use crate::void::voided;

on_every_engine! {
    a_post_leads_to_its_receipt_however_often_it_is_sent;
    a_page_that_is_loaded_again_holds_the_same_key_until_it_was_used;
    a_refused_amount_is_shown_with_what_was_typed;
    a_used_key_with_another_amount_is_refused_and_replaced;
    a_voided_key_is_refused_and_replaced;
    a_body_that_is_no_form_is_refused;
    a_receipt_is_its_own_persons;
    a_page_that_was_left_open_never_charges_somebody_else;
}

/// The key that the page's form holds.
async fn served_key(person: &Person) -> String {
    let page = person.get("/").await;
    assert_eq!((page.status().as_u16(), &page.headers()["cache-control"]), (200, &"no-store".parse().unwrap()));
    key_in(&page.text().await.unwrap())
}

fn key_in(page: &str) -> String {
    let after = page.split_once("name=\"idempotency_key\"").expect("a form with a key").1;
    let value = after.split_once("value=\"").unwrap().1;
    value.split_once('"').unwrap().0.to_owned()
}

fn location(response: &Response) -> &str {
    assert_eq!(response.status(), 303);
    response.headers()["location"].to_str().unwrap()
}

/// B8: redirect after post; a reload, of the post or of the page, is still one credit.
async fn a_post_leads_to_its_receipt_however_often_it_is_sent(on: On) {
    let app = TestApp::start(on).await;
    let person = app.person("form").await;
    let key = served_key(&person).await;
    let first = person.form("50", &key).send().await.unwrap();
    let again = person.form("50.00", &key).send().await.unwrap();
    let told = |response| location(response).split_once("&replayed=").map(|(receipt, told)| (receipt.to_owned(), told));
    let (receipt, replayed) = told(&first).unwrap();
    assert_eq!(replayed, "false#receipt-title");
    assert_eq!(told(&again), Some((receipt, "true#receipt-title")), "it says that nothing was paid again");
    let receipt = person.get(location(&first)).await.text().await.unwrap();
    assert!(receipt.contains("data-testid=\"receipt\"") && receipt.contains("5,250"));
    assert_eq!(app.facts(&person, &key).await, once(5250));
    assert_ne!(key_in(&receipt), key, "the next recharge is a new intent");
}

/// The key survives in the page that is loaded next, as long as nothing has ended its intent.
async fn a_page_that_is_loaded_again_holds_the_same_key_until_it_was_used(on: On) {
    let app = TestApp::start(on).await;
    let person = app.person("form").await;
    let key = served_key(&person).await;
    assert_eq!(served_key(&person).await, key);
    person.form("50", &key).send().await.unwrap();
    assert_ne!(served_key(&person).await, key);
    let other = app.person("other").await;
    assert_ne!(served_key(&other).await, key);
}

/// Bad input: the message stands at the field, what was typed is kept, nothing is stored.
async fn a_refused_amount_is_shown_with_what_was_typed(on: On) {
    let app = TestApp::start(on).await;
    let person = app.person("form").await;
    for (typed, words) in [
        ("12,50", "Enter the amount in digits"),
        ("0.50", "The smallest amount is $1.00"),
        ("50000.01", "The largest amount is $50,000.00"),
        ("<b>\"1\"</b>", "Enter the amount in digits"),
        ("", "Enter the amount in digits"),
    ] {
        let key = served_key(&person).await;
        let response = person.form(typed, &key).send().await.unwrap();
        assert_eq!(response.status(), 400, "{typed:?}");
        let page = response.text().await.unwrap();
        assert!(page.contains(words), "{typed:?}");
        let kept = typed.replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
        assert!(page.contains(&format!("value=\"{kept}\"")), "{typed:?} is not kept in {page}");
        assert!(page.contains("aria-invalid=\"true\""));
        assert_eq!(app.facts(&person, &key).await, nothing());
    }
}

/// A5 through the form: the page says so, and its next key is a new one.
async fn a_used_key_with_another_amount_is_refused_and_replaced(on: On) {
    let app = TestApp::start(on).await;
    let person = app.person("form").await;
    person.form("50", "k").send().await.unwrap();
    let response = person.form("60", "k").send().await.unwrap();
    assert_eq!(response.status(), 422);
    let page = response.text().await.unwrap();
    assert!(page.contains("went through with another amount") && page.contains("value=\"60\""));
    assert_ne!(key_in(&page), "k");
    assert_eq!(app.facts(&person, "k").await, once(5250));
}

/// A page that was left open with a key that another tab discarded: it says so, and goes on with a new key.
async fn a_voided_key_is_refused_and_replaced(on: On) {
    let app = TestApp::start(on).await;
    let person = app.person("form").await;
    let key = served_key(&person).await;
    assert_eq!(person.key(Method::DELETE, &key).send().await.unwrap().status(), 204);
    let response = person.form("50", &key).send().await.unwrap();
    assert_eq!(response.status(), 410);
    let page = response.text().await.unwrap();
    assert!(page.contains("This recharge was discarded") && page.contains("value=\"50\""), "{page}");
    let next = key_in(&page);
    assert_ne!(next, key);
    assert_eq!(served_key(&person).await, next, "it is also the key of the next page");
    assert_eq!(app.facts(&person, &key).await, voided(0));
    location(&person.form("50", &next).send().await.unwrap());
    assert_eq!(app.facts(&person, &next).await, once(5250));
}

/// A body that is no form is refused, whatever it is.
async fn a_body_that_is_no_form_is_refused(on: On) {
    let app = TestApp::start(on).await;
    let person = app.person("form").await;
    for path in ["", "/api/page/recharge"] {
        for body in [
            &b"amount=1&amount=2&idempotency_key=k"[..],
            b"amount=1&idempotency_key=k&idempotency_key=l",
            b"amount=1",
            b"idempotency_key=k",
            b"amount=1&idempotency_key=%00",
            b"amount=1&idempotency_key=%ff%fe",
            b"amount=\xff&idempotency_key=k",
            b"",
        ] {
            let request = person.client.post(format!("{}{path}", app.url)).body(body.to_vec());
            let response = request.header("content-type", "application/x-www-form-urlencoded").send().await.unwrap();
            assert_eq!(response.status(), 400, "{path} {}", String::from_utf8_lossy(body));
        }
    }
    assert_eq!(person.balance().await, 0);
}

/// A page of one person, sent after another one has signed in in the same browser.
async fn a_page_that_was_left_open_never_charges_somebody_else(on: On) {
    let app = TestApp::start(on).await;
    let (one, two) = (app.person("one").await, app.person("two").await);
    let meant = one.user_id.to_string();
    for path in ["", "/api/page/recharge"] {
        let form = [("user_id", meant.as_str()), ("amount", "50"), ("idempotency_key", "k")];
        let response = two.client.post(format!("{}{path}", app.url)).form(&form).send().await.unwrap();
        assert_eq!(response.status(), 403, "{path}");
        assert_eq!(app.facts(&two, "k").await, nothing());
        let response = one.client.post(format!("{}{path}", app.url)).form(&form).send().await.unwrap();
        assert!(response.status().is_success() || response.status() == 303, "{path}");
    }
    assert_eq!(app.facts(&one, "k").await, once(5250));
}

/// Nobody can look at another person's receipt.
async fn a_receipt_is_its_own_persons(on: On) {
    let app = TestApp::start(on).await;
    let (one, two) = (app.person("one").await, app.person("two").await);
    let order = one.recharge("50", "k").await["orderNo"].as_str().unwrap().to_owned();
    let path = format!("/?receipt={order}");
    assert!(one.get(&path).await.text().await.unwrap().contains("data-testid=\"receipt\""));
    // What is no number of an order is a page without a receipt, on every engine.
    for odd in ["%C3%A9", "%00", "'", "1", "", "%25", "%F0%9F%92%B8"] {
        let page = one.get(&format!("/?receipt={odd}")).await;
        assert_eq!(page.status(), 200, "{odd}");
        assert!(!page.text().await.unwrap().contains("data-testid=\"receipt\""), "{odd}");
    }
    assert!(!two.get(&path).await.text().await.unwrap().contains("data-testid=\"receipt\""));
}
