//! The interactive part of the recharge page, shipped as WASM: everything else is plain HTML.

mod form;
mod life;
mod orders;
mod preview;
mod receipt;
mod status;
mod storage;

pub use form::{RechargeForm, RechargeFormProps};
pub use receipt::receipt;
