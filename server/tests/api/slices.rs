//! S19: whole slices against a model that runs one intent at a time. Same outcome for every intent, same end state.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use app::key::IdempotencyKey;
use app::money::Amount;
use app::problem::Problem;
use app::tier::{Tier, Tiers};
use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestRunner};
use server::chain::Intent;
use server::database::{Database, Engine};
use server::order::Status;
use server::store::OrderKey;
use server::voiding::void;
use server::writer::{Waits, Writer};
use uuid::Uuid;

use crate::app::{On, TestDatabase, assert_verified};
use crate::engine::on_every_engine;

/// What an intent can be told, as far as the model knows it.
type Outcome = Result<(i64, bool), Problem>;

/// A person and a key that is voided.
type Voided = (i64, IdempotencyKey);

const PEOPLE: i64 = 3;

/// A balance with room for one recharge of the larger kind.
const FULL: i64 = i64::MAX - 5_300;

on_every_engine! {
    a_slice_does_what_one_at_a_time_would;
}

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
    voided: HashSet<(i64, String)>,
    balances: HashMap<i64, i64>,
}

impl Model {
    fn recharge(&mut self, intent: &Intent) -> Outcome {
        let key = (intent.user_id, intent.key.as_str().to_owned());
        if self.voided.contains(&key) {
            return Err(Problem::KeyVoided);
        }
        if let Some((amount, tokens)) = self.orders.get(&key) {
            return if *amount == intent.amount { Ok((*tokens, true)) } else { Err(Problem::KeyReused) };
        }
        let tokens = Tiers::from(tiers()).quote(intent.amount).map_err(|_| Problem::NoTier)?.tokens;
        let balance = self.balances.entry(intent.user_id).or_default();
        *balance = balance.checked_add(tokens).ok_or(Problem::BalanceLimit)?;
        self.orders.insert(key, (intent.amount, tokens));
        Ok((tokens, false))
    }

    /// Returns whether the key is voided then.
    fn void(&mut self, user_id: i64, key: &IdempotencyKey) -> bool {
        let key = (user_id, key.as_str().to_owned());
        let free = !self.orders.contains_key(&key);
        if free {
            self.voided.insert(key);
        }
        free
    }
}

/// Few people, few keys and few amounts, so that twins, hits and refusals are frequent. The amount of 50 cents is below
/// every tier. The third person's account is nearly full. People are numbered from 1 here, whatever they are in the
/// database. Before each slice some keys are voided.
fn intents() -> impl Strategy<Value = Vec<(Vec<Voided>, Vec<Intent>)>> {
    let key = (0..6_u8).prop_map(|key| IdempotencyKey::parse(&format!("k{key}")).unwrap());
    let amount = prop::sample::select(vec![50, 100, 5_000, 10_000]);
    let intent = (1..=PEOPLE, key.clone(), amount).prop_map(|(user_id, key, minor)| Intent {
        user_id,
        key,
        amount: Amount::from_minor(minor),
        currency: "USD".parse().unwrap(),
    });
    let voided = prop::collection::vec((1..=PEOPLE, key), 0..3);
    prop::collection::vec((voided, prop::collection::vec(intent, 1..24)), 1..4)
}

async fn compare(
    writer: &Writer,
    database: &Database,
    slices: Vec<(Vec<Voided>, Vec<Intent>)>,
) -> Result<(), TestCaseError> {
    let first = three_people(database).await;
    let mut model = Model { balances: HashMap::from([(first + 2, FULL)]), ..Model::default() };
    for (voided, mut slice) in slices {
        for (person, key) in voided {
            let user_id = person + first - 1;
            let expected = model.void(user_id, &key);
            let stands = void(database, &OrderKey { user_id, key }, "USD".parse().unwrap()).await.unwrap();
            prop_assert_eq!(stands.status == Status::Voided, expected);
        }
        for intent in &mut slice {
            intent.user_id += first - 1;
        }
        let expected: Vec<Outcome> = slice.iter().map(|intent| model.recharge(intent)).collect();
        // `join_all` hands all of them over, in order, before it waits for any.
        let answers = futures_util::future::join_all(slice.into_iter().map(|intent| writer.recharge(intent))).await;
        let answers: Vec<Outcome> =
            answers.into_iter().map(|answer| answer.map(|answered| (answered.tokens, answered.replayed))).collect();
        prop_assert_eq!(answers, expected);
    }
    let orders = database.sql("select count(*) from recharge_order where user_id >= $1");
    let orders: i64 = sqlx::query_scalar(orders).bind(first).fetch_one(&database.pool).await.unwrap();
    prop_assert_eq!(usize::try_from(orders).unwrap(), model.orders.len() + model.voided.len());
    let balances = database.sql("select user_id, balance from token_account where user_id >= $1");
    let balances: Vec<(i64, i64)> = sqlx::query_as(balances).bind(first).fetch_all(&database.pool).await.unwrap();
    for (user_id, balance) in balances {
        prop_assert_eq!(balance, model.balances[&user_id]);
    }
    let report = server::verify::verify(database).await.unwrap();
    prop_assert_eq!(report.breaches, Vec::<String>::new());
    Ok(())
}

/// A migrated database with the model's tiers.
pub async fn prepare(database: &TestDatabase) -> Engine {
    let settings = database.settings();
    let engine = Engine::choose(&settings).unwrap();
    server::database::migrate(&settings, &engine).await.unwrap();
    let reader = database.connect().await;
    sqlx::query("delete from bonus_tier where min_amount_minor > 5000").execute(&reader.pool).await.unwrap();
    engine
}

/// Three new people in a row, the third with a nearly full account. Returns the number of the first.
pub async fn three_people(database: &Database) -> i64 {
    let email = Uuid::new_v4();
    for number in 1..=PEOPLE {
        let insert = database.sql("insert into users (email, password_hash, created_at) values ($1, '', 0)");
        sqlx::query(insert).bind(format!("{email}-{number}")).execute(&database.pool).await.unwrap();
    }
    let third = database.sql("select id from users where email = $1");
    let third: i64 =
        sqlx::query_scalar(third).bind(format!("{email}-{PEOPLE}")).fetch_one(&database.pool).await.unwrap();
    let fill = "insert into token_account (user_id, balance, created_at, updated_at) values ($1, $2, 0, 0)";
    sqlx::query(database.sql(fill)).bind(third).bind(FULL).execute(&database.pool).await.unwrap();
    let fill = "insert into token_ledger (user_id, change_type, biz_id, change_amount, balance_after, created_at)
                values ($1, 'TEST', $2, $3, $4, 0)";
    let fill = sqlx::query(database.sql(fill)).bind(third).bind(email.to_string()).bind(FULL).bind(FULL);
    fill.execute(&database.pool).await.unwrap();
    third + 1 - PEOPLE
}

async fn a_slice_does_what_one_at_a_time_would(on: On) {
    let database = TestDatabase::create(on).await;
    let engine = prepare(&database).await;
    let waits = Waits { answer: Duration::from_mins(1), attempt: Duration::from_secs(10) };
    let (writer, running) = engine.start_writers(100, waits);
    let reader = database.connect().await;
    let config = ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() };
    let handle = tokio::runtime::Handle::current();
    let proved = tokio::task::block_in_place(|| {
        TestRunner::new(config).run(&intents(), |slices| handle.block_on(compare(&writer, &reader, slices)))
    });
    assert!(proved.is_ok(), "{}", proved.unwrap_err());
    drop(writer);
    running.end().await;
    assert_verified(&database);
}
