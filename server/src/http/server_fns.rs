//! The way from a server function of `app` to the service.

use std::sync::Arc;

use app::port::Port;
use axum::extract::{Request, State};
use axum::http::header;
use axum::response::IntoResponse;
use leptos::prelude::provide_context;

use super::caller::Caller;
use crate::service::Service;

/// Runs the server function of this address, with the port and the caller in its context.
pub async fn run(State(service): State<Service>, Caller(caller): Caller, mut request: Request) -> impl IntoResponse {
    // With these the framework would answer a form with a redirect to wherever it says it comes from. Forms have a way
    // in of their own.
    request.headers_mut().remove(header::ACCEPT);
    request.headers_mut().remove(header::REFERER);
    let port: Arc<dyn Port> = Arc::new(service);
    let context = move || {
        provide_context(Arc::clone(&port));
        provide_context(caller.clone());
    };
    leptos_axum::handle_server_fns_with_context(context, request).await
}
