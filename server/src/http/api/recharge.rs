//! `POST /api/recharge/sync`: one recharge, for programs.

use app::port::Person;
use app::problem::Problem;
use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::chain::Answered;
use crate::http::caller::Caller;
use crate::http::problem::ApiProblem;
use crate::service::Service;

const KEY: HeaderName = HeaderName::from_static("idempotency-key");
const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// What a program sends. Anything else in the body is ignored: tokens, tier and status are decided here.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request<'a> {
    #[serde(borrow)]
    user_id: Option<&'a RawValue>,
    #[serde(borrow)]
    amount: Option<&'a RawValue>,
    #[serde(borrow)]
    idempotent_key: Option<&'a RawValue>,
}

/// What it is told.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Answer {
    order_no: String,
    status: u8,
    bonus_token: String,
    idempotent_hit: bool,
}

impl From<&Answered> for Answer {
    fn from(answered: &Answered) -> Self {
        Self {
            order_no: answered.order.order_no.to_string(),
            status: answered.order.status as u8,
            bonus_token: answered.tokens.to_string(),
            idempotent_hit: answered.replayed,
        }
    }
}

/// Recharges the caller's account.
pub async fn sync(
    State(service): State<Service>,
    Caller(caller): Caller,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let terms = std::sync::Arc::clone(&service.terms);
    recharge(&service, caller.person.as_ref(), &headers, body)
        .await
        .unwrap_or_else(|problem| ApiProblem(problem).with(&terms))
}

async fn recharge(
    service: &Service,
    person: Option<&Person>,
    headers: &HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, Problem> {
    let caller = person.ok_or(Problem::NotSignedIn)?;
    let body = body.map_err(|rejection| match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => Problem::BodyTooLarge,
        _ => Problem::BodyMalformed,
    })?;
    // An array would be taken for the fields in their order.
    if body.trim_ascii_start().first() != Some(&b'{') {
        return Err(Problem::BodyMalformed);
    }
    let request: Request<'_> = serde_json::from_slice(&body).map_err(|error| {
        tracing::debug!(%error, "a body cannot be read");
        Problem::BodyMalformed
    })?;
    if let Some(user_id) = request.user_id
        && text(user_id) != Some(caller.user_id.to_string())
    {
        return Err(Problem::NotYours);
    }
    // A number counts by its digits as they were sent: it is never read as a float.
    let amount = request.amount.and_then(text).ok_or(Problem::AmountMalformed)?;
    let key = key(headers, request.idempotent_key)?;

    let answered = service.recharge(person, &amount, &key).await?;
    let answer = Answer::from(&answered);
    let replayed = HeaderValue::from_static(if answered.replayed { "true" } else { "false" });
    let no_store = HeaderValue::from_static("no-store");
    Ok(([(REPLAYED, replayed), (header::CACHE_CONTROL, no_store)], Json(answer)).into_response())
}

/// The one key of a request, from the body or from the header.
fn key(headers: &HeaderMap, in_body: Option<&RawValue>) -> Result<String, Problem> {
    let mut in_headers = headers.get_all(KEY).iter();
    match (in_headers.next(), in_headers.next(), in_body) {
        (Some(_), Some(_), _) | (Some(_), _, Some(_)) => Err(Problem::KeyTwice),
        (Some(value), None, None) => value.to_str().map(str::to_owned).map_err(|_| Problem::KeyMalformed),
        (None, _, Some(value)) if value.get().starts_with('"') => text(value).ok_or(Problem::KeyMalformed),
        (None, _, Some(_)) => Err(Problem::KeyMalformed),
        (None, _, None) => Err(Problem::KeyMissing),
    }
}

/// A JSON string's content, or a JSON number's own digits. Nothing else is text.
fn text(value: &RawValue) -> Option<String> {
    let raw = value.get();
    match raw.as_bytes().first()? {
        b'"' => serde_json::from_str(raw).ok(),
        b'-' | b'0'..=b'9' => Some(raw.to_owned()),
        _ => None,
    }
}
