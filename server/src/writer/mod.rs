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

/// The way in: can be cloned, and ends the writers when the last clone is dropped and all that was handed over is done.
#[derive(Debug, Clone)]
pub struct Writer {
    /// One queue per writer. All recharges of one person go through one of them, in their order of arrival.
    queues: Vec<mpsc::Sender<Job>>,
    wait: Duration,
}

/// How long things may take.
#[derive(Debug, Clone, Copy)]
pub struct Waits {
    /// How long a request waits for its answer.
    pub answer: Duration,
    /// How long a transaction, or its COMMIT, may take; and after how long no further attempt is begun.
    pub attempt: Duration,
}

/// Writers at work.
#[derive(Debug)]
pub struct Running(Vec<JoinHandle<()>>);

impl Running {
    /// Waits until all that was handed over is done. The last way in must have been dropped.
    pub async fn ended(self) {
        for writer in self.0 {
            if let Err(error) = writer.await {
                tracing::error!(%error, "a writer ended before its time");
            }
        }
    }
}

impl Writer {
    /// Starts so many writers on a store. The queues hold `capacity` intents together.
    pub fn start<S: Store>(config: &S::Config, writers: usize, capacity: usize, waits: Waits) -> (Self, Running) {
        let (mut queues, mut running) = (Vec::new(), Vec::new());
        for _ in 0..writers {
            let (queue, waiting) = mpsc::channel(capacity.div_ceil(writers));
            queues.push(queue);
            running.push(tokio::spawn(run::run::<S>(config.clone(), waiting, waits.attempt)));
        }
        (Self { queues, wait: waits.answer }, Running(running))
    }

    /// Hands an intent over and waits for its answer. Dropping the future does not stop an intent that was handed over.
    ///
    /// # Errors
    /// The [`Problem`] of the chain; [`Problem::Busy`] when the queue is full, or was not worked off in time: nothing
    /// was stored then; [`Problem::OutcomeUnknown`] when the intent was taken up and its end did not come in time.
    pub async fn recharge(&self, intent: Intent) -> Result<Answered, Problem> {
        let queue = self.queue_of(intent.user_id)?;
        let (job, mut ticket) = Job::new(Recharge::new(intent));
        queue.try_send(job).map_err(|error| {
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

    /// Whether some intents would be turned away.
    pub fn is_full(&self) -> bool {
        self.queues.iter().any(|queue| queue.capacity() == 0)
    }

    fn queue_of(&self, user_id: i64) -> Result<&mpsc::Sender<Job>, Problem> {
        let writers = i64::try_from(self.queues.len()).unwrap_or(i64::MAX).max(1);
        let index = usize::try_from(user_id.rem_euclid(writers)).unwrap_or_default();
        self.queues.get(index).ok_or(Problem::Internal)
    }
}
