//! Pages that say one thing: what a problem means, or that there is nothing here.

use leptos::prelude::*;

use crate::problem::Problem;
use crate::words;

/// The content of a page that explains a problem; its address is the `type` of the API's answers.
pub fn problem_page(problem: Problem) -> impl IntoView {
    let after = match problem.key_fate() {
        crate::problem::KeyFate::Kept => "The key stays good: send the same one again.",
        crate::problem::KeyFate::Replaced => "This answer is final for the request as it was sent.",
    };
    view! {
        <section class="card">
            <p>{words::explanation(problem)}</p>
            <p>{after}</p>
            <p class="hint">{format!("HTTP status {} · {}", problem.status(), problem.slug())}</p>
        </section>
    }
}

/// The content of a page that lists all problems.
pub fn documented() -> impl IntoView {
    let rows = Problem::ALL.into_iter().map(|problem| {
        view! {
            <li>
                <a href=format!("/problems/{}", problem.slug())>{words::title(problem)}</a>
                <span class="hint">{format!(" {} · {}", problem.status(), problem.slug())}</span>
            </li>
        }
    });
    view! { <section class="card"><ul>{rows.collect_view()}</ul></section> }
}

/// The content of a page that has only this to say.
pub fn message(text: &'static str) -> impl IntoView {
    view! {
        <section class="card">
            <p>{text}</p>
            <p><a href="/">"To the recharge page"</a></p>
        </section>
    }
}
