//! Where an intent survives a reload: localStorage, and a cookie that gives the next page its key before any script runs.
//!
//! Storage may throw, be full or be switched off. The intent then lives in memory alone, and nothing fails.

use gloo_storage::{LocalStorage, Storage};
use leptos::web_sys::wasm_bindgen::JsCast;
use leptos::web_sys::{self};

use crate::intent::Stored;
use crate::key::IdempotencyKey;

/// What all names of this program in localStorage begin with.
const OURS: &str = "recharge.intent.";

/// The name under which one person's intent stands in localStorage.
fn name(person: i64) -> String {
    format!("{OURS}{person}")
}

/// Whether a change of storage under this name concerns intents: anybody's, as another person may have signed in. No name
/// means that all was cleared.
pub(super) fn concerns(name: Option<&str>) -> bool {
    name.is_none_or(|name| name.starts_with(OURS))
}

/// Whether the key is there to be found by the next page.
pub(super) fn keeps(person: i64, key: &IdempotencyKey) -> bool {
    read(person).is_some_and(|stored| stored.contains(key.as_str()))
}

/// localStorage, or `None` where the browser refuses it. Asking first matters: the library panics on a refusal.
fn local_storage() -> Option<web_sys::Storage> {
    web_sys::window()?.local_storage().ok().flatten()?;
    Some(LocalStorage::raw())
}

/// What storage holds for the person.
pub(super) fn read(person: i64) -> Option<String> {
    local_storage()?.get_item(&name(person)).ok().flatten()
}

/// Stores the intent, and mirrors its key into the cookie that the server reads when it makes the next page.
pub(super) fn write(person: i64, stored: &Stored) {
    if let Some(storage) = local_storage() {
        // Full or forbidden: the page goes on with the key in memory, and what stood there must not outlive it.
        if storage.set_item(&name(person), &stored.write()).is_err() {
            let _ = storage.remove_item(&name(person));
        }
    }
    let window = web_sys::window();
    let https =
        window.as_ref().and_then(|window| window.location().protocol().ok()).is_some_and(|name| name == "https:");
    let document = window.and_then(|window| window.document());
    if let Some(document) = document.and_then(|document| document.dyn_into::<web_sys::HtmlDocument>().ok()) {
        let _ = document.set_cookie(&crate::key::cookie(person, stored.key(), https));
    }
}

/// Lets the address of a page that shows a receipt name the one that it shows now, so that a reload does not bring an
/// older one back.
pub(super) fn show_receipt_in_address(order_no: &str) {
    let Some(window) = web_sys::window() else { return };
    if window.location().search().is_ok_and(|query| !query.is_empty())
        && let Ok(history) = window.history()
    {
        let address = format!("/?receipt={order_no}");
        let _ = history.replace_state_with_url(&web_sys::wasm_bindgen::JsValue::NULL, "", Some(&address));
    }
}
