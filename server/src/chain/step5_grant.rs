//! Step 5, grant: after it every order that goes on has its ledger row, and the balance has grown by it. The account is
//! locked before the balance is read, and the ledger row comes first: its unique index lets money be added once, even if
//! every step before this one had been bypassed.

use std::collections::HashMap;

use super::ChainError;
use super::slice::Slice;
use super::step4_pay::Paid;
use crate::store::{LedgerRow, Store, StoreError};

/// The stage after step 5.
#[derive(Debug)]
pub struct Granted;

/// Locks the accounts in the order of their numbers, writes the ledger rows in order of arrival, then adds to the
/// balances.
pub async fn grant<'a, S: Store>(store: &mut S, slice: Slice<'a, Paid>) -> Result<Slice<'a, Granted>, ChainError> {
    let mut people: Vec<i64> = slice.running().map(|(recharge, _)| recharge.intent.user_id).collect();
    people.sort_unstable();
    people.dedup();
    let Some(now) = slice.running().map(|(recharge, _)| recharge.at).max() else {
        return Ok(slice.reached());
    };
    let mut balances: HashMap<i64, i64> = store.lock_accounts(&people, now).await?.into_iter().collect();

    let mut rows = Vec::new();
    for (recharge, quote) in slice.running() {
        let user_id = recharge.intent.user_id;
        let Some(balance) = balances.get_mut(&user_id) else {
            return Err(StoreError::Guard { step: "lock", expected: 1, changed: 0 }.into());
        };
        *balance = balance.checked_add(quote.tokens).ok_or(ChainError::BalanceLimit { user_id })?;
        rows.push(LedgerRow {
            user_id,
            order_no: recharge.order_no,
            change: quote.tokens,
            balance_after: *balance,
            at: recharge.at,
        });
    }
    store.grant(&rows).await?;
    Ok(slice.reached())
}
