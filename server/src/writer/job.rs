//! An intent in the queue, and the ticket of the request that waits for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use app::problem::Problem;
use tokio::sync::oneshot;

use crate::chain::{Answered, Fate, Intent, Recharge};
use crate::clock;

/// What a request is told.
pub type Answer = Result<Answered, Problem>;

/// An intent in the queue.
#[derive(Debug)]
pub struct Job {
    pub recharge: Recharge,
    answer: oneshot::Sender<Answer>,
    claimed: Arc<AtomicBool>,
}

/// What a request holds while it waits. Either the writer or the request claims the job, never both: a request that
/// withdraws in time can say for certain that nothing was stored.
#[derive(Debug)]
pub struct Ticket {
    answer: oneshot::Receiver<Answer>,
    claimed: Arc<AtomicBool>,
}

impl Recharge {
    /// An intent that has just arrived.
    pub fn new(intent: Intent) -> Self {
        Self { intent, order_no: clock::order_no(), at: clock::now(), fate: Fate::Open }
    }
}

impl Job {
    pub fn new(recharge: Recharge) -> (Self, Ticket) {
        let (answer, receiver) = oneshot::channel();
        let claimed = Arc::new(AtomicBool::new(false));
        (Self { recharge, answer, claimed: Arc::clone(&claimed) }, Ticket { answer: receiver, claimed })
    }

    /// Takes the job up, unless its request has withdrawn.
    pub fn take_up(&self) -> bool {
        !self.claimed.swap(true, Ordering::AcqRel)
    }

    /// Answers the request. One that has left does not hear it; what was stored stays stored.
    pub fn answer(self, answer: Answer) {
        let _ = self.answer.send(answer);
    }
}

impl Ticket {
    /// Waits for the answer.
    pub async fn answer(&mut self) -> Answer {
        // A job that ended without an answer was lost with a writer that panicked.
        (&mut self.answer).await.unwrap_or(Err(Problem::OutcomeUnknown))
    }

    /// Withdraws the job, unless the writer has taken it up.
    pub fn withdraw(&self) -> bool {
        !self.claimed.swap(true, Ordering::AcqRel)
    }
}
