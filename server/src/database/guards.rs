//! What a database must have: every unique index and every trigger on which the guarantees rest.

use super::engine::without_password;
use super::{Database, DatabaseError, Engine};
use crate::settings::DatabaseSettings;

const UNIQUE: [(&str, &str); 6] = [
    ("recharge_order", "user_id,idempotency_key"),
    ("recharge_order", "order_no"),
    ("token_ledger", "biz_id,change_type"),
    ("token_account", "user_id"),
    ("users", "email"),
    ("sessions", "token_hash"),
];

/// How to ask an engine: for (table, columns) of each unique index over whole tables, and for the triggers in force.
struct Questions {
    unique: &'static str,
    triggers: &'static str,
    expected: &'static [&'static str],
}

const SQLITE: Questions = Questions {
    // A primary key that is the row's own number needs no index, and no list names it.
    unique:
        "select t.name, (select group_concat(name) from (select name from pragma_index_info(i.name) order by seqno))
             from sqlite_schema as t join pragma_index_list(t.name) as i
             where t.type = 'table' and i.\"unique\" = 1 and i.partial = 0
             union all
             select t.name, c.name from sqlite_schema as t join pragma_table_info(t.name) as c
             where t.type = 'table' and c.pk = 1
                and (select count(*) from pragma_table_info(t.name) where pk > 0) = 1",
    triggers: "select name from sqlite_schema where type = 'trigger'",
    expected: &["token_ledger_no_update", "token_ledger_no_delete", "token_ledger_no_replace"],
};

const POSTGRES: Questions = Questions {
    unique: "select cast(t.relname as text),
                    (select string_agg(cast(a.attname as text), ',' order by k.place)
                     from unnest(i.indkey) with ordinality as k (attnum, place)
                     join pg_attribute as a on a.attrelid = i.indrelid and a.attnum = k.attnum)
             from pg_index as i join pg_class as t on t.oid = i.indrelid
             where i.indisunique and i.indisvalid and i.indpred is null and i.indexprs is null
                and t.oid in (to_regclass('recharge_order'), to_regclass('token_ledger'), to_regclass('token_account'),
                              to_regclass('users'), to_regclass('sessions'))",
    triggers: "select cast(tgname as text) from pg_trigger
               where tgrelid = to_regclass('token_ledger') and not tgisinternal and tgenabled in ('O', 'A')",
    expected: &["token_ledger_no_update", "token_ledger_no_delete", "token_ledger_no_truncate"],
};

const MYSQL: Questions = Questions {
    unique: "select cast(table_name as char), cast(group_concat(column_name order by seq_in_index) as char)
             from information_schema.statistics
             where table_schema = database() and non_unique = 0
             group by table_name, index_name",
    triggers: "select cast(trigger_name as char) from information_schema.triggers
               where trigger_schema = database() and event_object_table = 'token_ledger'",
    expected: &["token_ledger_no_update", "token_ledger_no_delete"],
};

/// Checks that every unique index and every trigger is there on which the guarantees rest.
///
/// # Errors
/// [`DatabaseError::Guard`] names the first that is missing.
pub async fn check_guards(
    settings: &DatabaseSettings,
    engine: &Engine,
    database: &Database,
) -> Result<(), DatabaseError> {
    let open = |error| DatabaseError::Open { url: without_password(&settings.database_url), error };
    let questions = match engine {
        Engine::Sqlite(_) => &SQLITE,
        Engine::Postgres(_) => &POSTGRES,
        Engine::MySql(_) => &MYSQL,
    };
    let unique: Vec<(String, String)> =
        sqlx::query_as(questions.unique).fetch_all(&database.pool).await.map_err(open)?;
    for (table, columns) in UNIQUE {
        if !unique.iter().any(|(found, over)| found == table && over == columns) {
            return Err(DatabaseError::Guard(format!("the unique index over {columns} of {table}")));
        }
    }
    let triggers: Vec<String> = sqlx::query_scalar(questions.triggers).fetch_all(&database.pool).await.map_err(open)?;
    for trigger in questions.expected {
        if !triggers.iter().any(|found| found == trigger) {
            return Err(DatabaseError::Guard(format!("the trigger {trigger}")));
        }
    }
    Ok(())
}
