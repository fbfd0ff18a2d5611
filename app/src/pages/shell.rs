//! The frame that every page stands in.

use leptos::config::LeptosOptions;
use leptos::prelude::*;
use leptos_meta::HashedStylesheet;

use crate::port::Person;
use crate::words::{self, Language};

/// What the frame needs to know about the page in it.
#[derive(Debug, Clone)]
pub struct Frame {
    /// Where the stylesheet and the WASM lie.
    pub options: LeptosOptions,
    /// The page's title.
    pub title: &'static str,
    /// The language of the page.
    pub language: Language,
    /// The person who is signed in.
    pub person: Option<Person>,
    /// Whether the page has an interactive part, for which WASM is loaded.
    pub interactive: bool,
}

/// A whole document around a page.
pub fn shell(frame: Frame, page: impl IntoView + 'static) -> impl IntoView {
    let Frame { options, title, language, person, interactive } = frame;
    let words = language.page_words();
    let scripts = interactive.then(|| {
        let options = options.clone();
        view! { <HydrationScripts options islands=true /> }
    });
    let reload = options.clone();
    view! {
        <!DOCTYPE html>
        <html lang=language.code()>
            <head>
                <meta charset="utf-8" />
                <meta name="viewport" content="width=device-width, initial-scale=1" />
                <meta name="color-scheme" content="light dark" />
                <meta name="description" content=words.description />
                <title>{if title == words::NAME { title.to_owned() } else { format!("{title} · {}", words::NAME) }}</title>
                <link rel="icon" href="data:," />
                <HashedStylesheet options id="leptos" />
                <AutoReload options=reload />
                {scripts}
            </head>
            <body>
                <a class="skip" href="#main">{words.skip}</a>
                {header(person, language)}
                <main id="main">
                    <h1>{title}</h1>
                    {page}
                </main>
            </body>
        </html>
    }
}

fn header(person: Option<Person>, language: Language) -> impl IntoView {
    let words = language.page_words();
    let links = match person {
        Some(person) => view! {
            <a href="/">{words.recharge}</a>
            <a href="/history">{words.history}</a>
            <form action="/sign-out" method="post">
                <span class="who">{person.email}</span>
                <button type="submit" class="link">{words.sign_out}</button>
            </form>
        }
        .into_any(),
        None => view! {
            <a href="/sign-in">{words.sign_in}</a>
            <a href="/sign-up">{words.sign_up}</a>
        }
        .into_any(),
    };
    view! {
        <header>
            <a class="brand" href="/">{words::NAME}</a>
            <nav aria-label=words.main_navigation>{links}</nav>
            {switches(language)}
        </header>
    }
}

/// A button for each other language, which says its name in itself.
fn switches(language: Language) -> impl IntoView {
    let others = Language::ALL.into_iter().filter(move |other| *other != language).map(|other| {
        view! {
            <button
                type="submit"
                class="link"
                name="language"
                value=other.code()
                lang=other.code()
                title=other.page_words().change_language
            >
                {other.own_name()}
            </button>
        }
    });
    view! { <form class="languages" action="/language" method="post">{others.collect_view()}</form> }
}
