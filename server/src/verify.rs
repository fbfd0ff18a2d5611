//! The proof that no money was lost: one read transaction over everything, in SQL that is the same on every engine.

use sqlx::Row;
use sqlx::any::AnyRow;

use crate::clock;
use crate::database::Database;

/// An order that is younger may still be on its way.
const GRACE_MS: i64 = 60_000;

/// What the check found.
#[derive(Debug)]
pub struct Report {
    /// Each breach in words, with the numbers of what it concerns.
    pub breaches: Vec<String>,
    /// How many accounts were checked.
    pub accounts: i64,
    /// How many orders were checked.
    pub orders: i64,
    /// How many keys are voided.
    pub voided: i64,
    /// How many ledger rows were checked.
    pub ledger_rows: i64,
}

/// A rule: the rows that break it, and how to say so.
struct Rule {
    sql: &'static str,
    words: fn(&AnyRow) -> Result<String, sqlx::Error>,
}

const RULES: [Rule; 9] = [
    Rule {
        // One pass over both tables: MariaDB, whose statistics lag behind a busy minute, ran a join of them for minutes.
        sql: "select user_id, cast(sum(balance) as bigint), cast(sum(change_amount) as bigint)
              from (select user_id, balance, 0 as change_amount, 1 as accounts from token_account
                    union all
                    select user_id, 0, change_amount, 0 from token_ledger) as l
              group by user_id
              having sum(accounts) > 0 and sum(balance) <> sum(change_amount)
              order by user_id",
        words: |row| {
            let (user, balance, total): (i64, i64, i64) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
            Ok(format!("account {user}: the balance is {balance}, the sum of its ledger {total}"))
        },
    },
    Rule {
        sql: "select l.id, l.user_id
              from token_ledger as l left join token_account as a on a.user_id = l.user_id
              where a.user_id is null
              order by l.id",
        words: |row| {
            let (id, user): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
            Ok(format!("ledger row {id}: its account {user} does not exist"))
        },
    },
    Rule {
        sql: "select id, user_id, balance_before, change_amount, balance_after
              from (select id, user_id, change_amount, balance_after,
                           coalesce(lag(balance_after) over (partition by user_id order by id), 0) as balance_before
                    from token_ledger) as l
              where balance_after <> balance_before + change_amount
              order by id",
        words: |row| {
            let (id, user): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
            let (before, change, after): (i64, i64, i64) = (row.try_get(2)?, row.try_get(3)?, row.try_get(4)?);
            Ok(format!(
                "ledger row {id} of account {user}: balance_after is {after}, but the row before left {before} and this \
                 one changes it by {change}"
            ))
        },
    },
    Rule {
        sql: "select o.order_no, o.user_id, o.bonus_tokens, l.change_amount, l.user_id as credited
              from recharge_order as o
              left join token_ledger as l on l.biz_id = o.order_no and l.change_type = 'RECHARGE_BONUS'
              where o.status = 2
                and (l.id is null or l.change_amount <> o.bonus_tokens or l.user_id <> o.user_id)
              order by o.order_no",
        words: |row| {
            let (order, user, tokens): (String, i64, i64) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
            let (change, credited): (Option<i64>, Option<i64>) = (row.try_get(3)?, row.try_get(4)?);
            Ok(match (change, credited) {
                (Some(change), Some(credited)) => format!(
                    "order {order} of account {user}: it granted {tokens} tokens, its ledger row credits {change} to \
                     account {credited}"
                ),
                _ => format!("order {order} of account {user}: it is COMPLETED and has no ledger row"),
            })
        },
    },
    Rule {
        sql: "select l.id, l.user_id, l.biz_id, o.status
              from token_ledger as l left join recharge_order as o on o.order_no = l.biz_id
              where l.change_type = 'RECHARGE_BONUS' and (o.order_no is null or o.status <> 2)
              order by l.id",
        words: |row| {
            let (id, user, order): (i64, i64, String) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
            let status: Option<i64> = row.try_get(3)?;
            Ok(match status {
                Some(status) => format!("ledger row {id} of account {user}: its order {order} has the status {status}"),
                None => format!("ledger row {id} of account {user}: its order {order} does not exist"),
            })
        },
    },
    Rule {
        sql: "select biz_id, change_type, count(*) as times from token_ledger
              group by biz_id, change_type having count(*) > 1
              order by biz_id, change_type",
        words: |row| {
            let (biz_id, change_type, times): (String, String, i64) =
                (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
            Ok(format!("{biz_id}: the ledger has {times} rows of {change_type} where it may have one"))
        },
    },
    Rule {
        sql: "select user_id, idempotency_key, count(*) as times from recharge_order
              group by user_id, idempotency_key having count(*) > 1
              order by user_id, idempotency_key",
        words: |row| {
            let (user, key, times): (i64, String, i64) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
            Ok(format!("account {user}: the key {key} has {times} orders where it may have one"))
        },
    },
    Rule {
        sql: "select order_no, user_id, status from recharge_order
              where status in (0, 1) and created_at < $1
              order by order_no",
        words: |row| {
            let (order, user, status): (String, i64, i64) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
            Ok(format!("order {order} of account {user}: it has stood at the status {status} for more than a minute"))
        },
    },
    Rule {
        // Its ledger row would be found above.
        sql: "select order_no, user_id, amount_minor, bonus_tokens from recharge_order
              where status = 3 and (amount_minor <> 0 or bonus_tokens is not null or tier <> '')
              order by order_no",
        words: |row| {
            let (order, user, amount): (String, i64, i64) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
            let tokens = row.try_get::<Option<i64>, _>(3)?.unwrap_or_default();
            Ok(format!(
                "order {order} of account {user}: its key is voided, and it has the amount of an order, {amount} minor \
                 units, or its tokens, {tokens}, or its tier"
            ))
        },
    },
];

/// Checks every rule in one read transaction.
///
/// # Errors
/// When the database fails.
pub async fn verify(database: &Database) -> Result<Report, sqlx::Error> {
    let mut transaction = database.pool.begin().await?;
    let count = "select (select count(*) from token_account), (select count(*) from recharge_order where status <> 3),
                        (select count(*) from recharge_order where status = 3),
                        (select count(*) from token_ledger)";
    let (accounts, orders, voided, ledger_rows) = sqlx::query_as(count).fetch_one(&mut *transaction).await?;
    let mut breaches = Vec::new();
    for rule in &RULES {
        let mut query = sqlx::query(database.sql(rule.sql));
        if rule.sql.contains("$1") {
            query = query.bind(clock::now() - GRACE_MS);
        }
        for row in query.fetch_all(&mut *transaction).await? {
            breaches.push((rule.words)(&row)?);
        }
    }
    transaction.commit().await?;
    Ok(Report { breaches, accounts, orders, voided, ledger_rows })
}
