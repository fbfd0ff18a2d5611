//! `GET /api/account`: whose account it is, and its balance.

use app::problem::Problem;
use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use serde::Serialize;

use crate::http::caller::Caller;
use crate::http::problem::ApiProblem;
use crate::reads;
use crate::service::Service;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Account {
    user_id: i64,
    email: String,
    /// Tokens, as text: a JSON number is a float to many programs.
    balance: String,
}

/// The caller's account.
pub async fn show(State(service): State<Service>, Caller(caller): Caller) -> Result<impl IntoResponse, ApiProblem> {
    let person = caller.person.ok_or(ApiProblem(Problem::NotSignedIn))?;
    let balance = reads::balance(&service.database, person.user_id).await.map_err(|error| {
        tracing::error!(%error, "the balance cannot be read");
        ApiProblem(Problem::Busy)
    })?;
    let account = Account { user_id: person.user_id, email: person.email, balance: balance.to_string() };
    Ok(([(header::CACHE_CONTROL, "no-store")], Json(account)))
}
