//! The WASM entry point of Recharge, and nothing else: it wakes the islands that `app` defines.

use wasm_bindgen::prelude::wasm_bindgen;

// Without a use of the crate the linker would drop the islands.
pub use app::island;

/// Called by the page as soon as the module is loaded.
#[wasm_bindgen]
pub fn hydrate() {
    leptos::mount::hydrate_islands();
}
