//! The tests over real HTTP, on a real database file: one binary, one server and one database per test.

mod app;
mod crash;
mod form;
mod guards;
mod hang_up;
mod lock;
mod people;
mod replay;
mod same_key;
mod slices;
mod sync;
mod verify;
