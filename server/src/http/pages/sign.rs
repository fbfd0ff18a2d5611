//! `/sign-up`, `/sign-in` and `/sign-out`.

use app::pages::{Sign, SignForm, sign};
use app::problem::Problem;
use app::words::Language;
use axum::Form;
use axum::extract::rejection::{FormRejection, QueryRejection};
use axum::extract::{Query, State};
use axum::http::uri::PathAndQuery;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use axum_extra::extract::CookieJar;
use axum_extra::extract::cookie::{Cookie, SameSite};
use serde::Deserialize;

use super::super::Shared;
use super::super::caller::{self, Caller, SESSION_COOKIE};
use super::{explain, frame, render, unreadable};
use crate::people::{self, SignError};

/// Where the person was going.
#[derive(Debug, Default, Deserialize)]
pub struct Parameters {
    next: Option<String>,
}

/// What the form sends.
#[derive(Deserialize)]
pub struct Sent {
    #[serde(default)]
    email: String,
    #[serde(default)]
    password: String,
    next: Option<String>,
}

/// The sign-in page.
pub async fn show_in(
    shared: State<Shared>,
    caller: Caller,
    parameters: Result<Query<Parameters>, QueryRejection>,
) -> Response {
    show(SignForm::In, shared, caller, parameters).await
}

/// The sign-up page.
pub async fn show_up(
    shared: State<Shared>,
    caller: Caller,
    parameters: Result<Query<Parameters>, QueryRejection>,
) -> Response {
    show(SignForm::Up, shared, caller, parameters).await
}

/// Signs a person in.
pub async fn post_in(
    State(shared): State<Shared>,
    caller: Caller,
    headers: HeaderMap,
    sent: Result<Form<Sent>, FormRejection>,
) -> Response {
    post(SignForm::In, &shared, &caller, &headers, sent).await
}

/// Makes an account and signs the person in.
pub async fn post_up(
    State(shared): State<Shared>,
    caller: Caller,
    headers: HeaderMap,
    sent: Result<Form<Sent>, FormRejection>,
) -> Response {
    post(SignForm::Up, &shared, &caller, &headers, sent).await
}

/// Ends the session.
pub async fn post_out(State(shared): State<Shared>, caller: Caller, headers: HeaderMap) -> Response {
    if let Some(secret) = caller::secret(&headers)
        && let Err(error) = people::end_session(&shared.service.database, &secret).await
    {
        return unreadable(&shared, &caller, error).await;
    }
    let jar = CookieJar::new().add(Cookie::build((SESSION_COOKIE, "")).path("/").removal().build());
    (jar, Redirect::to("/sign-in")).into_response()
}

async fn show(
    form: SignForm,
    State(shared): State<Shared>,
    caller: Caller,
    parameters: Result<Query<Parameters>, QueryRejection>,
) -> Response {
    let next = local(parameters.ok().and_then(|Query(parameters)| parameters.next));
    let page = Sign { language: caller.0.language, form, email: String::new(), problem: None, next };
    render(frame(&shared, &caller, title(form, caller.0.language)), StatusCode::OK, page, sign).await
}

async fn post(
    form: SignForm,
    shared: &Shared,
    caller: &Caller,
    headers: &HeaderMap,
    sent: Result<Form<Sent>, FormRejection>,
) -> Response {
    let Ok(Form(Sent { email, password, next })) = sent else {
        return explain(shared, caller, Problem::BodyMalformed).await;
    };
    let next = local(next);
    let (database, passwords) = (&shared.service.database, &shared.service.passwords);
    let signed = match form {
        SignForm::In => people::sign_in(database, passwords, &email, password).await,
        SignForm::Up => people::sign_up(database, passwords, &email, password).await,
    };
    let user_id = match signed {
        Ok(user_id) => user_id,
        Err(SignError::Problem(problem)) => {
            tracing::info!(?problem, "not signed {}", form.way());
            let page = Sign { language: caller.0.language, form, email, problem: Some(problem), next };
            return render(
                frame(shared, caller, title(form, caller.0.language)),
                StatusCode::UNPROCESSABLE_ENTITY,
                page,
                sign,
            )
            .await;
        }
        Err(SignError::Database(error)) => return unreadable(shared, caller, error).await,
        Err(error @ SignError::Hash) => {
            tracing::error!(%error, "a person cannot sign up");
            return explain(shared, caller, Problem::Internal).await;
        }
    };
    let previous = caller::secret(headers);
    let days = shared.service.terms.session_days;
    match people::start_session(database, user_id, days, previous.as_deref()).await {
        Ok(session) => {
            tracing::info!(user_id, "signed {}", form.way());
            let cookie = Cookie::build((SESSION_COOKIE, session.secret))
                .path("/")
                .http_only(true)
                .same_site(SameSite::Lax)
                .secure(caller::over_https(headers) || shared.service.terms.https)
                .max_age(time::Duration::seconds(session.seconds));
            (CookieJar::new().add(cookie), Redirect::to(&next)).into_response()
        }
        Err(error) => unreadable(shared, caller, error).await,
    }
}

fn title(form: SignForm, language: Language) -> &'static str {
    let words = language.page_words();
    match form {
        SignForm::In => words.sign_in,
        SignForm::Up => words.sign_up,
    }
}

/// The place to go to, if it is one of this site: a path, and nothing that a browser reads as another host.
pub(super) fn local(next: Option<String>) -> String {
    next.filter(|next| next.starts_with('/') && !next.starts_with("//"))
        .filter(|next| next.bytes().all(|byte| byte.is_ascii_graphic() && !b"\\#".contains(&byte)))
        .filter(|next| next.parse::<PathAndQuery>().is_ok())
        .unwrap_or_else(|| "/".to_owned())
}

#[cfg(test)]
mod tests {
    use super::local;

    #[test]
    fn only_a_path_of_this_site_is_gone_to() {
        for (next, place) in [
            ("/history?orders_before=1", "/history?orders_before=1"),
            ("//evil.example", "/"),
            ("/\\evil.example", "/"),
            ("https://evil.example", "/"),
            ("/a\nb", "/"),
            ("/a b", "/"),
            ("/#\n", "/"),
            ("/#a\r\nX: 1", "/"),
            ("/sign-\u{e9}", "/"),
            ("", "/"),
        ] {
            assert_eq!(local(Some(next.to_owned())), place, "{next:?}");
        }
    }
}
