//! Pages about problems: what each means, and the one that stands in for a page that cannot be shown.

use leptos::prelude::*;

use crate::problem::{KeyFate, Problem};
use crate::words::Language;

/// The content of a page that explains a problem; its address is the `type` of the API's answers.
pub fn problem_page((problem, language): (Problem, Language)) -> impl IntoView {
    let words = language.page_words();
    let after = match problem.key_fate() {
        KeyFate::Kept => words.key_kept,
        KeyFate::Replaced => words.key_replaced,
    };
    view! {
        <section class="card">
            <p>{(words.explanation)(problem)}</p>
            <p>{after}</p>
            <p class="hint">{format!("{} {} · {}", words.http_status, problem.status(), problem.slug())}</p>
        </section>
    }
}

/// The content of a page that lists all problems.
pub fn documented(language: Language) -> impl IntoView {
    let words = language.page_words();
    let rows = Problem::ALL.into_iter().map(|problem| {
        view! {
            <li>
                <a href=format!("/problems/{}", problem.slug())>{(words.title)(problem)}</a>
                <span class="hint">{format!(" {} · {}", problem.status(), problem.slug())}</span>
            </li>
        }
    });
    view! { <section class="card"><ul>{rows.collect_view()}</ul></section> }
}

/// The content of a page that stands in for the one that was asked for.
pub fn explained((problem, language): (Problem, Language)) -> impl IntoView {
    let words = language.page_words();
    view! {
        <section class="card">
            <p>{(words.explanation)(problem)}</p>
            <p><a href="/">{words.to_recharge}</a></p>
        </section>
    }
}
