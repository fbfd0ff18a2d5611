//! The server of Recharge: the chain, the writer, the store, sessions, the pages and the JSON API.
//!
//! Start at [`chain`]: it is the heart of the program and reads like a list.

#![recursion_limit = "256"]

pub mod chain;
pub mod clock;
pub mod database;
mod fault;
pub mod http;
pub mod order;
pub mod people;
pub mod reads;
mod retry;
pub mod serve;
pub mod service;
pub mod settings;
pub mod store;
pub mod verify;
pub mod voiding;
pub mod writer;
