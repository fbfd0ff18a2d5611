//! People and their sessions, in SQL that is the same on every engine.

mod password;
mod session;
mod sign;

pub use self::password::Passwords;
pub use self::session::{Session, end_session, person_of, start_session};
pub use self::sign::{SignError, sign_in, sign_up};
