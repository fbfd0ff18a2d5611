//! What the server tells the page about orders and balances.

use serde::{Deserialize, Serialize};

use crate::key::IdempotencyKey;
use crate::money::{Amount, Currency};
use crate::tier::Tiers;

/// An order as a person sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderView {
    /// The order's number, a UUIDv7.
    pub order_no: String,
    /// What was paid.
    pub amount: Amount,
    /// The currency of the amount.
    pub currency: Currency,
    /// The tokens it granted.
    pub tokens: i64,
    /// The tier that applied.
    pub tier: String,
    /// When it was made, UTC, in words.
    pub at: String,
    /// The key of its intent.
    pub key: IdempotencyKey,
}

/// A change of the balance as a person sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerView {
    /// The place of the row in the ledger.
    pub id: i64,
    /// Why the balance changed, in the database's words.
    pub change_type: String,
    /// What the change belongs to: for a recharge its order number.
    pub biz_id: String,
    /// The tokens that were added.
    pub change: i64,
    /// The balance after the change.
    pub balance_after: i64,
    /// When it was written, UTC, in words.
    pub at: String,
}

/// The state of an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountView {
    /// All tokens of the person.
    pub balance: i64,
    /// The last orders, newest first.
    pub orders: Vec<OrderView>,
    /// The tiers in force: what a page previews is what it would be credited now.
    pub tiers: Tiers,
}

impl AccountView {
    /// Adds an order that the account, as it was read, does not know yet.
    pub fn add(&mut self, order: &OrderView) {
        if self.orders.iter().all(|known| known.order_no != order.order_no) {
            self.balance = self.balance.saturating_add(order.tokens);
            self.orders.insert(0, order.clone());
        }
    }
}

/// The answer to a recharge that stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recharged {
    /// The order, as it is stored.
    pub order: OrderView,
    /// Whether an earlier request with the same key had already done it.
    pub replayed: bool,
    /// The account afterwards, or `None` where it could not be read: the recharge stands all the same.
    pub account: Option<AccountView>,
}

/// What became of an intent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Resolution {
    /// It was recharged.
    Recharged(Recharged),
    /// Its key was voided: it can never be recharged.
    Voided,
    /// Nothing stands under its key so far. A request that is still on its way can change that.
    Unresolved,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_added_once() {
        let order = OrderView {
            order_no: "1".to_owned(),
            amount: Amount::from_minor(100),
            currency: "USD".parse().unwrap(),
            tokens: 100,
            tier: "Low".to_owned(),
            at: String::new(),
            key: IdempotencyKey::random(),
        };
        let mut account = AccountView { balance: 5, orders: Vec::new(), tiers: Tiers::default() };
        account.add(&order);
        account.add(&order);
        assert_eq!((account.balance, account.orders.len()), (105, 1));
    }
}
