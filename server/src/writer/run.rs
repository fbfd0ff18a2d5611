//! The writer's loop: take what is waiting, settle it, answer each.

use std::time::Duration;

use app::problem::Problem;
use tokio::sync::{mpsc, watch};

use super::job::{Answer, Job};
use super::settle::settle;
use super::{InHand, SLICE, in_hand};
use crate::chain::Recharge;
use crate::store::Store;

/// Works until it is told to stop, or the last way in is dropped, and the queue is empty. Then it closes its connection,
/// so that the database is left in good order.
pub(super) async fn run<S: Store>(
    config: S::Config,
    mut waiting: mpsc::Receiver<Job>,
    mut stop: watch::Receiver<bool>,
    keys: InHand,
    patience: Duration,
) {
    let mut store = None;
    let mut jobs = Vec::with_capacity(SLICE);
    loop {
        // Whoever is ready to hand something over does so before the next transaction begins, and not after it.
        tokio::task::yield_now().await;
        let taken = tokio::select! {
            biased;
            taken = waiting.recv_many(&mut jobs, SLICE) => taken,
            // Nothing more is let in; what is in the queue is still handed out.
            Ok(_) = stop.wait_for(|stop| *stop), if !waiting.is_closed() => {
                waiting.close();
                continue;
            }
        };
        if taken == 0 {
            break;
        }
        jobs.retain(Job::take_up);
        if jobs.is_empty() {
            continue;
        }
        let recharges: Vec<Recharge> = jobs.iter().map(|job| job.recharge.clone()).collect();
        *in_hand(&keys) = recharges.iter().map(Recharge::order_key).collect();
        let (kept, answers) = settle_apart::<S>(store.take(), config.clone(), recharges, patience).await;
        in_hand(&keys).clear();
        store = kept;
        for (job, answer) in jobs.drain(..).zip(answers) {
            job.answer(answer);
        }
    }
    if let Some(store) = store
        && let Err(error) = store.close().await
    {
        tracing::warn!(%error, "a writer's connection did not close in good order");
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
