//! Reading the rows that every engine returns in the same columns.

use app::key::IdempotencyKey;
use app::money::{Amount, Currency};
use app::tier::Tier;
use sqlx::{ColumnIndex, Decode, Error, Row, Type};

use super::StoreError;
use crate::order::{Order, Status};

/// Asks every engine for the rows that [`tiers`] reads.
pub(crate) const TIERS: &str = "select name, min_amount_minor, tokens_per_unit from bonus_tier";

/// The tiers, from rows of name, smallest amount and rate.
pub(crate) fn tiers(rows: Vec<(String, i64, i64)>) -> Vec<Tier> {
    let tier = |(name, min, tokens_per_unit)| Tier { name, min: Amount::from_minor(min), tokens_per_unit };
    rows.into_iter().map(tier).collect()
}

/// An order, from a row whose columns have the names of the table's.
pub(super) fn order<R: Row>(row: &R, failed: fn(Error) -> StoreError) -> Result<Order, StoreError>
where
    &'static str: ColumnIndex<R>,
    for<'r> String: Decode<'r, R::Database> + Type<R::Database>,
    for<'r> i64: Decode<'r, R::Database> + Type<R::Database>,
{
    let unreadable = |error: &dyn std::fmt::Display| StoreError::Unreadable(error.to_string());
    let text = |column: &'static str| row.try_get::<String, _>(column).map_err(failed);
    let number = |column: &'static str| row.try_get::<i64, _>(column).map_err(failed);
    Ok(Order {
        order_no: text("order_no")?.parse().map_err(|error: uuid::Error| unreadable(&error))?,
        user_id: number("user_id")?,
        key: IdempotencyKey::try_from(text("idempotency_key")?).map_err(|error| unreadable(&error))?,
        amount: Amount::from_minor(number("amount_minor")?),
        currency: Currency::try_from(text("currency")?).map_err(StoreError::Unreadable)?,
        status: Status::try_from(number("status")?).map_err(StoreError::Unreadable)?,
        bonus_tokens: row.try_get::<Option<i64>, _>("bonus_tokens").map_err(failed)?,
        tier: text("tier")?,
        created_at: number("created_at")?,
    })
}
