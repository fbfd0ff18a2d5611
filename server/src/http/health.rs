//! Whether the server is alive, and whether it can do its work.

use axum::extract::State;
use axum::http::StatusCode;

use crate::reads;
use crate::service::Service;

/// The process answers.
pub async fn alive() -> &'static str {
    "alive\n"
}

/// The database answers, and the queue has room.
pub async fn ready(State(service): State<Service>) -> (StatusCode, &'static str) {
    match reads::tiers(&service.database).await {
        Err(error) => {
            tracing::warn!(%error, "not ready");
            (StatusCode::SERVICE_UNAVAILABLE, "the database does not answer\n")
        }
        Ok(_) if service.writer.is_full() => (StatusCode::SERVICE_UNAVAILABLE, "the queue is full\n"),
        Ok(_) => (StatusCode::OK, "ready\n"),
    }
}
