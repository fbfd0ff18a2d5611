//! The statements that name the rows of a slice in a list, which the server reads faster than a table made of JSON. Lists
//! come in a few lengths, so that each text is prepared once; a shorter slice says its last row again.

use std::collections::HashSet;

use sqlx::mysql::MySqlArguments;
use sqlx::query::Query;
use sqlx::{AssertSqlSafe, SqlSafeStr as _, SqlStr};
use uuid::Uuid;

use super::{MySql, failed};
use crate::store::{NewOrder, OrderKey, StoreError};
use crate::writer::SLICE;

/// The lengths of lists.
const LENGTHS: [usize; 5] = [1, 4, 16, 64, SLICE];

impl MySql {
    /// The keys of those orders that do not stand under them as `PENDING`: the others are the new ones.
    pub(super) async fn lost_listed(&mut self, orders: &[NewOrder]) -> Result<Vec<OrderKey>, StoreError> {
        let sql = listing(
            "select order_no, user_id, idempotency_key from recharge_order where order_no in (",
            orders.len(),
            ") and status = 0",
        );
        let query = padded(orders).fold(sqlx::query_as(sql), |query, order| query.bind(order.order_no.to_string()));
        let standing: Vec<(String, i64, String)> = query.fetch_all(&mut self.connection).await.map_err(failed)?;
        let standing: HashSet<_> = standing.into_iter().collect();
        let lost = |order: &&NewOrder| {
            !standing.contains(&(order.order_no.to_string(), order.user_id, order.key.as_str().to_owned()))
        };
        Ok(orders.iter().filter(lost).map(NewOrder::order_key).collect())
    }

    pub(super) async fn pay_listed(&mut self, orders: &[Uuid]) -> Result<u64, StoreError> {
        let sql = listing("update recharge_order set status = 1 where order_no in (", orders.len(), ") and status = 0");
        self.change(listed(sqlx::query(sql), orders)).await
    }

    /// Locks the accounts that are there, in the order of their numbers. The index is named: over a table with few rows
    /// the server would rather read all of it, and so wait for the rows of other writers, outside the one order of locks.
    pub(super) async fn locked(&mut self, people: &[i64]) -> Result<Vec<(i64, i64)>, StoreError> {
        let sql = listing(
            "select user_id, balance from token_account force index (primary) where user_id in (",
            people.len(),
            ") order by user_id for update",
        );
        let query = padded(people).fold(sqlx::query_as(sql), |query, person| query.bind(*person));
        query.fetch_all(&mut self.connection).await.map_err(failed)
    }

    /// Completes the orders with what their ledger rows granted.
    pub(super) async fn complete_listed(&mut self, orders: &[Uuid]) -> Result<u64, StoreError> {
        let sql = listing(
            "update recharge_order as o
             set status = 2, bonus_tokens = (select change_amount from token_ledger
                                             where biz_id = o.order_no and change_type = 'RECHARGE_BONUS')
             where order_no in (",
            orders.len(),
            ") and status = 1",
        );
        self.change(listed(sqlx::query(sql), orders)).await
    }
}

/// A statement with a list of at least so many places.
pub(super) fn listing(before: &str, rows: usize, after: &str) -> SqlStr {
    let places = vec!["?"; length(rows)].join(", ");
    // Question marks in a text of this program.
    AssertSqlSafe(format!("{before}{places}{after}")).into_sql_str()
}

fn listed<'q>(
    query: Query<'q, sqlx::MySql, MySqlArguments>,
    orders: &[Uuid],
) -> Query<'q, sqlx::MySql, MySqlArguments> {
    padded(orders).fold(query, |query, order| query.bind(order.to_string()))
}

/// The rows, and the last of them until the list is full.
pub(super) fn padded<T>(rows: &[T]) -> impl Iterator<Item = &T> {
    let fill = rows.last().into_iter().cycle();
    rows.iter().chain(fill).take(length(rows.len()))
}

fn length(rows: usize) -> usize {
    LENGTHS.into_iter().find(|length| *length >= rows).unwrap_or(rows)
}
