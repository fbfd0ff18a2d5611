//! The pages, rendered on the server. Only [`crate::island`] is shipped to the browser.

mod history;
mod problems;
mod recharge;
mod shell;
mod sign;

pub use history::{History, history};
pub use problems::{documented, explained, problem_page};
pub use recharge::{Recharge, recharge};
pub use shell::{Frame, shell};
pub use sign::{Sign, SignForm, encode, sign};
