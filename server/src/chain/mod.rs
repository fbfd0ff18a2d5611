//! The chain: the seven steps that turn an intent into an order with its tokens, in order. This file is its table of
//! contents; each step is a file, and each takes the stage that the step before it made, so that none can be left out
//! or swapped.
//!
//! Step 0 runs where a request comes in. Steps 1 to 6 run in the [`crate::writer`], over a slice of whatever is waiting,
//! inside one database transaction that either commits whole or leaves no trace.

mod slice;
mod step0_validate;
mod step1_check_key;
mod step2_tier;
mod step3_create_order;
mod step4_pay;
mod step5_grant;
mod step6_complete;

pub use self::slice::{Answered, Fate, Recharge, Slice, answers};
pub use self::step0_validate::{Intent, validate, well_formed};
use crate::fault;
use crate::store::{Store, StoreError};

/// Why a slice had to stop. The transaction is rolled back: nothing of the slice was stored.
#[derive(Debug, thiserror::Error)]
pub enum ChainError {
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An account cannot hold so many more tokens.
    #[error("the balance of account {user_id} would not fit into 64 bits")]
    BalanceLimit {
        /// The person whose account it is.
        user_id: i64,
    },
}

/// Runs steps 1 to 6 over the slice, in a transaction that step 1 begins. Afterwards every recharge has its [`Fate`]; none
/// of it is true before the caller has committed.
///
/// # Errors
/// [`ChainError`]; the caller rolls back.
pub async fn run<S: Store>(store: &mut S, recharges: &mut [Recharge]) -> Result<(), ChainError> {
    let slice = Slice::new(recharges);
    let (slice, tiers) = step1_check_key::check_key(store, slice).await?;
    fault::point("check_key").await;
    let slice = step2_tier::tier(slice, &tiers);
    fault::point("tier").await;
    let slice = step3_create_order::create_order(store, slice).await?;
    fault::point("create_order").await;
    let slice = step4_pay::pay(store, slice).await?;
    fault::point("pay").await;
    let slice = step5_grant::grant(store, slice).await?;
    fault::point("grant").await;
    step6_complete::complete(store, slice).await?;
    fault::point("complete").await;
    Ok(())
}
