//! Step 4, pay: after it every order that goes on is `PAID`. The payment is simulated; the guard is real: the old status
//! stands in the condition, and an order that was not `PENDING` stops the transaction.

use super::slice::Slice;
use super::step3_create_order::Created;
use crate::store::{Store, StoreError};

/// The stage after step 4.
#[derive(Debug)]
pub struct Paid;

/// Moves the orders from `PENDING` to `PAID`.
pub async fn pay<'a, S: Store>(store: &mut S, slice: Slice<'a, Created>) -> Result<Slice<'a, Paid>, StoreError> {
    let orders: Vec<_> = slice.running_by_key().into_iter().map(|(recharge, _)| recharge.order_no).collect();
    if !orders.is_empty() {
        store.pay(&orders).await?;
    }
    Ok(slice.reached())
}
