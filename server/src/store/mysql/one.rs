//! The plain statements of a slice of one.

use super::{LookUpRow, MySql, failed};
use crate::store::{LedgerRow, NewOrder, OrderKey, StoreError};

impl MySql {
    pub(super) async fn look_one_up(&mut self, key: &OrderKey) -> Result<Vec<LookUpRow>, StoreError> {
        sqlx::query_as(
            "select order_no, user_id, idempotency_key, amount_minor, currency, status, bonus_tokens, tier, created_at
             from recharge_order where user_id = ? and idempotency_key = ?
             union all
             select null, null, null, min_amount_minor, null, null, tokens_per_unit, name, null from bonus_tier",
        )
        .bind(key.user_id)
        .bind(key.key.as_str())
        .fetch_all(&mut self.connection)
        .await
        .map_err(failed)
    }

    pub(super) async fn claim_one(&mut self, order: &NewOrder) -> Result<String, StoreError> {
        let order_no = order.order_no.to_string();
        let insert = sqlx::query(
            "insert into recharge_order
                (order_no, user_id, idempotency_key, amount_minor, currency, status, tier, created_at, updated_at)
             values (?, ?, ?, ?, ?, 0, ?, ?, ?)
             on duplicate key update order_no = recharge_order.order_no",
        )
        .bind(&order_no)
        .bind(order.user_id)
        .bind(order.key.as_str())
        .bind(order.amount.minor())
        .bind(order.currency.code())
        .bind(&order.tier)
        .bind(order.at)
        .bind(order.at);
        self.change(insert).await?;
        let standing: Option<String> = sqlx::query_scalar(
            "select cast(json_array(
                        case when order_no <> ? or status <> 0 then
                            json_array(order_no, user_id, idempotency_key, amount_minor, currency, status, bonus_tokens,
                                tier, created_at) end) as char character set utf8mb4)
             from recharge_order where user_id = ? and idempotency_key = ?",
        )
        .bind(&order_no)
        .bind(order.user_id)
        .bind(order.key.as_str())
        .fetch_optional(&mut self.connection)
        .await
        .map_err(failed)?;
        Ok(standing.unwrap_or_else(|| "[]".to_owned()))
    }

    pub(super) async fn grant_one(&mut self, row: &LedgerRow) -> Result<(u64, u64), StoreError> {
        let insert = sqlx::query(
            "insert into token_ledger (user_id, change_type, biz_id, change_amount, balance_after, created_at)
             values (?, 'RECHARGE_BONUS', ?, ?, ?, ?)",
        )
        .bind(row.user_id)
        .bind(row.order_no.to_string())
        .bind(row.change)
        .bind(row.balance_after)
        .bind(row.at);
        let written = self.change(insert).await?;
        let add = sqlx::query(
            "update token_account set balance = balance + ?, version = version + 1, updated_at = ? where user_id = ?",
        )
        .bind(row.change)
        .bind(row.at)
        .bind(row.user_id);
        Ok((written, self.change(add).await?))
    }
}
