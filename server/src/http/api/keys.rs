//! `/api/recharge/keys/{key}`: what became of the caller's own key, and voiding it. In the address a key is percent-encoded
//! and decoded once; a plus is a plus.

use app::port::Person;
use app::problem::Problem;
use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::recharge::Answer;
use crate::http::caller::Caller;
use crate::http::problem::ApiProblem;
use crate::service::{Decided, Service};

/// The key of the address, unless it is no text once it is decoded.
type Key = Result<Path<String>, PathRejection>;

const NO_STORE: [(HeaderName, &str); 1] = [(header::CACHE_CONTROL, "no-store")];

/// `GET`: the recharge that stands under the key.
pub async fn show(State(service): State<Service>, Caller(caller): Caller, key: Key) -> Response {
    let shown = shown(&service, caller.person.as_ref(), key).await;
    shown.unwrap_or_else(|problem| ApiProblem(problem).with(&service.terms))
}

/// `DELETE`: voids the key, unless a recharge stands under it.
pub async fn void(State(service): State<Service>, Caller(caller): Caller, key: Key) -> Response {
    let voided = voided(&service, caller.person.as_ref(), key).await;
    voided.unwrap_or_else(|problem| ApiProblem(problem).with(&service.terms))
}

async fn shown(service: &Service, person: Option<&Person>, key: Key) -> Result<Response, Problem> {
    match service.resolve(person, &named(person, key)?).await? {
        Some(Decided::Recharged(answered)) => Ok((NO_STORE, Json(Answer::from(&answered))).into_response()),
        Some(Decided::Voided) => Err(Problem::KeyVoided),
        None => Err(Problem::KeyUnused),
    }
}

async fn voided(service: &Service, person: Option<&Person>, key: Key) -> Result<Response, Problem> {
    match service.void(person, &named(person, key)?).await? {
        Decided::Voided => Ok((StatusCode::NO_CONTENT, NO_STORE).into_response()),
        Decided::Recharged(_) => Err(Problem::KeyUsed),
    }
}

/// The key of the address. Whoever is not signed in is told that before anything else.
fn named(person: Option<&Person>, key: Key) -> Result<String, Problem> {
    person.ok_or(Problem::NotSignedIn)?;
    key.map(|Path(key)| key).map_err(|_| Problem::KeyMalformed)
}
