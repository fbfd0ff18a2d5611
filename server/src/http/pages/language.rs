//! `POST /language`: remembers the language that a person chose.

use app::problem::Problem;
use app::words::{Language, cookie};
use axum::Form;
use axum::extract::State;
use axum::extract::rejection::FormRejection;
use axum::http::uri::Uri;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;

use super::super::Shared;
use super::super::caller::{Caller, over_https};
use super::explain;
use super::sign::local;

/// What the form sends.
#[derive(Debug, Deserialize)]
pub struct Sent {
    /// The tag of the language.
    language: String,
}

/// Sets the cookie, and leads back to the page from which the form was sent.
pub async fn post(
    State(shared): State<Shared>,
    caller: Caller,
    headers: HeaderMap,
    sent: Result<Form<Sent>, FormRejection>,
) -> Response {
    let language = sent.ok().and_then(|Form(sent)| Language::from_code(&sent.language));
    let Some(language) = language else { return explain(&shared, &caller, Problem::BodyMalformed).await };
    let mut response = Redirect::to(&back(&headers)).into_response();
    let https = shared.service.terms.https || over_https(&headers);
    if let Ok(cookie) = HeaderValue::from_str(&cookie(language, https)) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}

/// The page from which the form was sent. Whatever host it names, the place is one of this site.
fn back(headers: &HeaderMap) -> String {
    let referer = headers.get(header::REFERER).and_then(|value| value.to_str().ok());
    let uri = referer.and_then(|referer| referer.parse::<Uri>().ok());
    local(uri.and_then(|uri| uri.path_and_query().map(|path| path.as_str().to_owned())))
}
