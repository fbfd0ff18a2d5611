//! S6 and S17: the database fails once, before or after each single call for a slice, or when it is opened, and nothing differs from a
//! slice in which it does not: not an answer, not a row.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use app::key::IdempotencyKey;
use app::money::Amount;
use app::problem::Problem;
use futures_util::future::join_all;
use server::chain::Intent;
use server::database::{Database, Engine};
use server::order::Order;
use server::store::{LedgerRow, LookUp, MySql, NewOrder, OrderKey, Postgres, Sqlite, Store, StoreError};
use server::writer::{Waits, Writer};
use tokio::sync::Semaphore;
use uuid::Uuid;

use crate::app::{On, TestDatabase, assert_verified};
use crate::engine::on_every_engine;
use crate::slices::{prepare, three_people};

on_every_engine! {
    one_fault_at_any_statement_changes_nothing;
    one_fault_while_a_slice_is_run_one_by_one_changes_nothing;
}

/// How the database fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// It answers that the transaction lost a lock.
    Busy,
    /// The connection is dead from now on.
    Away,
}

/// When the database fails, once, and what was seen of it.
struct Plan {
    kind: Kind,
    /// The number of the point, of two per call.
    at: usize,
    passed: AtomicUsize,
    /// Told when a writer wants its first connection, which it does with its first intent in hands.
    asked: Semaphore,
    /// Lets it have one.
    granted: Semaphore,
}

/// A store that fails once.
struct Failing<S> {
    store: S,
    plan: Arc<Plan>,
    dead: AtomicBool,
}

struct FailingConfig<S: Store> {
    store: S::Config,
    plan: Arc<Plan>,
}

impl<S: Store> Clone for FailingConfig<S> {
    fn clone(&self) -> Self {
        Self { store: self.store.clone(), plan: Arc::clone(&self.plan) }
    }
}

impl<S> Failing<S> {
    /// A point at which the database may fail.
    fn point(&self) -> Result<(), StoreError> {
        let now = self.plan.passed.fetch_add(1, Ordering::SeqCst) == self.plan.at;
        if now && self.plan.kind == Kind::Busy {
            return Err(StoreError::Busy(sqlx::Error::PoolTimedOut));
        }
        if now || self.dead.load(Ordering::SeqCst) {
            self.dead.store(true, Ordering::SeqCst);
            return Err(StoreError::Away(sqlx::Error::WorkerCrashed));
        }
        Ok(())
    }
}

/// Makes a call between two points.
macro_rules! between_points {
    ($self:ident.$method:ident($($argument:ident),*)) => {{
        $self.point()?;
        let done = $self.store.$method($($argument),*).await?;
        $self.point()?;
        Ok(done)
    }};
}

impl<S: Store + Sync> Store for Failing<S> {
    type Config = FailingConfig<S>;

    async fn open(config: &Self::Config) -> Result<Self, StoreError> {
        config.plan.asked.add_permits(1);
        let _granted = config.plan.granted.acquire().await;
        let store = S::open(&config.store).await?;
        let open = Self { store, plan: Arc::clone(&config.plan), dead: AtomicBool::new(false) };
        open.point()?;
        Ok(open)
    }

    async fn close(self) -> Result<(), StoreError> {
        self.store.close().await
    }

    async fn begin(&mut self, keys: &[OrderKey]) -> Result<LookUp, StoreError> {
        between_points!(self.begin(keys))
    }

    async fn commit(&mut self) -> Result<(), StoreError> {
        between_points!(self.commit())
    }

    async fn rollback(&mut self) -> Result<(), StoreError> {
        between_points!(self.rollback())
    }

    async fn claim_orders(&mut self, orders: &[NewOrder]) -> Result<Vec<Order>, StoreError> {
        between_points!(self.claim_orders(orders))
    }

    async fn pay(&mut self, orders: &[Uuid]) -> Result<(), StoreError> {
        between_points!(self.pay(orders))
    }

    async fn lock_accounts(&mut self, people: &[i64], now: i64) -> Result<Vec<(i64, i64)>, StoreError> {
        between_points!(self.lock_accounts(people, now))
    }

    async fn grant(&mut self, rows: &[LedgerRow]) -> Result<(), StoreError> {
        between_points!(self.grant(rows))
    }

    async fn complete(&mut self, orders: &[Uuid]) -> Result<(), StoreError> {
        between_points!(self.complete(orders))
    }
}

