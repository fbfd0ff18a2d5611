//! Step 6, complete: after it every order that goes on is `COMPLETED` and holds its tokens. As in step 4 the old status
//! stands in the condition.

use super::slice::{Fate, Slice};
use super::step5_grant::Granted;
use crate::order::{Order, Status};
use crate::store::{Store, StoreError};

/// Moves the orders from `PAID` to `COMPLETED`.
pub async fn complete<S: Store>(store: &mut S, mut slice: Slice<'_, Granted>) -> Result<(), StoreError> {
    let done: Vec<_> = slice.running_by_key().into_iter().map(|(recharge, _)| recharge.order_no).collect();
    if !done.is_empty() {
        store.complete(&done).await?;
    }
    for recharge in slice.recharges() {
        if let Fate::Running(quote) = &recharge.fate {
            recharge.fate = Fate::Completed(Order {
                order_no: recharge.order_no,
                user_id: recharge.intent.user_id,
                key: recharge.intent.key.clone(),
                amount: recharge.intent.amount,
                currency: recharge.intent.currency,
                status: Status::Completed,
                bonus_tokens: Some(quote.tokens),
                tier: quote.tier.clone(),
                created_at: recharge.at,
            });
        }
    }
    Ok(())
}
