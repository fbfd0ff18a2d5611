//! The JSON API, for programs.

mod account;
mod keys;
mod recharge;

use app::problem::Problem;
use axum::Router;
use axum::routing::{get, post};

use super::Shared;
use super::problem::ApiProblem;

/// Everything under `/api` but the page's own server functions.
pub fn router() -> Router<Shared> {
    Router::new()
        .route("/recharge/sync", post(recharge::sync))
        .route("/recharge/keys/{key}", get(keys::show).delete(keys::void))
        .route("/account", get(account::show))
        .method_not_allowed_fallback(|| async { ApiProblem(Problem::MethodNotAllowed) })
        .fallback(|| async { ApiProblem(Problem::NotFound) })
}
