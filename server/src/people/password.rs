//! Passwords: argon2id, off the async threads, a few at a time.

use std::sync::{Arc, LazyLock};

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use tokio::sync::Semaphore;

/// Hashes and checks passwords. Each takes some 20 MB and tens of milliseconds of a core, so only as many run at once as
/// leave the rest of the server alive.
#[derive(Debug, Clone)]
pub struct Passwords {
    turns: Arc<Semaphore>,
}

/// What an unknown e-mail address is checked against, so that it takes as long as a known one.
static NOBODY: LazyLock<Option<String>> = LazyLock::new(|| hash_now("nobody has this password"));

impl Default for Passwords {
    fn default() -> Self {
        Self { turns: Arc::new(Semaphore::new(2)) }
    }
}

impl Passwords {
    /// The argon2id hash of the password as a PHC string, or `None` if the system has no randomness to salt it with.
    pub async fn hash(&self, password: String) -> Option<String> {
        self.run(move || hash_now(&password)).await.flatten()
    }

    /// Whether the password belongs to the hash. Without a hash it takes as long, and is `false`.
    pub async fn check(&self, password: String, hash: Option<String>) -> bool {
        let checked = self.run(move || {
            let known = hash.is_some();
            let hash = hash.or_else(|| NOBODY.clone())?;
            let hash = PasswordHash::new(&hash).ok()?;
            let fits = Argon2::default().verify_password(password.as_bytes(), &hash).is_ok();
            Some(fits && known)
        });
        checked.await.flatten().unwrap_or(false)
    }

    async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        // The semaphore is never closed. The turn goes with the work, which a browser that leaves does not stop.
        let turn = Arc::clone(&self.turns).acquire_owned().await.ok()?;
        let work = move || {
            let _turn = turn;
            work()
        };
        tokio::task::spawn_blocking(work).await.ok()
    }
}

fn hash_now(password: &str) -> Option<String> {
    Argon2::default().hash_password(password.as_bytes()).ok().map(|hash| hash.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What takes the time is the hashing, so an unknown address has to go through it like a known one.
    #[tokio::test]
    async fn an_unknown_address_takes_its_turn_at_hashing_too() {
        let passwords = Passwords::default();
        let hash = passwords.hash("right".to_owned()).await;
        for (password, hash, fits) in [("right", hash.clone(), true), ("wrong", hash, false), ("wrong", None, false)] {
            let turns = passwords.turns.acquire_many(2).await.unwrap();
            let waiting = passwords.clone();
            let check = tokio::spawn(async move { waiting.check(password.to_owned(), hash).await });
            for _ in 0..10 {
                tokio::task::yield_now().await;
            }
            assert!(!check.is_finished(), "nothing is decided without hashing");
            drop(turns);
            assert_eq!(check.await.unwrap(), fits);
        }
    }
}
