//! The plain statements of a slice of a few, which are faster than a table made of JSON. Their texts differ with the number
//! of rows, and each is prepared once.

use std::collections::BTreeMap;

use sqlx::{AssertSqlSafe, SqlSafeStr as _};

use super::listed::{listing, padded};
use super::{LookUpRow, MySql, failed};
use crate::store::{LedgerRow, NewOrder, OrderKey, StoreError};

impl MySql {
    /// Looks one key up.
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

    pub(super) async fn insert_few(&mut self, orders: &[NewOrder]) -> Result<(), StoreError> {
        let rows = vec!["(?, ?, ?, ?, ?, 0, ?, ?, ?)"; orders.len()].join(", ");
        let sql = format!(
            "insert into recharge_order
                (order_no, user_id, idempotency_key, amount_minor, currency, status, tier, created_at, updated_at)
             values {rows}
             on duplicate key update order_no = recharge_order.order_no"
        );
        // Question marks in a text of this program.
        let insert = orders.iter().fold(sqlx::query(AssertSqlSafe(sql).into_sql_str()), |query, order| {
            query
                .bind(order.order_no.to_string())
                .bind(order.user_id)
                .bind(order.key.as_str())
                .bind(order.amount.minor())
                .bind(order.currency.code())
                .bind(&order.tier)
                .bind(order.at)
                .bind(order.at)
        });
        self.change(insert).await.map(drop)
    }

    pub(super) async fn grant_few(&mut self, rows: &[LedgerRow]) -> Result<(u64, u64), StoreError> {
        let places = vec!["(?, 'RECHARGE_BONUS', ?, ?, ?, ?)"; rows.len()].join(", ");
        let sql = format!(
            "insert into token_ledger (user_id, change_type, biz_id, change_amount, balance_after, created_at)
             values {places}"
        );
        // Question marks in a text of this program.
        let insert = rows.iter().fold(sqlx::query(AssertSqlSafe(sql).into_sql_str()), |query, row| {
            query.bind(row.user_id).bind(row.order_no.to_string()).bind(row.change).bind(row.balance_after).bind(row.at)
        });
        let written = self.change(insert).await?;
        Ok((written, self.add_few(rows).await?))
    }

    /// Adds the rows to the balances: one list of the people with their sums, and one of the people alone.
    async fn add_few(&mut self, rows: &[LedgerRow]) -> Result<u64, StoreError> {
        let mut sums: BTreeMap<i64, (i64, i64, i64)> = BTreeMap::new();
        for row in rows {
            let (tokens, changes, at) = sums.entry(row.user_id).or_default();
            *tokens += row.change;
            *changes += 1;
            *at = row.at.max(*at);
        }
        let sums: Vec<_> = sums.into_iter().collect();
        let cases = vec!["when ? then ?"; padded(&sums).count()].join(" ");
        let sql = listing(
            &format!(
                "update token_account
                 set balance = balance + case user_id {cases} end, version = version + case user_id {cases} end,
                     updated_at = case user_id {cases} end
                 where user_id in ("
            ),
            sums.len(),
            ")",
        );
        let mut add = sqlx::query(sql);
        for sum in [|sum: (i64, i64, i64)| sum.0, |sum: (i64, i64, i64)| sum.1, |sum: (i64, i64, i64)| sum.2] {
            add = padded(&sums).fold(add, |query, (person, sums)| query.bind(*person).bind(sum(*sums)));
        }
        add = padded(&sums).fold(add, |query, (person, _)| query.bind(*person));
        self.change(add).await
    }
}
