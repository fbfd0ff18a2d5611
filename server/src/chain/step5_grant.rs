//! Step 5, grant: after it every order that goes on has its ledger row, and the balance has grown by it. The account is
//! locked before the balance is read, and the ledger row comes first: its unique index lets money be added once, even if
//! every step before this one had been bypassed.

use std::collections::BTreeMap;

use super::ChainError;
use super::slice::Slice;
use super::step4_pay::Paid;
use crate::store::{Credit, LedgerRow, Store};

/// The stage after step 5.
#[derive(Debug)]
pub struct Granted;

/// Locks the accounts in the order of their numbers, writes the ledger rows in order of arrival, then adds to the
/// balances.
pub async fn grant<'a, S: Store>(store: &mut S, slice: Slice<'a, Paid>) -> Result<Slice<'a, Granted>, ChainError> {
    let mut credits: BTreeMap<i64, Credit> = BTreeMap::new();
    for (recharge, _) in slice.running() {
        let user_id = recharge.intent.user_id;
        let credit = credits.entry(user_id).or_insert(Credit { user_id, tokens: 0, rows: 0, at: recharge.at });
        credit.rows += 1;
        credit.at = credit.at.max(recharge.at);
    }
    if credits.is_empty() {
        return Ok(slice.reached());
    }

    let people: Vec<i64> = credits.keys().copied().collect();
    let mut balances: BTreeMap<i64, i64> = store.lock_accounts(&people, now(&credits)).await?.into_iter().collect();

    let mut rows = Vec::new();
    for (recharge, quote) in slice.running() {
        let user_id = recharge.intent.user_id;
        let limit = ChainError::BalanceLimit { user_id };
        let Some(balance) = balances.get_mut(&user_id) else {
            return Err(ChainError::Guard { step: "lock", expected: people.len(), changed: 0 });
        };
        let Some(after) = balance.checked_add(quote.tokens) else { return Err(limit) };
        *balance = after;
        if let Some(credit) = credits.get_mut(&user_id) {
            // The sum of the changes is at most the balance after them, which has just been found to fit.
            credit.tokens += quote.tokens;
        }
        rows.push(LedgerRow {
            user_id,
            order_no: recharge.order_no,
            change: quote.tokens,
            balance_after: after,
            at: recharge.at,
        });
    }
    ChainError::guard("ledger", rows.len(), store.insert_ledger(&rows).await?)?;

    let credits: Vec<Credit> = credits.into_values().collect();
    ChainError::guard("balance", credits.len(), store.add_to_balances(&credits).await?)?;
    Ok(slice.reached())
}

fn now(credits: &BTreeMap<i64, Credit>) -> i64 {
    credits.values().map(|credit| credit.at).max().unwrap_or_default()
}
