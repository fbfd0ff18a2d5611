//! Signing up and signing in.

use crate::database::Database;
use app::words::SignProblem;
use email_address::{EmailAddress, Options};

use super::Passwords;
use crate::clock;

/// Why a person could not sign up or in.
#[derive(Debug, thiserror::Error)]
pub enum SignError {
    /// Something that the person can mend.
    #[error("{0:?}")]
    Problem(SignProblem),
    /// The database failed.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
    /// The password could not be hashed.
    #[error("no randomness to salt a password with")]
    Hash,
}

/// Makes an account and returns its number.
///
/// # Errors
/// [`SignError`].
pub async fn sign_up(
    database: &Database,
    passwords: &Passwords,
    email: &str,
    password: String,
) -> Result<i64, SignError> {
    let email = normal(email);
    let plain = Options::default().without_display_text().without_domain_literal().with_required_tld();
    if email.len() > 254 || EmailAddress::parse_with_options(&email, plain).is_err() {
        return Err(SignError::Problem(SignProblem::Email));
    }
    if !(8..=128).contains(&password.chars().count()) {
        return Err(SignError::Problem(SignProblem::Password));
    }
    let hash = passwords.hash(password).await.ok_or(SignError::Hash)?;
    let insert = sqlx::query(database.sql("insert into users (email, password_hash, created_at) values ($1, $2, $3)"))
        .bind(&email)
        .bind(hash)
        .bind(clock::now());
    match database.write(insert).await {
        Ok(()) => {
            let inserted = sqlx::query_as(database.sql("select id from users where email = $1")).bind(&email);
            let (user_id,) = database.optional(inserted).await?.ok_or(sqlx::Error::RowNotFound)?;
            Ok(user_id)
        }
        // The table has one unique index that an insert can hit: that over the address.
        Err(error) if error.as_database_error().is_some_and(sqlx::error::DatabaseError::is_unique_violation) => {
            Err(SignError::Problem(SignProblem::Taken))
        }
        Err(error) => Err(error.into()),
    }
}

/// Finds the account of the address and the password. An unknown address and a wrong password take as long and are
/// answered alike, so that nobody learns who has an account.
///
/// # Errors
/// [`SignError`].
pub async fn sign_in(
    database: &Database,
    passwords: &Passwords,
    email: &str,
    password: String,
) -> Result<i64, SignError> {
    let account =
        sqlx::query_as(database.sql("select id, password_hash from users where email = $1")).bind(normal(email));
    let (user_id, hash): (Option<i64>, Option<String>) = database.optional(account).await?.unzip();
    let fits = password.len() <= 1024 && passwords.check(password, hash).await;
    user_id.filter(|_| fits).ok_or(SignError::Problem(SignProblem::Credentials))
}

/// One mailbox is one account, however it is typed.
fn normal(email: &str) -> String {
    email.trim().to_lowercase()
}
