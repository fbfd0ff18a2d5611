//! Step 3, create order: after it every recharge that goes on has its order, `PENDING`. The unique index over person
//! and key is the only judge of who was first: whoever finds another order under the key is a hit of that order.

use std::collections::HashMap;

use super::slice::{Fate, Slice};
use super::step2_tier::Priced;
use crate::store::{NewOrder, Store, StoreError};

/// The stage after step 3.
#[derive(Debug)]
pub struct Created;

/// Inserts the orders, in the order of their keys, and reads back which orders stood there before.
pub async fn create_order<'a, S: Store>(
    store: &mut S,
    mut slice: Slice<'a, Priced>,
) -> Result<Slice<'a, Created>, StoreError> {
    let new: Vec<NewOrder> = slice
        .running_by_key()
        .into_iter()
        .map(|(recharge, quote)| NewOrder {
            order_no: recharge.order_no,
            user_id: recharge.intent.user_id,
            key: recharge.intent.key.clone(),
            amount: recharge.intent.amount,
            currency: recharge.intent.currency,
            tier: quote.tier.clone(),
            at: recharge.at,
        })
        .collect();
    if new.is_empty() {
        return Ok(slice.reached());
    }
    let standing = store.claim_orders(&new).await?;
    let standing: HashMap<_, _> = standing.into_iter().map(|order| (order.order_key(), order)).collect();
    for recharge in slice.recharges() {
        if matches!(recharge.fate, Fate::Running(_))
            && let Some(order) = standing.get(&recharge.order_key())
        {
            recharge.fate = Fate::Hit(order.clone());
        }
    }
    Ok(slice.reached())
}
