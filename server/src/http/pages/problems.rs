//! `GET /problems`, `GET /problems/{slug}`: what the API's answers point to; and the page for an address without one.

use app::pages::{documented, problem_page};
use app::problem::Problem;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;

use super::super::Shared;
use super::super::caller::Caller;
use super::{explain, frame, render};

/// All problems.
pub async fn list(State(shared): State<Shared>, caller: Caller) -> Response {
    let language = caller.0.language;
    render(frame(&shared, &caller, language.page_words().problems), StatusCode::OK, language, documented).await
}

/// What one problem means.
pub async fn show(State(shared): State<Shared>, caller: Caller, Path(slug): Path<String>) -> Response {
    match Problem::from_slug(&slug) {
        Some(problem) => {
            let language = caller.0.language;
            let frame = frame(&shared, &caller, (language.page_words().title)(problem));
            render(frame, StatusCode::OK, (problem, language), problem_page).await
        }
        None => explain(&shared, &caller, Problem::NotFound).await,
    }
}

/// There is nothing at this address.
pub async fn not_found(State(shared): State<Shared>, caller: Caller) -> Response {
    explain(&shared, &caller, Problem::NotFound).await
}

/// The address is there, but not for this method.
pub async fn not_allowed(State(shared): State<Shared>, caller: Caller) -> Response {
    explain(&shared, &caller, Problem::MethodNotAllowed).await
}
