//! `GET /history`.

use app::pages::{History, history};
use axum::extract::rejection::QueryRejection;
use axum::extract::{OriginalUri, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde::Deserialize;

use super::super::Shared;
use super::super::caller::Caller;
use super::{frame, render, to_sign_in, unreadable};
use crate::reads;

/// Where the lists begin. A cursor that is none shows the newest rows.
#[derive(Debug, Default, Deserialize)]
pub struct Cursors {
    orders_before: Option<String>,
    ledger_before: Option<String>,
}

/// The person's orders and ledger.
pub async fn show(
    State(shared): State<Shared>,
    caller: Caller,
    OriginalUri(uri): OriginalUri,
    cursors: Result<Query<Cursors>, QueryRejection>,
) -> Response {
    let Some(person) = &caller.0.person else {
        return to_sign_in(uri.path_and_query().map_or("/history", |path| path.as_str()));
    };
    let language = caller.0.language;
    let cursors = cursors.map(|Query(cursors)| cursors).unwrap_or_default();
    let orders_before = cursors.orders_before.and_then(|cursor| cursor.parse().ok());
    let ledger_before = cursors.ledger_before.and_then(|cursor| cursor.parse().ok());
    let database = &shared.service.database;
    let read = async {
        let orders = reads::orders(database, person.user_id, language, orders_before).await?;
        let ledger = reads::ledger(database, person.user_id, language, ledger_before).await?;
        Ok::<_, sqlx::Error>((orders, ledger))
    };
    let (orders, ledger) = match read.await {
        Ok(read) => read,
        Err(error) => return unreadable(&shared, &caller, error).await,
    };
    let page = History {
        language,
        orders: orders.rows,
        more_orders: orders.more,
        ledger: ledger.rows,
        more_ledger: ledger.more,
    };
    render(frame(&shared, &caller, language.page_words().history), StatusCode::OK, page, history).await
}
