//! Sessions: a random secret in the person's cookie, and only its hash in the database.

use crate::database::Database;
use app::port::Person;
use sha2::{Digest, Sha256};

use crate::clock;

/// A session that has just begun.
#[derive(Debug)]
pub struct Session {
    /// The secret for the cookie: 256 random bits in hex.
    pub secret: String,
    /// For how many seconds it is good.
    pub seconds: i64,
}

/// Begins a session for the person. One that the browser had before ends with it, so that a secret which somebody else
/// may have planted or seen is worth nothing after the sign-in.
///
/// # Errors
/// When the database fails, or the system has no randomness.
pub async fn start_session(
    database: &Database,
    user_id: i64,
    days: u32,
    previous: Option<&str>,
) -> Result<Session, sqlx::Error> {
    let mut random = [0_u8; 32];
    getrandom::fill(&mut random).map_err(|error| sqlx::Error::Configuration(error.to_string().into()))?;
    let secret = hex(&random);
    let seconds = i64::from(days) * 24 * 60 * 60;
    let now = clock::now();
    if let Some(previous) = previous {
        end_session(database, previous).await?;
    }
    let over = sqlx::query(database.sql("delete from sessions where expires_at < $1")).bind(now);
    database.write(over).await?;
    let begun = sqlx::query(
        database.sql("insert into sessions (token_hash, user_id, created_at, expires_at) values ($1, $2, $3, $4)"),
    )
    .bind(hash(&secret))
    .bind(user_id)
    .bind(now)
    .bind(now + seconds * 1000);
    database.write(begun).await?;
    Ok(Session { secret, seconds })
}

/// The person to whom a session belongs, if it is there and not over.
///
/// # Errors
/// When the database fails.
pub async fn person_of(database: &Database, secret: &str) -> Result<Option<Person>, sqlx::Error> {
    let person = sqlx::query_as(database.sql(
        "select u.id, u.email from sessions as s join users as u on u.id = s.user_id
         where s.token_hash = $1 and s.expires_at >= $2",
    ))
    .bind(hash(secret))
    .bind(clock::now());
    Ok(database.optional(person).await?.map(|(user_id, email)| Person { user_id, email }))
}

/// Ends a session.
///
/// # Errors
/// When the database fails.
pub async fn end_session(database: &Database, secret: &str) -> Result<(), sqlx::Error> {
    let over = sqlx::query(database.sql("delete from sessions where token_hash = $1")).bind(hash(secret));
    database.write(over).await
}

fn hash(secret: &str) -> String {
    hex(&Sha256::digest(secret.as_bytes()))
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;

    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
