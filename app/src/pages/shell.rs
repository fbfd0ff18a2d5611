//! The frame that every page stands in.

use leptos::config::LeptosOptions;
use leptos::prelude::*;
use leptos_meta::HashedStylesheet;

use crate::port::Person;
use crate::words;

/// What the frame needs to know about the page in it.
#[derive(Debug, Clone)]
pub struct Frame {
    /// Where the stylesheet and the WASM lie.
    pub options: LeptosOptions,
    /// The page's title.
    pub title: &'static str,
    /// The person who is signed in.
    pub person: Option<Person>,
    /// Whether the page has an interactive part, for which WASM is loaded.
    pub interactive: bool,
}

/// A whole document around a page.
pub fn shell(frame: Frame, page: impl IntoView + 'static) -> impl IntoView {
    let Frame { options, title, person, interactive } = frame;
    let scripts = interactive.then(|| {
        let options = options.clone();
        view! { <HydrationScripts options islands=true /> }
    });
    let reload = options.clone();
    view! {
        <!DOCTYPE html>
        <html lang="en">
            <head>
                <meta charset="utf-8" />
                <meta name="viewport" content="width=device-width, initial-scale=1" />
                <meta name="color-scheme" content="light dark" />
                <meta name="description" content="Recharge tokens, exactly once per decision to pay." />
                <title>{if title == words::NAME { title.to_owned() } else { format!("{title} · {}", words::NAME) }}</title>
                <link rel="icon" href="data:," />
                <HashedStylesheet options id="leptos" />
                <AutoReload options=reload />
                {scripts}
            </head>
            <body>
                <a class="skip" href="#main">"Skip to the content"</a>
                {header(person)}
                <main id="main">
                    <h1>{title}</h1>
                    {page}
                </main>
            </body>
        </html>
    }
}

fn header(person: Option<Person>) -> impl IntoView {
    let links = match person {
        Some(person) => view! {
            <a href="/">"Recharge"</a>
            <a href="/history">"History"</a>
            <form action="/sign-out" method="post">
                <span class="who">{person.email}</span>
                <button type="submit" class="link">"Sign out"</button>
            </form>
        }
        .into_any(),
        None => view! {
            <a href="/sign-in">"Sign in"</a>
            <a href="/sign-up">"Sign up"</a>
        }
        .into_any(),
    };
    view! {
        <header>
            <a class="brand" href="/">{words::NAME}</a>
            <nav aria-label="Main">{links}</nav>
        </header>
    }
}
