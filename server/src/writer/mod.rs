//! The writer: the one way from a validated intent to its order. Requests hand an intent over and wait for the answer;
//! they never run the chain in their own future, which a browser that leaves would cancel half-way.
//!
//! A writer takes whatever is waiting, runs the chain over that slice in one transaction, commits once, and answers
//! each. There is no timer: an idle server has the latency of one commit, a busy one pays one flush for many.

mod job;
mod run;
mod settle;

use std::time::Duration;

use app::problem::Problem;
use tokio::sync::mpsc::{self, error::TrySendError};
use tokio::task::JoinHandle;

use self::job::Job;
use crate::chain::{Answered, Intent, Recharge};
use crate::store::Store;

/// How many recharges one transaction takes at most. More gain nothing, and let the first of them wait.
pub const SLICE: usize = 256;

/// The way in: can be cloned, and ends the writer when the last clone is dropped and all that was handed over is done.
#[derive(Debug, Clone)]
pub struct Writer {
    queue: mpsc::Sender<Job>,
    wait: Duration,
}

impl Writer {
    /// Starts a writer on a store. The queue holds `capacity` intents; an answer is waited for as long as `wait` says.
    pub fn start<S: Store>(config: S::Config, capacity: usize, wait: Duration) -> (Self, JoinHandle<()>) {
        let (queue, waiting) = mpsc::channel(capacity);
        let running = tokio::spawn(run::run::<S>(config, waiting));
        (Self { queue, wait }, running)
    }

    /// Hands an intent over and waits for its answer. Dropping the future does not stop an intent that was handed over.
    ///
    /// # Errors
    /// The [`Problem`] of the chain; [`Problem::Busy`] when the queue is full, or was not worked off in time: nothing
    /// was stored then; [`Problem::OutcomeUnknown`] when the intent was taken up and its end did not come in time.
    pub async fn recharge(&self, intent: Intent) -> Result<Answered, Problem> {
        let (job, mut ticket) = Job::new(Recharge::new(intent));
        self.queue.try_send(job).map_err(|error| {
            match error {
                TrySendError::Full(_) => tracing::warn!("the queue is full: a recharge was turned away"),
                TrySendError::Closed(_) => tracing::error!("the writer is gone: a recharge was turned away"),
            }
            Problem::Busy
        })?;
        match tokio::time::timeout(self.wait, ticket.answer()).await {
            Ok(answer) => answer,
            Err(_) if ticket.withdraw() => Err(Problem::Busy),
            Err(_) => Err(Problem::OutcomeUnknown),
        }
    }

    /// Whether the next intent would be turned away.
    pub fn is_full(&self) -> bool {
        self.queue.capacity() == 0
    }
}
