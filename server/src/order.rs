//! An order: the row that an intent becomes.

use app::key::IdempotencyKey;
use app::money::{Amount, Currency};
use app::problem::Problem;
use app::view::OrderView;
use app::words::Language;
use uuid::Uuid;

use crate::clock;
use crate::store::OrderKey;

/// Where an order stands. It only ever moves from `PENDING` to `PAID` to `COMPLETED`; `VOIDED` is reached from nothing, and
/// never left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Created, not paid.
    Pending = 0,
    /// Paid, its tokens not granted.
    Paid = 1,
    /// Its tokens are granted.
    Completed = 2,
    /// Its key was voided before anything was ordered with it: a row that only keeps the key from being used.
    Voided = 3,
}

/// A stored order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// Its number, a UUIDv7.
    pub order_no: Uuid,
    /// The person who pays.
    pub user_id: i64,
    /// The key that names its intent.
    pub key: IdempotencyKey,
    /// What is paid.
    pub amount: Amount,
    /// The currency of the amount.
    pub currency: Currency,
    /// Where it stands.
    pub status: Status,
    /// The tokens it granted, once it is completed.
    pub bonus_tokens: Option<i64>,
    /// The name of the tier that applied.
    pub tier: String,
    /// When its request arrived: milliseconds since 1970-01-01 UTC.
    pub created_at: i64,
}

impl Order {
    /// The person and the key: what names the intent.
    pub fn order_key(&self) -> OrderKey {
        OrderKey { user_id: self.user_id, key: self.key.clone() }
    }

    /// The tokens that it granted.
    ///
    /// # Errors
    /// [`Problem::KeyVoided`] where the row stands for a voided key; [`Problem::Internal`], with a word in the log, where
    /// the order stands half-way.
    pub fn granted(&self) -> Result<i64, Problem> {
        match (self.status, self.bonus_tokens) {
            (Status::Completed, Some(tokens)) => Ok(tokens),
            (Status::Voided, _) => Err(Problem::KeyVoided),
            // All steps commit together, so somebody else wrote this row.
            (status, _) => {
                tracing::error!(order_no = %self.order_no, ?status, "an order stands half-way; run `recharge verify`");
                Err(Problem::Internal)
            }
        }
    }

    /// The order as the person sees it.
    pub fn view(&self, language: Language) -> OrderView {
        OrderView {
            order_no: self.order_no.to_string(),
            amount: self.amount,
            currency: self.currency,
            tokens: self.bonus_tokens.unwrap_or_default(),
            tier: self.tier.clone(),
            at: clock::words(self.created_at, language),
            key: self.key.clone(),
        }
    }
}

impl TryFrom<i64> for Status {
    type Error = String;

    fn try_from(code: i64) -> Result<Self, Self::Error> {
        match code {
            0 => Ok(Self::Pending),
            1 => Ok(Self::Paid),
            2 => Ok(Self::Completed),
            3 => Ok(Self::Voided),
            other => Err(format!("an order has the status {other}, which this program does not know")),
        }
    }
}
