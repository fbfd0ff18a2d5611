//! The idempotency key: the text that names an intent.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A well-formed idempotency key: 1 to 255 characters of visible ASCII (0x21 to 0x7E), compared byte for byte.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct IdempotencyKey(String);

/// Why a text is not an idempotency key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyError {
    /// Empty, or nothing but blanks.
    Missing,
    /// Longer than 255 characters, or with one outside visible ASCII.
    Malformed,
}

impl std::fmt::Display for KeyError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Missing => "missing",
            Self::Malformed => "not 1 to 255 characters of visible ASCII",
        })
    }
}

impl IdempotencyKey {
    /// The longest key, in characters (which are bytes here).
    pub const MAX_LEN: usize = 255;

    /// Takes the key exactly as it was sent: nothing is trimmed, folded or reformatted, so two spellings of one UUID
    /// are two keys on every engine.
    ///
    /// # Errors
    /// [`KeyError`] says whether the key is missing or malformed.
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        if text.bytes().all(|byte| byte == b' ') {
            return Err(KeyError::Missing);
        }
        if text.len() > Self::MAX_LEN || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(KeyError::Malformed);
        }
        Ok(Self(text.to_owned()))
    }

    /// A new key of the page's own: a random lower-case UUIDv4.
    #[must_use]
    pub fn random() -> Self {
        Self(Uuid::new_v4().to_string())
    }

    /// The key as it was sent.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The name of the cookie that carries the key of the person's unresolved intent from one page to the next. With it the
/// plain form of a page that is loaded again sends the same key, even before or without any script. Each person has one
/// of their own, as several may use one browser.
#[must_use]
pub fn cookie_name(person: i64) -> String {
    format!("recharge_intent_{person}")
}

/// The cookie, as a browser or a server sets it. The key is one of the page's own (a UUID), so it needs no escaping.
#[must_use]
pub fn cookie(person: i64, key: &IdempotencyKey, https: bool) -> String {
    crate::cookie::lasting(&cookie_name(person), key.as_str(), https)
}

/// The key that a cookie holds. Only the page's own form of key is taken from it.
#[must_use]
pub fn from_cookie(value: &str) -> Option<IdempotencyKey> {
    let uuid = Uuid::try_parse(value).ok()?;
    (uuid.to_string() == value).then(|| IdempotencyKey(value.to_owned()))
}

impl TryFrom<String> for IdempotencyKey {
    type Error = KeyError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<IdempotencyKey> for String {
    fn from(key: IdempotencyKey) -> Self {
        key.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn accepts_exactly_the_grammar() {
        for (text, right) in crate::vectors::KEYS {
            assert_eq!(IdempotencyKey::parse(text).is_ok(), *right, "{text:?}");
        }
        assert!(IdempotencyKey::parse(&"k".repeat(255)).is_ok());
        assert_eq!(IdempotencyKey::parse(&"k".repeat(256)), Err(KeyError::Malformed));
        assert_eq!(IdempotencyKey::parse("   "), Err(KeyError::Missing));
    }

    #[test]
    fn a_key_of_the_page_is_a_lower_case_uuid_and_new_each_time() {
        let key = IdempotencyKey::random();
        assert_eq!(Uuid::parse_str(key.as_str()).unwrap().get_version_num(), 4);
        assert_eq!(key.as_str(), key.as_str().to_ascii_lowercase());
        assert_ne!(key, IdempotencyKey::random());
    }

    #[test]
    fn the_cookie_gives_its_own_person_the_key_and_nobody_else() {
        let key = IdempotencyKey::random();
        let cookie = cookie(7, &key, false);
        let (name, rest) = cookie.split_once('=').unwrap();
        assert_eq!((name, name == cookie_name(70)), (cookie_name(7).as_str(), false));
        assert_eq!(from_cookie(rest.split_once(';').unwrap().0), Some(key));
        assert_eq!(from_cookie("not-a-uuid"), None);
        assert_eq!(from_cookie("6A8DE85E-03AE-4BE8-8FB3-AB2E48E6FD69"), None);
        assert_eq!(from_cookie(""), None);
    }

    proptest! {
        #[test]
        fn a_key_is_kept_byte_for_byte(text in "[\\x21-\\x7e]{1,255}") {
            let key = IdempotencyKey::parse(&text).unwrap();
            prop_assert_eq!(key.as_str(), text);
        }

        #[test]
        fn any_text_is_judged_by_its_characters(text in any::<String>()) {
            let right = (1..=255).contains(&text.len()) && text.chars().all(|c| ('!'..='~').contains(&c));
            prop_assert_eq!(IdempotencyKey::parse(&text).is_ok(), right);
        }
    }
}
