//! The tests over real HTTP, on a real database file: one binary, one server and one database per test.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test says by its panic that it failed")]

mod app;
mod codes;
mod crash;
mod engine;
mod form;
mod guards;
mod hang_up;
mod inject;
mod interleave;
mod language;
mod lock;
mod migrations;
mod people;
mod proxy;
mod replay;
mod same_key;
mod slices;
mod statements;
mod store;
mod sync;
mod tls;
mod two_servers;
mod verify;
mod void;
mod watch;
mod wire;
