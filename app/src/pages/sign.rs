//! The pages `/sign-in` and `/sign-up`: one form, two purposes.

use std::fmt::Write as _;

use leptos::prelude::*;

use crate::words::{Language, SignProblem};

/// Which of the two pages it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignForm {
    /// For a person who has an account.
    In,
    /// For a person who makes one.
    Up,
}

impl SignForm {
    /// The word that follows `sign`.
    pub fn way(self) -> &'static str {
        match self {
            Self::In => "in",
            Self::Up => "up",
        }
    }
}

/// What the page shows.
#[derive(Debug, Clone)]
pub struct Sign {
    /// The language of the page.
    pub language: Language,
    /// Which of the two pages it is.
    pub form: SignForm,
    /// The e-mail address as it was typed.
    pub email: String,
    /// Why the form was not accepted.
    pub problem: Option<SignProblem>,
    /// Where the person was going.
    pub next: String,
}

/// The page's content.
pub fn sign(page: Sign) -> impl IntoView {
    let Sign { language, form, email, problem, next } = page;
    let words = language.page_words();
    let (action, button, autocomplete, other, other_words) = match form {
        SignForm::In => ("/sign-in", words.sign_in, "current-password", "/sign-up", words.no_account_yet),
        SignForm::Up => ("/sign-up", words.sign_up, "new-password", "/sign-in", words.have_account),
    };
    let first = (problem.is_none() && form == SignForm::In && next != "/").then_some(words.sign_in_first);
    let at_email = problem.is_some_and(|problem| problem != SignProblem::Password);
    let at_password = problem.is_some_and(|problem| problem == SignProblem::Password);
    let summary = problem.map(|problem| {
        let target = match problem {
            SignProblem::Taken => "/sign-in",
            SignProblem::Password => "#password",
            SignProblem::Email | SignProblem::Credentials => "#email",
        };
        view! {
            <div class="summary" role="alert" id="sign-error" tabindex="-1" autofocus>
                <a href=target>{(words.sign_problem)(problem)}</a>
            </div>
        }
    });
    let hint = (form == SignForm::Up).then(|| view! { <p class="hint" id="password-hint">{words.password_hint}</p> });
    let other = format!("{other}?next={}", encode(&next));
    view! {
        <form class="card sign" action=action method="post">
            {first.map(|first| view! { <p>{first}</p> })}
            {summary}
            <input type="hidden" name="next" value=next />
            <label for="email">{words.email}</label>
            <input
                id="email"
                name="email"
                type="email"
                autocomplete="username"
                value=email
                required
                aria-invalid=at_email.to_string()
                aria-describedby=at_email.then_some("sign-error")
            />
            <label for="password">{words.password}</label>
            {hint}
            <input
                id="password"
                name="password"
                type="password"
                autocomplete=autocomplete
                required
                aria-invalid=at_password.to_string()
                aria-describedby=match (form, at_password) {
                    (SignForm::Up, true) => Some("password-hint sign-error"),
                    (SignForm::Up, false) => Some("password-hint"),
                    (SignForm::In, _) => None,
                }
            />
            <button type="submit" class="primary">{button}</button>
            <p><a href=other>{other_words}</a></p>
        </form>
    }
}

/// Escapes a local path for use as a query value.
pub fn encode(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}
