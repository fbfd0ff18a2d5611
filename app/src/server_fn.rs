//! The server functions behind the recharge form: they take what was typed to the [`crate::port::Port`].

use leptos::prelude::*;

use crate::client::PageClient;
use crate::encoding::PostJsonText;
use crate::problem::Problem;
use crate::view::{AccountView, Recharged, Resolution};

/// Recharges the signed-in person's account. All arguments are text, as typed and as sent, so that the one parser of
/// this program judges them.
///
/// # Errors
/// Any [`Problem`], with its status on the HTTP answer.
#[server(prefix = "/api", endpoint = "page/recharge", client = PageClient, output = PostJsonText)]
pub async fn recharge(
    /// The number of the account that the page shows.
    #[server(default)]
    user_id: String,
    /// The amount as it was typed.
    #[server(default)]
    amount: String,
    /// The key as the page keeps it.
    #[server(default)]
    idempotency_key: String,
) -> Result<Recharged, Problem> {
    let asked = Asked::now()?;
    let answer = asked.port.recharge(&asked.caller, &user_id, &amount, &idempotency_key).await;
    if let (Ok(recharged), Some(response)) = (&answer, &asked.response) {
        let replayed = if recharged.replayed { "true" } else { "false" };
        let name = http::HeaderName::from_static("idempotent-replayed");
        response.insert_header(name, http::HeaderValue::from_static(replayed));
    }
    asked.answer(answer)
}

/// The balance and the last orders of the signed-in person, for a page that shows older ones.
///
/// # Errors
/// A [`Problem`], with its status on the HTTP answer.
#[server(prefix = "/api", endpoint = "page/account", client = PageClient, output = PostJsonText)]
pub async fn account(
    /// The number of the account that the page shows.
    #[server(default)]
    user_id: String,
) -> Result<AccountView, Problem> {
    let asked = Asked::now()?;
    let answer = asked.port.account(&asked.caller, &user_id).await;
    asked.answer(answer)
}

/// What became of the intent of this key: for a page that finds one which it, or a page before it, had sent.
///
/// # Errors
/// A [`Problem`], with its status on the HTTP answer.
#[server(prefix = "/api", endpoint = "page/resolve", client = PageClient, output = PostJsonText)]
pub async fn resolve(
    /// The number of the account that the page shows.
    #[server(default)]
    user_id: String,
    /// The key as the page keeps it.
    #[server(default)]
    idempotency_key: String,
) -> Result<Resolution, Problem> {
    let asked = Asked::now()?;
    let answer = asked.port.resolve(&asked.caller, &user_id, &idempotency_key).await;
    asked.answer(answer)
}

/// Voids the key, so that no request with it that is still on its way can recharge; or tells the recharge that came
/// first.
///
/// # Errors
/// A [`Problem`], with its status on the HTTP answer.
#[server(prefix = "/api", endpoint = "page/discard", client = PageClient, output = PostJsonText)]
pub async fn discard(
    /// The number of the account that the page shows.
    #[server(default)]
    user_id: String,
    /// The key as the page keeps it.
    #[server(default)]
    idempotency_key: String,
) -> Result<Resolution, Problem> {
    let asked = Asked::now()?;
    let answer = asked.port.void(&asked.caller, &user_id, &idempotency_key).await;
    asked.answer(answer)
}

/// What a server function needs of its request. It is taken out of the context before anything is waited for.
#[cfg(feature = "ssr")]
struct Asked {
    port: std::sync::Arc<dyn crate::port::Port>,
    caller: crate::port::Caller,
    response: Option<leptos_axum::ResponseOptions>,
}

#[cfg(feature = "ssr")]
impl Asked {
    fn now() -> Result<Self, Problem> {
        let (Some(port), Some(caller)) = (use_context(), use_context()) else { return Err(refuse(Problem::Internal)) };
        Ok(Self { port, caller, response: use_context() })
    }

    /// Passes the answer on, with the status of its problem.
    fn answer<T>(&self, answer: Result<T, Problem>) -> Result<T, Problem> {
        if let (Err(problem), Some(response)) = (&answer, &self.response) {
            set_status_of(response, *problem);
        }
        answer
    }
}

#[cfg(feature = "ssr")]
fn refuse(problem: Problem) -> Problem {
    set_status(problem);
    problem
}

/// Gives the answer of the running server function the status of the problem.
#[cfg(feature = "ssr")]
pub(crate) fn set_status(problem: Problem) {
    if let Some(response) = use_context::<leptos_axum::ResponseOptions>() {
        set_status_of(&response, problem);
    }
}

#[cfg(feature = "ssr")]
fn set_status_of(response: &leptos_axum::ResponseOptions, problem: Problem) {
    use http::{HeaderValue, StatusCode, header};

    if let Ok(status) = StatusCode::from_u16(problem.status()) {
        response.set_status(status);
    }
    if let Some(seconds) = problem.retry_after() {
        response.insert_header(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
}
