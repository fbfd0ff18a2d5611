//! The statements of a slice of any size, which is their one JSON parameter. One that locks rows is told the index, for
//! the reason that is given in `listed`.

use super::{LookUpRow, MySql, failed};
use crate::store::{LedgerRow, NewOrder, OrderKey, StoreError, granted, json, named};

impl MySql {
    pub(super) async fn look_many_up(&mut self, keys: &[OrderKey]) -> Result<Vec<LookUpRow>, StoreError> {
        sqlx::query_as(
            "select o.order_no, o.user_id, o.idempotency_key, o.amount_minor, o.currency, o.status, o.bonus_tokens, o.tier,
                    o.created_at
             from json_table(?, '$[*]' columns (
                    user_id bigint path '$[0]',
                    idempotency_key varchar(255) character set ascii collate ascii_bin path '$[1]')) as k
             straight_join recharge_order as o
                on o.user_id = k.user_id and o.idempotency_key = k.idempotency_key
             union all
             select null, null, null, min_amount_minor, null, null, tokens_per_unit, name, null from bonus_tier",
        )
        .bind(named(keys)?)
        .fetch_all(&mut self.connection)
        .await
        .map_err(failed)
    }

    pub(super) async fn insert_many(&mut self, orders: &[NewOrder]) -> Result<(), StoreError> {
        let rows = json(orders.iter().map(|order| {
            let (key, tier) = (order.key.as_str(), order.tier.as_str());
            (order.order_no, order.user_id, key, order.amount.minor(), tier, order.at, order.currency.code())
        }))?;
        let insert = "insert into recharge_order
                (order_no, user_id, idempotency_key, amount_minor, currency, status, tier, created_at, updated_at)
             select o.order_no, o.user_id, o.idempotency_key, o.amount_minor, o.currency, 0, o.tier, o.at, o.at
             from json_table(?, '$[*]' columns (
                    order_no varchar(36) character set ascii collate ascii_bin path '$[0]',
                    user_id bigint path '$[1]',
                    idempotency_key varchar(255) character set ascii collate ascii_bin path '$[2]',
                    amount_minor bigint path '$[3]',
                    tier varchar(100) character set utf8mb4 collate utf8mb4_bin path '$[4]',
                    at bigint path '$[5]',
                    currency varchar(3) character set ascii collate ascii_bin path '$[6]')) as o
             on duplicate key update order_no = recharge_order.order_no";
        self.change(sqlx::query(insert).bind(&rows)).await.map(drop)
    }

    pub(super) async fn make_accounts(&mut self, people: &[i64], now: i64) -> Result<(), StoreError> {
        let make = "insert into token_account (user_id, balance, created_at, updated_at)
             select p.user_id, 0, n.now, n.now
             from json_table(?, '$[*]' columns (user_id bigint path '$')) as p
             join (select cast(? as signed) as now) as n
             order by p.user_id
             on duplicate key update user_id = token_account.user_id";
        self.change(sqlx::query(make).bind(json(people.iter())?).bind(now)).await.map(drop)
    }

    pub(super) async fn grant_many(&mut self, rows: &[LedgerRow]) -> Result<(u64, u64), StoreError> {
        let granted = granted(rows)?;
        let insert = "insert into token_ledger (user_id, change_type, biz_id, change_amount, balance_after, created_at)
             select l.user_id, 'RECHARGE_BONUS', l.order_no, l.change_amount, l.balance_after, l.at
             from json_table(?, '$[*]' columns (
                    place for ordinality,
                    user_id bigint path '$[0]',
                    order_no varchar(36) character set ascii collate ascii_bin path '$[1]',
                    change_amount bigint path '$[2]',
                    balance_after bigint path '$[3]',
                    at bigint path '$[4]')) as l
             order by l.place";
        let written = self.change(sqlx::query(insert).bind(&granted)).await?;
        let add =
            "update (select user_id, cast(sum(change_amount) as signed) as tokens, count(*) as changes, max(at) as at
                     from json_table(?, '$[*]' columns (
                        user_id bigint path '$[0]',
                        change_amount bigint path '$[2]',
                        at bigint path '$[4]')) as l
                     group by user_id) as g
             straight_join token_account as a force index (primary) on a.user_id = g.user_id
             set a.balance = a.balance + g.tokens, a.version = a.version + g.changes, a.updated_at = g.at";
        Ok((written, self.change(sqlx::query(add).bind(&granted)).await?))
    }
}
