//! The interactive part of the recharge page, shipped as WASM: everything else is plain HTML.

mod form;
mod orders;
mod preview;
mod receipt;
mod storage;

pub use form::{RechargeForm, RechargeFormProps};
pub use receipt::receipt;
