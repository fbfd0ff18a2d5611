//! What the page and the server of Recharge share: amounts, keys and tiers, the life of an intent, the pages, and the
//! port through which they reach the chain. Compiled to native code and to WASM; knows no database.

pub mod client;
mod cookie;
pub mod encoding;
pub mod intent;
pub mod island;
pub mod key;
pub mod money;
#[cfg(feature = "ssr")]
pub mod pages;
#[cfg(feature = "ssr")]
pub mod port;
pub mod problem;
pub mod server_fn;
pub mod tier;
#[cfg(test)]
mod vectors;
pub mod view;
pub mod words;
