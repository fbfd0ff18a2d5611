//! `GET /` and `POST /`: the recharge page, and its form for browsers in which no WASM lives.

use app::key::{self, IdempotencyKey};
use app::pages::{Frame, Recharge, recharge};
use app::port::Person;
use app::problem::Problem;
use app::words::Speech;
use axum::Form;
use axum::extract::rejection::{FormRejection, QueryRejection};
use axum::extract::{OriginalUri, Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;

use super::super::Shared;
use super::super::caller::{Caller, cookie, over_https};
use super::super::problem::{say_when_to_retry, status};
use super::{explain, frame, render, to_sign_in, unreadable};
use crate::reads;
use crate::service::meant_for;

/// Which receipt to show.
#[derive(Debug, Default, Deserialize)]
pub struct Parameters {
    receipt: Option<String>,
    /// Of a form that was just sent: whether an earlier request had done it.
    replayed: Option<bool>,
}

/// What the form sends.
#[derive(Debug, Deserialize)]
pub struct Sent {
    #[serde(default)]
    amount: String,
    #[serde(default)]
    idempotency_key: String,
    /// The number of the account that the page showed.
    #[serde(default)]
    user_id: String,
}

/// What became of the form, for the page that answers it.
#[derive(Debug, Default)]
struct Outcome {
    /// The key that the page goes on with, or `None` for a new one.
    key: Option<IdempotencyKey>,
    https: bool,
    typed: String,
    failure: Option<Problem>,
    receipt: Option<String>,
    replayed: Option<bool>,
}

/// The page.
pub async fn show(
    State(shared): State<Shared>,
    caller: Caller,
    OriginalUri(uri): OriginalUri,
    headers: HeaderMap,
    parameters: Result<Query<Parameters>, QueryRejection>,
) -> Response {
    let Some(person) = &caller.0.person else {
        return to_sign_in(uri.path_and_query().map_or("/", |path| path.as_str()));
    };
    let Parameters { receipt, replayed } = parameters.map(|Query(parameters)| parameters).unwrap_or_default();
    let key = unresolved(&headers, person);
    let https = shared.service.terms.https || over_https(&headers);
    page(&shared, &caller, person, Outcome { key, https, receipt, replayed, ..Outcome::default() }).await
}

/// The form. A success leads to the page with its receipt, so that a reload sends nothing again; a failure is answered
/// with the page itself, with what was typed and, while the outcome is open, with the same key.
pub async fn post(
    State(shared): State<Shared>,
    caller: Caller,
    headers: HeaderMap,
    sent: Result<Form<Sent>, FormRejection>,
) -> Response {
    let Some(person) = &caller.0.person else { return to_sign_in("/") };
    let Ok(Form(sent)) = sent else { return explain(&shared, &caller, Problem::BodyMalformed).await };
    if let Err(problem) = meant_for(Some(person), &sent.user_id) {
        return explain(&shared, &caller, problem).await;
    }
    let https = shared.service.terms.https || over_https(&headers);
    match shared.service.recharge(Some(person), &sent.amount, &sent.idempotency_key).await {
        Ok(answered) => {
            let mut response = Redirect::to(&format!(
                "/?receipt={}&replayed={}#receipt-title",
                answered.order.order_no, answered.replayed
            ))
            .into_response();
            give_key(&mut response, person, &IdempotencyKey::random(), https);
            response
        }
        Err(problem) => {
            // Another problem says nothing of a request before this one with the same key: only a key that is spent, or
            // none, is replaced.
            let used_up = matches!(problem, Problem::KeyReused | Problem::KeyVoided);
            let key = (!used_up).then(|| IdempotencyKey::parse(&sent.idempotency_key)).and_then(Result::ok);
            page(
                &shared,
                &caller,
                person,
                Outcome { key, https, typed: sent.amount, failure: Some(problem), ..Outcome::default() },
            )
            .await
        }
    }
}

async fn page(shared: &Shared, caller: &Caller, person: &Person, outcome: Outcome) -> Response {
    let database = &shared.service.database;
    let terms = &shared.service.terms;
    let language = caller.0.language;
    let key = outcome.key.unwrap_or_else(IdempotencyKey::random);
    let read = async {
        let account = reads::account(database, person.user_id, language).await?;
        let done = match &outcome.receipt {
            Some(order_no) => reads::order(database, person.user_id, language, order_no).await?,
            None => None,
        };
        Ok::<_, sqlx::Error>((account, done))
    };
    let (account, done) = match read.await {
        Ok(read) => read,
        Err(error) => return unreadable(shared, caller, error).await,
    };
    let content = Recharge {
        person: person.user_id,
        key: key.clone(),
        speech: Speech { language, currency: terms.currency, limits: terms.limits },
        account,
        typed: outcome.typed,
        failure: outcome.failure,
        done,
        replayed: outcome.replayed,
    };
    let frame = Frame { interactive: true, ..frame(shared, caller, language.page_words().recharge) };
    let mut response = render(frame, outcome.failure.map_or(StatusCode::OK, status), content, recharge).await;
    if let Some(problem) = outcome.failure {
        say_when_to_retry(&mut response, problem);
    }
    give_key(&mut response, person, &key, outcome.https);
    response
}

/// The key of the person's intent that an earlier page began and nothing has ended.
fn unresolved(headers: &HeaderMap, person: &Person) -> Option<IdempotencyKey> {
    key::from_cookie(&cookie(headers, &key::cookie_name(person.user_id))?)
}

/// Hands the browser the key that its next page is to use.
fn give_key(response: &mut Response, person: &Person, key: &IdempotencyKey, https: bool) {
    // A key of the page's own is a UUID; any other that a form may have sent stays in that form alone.
    if let Some(key) = key::from_cookie(key.as_str())
        && let Ok(cookie) = HeaderValue::from_str(&key::cookie(person.user_id, &key, https))
    {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
}
