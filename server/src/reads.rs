//! What pages and programs read: account, orders, ledger, tiers. In SQL that is the same on every engine.

use crate::database::Database;
use crate::store;
use app::key::IdempotencyKey;
use app::money::{Amount, Currency};
use app::tier::Tiers;
use app::view::{AccountView, LedgerView, OrderView};
use app::words::Language;
use uuid::Uuid;

use crate::clock;

/// How many rows a page of a list has.
pub const PAGE: usize = 20;

/// How many orders the recharge page shows.
const LAST: usize = 5;

/// A page of a list, newest first.
#[derive(Debug)]
pub struct Page<T> {
    /// The rows.
    pub rows: Vec<T>,
    /// Where the next page begins, if there is one: the last row's place.
    pub more: Option<String>,
}

/// The person's completed orders, each by way of its ledger row: it has an index that lists them.
macro_rules! granted_orders {
    ($condition:literal) => {
        concat!(
            "select o.order_no, o.amount_minor, o.currency, o.bonus_tokens, o.tier, o.created_at, o.idempotency_key, l.id
             from token_ledger as l join recharge_order as o on o.order_no = l.biz_id
             where l.user_id = $1 and l.change_type = 'RECHARGE_BONUS' and o.status = 2 and ",
            $condition
        )
    };
}

type OrderRow = (String, i64, String, i64, String, i64, String, i64);
type LedgerRow = (i64, String, String, i64, i64, i64);

/// The balance of the person: zero before the first recharge.
///
/// # Errors
/// When the database fails.
pub async fn balance(database: &Database, user_id: i64) -> Result<i64, sqlx::Error> {
    let balance = sqlx::query_as(database.sql("select balance from token_account where user_id = $1")).bind(user_id);
    Ok(database.optional(balance).await?.map_or(0, |(balance,): (i64,)| balance))
}

/// The balance and the last orders of the person, and the tiers, in three statements: a recharge between them shows in
/// one only.
///
/// # Errors
/// When the database fails.
pub async fn account(database: &Database, user_id: i64, language: Language) -> Result<AccountView, sqlx::Error> {
    let balance = balance(database, user_id).await?;
    let orders = orders_before(database, user_id, language, None, LAST).await?.rows;
    Ok(AccountView { balance, orders, tiers: tiers(database).await? })
}

/// A page of the person's completed orders: those before the cursor, or the newest.
///
/// # Errors
/// When the database fails.
pub async fn orders(
    database: &Database,
    user_id: i64,
    language: Language,
    before: Option<i64>,
) -> Result<Page<OrderView>, sqlx::Error> {
    orders_before(database, user_id, language, before, PAGE).await
}

async fn orders_before(
    database: &Database,
    user_id: i64,
    language: Language,
    before: Option<i64>,
    size: usize,
) -> Result<Page<OrderView>, sqlx::Error> {
    let orders = sqlx::query_as(database.sql(granted_orders!("l.id < $2 order by l.id desc limit $3")))
        .bind(user_id)
        .bind(before.unwrap_or(i64::MAX))
        .bind(one_more_than(size));
    page(database.all(orders).await?, size, |row: &OrderRow| row.7.to_string(), |row| order_view(row, language))
}

/// The person's completed order of this number, if it is theirs.
///
/// # Errors
/// When the database fails.
pub async fn order(
    database: &Database,
    user_id: i64,
    language: Language,
    order_no: &str,
) -> Result<Option<OrderView>, sqlx::Error> {
    // What is no number is asked nobody: the engines differ in what they take for a text.
    let Ok(order_no) = Uuid::try_parse(order_no) else { return Ok(None) };
    let order = sqlx::query_as(database.sql(granted_orders!("o.order_no = $2")));
    let order = order.bind(user_id).bind(order_no.to_string());
    database.optional(order).await?.map(|row| order_view(row, language)).transpose()
}

/// A page of the person's ledger: the rows before the cursor, or the newest.
///
/// # Errors
/// When the database fails.
pub async fn ledger(
    database: &Database,
    user_id: i64,
    language: Language,
    before: Option<i64>,
) -> Result<Page<LedgerView>, sqlx::Error> {
    let rows = sqlx::query_as(database.sql(
        "select id, change_type, biz_id, change_amount, balance_after, created_at from token_ledger
         where user_id = $1 and id < $2 order by id desc limit $3",
    ))
    .bind(user_id)
    .bind(before.unwrap_or(i64::MAX))
    .bind(one_more_than(PAGE));
    let view = |(id, change_type, biz_id, change, balance_after, at)| LedgerView {
        id,
        change_type,
        biz_id,
        change,
        balance_after,
        at: clock::words(at, language),
    };
    page(database.all(rows).await?, PAGE, |row: &LedgerRow| row.0.to_string(), |row| Ok(view(row)))
}

/// The tiers in force.
///
/// # Errors
/// When the database fails.
pub async fn tiers(database: &Database) -> Result<Tiers, sqlx::Error> {
    let rows = database.all(sqlx::query_as(database.sql(store::TIERS))).await?;
    Ok(store::tiers(rows).into())
}

/// One row more than a page shows whether there is another page.
fn one_more_than(size: usize) -> i64 {
    i64::try_from(size + 1).unwrap_or(i64::MAX)
}

fn page<R, T>(
    mut rows: Vec<R>,
    size: usize,
    place: impl Fn(&R) -> String,
    view: impl Fn(R) -> Result<T, sqlx::Error>,
) -> Result<Page<T>, sqlx::Error> {
    let more = if rows.len() > size {
        rows.truncate(size);
        rows.last().map(place)
    } else {
        None
    };
    Ok(Page { rows: rows.into_iter().map(view).collect::<Result<_, _>>()?, more })
}

fn order_view(row: OrderRow, language: Language) -> Result<OrderView, sqlx::Error> {
    let (order_no, amount_minor, currency, tokens, tier, created_at, key, _) = row;
    Ok(OrderView {
        order_no,
        amount: Amount::from_minor(amount_minor),
        currency: Currency::try_from(currency).map_err(|error| sqlx::Error::Decode(error.into()))?,
        tokens,
        tier,
        at: clock::words(created_at, language),
        key: IdempotencyKey::try_from(key).map_err(|error| sqlx::Error::Decode(error.to_string().into()))?,
    })
}
