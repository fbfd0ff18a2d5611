//! What the database holds at the end, read by plain SQL.

use server::database::Database;

/// A row of `recharge_order`.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Order {
    pub number: String,
    pub person: i64,
    pub key: String,
    pub minor: i64,
    pub status: i64,
    pub tokens: Option<i64>,
    pub tier: String,
}

/// A row of `token_ledger`.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct LedgerRow {
    pub person: i64,
    pub kind: String,
    pub order_no: String,
    pub change: i64,
    pub after: i64,
}

/// A row of `token_account`.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Account {
    pub person: i64,
    pub balance: i64,
}

/// All rows; those of the ledger in the order in which they were written.
#[derive(Debug, Clone, Default)]
pub struct Tables {
    pub orders: Vec<Order>,
    pub ledger: Vec<LedgerRow>,
    pub accounts: Vec<Account>,
}

impl Tables {
    /// Reads them in one transaction. Nobody writes any more.
    pub async fn read(database: &Database) -> Self {
        let mut transaction = database.pool.begin().await.unwrap();
        let orders = sqlx::query_as(
            "select order_no as number, user_id as person, idempotency_key as \"key\", amount_minor as minor, status,
                    bonus_tokens as tokens, tier
             from recharge_order",
        );
        let ledger = sqlx::query_as(
            "select user_id as person, change_type as kind, biz_id as order_no, change_amount as \"change\",
                    balance_after as \"after\"
             from token_ledger order by id",
        );
        let accounts = sqlx::query_as("select user_id as person, balance from token_account");
        Self {
            orders: orders.fetch_all(&mut *transaction).await.unwrap(),
            ledger: ledger.fetch_all(&mut *transaction).await.unwrap(),
            accounts: accounts.fetch_all(&mut *transaction).await.unwrap(),
        }
    }
}
