//! HTTP: which address leads where, and what holds for every request.

mod api;
mod assets;
mod caller;
mod health;
mod pages;
mod problem;
mod server_fns;

use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, FromRef};
use axum::http::{HeaderName, HeaderValue, Response, header};
use axum::middleware;
use axum::routing::{get, post};
use leptos::config::LeptosOptions;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::csrf::{ConfigError, CsrfLayer, ProtectionError};
use tower_http::set_header::SetResponseHeaderLayer;
use tower_http::timeout::RequestBodyTimeoutLayer;

pub use self::caller::SESSION_COOKIE;
use self::problem::ApiProblem;
use crate::service::Service;

/// No request of this program needs a longer body, in bytes.
const BODY_LIMIT: usize = 16 * 1024;

/// How long a request may take to send the next part of its body.
const BODY_WAIT: Duration = Duration::from_secs(10);

/// What handlers share.
#[derive(Debug, Clone)]
pub struct Shared {
    /// The way to everything that is not HTTP.
    pub service: Service,
    /// Where the stylesheet and the WASM lie.
    pub options: LeptosOptions,
}

impl FromRef<Shared> for Service {
    fn from_ref(shared: &Shared) -> Self {
        shared.service.clone()
    }
}

/// The whole program as a router. A public origin is needed where a proxy changes the host that browsers see.
///
/// # Errors
/// When the public origin is not an origin.
pub fn router(shared: Shared, public_origin: Option<&str>) -> Result<Router, ConfigError> {
    // Rendering needs to know which executor runs; a second call finds it known and changes nothing.
    let _ = any_spawner::Executor::init_tokio();
    let mut origins = CsrfLayer::new();
    if let Some(origin) = public_origin {
        origins = origins.add_trusted_origin(origin)?;
    }
    let foreign = |_: ProtectionError| -> Response<Body> { ApiProblem::plain(app::problem::Problem::ForeignOrigin) };

    let known = middleware::from_fn_with_state(shared.clone(), caller::find);
    let people = Router::new()
        .route("/", get(pages::recharge::show).post(pages::recharge::post))
        .route("/history", get(pages::history::show))
        .route("/sign-in", get(pages::sign::show_in).post(pages::sign::post_in))
        .route("/sign-up", get(pages::sign::show_up).post(pages::sign::post_up))
        .route("/sign-out", post(pages::sign::post_out))
        .route("/language", post(pages::language::post))
        .route("/problems", get(pages::problems::list))
        .route("/problems/{slug}", get(pages::problems::show))
        // A server function is found by its whole address, which a nested router would cut.
        .route("/api/page/{*function}", post(server_fns::run))
        .nest("/api", api::router())
        .fallback(pages::problems::not_found)
        .method_not_allowed_fallback(pages::problems::not_allowed)
        .layer(known);

    Ok(people
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
        .nest_service("/pkg", assets::service(&shared.options))
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .layer(RequestBodyTimeoutLayer::new(BODY_WAIT))
        .layer(origins.with_rejection_response(foreign))
        .layer(CatchPanicLayer::custom(|_| ApiProblem::plain(app::problem::Problem::Internal)))
        .layer(always(header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .layer(always(header::REFERRER_POLICY, "same-origin"))
        .layer(always(
            header::CONTENT_SECURITY_POLICY,
            "base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
        ))
        .with_state(shared))
}

/// A header on every answer that does not set it itself.
fn always(name: HeaderName, value: &'static str) -> SetResponseHeaderLayer<HeaderValue> {
    SetResponseHeaderLayer::if_not_present(name, HeaderValue::from_static(value))
}
