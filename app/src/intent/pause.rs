//! How long a page waits before it tries again by itself, and how often it does.

use std::time::Duration;

/// How often a page tries again by itself. After that the person decides.
pub(super) const RETRIES: u32 = 4;

/// The first pause; each one after it is twice as long.
const FIRST: Duration = Duration::from_secs(1);

/// The longest pause that a server may ask for. After a longer one nobody would still look at the page, so the person is
/// told instead.
const LONGEST: Duration = Duration::from_secs(30);

/// The pause before this retry, counted from 1. It is never shorter than what the server asked for, and differs from page
/// to page (`chance`, from 0 to 1) by up to a half, so that many pages do not come back at one moment. `None` if the server
/// asked for too long a one.
pub(super) fn pause(retry: u32, asked: Option<Duration>, chance: f64) -> Option<Duration> {
    let asked = asked.unwrap_or_default();
    let own = FIRST * 2_u32.pow(retry.saturating_sub(1).min(RETRIES));
    (asked <= LONGEST).then(|| own.max(asked).mul_f64(1.0 + chance.clamp(0.0, 1.0) / 2.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_and_are_never_shorter_than_asked_for() {
        let seconds = |retry, asked: u64, chance| {
            pause(retry, Some(Duration::from_secs(asked)), chance).map(|pause| pause.as_secs_f64())
        };
        assert_eq!([1, 2, 3, 4].map(|retry| seconds(retry, 0, 0.0)), [1.0, 2.0, 4.0, 8.0].map(Some));
        assert_eq!(seconds(1, 7, 0.0), Some(7.0));
        assert_eq!(seconds(1, 7, 1.0), Some(10.5));
        assert_eq!(seconds(4, 7, 0.5), Some(10.0));
        assert_eq!(seconds(1, 31, 0.0), None);
        assert_eq!(pause(1, None, f64::NAN.max(0.0)), Some(FIRST));
    }
}