/// A person of the three, a key and an amount.
type Wish = (i64, &'static str, i64);

/// A hit of what the decoy did, a first with two twins, of which one is refused, two of one person, and one below all
/// tiers.
const MIXED: [Wish; 8] = [
    (0, "decoy", 5_000),
    (0, "k", 5_000),
    (0, "k", 5_000),
    (0, "k", 10_000),
    (1, "k", 10_000),
    (0, "other", 100),
    (1, "low", 50),
    (2, "k", 5_000),
];

/// The third person's account has room for one of two, so the slice is run again one by one.
const SPOILED: [Wish; 3] = [(2, "first", 5_000), (2, "second", 5_000), (1, "k", 100)];

const DECOY: Wish = (0, "decoy", 5_000);

/// Everything that must not differ: what each is told, and the rows of orders, ledger and accounts.
#[derive(Debug, PartialEq)]
struct Outcome {
    told: Vec<Result<(i64, bool), Problem>>,
    orders: Vec<(i64, String, i64, i64, i64)>,
    ledger: Vec<(i64, i64, i64)>,
    accounts: Vec<(i64, i64, i64)>,
}

/// Runs the decoy, and then all the wishes as one slice: they are handed over while the writer has only the decoy. Returns
/// the outcome, and whether the fault happened.
async fn run<S: Store + Sync>(
    config: &S::Config,
    database: &Database,
    wishes: &[Wish],
    at: usize,
    kind: Kind,
) -> (Outcome, bool) {
    let first = three_people(database).await;
    let intent = |(person, key, minor): Wish| Intent {
        user_id: first + person,
        key: IdempotencyKey::parse(key).unwrap(),
        amount: Amount::from_minor(minor),
        currency: "USD".parse().unwrap(),
    };
    let plan =
        Arc::new(Plan { kind, at, passed: AtomicUsize::new(0), asked: Semaphore::new(0), granted: Semaphore::new(0) });
    let failing = FailingConfig::<S> { store: config.clone(), plan: Arc::clone(&plan) };
    let waits = Waits { answer: Duration::from_mins(1), attempt: Duration::from_secs(10) };
    let (writer, running) = Writer::start::<Failing<S>>(&failing, 1, 100, waits);

    let decoy = tokio::spawn({
        let (writer, intent) = (writer.clone(), intent(DECOY));
        async move { writer.recharge(intent).await }
    });
    let _asked = plan.asked.acquire().await.unwrap();
    let mut answered = {
        let mut answers = pin!(join_all(wishes.iter().map(|wish| writer.recharge(intent(*wish)))));
        tokio::select! {
            biased;
            _ = &mut answers => unreachable!("the writer has no connection yet"),
            () = std::future::ready(()) => plan.granted.add_permits(1),
        }
        answers.await
    };
    answered.insert(0, decoy.await.unwrap());
    drop(writer);
    running.end().await;

    let rows = database.sql(
        "select user_id - $1, idempotency_key, amount_minor, status, bonus_tokens, order_no from recharge_order
         where user_id >= $2 order by user_id, idempotency_key",
    );
    let rows: Vec<(i64, String, i64, i64, i64, String)> =
        sqlx::query_as(rows).bind(first).bind(first).fetch_all(&database.pool).await.unwrap();
    for answered in answered.iter().flatten() {
        let order_no = answered.order.order_no.to_string();
        assert!(rows.iter().any(|(.., stands)| *stands == order_no), "an answer names an order that does not stand");
    }
    let ledger = database.sql(
        "select user_id - $1, change_amount, balance_after from token_ledger where user_id >= $2 order by user_id, id",
    );
    let accounts =
        database.sql("select user_id - $1, balance, version from token_account where user_id >= $2 order by user_id");
    let outcome = Outcome {
        told: answered.into_iter().map(|answer| answer.map(|answered| (answered.tokens, answered.replayed))).collect(),
        orders: rows
            .into_iter()
            .map(|(user, key, amount, status, tokens, _)| (user, key, amount, status, tokens))
            .collect(),
        ledger: sqlx::query_as(ledger).bind(first).bind(first).fetch_all(&database.pool).await.unwrap(),
        accounts: sqlx::query_as(accounts).bind(first).bind(first).fetch_all(&database.pool).await.unwrap(),
    };
    (outcome, plan.passed.load(Ordering::SeqCst) > at)
}

/// Every point, each kind, until there are no more points. Returns what comes out without a fault.
async fn at_every_point<S: Store + Sync>(config: &S::Config, database: &Database, wishes: &[Wish]) -> Outcome {
    let (calm, _) = run::<S>(config, database, wishes, usize::MAX, Kind::Busy).await;
    for kind in [Kind::Busy, Kind::Away] {
        for at in 0.. {
            let (outcome, happened) = run::<S>(config, database, wishes, at, kind).await;
            assert_eq!(outcome, calm, "{kind:?} at {at}");
            if !happened {
                assert!(at >= 29, "two transactions have seven calls each, and one opens the connection");
                break;
            }
        }
    }
    calm
}

async fn compare(on: On, wishes: &[Wish]) -> Outcome {
    let database = TestDatabase::create(on).await;
    let engine = prepare(&database).await;
    let reader = database.connect().await;
    let outcome = match engine {
        Engine::Sqlite(config) => at_every_point::<Sqlite>(&config, &reader, wishes).await,
        Engine::Postgres(config) => at_every_point::<Postgres>(&config, &reader, wishes).await,
        Engine::MySql(config) => at_every_point::<MySql>(&config, &reader, wishes).await,
    };
    assert_verified(&database);
    outcome
}

async fn one_fault_at_any_statement_changes_nothing(on: On) {
    let outcome = compare(on, &MIXED).await;
    let told = [
        Ok((5_250, false)),
        Ok((5_250, true)),
        Ok((5_250, false)),
        Ok((5_250, true)),
        Err(Problem::KeyReused),
        Ok((10_500, false)),
        Ok((100, false)),
        Err(Problem::NoTier),
        Ok((5_250, false)),
    ];
    assert_eq!(outcome.told, told);
}

async fn one_fault_while_a_slice_is_run_one_by_one_changes_nothing(on: On) {
    let outcome = compare(on, &SPOILED).await;
    let told = [Ok((5_250, false)), Ok((5_250, false)), Err(Problem::BalanceLimit), Ok((100, false))];
    assert_eq!(outcome.told, told);
}
