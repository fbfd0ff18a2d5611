//! The pages' handlers: each reads what its page shows, and renders it.

pub mod history;
pub mod language;
pub mod problems;
pub mod recharge;
pub mod sign;

use app::pages::{Frame, shell};
use app::port;
use app::problem::Problem;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use leptos::prelude::{IntoAny, IntoView};

use super::Shared;
use super::caller::Caller;
use super::problem::{say_when_to_retry, status};

/// Renders a page in its frame.
async fn render<P, V>(frame: Frame, code: StatusCode, page: P, content: fn(P) -> V) -> Response
where
    P: Clone + Send + Sync + 'static,
    V: IntoView + 'static,
{
    let document = move || shell(frame.clone(), content(page.clone()).into_any());
    let mut response = leptos_axum::render_app_to_stream(document)(Request::new(Body::empty())).await;
    *response.status_mut() = code;
    // Every page shows a person's own affairs, and the recharge page holds a key.
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// The frame of a page.
fn frame(shared: &Shared, Caller(caller): &Caller, title: &'static str) -> Frame {
    let port::Caller { person, language } = caller.clone();
    Frame { options: shared.options.clone(), title, language, person, interactive: false }
}

/// A page that explains a problem, with its status.
pub(super) async fn explain(shared: &Shared, caller: &Caller, problem: Problem) -> Response {
    let language = caller.0.language;
    let frame = frame(shared, caller, (language.page_words().title)(problem));
    let mut response = render(frame, status(problem), (problem, language), app::pages::explained).await;
    say_when_to_retry(&mut response, problem);
    response
}

/// A page whose data cannot be read: nothing is lost, and it says so.
async fn unreadable(shared: &Shared, caller: &Caller, error: sqlx::Error) -> Response {
    tracing::error!(%error, "a page cannot be read from the database");
    explain(shared, caller, Problem::Busy).await
}

/// Leads to the sign-in page, and from there back to where the person was going.
fn to_sign_in(next: &str) -> Response {
    Redirect::to(&format!("/sign-in?next={}", app::pages::encode(next))).into_response()
}
