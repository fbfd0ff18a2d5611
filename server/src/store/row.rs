//! Reading orders and tiers. Where an engine makes JSON cheaply, all rows of a slice come as one text: a row of its own for
//! each order would cost a hand-over between threads, or the decoding of nine columns.

use app::key::IdempotencyKey;
use app::money::{Amount, Currency};
use app::tier::Tier;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use super::{LookUp, StoreError};
use crate::order::{Order, Status};

/// Asks every engine for the rows that [`tiers`] reads.
pub(crate) const TIERS: &str = "select name, min_amount_minor, tokens_per_unit from bonus_tier";

/// Name, smallest amount and rate of a tier.
type TierRow = (String, i64, i64);

/// The columns of an order: number, person, key, amount, currency, status, tokens, tier and time.
#[derive(Debug, Deserialize)]
pub(crate) struct OrderRow(
    pub Uuid,
    pub i64,
    pub String,
    pub i64,
    pub String,
    pub i64,
    pub Option<i64>,
    pub String,
    pub i64,
);

/// The tiers, from their rows.
pub(crate) fn tiers(rows: Vec<TierRow>) -> Vec<Tier> {
    let tier = |(name, min, tokens_per_unit)| Tier { name, min: Amount::from_minor(min), tokens_per_unit };
    rows.into_iter().map(tier).collect()
}

/// A look-up, from an array of the orders' rows and one of the tiers'.
pub(super) fn look_up(orders: &str, rates: &str) -> Result<LookUp, StoreError> {
    Ok(LookUp { orders: from_rows(read(orders)?)?, tiers: tiers(read(rates)?) })
}

/// What stood under the keys of so many orders before, from an array of what stands under each: null where it is the new
/// order, else the row of the one that stood there.
pub(super) fn stood_before(standing: &str, claimed: usize) -> Result<Vec<Order>, StoreError> {
    let standing: Vec<Option<OrderRow>> = read(standing)?;
    if standing.len() != claimed {
        return Err(StoreError::NoOrderStands);
    }
    from_rows(standing.into_iter().flatten().collect())
}

/// Any JSON text that a statement returned.
pub(super) fn read<T: DeserializeOwned>(text: &str) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(|error| StoreError::Unreadable(error.to_string()))
}

/// An order's number, from its text.
pub(crate) fn number(text: &str) -> Result<Uuid, StoreError> {
    text.parse().map_err(|error: uuid::Error| StoreError::Unreadable(error.to_string()))
}

fn from_rows(rows: Vec<OrderRow>) -> Result<Vec<Order>, StoreError> {
    rows.into_iter().map(order).collect()
}

/// An order, from its row.
pub(crate) fn order(row: OrderRow) -> Result<Order, StoreError> {
    let OrderRow(order_no, user_id, key, amount_minor, currency, status, bonus_tokens, tier, created_at) = row;
    Ok(Order {
        order_no,
        user_id,
        key: IdempotencyKey::try_from(key).map_err(|error| StoreError::Unreadable(error.to_string()))?,
        amount: Amount::from_minor(amount_minor),
        currency: Currency::try_from(currency).map_err(StoreError::Unreadable)?,
        status: Status::try_from(status).map_err(StoreError::Unreadable)?,
        bonus_tokens,
        tier,
        created_at,
    })
}
