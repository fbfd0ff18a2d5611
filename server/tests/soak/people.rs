//! The people of a run, put straight into the database: their passwords would cost more than all their recharges.

use server::database::Database;
use sha2::{Digest, Sha256};

/// How many people take part.
const COUNT: usize = 120;
/// The end of their sessions: some year far away.
const NEVER: i64 = 1 << 50;

/// Somebody with a session.
#[derive(Debug, Clone)]
pub struct Person {
    pub id: i64,
    /// What the session's cookie holds.
    pub secret: String,
}

/// Makes the people and their sessions.
pub async fn create(database: &Database) -> Vec<Person> {
    let mut people = Vec::with_capacity(COUNT);
    let mut transaction = database.pool.begin().await.unwrap();
    for number in 0..COUNT {
        let email = format!("soak{number}@example.com");
        sqlx::query(database.sql("insert into users (email, password_hash, created_at) values ($1, 'none', 0)"))
            .bind(&email)
            .execute(&mut *transaction)
            .await
            .unwrap();
        let id: i64 = sqlx::query_scalar(database.sql("select id from users where email = $1"))
            .bind(&email)
            .fetch_one(&mut *transaction)
            .await
            .unwrap();
        let secret = format!("secret-{number}");
        let insert = "insert into sessions (token_hash, user_id, created_at, expires_at) values ($1, $2, 0, $3)";
        sqlx::query(database.sql(insert))
            .bind(hash(&secret))
            .bind(id)
            .bind(NEVER)
            .execute(&mut *transaction)
            .await
            .unwrap();
        people.push(Person { id, secret });
    }
    transaction.commit().await.unwrap();
    people
}

/// What the database keeps of a secret: its SHA-256 in hex.
fn hash(secret: &str) -> String {
    let digits = |byte: u8| [byte >> 4, byte & 15].map(|digit| char::from_digit(digit.into(), 16).unwrap());
    Sha256::digest(secret.as_bytes()).into_iter().flat_map(digits).collect()
}
