//! Settling a slice: the transaction around the chain, its retries, and what to answer when it does not come through.

use std::time::{Duration, Instant};

use app::problem::Problem;
use tokio::time::timeout;

use super::job::Answer;
use crate::chain::{self, ChainError, Recharge};
use crate::fault;
use crate::retry::{ATTEMPTS, pause};
use crate::store::{Store, StoreError};

/// Why a slice did not come through.
struct Failure {
    error: ChainError,
    /// COMMIT was sent, and its answer was an error or lost: it may have taken effect. Otherwise no trace is left.
    in_doubt: bool,
}

/// Runs the chain over the slice until there is an answer for each recharge. The store is opened when there is none, and
/// dropped, which rolls back, whenever its state is in doubt. Nothing is waited for longer than `patience`.
pub(super) async fn settle<S: Store>(
    store: &mut Option<S>,
    config: &S::Config,
    recharges: &mut [Recharge],
    patience: Duration,
) -> Vec<Answer> {
    match settle_together(store, config, recharges, patience).await {
        Ok(answers) => answers,
        // One of the slice spoils the others' transaction: each gets one of its own.
        Err(Failure { error, in_doubt: false }) if recharges.len() > 1 && !is_passing(&error) => {
            tracing::warn!(%error, count = recharges.len(), "a slice failed; its recharges are run one by one");
            let mut answers = Vec::with_capacity(recharges.len());
            for recharge in recharges.chunks_mut(1) {
                let answer = settle_together(store, config, recharge, patience).await;
                answers.extend(answer.unwrap_or_else(|failure| vec![Err(problem(&failure))]));
            }
            answers
        }
        Err(failure) => vec![Err(problem(&failure)); recharges.len()],
    }
}

/// Runs the chain over the slice in one transaction, and again where that can help. After a COMMIT that was not
/// confirmed, running it again *is* the look-up: on a new connection step 1 finds the orders if they are there, under
/// the numbers that this slice gave them, and the unique index holds if they are still on their way.
async fn settle_together<S: Store>(
    store: &mut Option<S>,
    config: &S::Config,
    recharges: &mut [Recharge],
    patience: Duration,
) -> Result<Vec<Answer>, Failure> {
    let began = Instant::now();
    let mut in_doubt = false;
    let mut attempt = 1;
    loop {
        let failure = match attempt_once(store, config, recharges, patience).await {
            Ok(()) => return Ok(chain::answers(recharges)),
            Err(failure) => failure,
        };
        // A COMMIT that fell silent has used up the time. It is looked into once all the same.
        let in_time = began.elapsed() < patience || (failure.in_doubt && !in_doubt);
        in_doubt |= failure.in_doubt;
        let worthwhile = failure.in_doubt || is_passing(&failure.error);
        let again = worthwhile && attempt < ATTEMPTS && in_time;
        tracing::warn!(error = %failure.error, in_doubt, attempt, again, "a transaction did not come through");
        if !again {
            return Err(Failure { error: failure.error, in_doubt });
        }
        tokio::time::sleep(pause(attempt)).await;
        attempt += 1;
    }
}

/// One transaction. Unless it came through, the connection is dropped or has been rolled back.
async fn attempt_once<S: Store>(
    store: &mut Option<S>,
    config: &S::Config,
    recharges: &mut [Recharge],
    patience: Duration,
) -> Result<(), Failure> {
    let slow = || StoreError::Away(sqlx::Error::PoolTimedOut);
    let undone = |error: ChainError| Failure { error, in_doubt: false };
    let mut open = timeout(patience, run_chain(store, config, recharges))
        .await
        .map_err(|_| undone(slow().into()))?
        .map_err(undone)?;
    fault::point("before_commit").await;
    let committed = timeout(patience, open.commit()).await.unwrap_or_else(|_| Err(slow()));
    committed.map_err(|error| Failure { error: error.into(), in_doubt: true })?;
    fault::point("committed").await;
    *store = Some(open);
    Ok(())
}

/// Everything up to COMMIT. Returns the connection with the transaction open; after an error it is back in its place,
/// rolled back, or dropped.
async fn run_chain<S: Store>(
    store: &mut Option<S>,
    config: &S::Config,
    recharges: &mut [Recharge],
) -> Result<S, ChainError> {
    let mut open = match store.take() {
        Some(open) => open,
        None => S::open(config).await?,
    };
    fault::point("begin").await;
    if let Err(error) = chain::run(&mut open, recharges).await {
        if open.rollback().await.is_ok() {
            *store = Some(open);
        }
        return Err(error);
    }
    Ok(open)
}

/// Whether the failure is that of the moment, and not that of the slice.
fn is_passing(error: &ChainError) -> bool {
    matches!(error, ChainError::Store(error) if error.is_passing())
}

/// What to answer when there will be no further attempt.
fn problem(failure: &Failure) -> Problem {
    match &failure.error {
        _ if failure.in_doubt => Problem::OutcomeUnknown,
        ChainError::BalanceLimit { .. } => Problem::BalanceLimit,
        error @ ChainError::Store(_) if is_passing(error) => Problem::Busy,
        error @ ChainError::Store(_) => {
            tracing::error!(%error, "a recharge failed and was rolled back");
            Problem::Internal
        }
    }
}
