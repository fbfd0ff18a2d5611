//! Step 1, check key: after it every recharge whose key already has an order is a hit, and does nothing more. This is
//! the common path of a retry: one read.

use std::collections::HashMap;

use app::tier::Tiers;

use super::slice::{Fate, Slice, Validated};
use crate::store::{LookUp, OrderKey, Store, StoreError};

/// The stage after step 1.
#[derive(Debug)]
pub struct Checked;

/// Begins the transaction by looking the orders up by person and key, and with them the tiers of step 2: read in the
/// transaction, so that a change applies at once.
pub async fn check_key<'a, S: Store>(
    store: &mut S,
    mut slice: Slice<'a, Validated>,
) -> Result<(Slice<'a, Checked>, Tiers), StoreError> {
    let mut keys: Vec<OrderKey> = slice.recharges().iter().map(super::Recharge::order_key).collect();
    keys.sort();
    keys.dedup();
    let LookUp { orders, tiers } = store.begin(&keys).await?;
    let known: HashMap<_, _> = orders.into_iter().map(|order| (order.order_key(), order)).collect();
    for recharge in slice.recharges() {
        if let Some(order) = known.get(&recharge.order_key()) {
            recharge.fate = Fate::Hit(order.clone());
        }
    }
    Ok((slice.reached(), tiers.into()))
}
