//! The server function behind the recharge form: it takes what was typed to the [`crate::port::Port`].

use leptos::prelude::*;

use crate::problem::Problem;
use crate::view::Recharged;

/// Recharges the signed-in person's account. Both arguments are text, as typed and as sent, so that the one parser of
/// this program judges them.
///
/// # Errors
/// Any [`Problem`], with its status on the HTTP answer.
#[server(prefix = "/api", endpoint = "page/recharge")]
pub async fn recharge(
    /// The amount as it was typed.
    #[server(default)]
    amount: String,
    /// The key as the page keeps it.
    #[server(default)]
    idempotency_key: String,
) -> Result<Recharged, Problem> {
    use std::sync::Arc;

    use crate::port::{Person, Port};

    let Some(port) = use_context::<Arc<dyn Port>>() else {
        return Err(refuse(Problem::Internal));
    };
    let person = use_context::<Option<Person>>().flatten();
    // The status is set in the context of the request, which is looked up before the wait.
    let response = use_context::<leptos_axum::ResponseOptions>();
    let answer = port.recharge(person.as_ref(), &amount, &idempotency_key).await;
    if let (Err(problem), Some(response)) = (&answer, &response) {
        set_status_of(response, *problem);
    }
    answer
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
