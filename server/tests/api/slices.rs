//! S19: whole slices against a model that runs one intent at a time. Same outcome for every intent, same end state.

use std::collections::HashMap;
use std::time::Duration;

use app::key::IdempotencyKey;
use app::money::Amount;
use app::problem::Problem;
use app::tier::{Tier, Tiers};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use server::chain::Intent;
use server::store::{Sqlite, SqliteConfig};
use server::writer::Writer;

use crate::app::{assert_verified, connect, database};

/// What an intent can be told, as far as the model knows it.
type Outcome = Result<(i64, bool), Problem>;

const PEOPLE: i64 = 3;

fn tiers() -> Vec<Tier> {
    let tier = |name: &str, min, tokens_per_unit| Tier {
        name: name.to_owned(),
        min: Amount::from_minor(min),
        tokens_per_unit,
    };
    vec![tier("Low", 100, 100), tier("Mid", 5_000, 105)]
}

/// The model: what the words of the design say, one intent after the other, in a hash map.
#[derive(Default)]
struct Model {
    orders: HashMap<(i64, String), (Amount, i64)>,
    balances: HashMap<i64, i64>,
}

impl Model {
    fn recharge(&mut self, intent: &Intent) -> Outcome {
        let key = (intent.user_id, intent.key.as_str().to_owned());
        if let Some((amount, tokens)) = self.orders.get(&key) {
            return if *amount == intent.amount { Ok((*tokens, true)) } else { Err(Problem::KeyReused) };
        }
        let tokens = Tiers::from(tiers()).quote(intent.amount).map_err(|_| Problem::NoTier)?.tokens;
        let balance = self.balances.entry(intent.user_id).or_default();
        *balance = balance.checked_add(tokens).ok_or(Problem::BalanceLimit)?;
        self.orders.insert(key, (intent.amount, tokens));
        Ok((tokens, false))
    }
}

/// Few people, few keys and few amounts, so that twins, hits and refusals are frequent. The amount of 50 cents is below
/// every tier. The third person's account is nearly full.
fn intents() -> impl Strategy<Value = Vec<Vec<Intent>>> {
    let intent =
        (1..=PEOPLE, 0..6_u8, prop::sample::select(vec![50, 100, 5_000, 10_000])).prop_map(|(user_id, key, minor)| {
            Intent {
                user_id,
                key: IdempotencyKey::parse(&format!("k{key}")).unwrap(),
                amount: Amount::from_minor(minor),
            }
        });
    prop::collection::vec(prop::collection::vec(intent, 1..24), 1..4)
}

async fn compare(slices: Vec<Vec<Intent>>) -> Result<(), TestCaseError> {
    let folder = tempfile::tempdir().unwrap();
    let file = database(folder.path());
    let config = prepare(&file).await;
    let mut model = Model { balances: HashMap::from([(PEOPLE, i64::MAX - 5_300)]), ..Model::default() };
    let (writer, running) = Writer::start::<Sqlite>(config, 100, Duration::from_mins(1));

    for slice in slices {
        let expected: Vec<Outcome> = slice.iter().map(|intent| model.recharge(intent)).collect();
        // `join_all` hands all of them over, in order, before the writer's task gets its turn: they are one slice.
        let answers = futures_util::future::join_all(slice.into_iter().map(|intent| writer.recharge(intent))).await;
        let answers: Vec<Outcome> =
            answers.into_iter().map(|answer| answer.map(|answered| (answered.tokens, answered.replayed))).collect();
        prop_assert_eq!(answers, expected);
    }
    drop(writer);
    running.await.unwrap();

    let mut connection = connect(&file).await;
    let orders: i64 =
        sqlx::query_scalar("select count(*) from recharge_order").fetch_one(&mut connection).await.unwrap();
    prop_assert_eq!(usize::try_from(orders).unwrap(), model.orders.len());
    let balances: Vec<(i64, i64)> =
        sqlx::query_as("select user_id, balance from token_account").fetch_all(&mut connection).await.unwrap();
    for (user_id, balance) in balances {
        prop_assert_eq!(balance, model.balances[&user_id]);
    }
    assert_verified(&file);
    Ok(())
}

/// A database with three people, the model's tiers, and a nearly full account of the third person.
pub async fn prepare(file: &std::path::Path) -> SqliteConfig {
    let url = format!("sqlite:{}", file.display());
    let settings = server::settings::DatabaseSettings { database_url: url, lock_wait_ms: 4_000 };
    let config = server::database::config(&settings, "USD").unwrap();
    server::database::migrate(&settings, &config).await.unwrap();
    let mut connection = connect(file).await;
    let full = i64::MAX - 5_300;
    let sql = format!(
        "insert into users (id, email, password_hash, created_at) values (1, 'a', '', 0), (2, 'b', '', 0), (3, 'c', '', 0);
         delete from bonus_tier where min_amount_minor > 5000;
         insert into token_account (user_id, balance, created_at, updated_at) values (3, {full}, 0, 0);
         insert into token_ledger (user_id, change_type, biz_id, change_amount, balance_after, created_at)
         values (3, 'TEST', 'fill', {full}, {full}, 0)"
    );
    sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(&mut connection).await.unwrap();
    config
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn a_slice_does_what_one_at_a_time_would(slices in intents()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(compare(slices))?;
    }
}
