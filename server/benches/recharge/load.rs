//! A closed loop: each caller sends its next recharge when the last one was answered.

use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use app::key::IdempotencyKey;
use futures_util::future::join_all;

use crate::setting::PEOPLE;

/// So many callers at once, on one person or spread over all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Load {
    pub callers: u64,
    pub hot: bool,
}

/// What a load reached.
#[derive(Debug, Clone, Copy)]
pub struct Rate {
    pub per_second: f64,
    /// The time within which 99 of 100 were answered, in milliseconds.
    pub p99_ms: f64,
}

impl Load {
    /// Runs new recharges for so long.
    pub async fn run<F>(self, time: Duration, recharge: impl Fn(i64, IdempotencyKey) -> F) -> Rate
    where
        F: Future<Output = ()>,
    {
        let next = AtomicU64::new(0);
        self.drive(time, |_| {
            let number = next.fetch_add(1, Ordering::Relaxed);
            // A prime step spreads neighbours in time over the whole table.
            let user = if self.hot { 1 } else { 1 + i64::try_from(number * 7_919 % PEOPLE).unwrap() };
            recharge(user, IdempotencyKey::random())
        })
        .await
    }

    /// Sends keys again that were used before, for so long.
    pub async fn replay<F>(
        self,
        time: Duration,
        keys: &[(i64, IdempotencyKey)],
        recharge: impl Fn(i64, IdempotencyKey) -> F,
    ) -> Rate
    where
        F: Future<Output = ()>,
    {
        let next = AtomicU64::new(0);
        self.drive(time, |_| {
            let number = usize::try_from(next.fetch_add(1, Ordering::Relaxed)).unwrap();
            let (user, key) = keys[number * 7_919 % keys.len()].clone();
            recharge(user, key)
        })
        .await
    }

    async fn drive<F: Future<Output = ()>>(self, time: Duration, send: impl Fn(u64) -> F) -> Rate {
        let began = Instant::now();
        let callers = (0..self.callers).map(|caller| {
            let send = &send;
            async move {
                let mut times = Vec::new();
                while began.elapsed() < time {
                    let start = Instant::now();
                    send(caller).await;
                    times.push(start.elapsed());
                }
                times
            }
        });
        let mut times: Vec<Duration> = join_all(callers).await.into_iter().flatten().collect();
        let took = began.elapsed().as_secs_f64();
        times.sort_unstable();
        let p99 = times.get(times.len() * 99 / 100).copied().unwrap_or_default();
        let count = u32::try_from(times.len()).unwrap();
        Rate { per_second: f64::from(count) / took, p99_ms: p99.as_secs_f64() * 1000.0 }
    }
}
