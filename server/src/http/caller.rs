//! Who sends a request: the person of the session cookie, and the language they read, found once per request.

use app::port;
use app::problem::Problem;
use app::words::Language;
use axum::extract::{FromRequestParts, Request, State};
use axum::http::HeaderMap;
use axum::http::header::{ACCEPT_LANGUAGE, COOKIE, HeaderName};
use axum::http::request::Parts;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::Shared;
use super::problem::ApiProblem;
use crate::people;

/// The name of the cookie with the session's secret.
pub const SESSION_COOKIE: &str = "recharge_session";

/// The person who sends the request, if anybody is signed in, and their language.
#[derive(Debug, Clone)]
pub struct Caller(pub port::Caller);

/// Finds the person of the session cookie, and the language, and passes the request on.
pub async fn find(State(shared): State<Shared>, mut request: Request, next: Next) -> Response {
    let person = match secret(request.headers()) {
        Some(secret) => people::person_of(&shared.service.database, &secret).await,
        None => Ok(None),
    };
    let language = language(request.headers());
    match person {
        Ok(person) => {
            request.extensions_mut().insert(Caller(port::Caller { person, language }));
            next.run(request).await
        }
        Err(error) => {
            tracing::error!(%error, "the session cannot be looked up");
            if request.uri().path().starts_with("/api/") {
                ApiProblem(Problem::Busy).into_response()
            } else {
                super::pages::explain(&shared, &nobody(language), Problem::Busy).await
            }
        }
    }
}

/// The secret in the session cookie.
pub fn secret(headers: &HeaderMap) -> Option<String> {
    cookie(headers, SESSION_COOKIE)
}

/// The value of a cookie. Cookies of other programs on the same host, whatever bytes they hold, stand in no one's way.
pub fn cookie(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get_all(COOKIE).iter().find_map(|header| {
        let text = String::from_utf8_lossy(header.as_bytes());
        let mut pairs = text.split(';').filter_map(|pair| pair.trim().split_once('='));
        pairs.find(|(own, _)| *own == name).map(|(_, value)| value.to_owned())
    })
}

/// The language that was chosen; else the one that the browser asks for.
fn language(headers: &HeaderMap) -> Language {
    let chosen = cookie(headers, Language::COOKIE).and_then(|code| Language::from_code(&code));
    let asked = || Language::accepted(headers.get(ACCEPT_LANGUAGE)?.to_str().ok()?);
    chosen.or_else(asked).unwrap_or_default()
}

fn nobody(language: Language) -> Caller {
    Caller(port::Caller { person: None, language })
}

/// Whether the browser reached the server, or the proxy before it, over https.
pub fn over_https(headers: &HeaderMap) -> bool {
    const FORWARDED: HeaderName = HeaderName::from_static("x-forwarded-proto");
    headers.get(FORWARDED).is_some_and(|proto| proto.as_bytes().eq_ignore_ascii_case(b"https"))
}

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        Ok(parts.extensions.get().cloned().unwrap_or_else(|| nobody(Language::default())))
    }
}
