//! A closed loop: each caller sends its next recharge when the last one was answered.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use app::key::IdempotencyKey;
use tokio::task::JoinSet;

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

/// The person of the so-and-so-many-th recharge. A prime step spreads neighbours in time over the whole table.
pub fn person(number: u64) -> i64 {
    1 + i64::try_from(number * 7_919 % PEOPLE).unwrap()
}

impl Load {
    /// Runs new recharges for so long.
    pub async fn run<F>(
        self,
        time: Duration,
        recharge: impl Fn(i64, IdempotencyKey) -> F + Clone + Send + Sync + 'static,
    ) -> Rate
    where
        F: Future<Output = ()> + Send,
    {
        let next = Arc::new(AtomicU64::new(0));
        self.drive(time, move || {
            let number = next.fetch_add(1, Ordering::Relaxed);
            recharge(if self.hot { 1 } else { person(number) }, IdempotencyKey::random())
        })
        .await
    }

    /// Sends keys again that were used before, for so long.
    pub async fn replay<F>(
        self,
        time: Duration,
        keys: Arc<[(i64, IdempotencyKey)]>,
        recharge: impl Fn(i64, IdempotencyKey) -> F + Clone + Send + Sync + 'static,
    ) -> Rate
    where
        F: Future<Output = ()> + Send,
    {
        let next = Arc::new(AtomicU64::new(0));
        self.drive(time, move || {
            let number = usize::try_from(next.fetch_add(1, Ordering::Relaxed)).unwrap();
            let (user, key) = keys[number * 7_919 % keys.len()].clone();
            recharge(user, key)
        })
        .await
    }

    /// Each caller is a task of its own, as each request of a server is.
    async fn drive<F>(self, time: Duration, send: impl Fn() -> F + Clone + Send + 'static) -> Rate
    where
        F: Future<Output = ()> + Send,
    {
        let began = Instant::now();
        let callers: JoinSet<_> = (0..self.callers)
            .map(|_| {
                let send = send.clone();
                async move {
                    let mut times = Vec::new();
                    while began.elapsed() < time {
                        let start = Instant::now();
                        send().await;
                        times.push(start.elapsed());
                    }
                    times
                }
            })
            .collect();
        let mut times: Vec<Duration> = callers.join_all().await.into_iter().flatten().collect();
        let took = began.elapsed().as_secs_f64();
        times.sort_unstable();
        let p99 = times.get(times.len() * 99 / 100).copied().unwrap_or_default();
        let count = u32::try_from(times.len()).unwrap();
        Rate { per_second: f64::from(count) / took, p99_ms: p99.as_secs_f64() * 1000.0 }
    }
}
