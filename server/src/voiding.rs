//! What stands under a key, and voiding one: in SQL that is the same on every engine.
//!
//! To void a key is to insert a row that keeps it from being used. The judge is the same unique index over person and key
//! that judges orders, so a key is never both voided and recharged, and whoever loses sees what the other one did.

use std::time::Instant;

use app::money::Currency;
use app::problem::Problem;
use uuid::Uuid;

use crate::clock;
use crate::database::Database;
use crate::order::{Order, Status};
use crate::retry::{ATTEMPTS, pause};
use crate::store::{self, OrderKey, OrderRow, StoreError};

/// The columns of an [`OrderRow`], with the number as text.
type Row = (String, i64, String, i64, String, i64, Option<i64>, String, i64);

/// Why an attempt to void a key came to no end.
struct Failure {
    error: StoreError,
    /// The row may stand there all the same, or still arrive. Otherwise nothing was written, and nothing will be.
    in_doubt: bool,
}

/// The order, or the voided row, that stands under the key.
///
/// # Errors
/// When the database fails, or the row cannot be read.
pub async fn standing(database: &Database, key: &OrderKey) -> Result<Option<Order>, StoreError> {
    let sql =
        "select order_no, user_id, idempotency_key, amount_minor, currency, status, bonus_tokens, tier, created_at
               from recharge_order where user_id = $1 and idempotency_key = $2";
    let found = sqlx::query_as(database.sql(sql)).bind(key.user_id).bind(key.key.as_str());
    let found: Option<Row> = database.optional(found).await.map_err(|error| database.sorted(error))?;
    let Some((order_no, user_id, key, amount, currency, status, tokens, tier, at)) = found else { return Ok(None) };
    let row = OrderRow(store::number(&order_no)?, user_id, key, amount, currency, status, tokens, tier, at);
    store::order(row).map(Some)
}

/// Voids the key, unless something stands under it, and returns what stands there then: it stands for good.
///
/// # Errors
/// [`Problem::Busy`] when nothing was written; [`Problem::OutcomeUnknown`] when that is not known; [`Problem::Internal`].
/// To void again is always safe.
pub async fn void(database: &Database, key: &OrderKey, currency: Currency) -> Result<Order, Problem> {
    // Made once, before the first attempt, so that the row that it made is known again.
    let order_no = clock::order_no();
    let began = Instant::now();
    let mut in_doubt = false;
    let mut attempt = 1;
    let failure = loop {
        let failure = match attempt_once(database, key, currency, order_no).await {
            Ok(order) => {
                if order.status == Status::Voided {
                    let again = order.order_no != order_no;
                    tracing::info!(user_id = key.user_id, key = key.key.as_str(), again, "voided");
                }
                return Ok(order);
            }
            Err(failure) => failure,
        };
        in_doubt |= failure.in_doubt;
        let again = failure.error.is_passing() && attempt < ATTEMPTS && began.elapsed() < database.patience();
        tracing::warn!(error = %failure.error, in_doubt, attempt, again, "a key was not voided");
        if !again {
            break failure;
        }
        tokio::time::sleep(pause(attempt)).await;
        attempt += 1;
    };
    Err(match failure.error {
        _ if in_doubt => Problem::OutcomeUnknown,
        error if error.is_passing() => Problem::Busy,
        error => {
            tracing::error!(%error, "a key cannot be voided");
            Problem::Internal
        }
    })
}

/// One insert, and a look at what stands there then, whatever became of the insert: a statement of its own, which sees
/// what another transaction committed while the insert waited for it.
async fn attempt_once(
    database: &Database,
    key: &OrderKey,
    currency: Currency,
    order_no: Uuid,
) -> Result<Order, Failure> {
    let inserted = insert(database, key, currency, order_no).await;
    match (standing(database, key).await, inserted) {
        (Ok(Some(order)), _) => Ok(order),
        (Ok(None), Ok(())) => Err(Failure { error: StoreError::NoOrderStands, in_doubt: false }),
        // A connection that ended, or fell silent, says nothing of what it was told before.
        (Ok(None), Err(error)) => Err(Failure { in_doubt: matches!(error, StoreError::Away(_)), error }),
        // Whoever lost a lock wrote nothing. Of any other end it is only known that nobody could look.
        (Err(error), inserted) => {
            let in_doubt = error.is_passing() && !matches!(inserted, Err(StoreError::Busy(_)));
            Err(Failure { error, in_doubt })
        }
    }
}

async fn insert(database: &Database, key: &OrderKey, currency: Currency, order_no: Uuid) -> Result<(), StoreError> {
    let now = clock::now();
    let insert = "insert into recharge_order
                    (order_no, user_id, idempotency_key, amount_minor, currency, status, tier, created_at, updated_at)
                  values ($1, $2, $3, 0, $4, 3, '', $5, $6)";
    let insert = sqlx::query(database.sql(insert))
        .bind(order_no.to_string())
        .bind(key.user_id)
        .bind(key.key.as_str())
        .bind(currency.code())
        .bind(now)
        .bind(now);
    database.write(insert).await.map_err(|error| database.sorted(error))
}
