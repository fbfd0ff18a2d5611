//! The one place that reads the clock and makes order numbers.

use std::time::{SystemTime, UNIX_EPOCH};

use app::words::Language;
use time::OffsetDateTime;
use time::macros::format_description;
use uuid::Uuid;

/// The time now, in milliseconds since 1970-01-01 UTC.
#[expect(clippy::disallowed_methods, reason = "this is the place")]
pub fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// A new order number: a UUIDv7, so that later orders sort later.
#[expect(clippy::disallowed_methods, reason = "this is the place")]
pub fn order_no() -> Uuid {
    Uuid::now_v7()
}

/// A stored time in words, such as `29 Nov 2026, 17:08 UTC`.
pub fn words(milliseconds: i64, language: Language) -> String {
    let format = match language {
        Language::English => format_description!("[day padding:none] [month repr:short] [year], [hour]:[minute] UTC"),
        Language::Chinese => {
            format_description!("[year]年[month padding:none]月[day padding:none]日 [hour]:[minute] UTC")
        }
    };
    let time = OffsetDateTime::from_unix_timestamp(milliseconds.div_euclid(1000)).ok();
    time.and_then(|time| time.format(format).ok()).unwrap_or_else(|| milliseconds.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_reads_like_a_time() {
        assert_eq!(words(1_795_972_081_999, Language::English), "29 Nov 2026, 17:08 UTC");
        assert_eq!(words(1_795_972_081_999, Language::Chinese), "2026年11月29日 17:08 UTC");
        assert_eq!(words(i64::MIN, Language::English), i64::MIN.to_string());
    }
}
