//! The writer's loop: take what is waiting, settle it, answer each.

use std::time::Duration;

use app::problem::Problem;
use tokio::sync::mpsc;

use super::SLICE;
use super::job::{Answer, Job};
use super::settle::settle;
use crate::chain::Recharge;
use crate::store::Store;

/// Works until the last way in is dropped and the queue is empty.
pub(super) async fn run<S: Store>(config: S::Config, mut waiting: mpsc::Receiver<Job>, patience: Duration) {
    let mut store = None;
    let mut jobs = Vec::with_capacity(SLICE);
    while waiting.recv_many(&mut jobs, SLICE).await > 0 {
        jobs.retain(Job::take_up);
        if jobs.is_empty() {
            continue;
        }
        let recharges = jobs.iter().map(|job| job.recharge.clone()).collect();
        let (kept, answers) = settle_apart::<S>(store.take(), config.clone(), recharges, patience).await;
        store = kept;
        for (job, answer) in jobs.drain(..).zip(answers) {
            job.answer(answer);
        }
    }
}

/// Settles a slice in a task of its own, so that a panic in it costs its connection and leaves the writer alive.
async fn settle_apart<S: Store>(
    store: Option<S>,
    config: S::Config,
    mut recharges: Vec<Recharge>,
    patience: Duration,
) -> (Option<S>, Vec<Answer>) {
    let count = recharges.len();
    let settled = tokio::spawn(async move {
        let mut store = store;
        let answers = settle(&mut store, &config, &mut recharges, patience).await;
        (store, answers)
    });
    settled.await.unwrap_or_else(|error| {
        tracing::error!(%error, "a slice was given up; its keys resolve what became of it");
        (None, vec![Err(Problem::OutcomeUnknown); count])
    })
}
