//! Problems as the JSON API answers them: `application/problem+json` of RFC 9457.

use app::problem::Problem;
use app::words::{Language, Speech};
use axum::Json;
use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};
use axum::response::IntoResponse;
use serde::Serialize;

use crate::service::Terms;

/// Programs, and those who read their logs, are answered in one language.
const LANGUAGE: Language = Language::English;

/// A problem on its way to a program.
#[derive(Debug, Clone, Copy)]
pub struct ApiProblem(pub Problem);

/// The members of RFC 9457, and the field at fault.
#[derive(Debug, Serialize)]
struct Document {
    r#type: String,
    title: &'static str,
    status: u16,
    detail: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<&'static str>,
}

impl ApiProblem {
    /// The answer, with the limits and the currency of this installation in its words.
    pub fn with(self, terms: &Terms) -> Response<Body> {
        let speech = Speech { language: LANGUAGE, currency: terms.currency, limits: terms.limits };
        self.respond(match self.0 {
            Problem::AmountMalformed | Problem::AmountTooSmall | Problem::AmountTooLarge => speech.refusal(self.0),
            other => (LANGUAGE.page_words().explanation)(other).to_owned(),
        })
    }

    /// The answer where the terms are not at hand.
    pub fn plain(problem: Problem) -> Response<Body> {
        Self(problem).respond((LANGUAGE.page_words().explanation)(problem).to_owned())
    }

    fn respond(self, detail: String) -> Response<Body> {
        let problem = self.0;
        let document = Document {
            r#type: format!("/problems/{}", problem.slug()),
            title: (LANGUAGE.page_words().title)(problem),
            status: problem.status(),
            detail,
            field: problem.field(),
        };
        let mut response = Json(document).into_response();
        *response.status_mut() = status(problem);
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        say_when_to_retry(&mut response, problem);
        response
    }
}

impl IntoResponse for ApiProblem {
    fn into_response(self) -> Response<Body> {
        Self::plain(self.0)
    }
}

/// Says after how long another attempt is worth making, where waiting helps.
pub fn say_when_to_retry(response: &mut Response<Body>, problem: Problem) {
    if let Some(seconds) = problem.retry_after() {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
}

/// The HTTP status of a problem.
pub fn status(problem: Problem) -> StatusCode {
    // Every status in the list of problems is one of HTTP's.
    StatusCode::from_u16(problem.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}
