//! Trying again what a database did not do in the first place.

use std::time::Duration;

/// How often something is tried at most.
pub const ATTEMPTS: u32 = 4;

/// A pause that doubles with each attempt and differs from writer to writer, so that two that met do not meet again.
pub fn pause(attempt: u32) -> Duration {
    let base = 5_u64 << attempt.min(6);
    let mut jitter = [0_u8];
    // Without randomness the pause is merely regular.
    let _ = getrandom::fill(&mut jitter);
    Duration::from_millis(base + base * u64::from(jitter[0]) / 256)
}
