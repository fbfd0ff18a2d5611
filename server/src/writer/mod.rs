//! The writer: the one way from a validated intent to its order. Requests hand an intent over and wait for the answer;
//! they never run the chain in their own future, which a browser that leaves would cancel half-way.
//!
//! A writer takes whatever is waiting, runs the chain over that slice in one transaction, commits once, and answers
//! each. There is no timer: an idle server has the latency of one commit, a busy one pays one flush for many.

mod job;
mod run;
mod settle;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use app::problem::Problem;
use tokio::sync::mpsc::{self, error::TrySendError};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use self::job::Job;
use crate::chain::{Answered, Intent, Recharge};
use crate::store::{OrderKey, Store};

/// How many recharges one transaction takes at most. More gain nothing, and let the first of them wait.
pub const SLICE: usize = 256;

/// The way in. Cloning it is cheap.
#[derive(Debug, Clone)]
pub struct Writer {
    /// One queue per writer. All recharges of one person go through one of them, in their order of arrival.
    queues: Vec<Queue>,
    wait: Duration,
}

/// The way to one writer.
#[derive(Debug, Clone)]
struct Queue {
    jobs: mpsc::Sender<Job>,
    /// The keys that the writer has in hand. It writes them once a slice; a request reads them only when it gives up.
    in_hand: InHand,
}

/// The keys of the slice that a writer has in hand.
type InHand = Arc<Mutex<Vec<OrderKey>>>;

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
pub struct Running {
    stop: watch::Sender<bool>,
    writers: Vec<JoinHandle<()>>,
}

impl Running {
    /// Lets nothing more in, and waits until all that was handed over is done.
    pub async fn end(self) {
        self.stop.send_replace(true);
        for writer in self.writers {
            if let Err(error) = writer.await {
                tracing::error!(%error, "a writer ended before its time");
            }
        }
    }
}

impl Writer {
    /// Starts so many writers on a store. The queues hold `capacity` intents together.
    pub fn start<S: Store>(config: &S::Config, writers: usize, capacity: usize, waits: Waits) -> (Self, Running) {
        let (stop, stopped) = watch::channel(false);
        let (mut queues, mut running) = (Vec::new(), Vec::new());
        for _ in 0..writers {
            let (jobs, waiting) = mpsc::channel(capacity.div_ceil(writers));
            let in_hand = InHand::default();
            let writer = run::run::<S>(config.clone(), waiting, stopped.clone(), Arc::clone(&in_hand), waits.attempt);
            queues.push(Queue { jobs, in_hand });
            running.push(tokio::spawn(writer));
        }
        (Self { queues, wait: waits.answer }, Running { stop, writers: running })
    }

    /// Hands an intent over and waits for its answer. Dropping the future does not stop an intent that was handed over.
    ///
    /// # Errors
    /// The [`Problem`] of the chain; [`Problem::Busy`] when the queue is full, or was not worked off in time: nothing
    /// was stored then; [`Problem::OutcomeUnknown`] when the intent was taken up and its end did not come in time;
    /// [`Problem::TwinRunning`] when this request was not taken up, but another one with the same key was.
    pub async fn recharge(&self, intent: Intent) -> Result<Answered, Problem> {
        let queue = self.queue_of(intent.user_id)?;
        let recharge = Recharge::new(intent);
        let key = recharge.order_key();
        let (job, mut ticket) = Job::new(recharge);
        queue.jobs.try_send(job).map_err(|error| {
            match error {
                TrySendError::Full(_) => tracing::warn!("the queue is full: a recharge was turned away"),
                TrySendError::Closed(_) => tracing::error!("the writer is gone: a recharge was turned away"),
            }
            Problem::Busy
        })?;
        match tokio::time::timeout(self.wait, ticket.answer()).await {
            Ok(answer) => answer,
            Err(_) if ticket.withdraw() => {
                let twin = in_hand(&queue.in_hand).contains(&key);
                Err(if twin { Problem::TwinRunning } else { Problem::Busy })
            }
            Err(_) => Err(Problem::OutcomeUnknown),
        }
    }

    /// Whether some intents would be turned away.
    pub fn is_full(&self) -> bool {
        self.queues.iter().any(|queue| queue.jobs.capacity() == 0)
    }

    fn queue_of(&self, user_id: i64) -> Result<&Queue, Problem> {
        let writers = i64::try_from(self.queues.len()).unwrap_or(i64::MAX).max(1);
        let index = usize::try_from(user_id.rem_euclid(writers)).unwrap_or_default();
        self.queues.get(index).ok_or(Problem::Internal)
    }
}

/// The keys in hand. A writer that panicked while it wrote them left a list that is whole all the same.
fn in_hand(keys: &InHand) -> MutexGuard<'_, Vec<OrderKey>> {
    keys.lock().unwrap_or_else(PoisonError::into_inner)
}
