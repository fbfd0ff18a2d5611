//! The languages: which there are, and which one a person gets.

use serde::{Deserialize, Serialize};

use super::{Words, chinese, english};

/// A language that the program speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Simplified Chinese.
    Chinese,
}

/// The cookie that remembers a choice for a year. It holds nothing secret.
#[must_use]
pub fn cookie(language: Language, https: bool) -> String {
    crate::cookie::lasting(Language::COOKIE, language.code(), https)
}

impl Language {
    /// All languages.
    pub const ALL: [Self; 2] = [Self::English, Self::Chinese];

    /// The name of the cookie that remembers the choice.
    pub const COOKIE: &str = "recharge_language";

    /// The tag of BCP 47.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Chinese => "zh-Hans",
        }
    }

    /// The language of that tag.
    #[must_use]
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.code() == code)
    }

    /// The name of the language in itself.
    #[must_use]
    pub fn own_name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::Chinese => "中文",
        }
    }

    /// The one that an `Accept-Language` (RFC 9110, 12.5.4) likes best, if it likes one: a kind of Chinese is answered in
    /// the Chinese that there is.
    #[must_use]
    pub fn accepted(header: &str) -> Option<Self> {
        let liked = header.split(',').filter_map(|range| {
            let (tag, parameters) = range.split_once(';').unwrap_or((range, "q=1"));
            let quality: f32 = parameters.trim().strip_prefix("q=")?.trim().parse().ok()?;
            let language = match tag.trim().split('-').next()?.to_ascii_lowercase().as_str() {
                "en" => Self::English,
                "zh" => Self::Chinese,
                _ => return None,
            };
            (quality > 0.0).then_some((language, quality))
        });
        // Of several that are liked as well the first counts.
        liked.reduce(|best, next| if next.1 > best.1 { next } else { best }).map(|(language, _)| language)
    }

    /// The sentences.
    #[must_use]
    pub fn words(self) -> &'static Words {
        match self {
            Self::English => &english::WORDS,
            Self::Chinese => &chinese::WORDS,
        }
    }
}

#[cfg(feature = "ssr")]
impl Language {
    /// The sentences that only the server's pages need.
    #[must_use]
    pub fn page_words(self) -> &'static super::PageWords {
        match self {
            Self::English => &english::PAGE_WORDS,
            Self::Chinese => &chinese::PAGE_WORDS,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_that_is_liked_best_is_spoken() {
        for (header, language) in [
            ("en-US,en;q=0.9", Some(Language::English)),
            ("zh-CN,zh;q=0.9,en;q=0.8", Some(Language::Chinese)),
            ("de-DE,de;q=0.9,zh;q=0.5,en;q=0.7", Some(Language::English)),
            ("ZH-hans", Some(Language::Chinese)),
            ("en;q=0, zh;q=0.1", Some(Language::Chinese)),
            ("fr", None),
            ("*", None),
            ("en;q=x", None),
            (";;,,", None),
            ("", None),
        ] {
            assert_eq!(Language::accepted(header), language, "{header:?}");
        }
    }

    #[test]
    fn every_language_is_found_by_its_tag() {
        for language in Language::ALL {
            assert_eq!(Language::from_code(language.code()), Some(language));
        }
        assert_eq!(Language::from_code("zh"), None);
    }

    #[test]
    fn a_tier_is_named_in_the_language_of_the_page() {
        assert_eq!(Language::Chinese.words().tier_name("Super"), "超级");
        assert_eq!(Language::English.words().tier_name("Super"), "Super");
        assert_eq!(Language::Chinese.words().tier_name("Gold"), "Gold");
    }
}
