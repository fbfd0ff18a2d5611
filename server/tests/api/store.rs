//! What every store promises the chain, statement by statement. Written against the trait.

use app::key::IdempotencyKey;
use app::money::Amount;
use server::clock;
use server::database::Engine;
use server::order::Status;
use server::store::{Completion, Credit, LedgerRow, MySql, NewOrder, Postgres, Sqlite, Store, StoreError};
use uuid::Uuid;

use crate::app::{On, TestDatabase};
use crate::engine::on_every_engine;
use crate::slices::{prepare, three_people};

on_every_engine! {
    a_store_keeps_every_promise;
}

/// A new order of the first person.
fn new_order(key: &str) -> NewOrder {
    NewOrder {
        order_no: clock::order_no(),
        user_id: 1,
        key: IdempotencyKey::parse(key).unwrap(),
        amount: Amount::from_minor(5_000),
        currency: "USD".parse().unwrap(),
        tier: "Mid".to_owned(),
        at: clock::now(),
    }
}

fn ledger_row(order_no: Uuid, balance_after: i64) -> LedgerRow {
    LedgerRow { user_id: 1, order_no, change: 5_250, balance_after, at: clock::now() }
}

/// S13: each compare-and-set moves an order once, and none in another status.
async fn a_status_moves_one_step_at_a_time<S: Store>(store: &mut S) {
    let order = new_order("s13");
    let done = [Completion { order_no: order.order_no, tokens: 5_250 }];
    store.begin().await.unwrap();
    store.claim_orders(std::slice::from_ref(&order)).await.unwrap();
    assert_eq!(store.complete(&done).await.unwrap(), 0, "0 → 2 does not exist");
    assert_eq!(store.pay(&[order.order_no]).await.unwrap(), 1);
    assert_eq!(store.pay(&[order.order_no]).await.unwrap(), 0);
    assert_eq!(store.complete(&done).await.unwrap(), 1);
    assert_eq!(store.complete(&done).await.unwrap(), 0);
    assert_eq!(store.pay(&[order.order_no]).await.unwrap(), 0);
    store.rollback().await.unwrap();
}

/// S4: whoever loses is shown the winner's order; after a rollback of the winner the loser wins.
async fn a_claim_shows_the_order_that_stands<S: Store>(store: &mut S) {
    let (first, second) = (new_order("s4"), new_order("s4"));
    store.begin().await.unwrap();
    store.claim_orders(std::slice::from_ref(&first)).await.unwrap();
    store.rollback().await.unwrap();

    store.begin().await.unwrap();
    let standing = store.claim_orders(&[second.clone(), new_order("other")]).await.unwrap();
    assert!(standing.iter().any(|order| order.order_no == second.order_no && order.status == Status::Pending));
    let standing = store.claim_orders(&[first]).await.unwrap();
    assert_eq!((standing.len(), standing[0].order_no), (1, second.order_no));
    store.rollback().await.unwrap();
}

/// S12: only the conflict of person and key is a hit; that of the order number is an error.
async fn another_conflict_is_an_error<S: Store>(store: &mut S) {
    let first = new_order("s12");
    let same_number = NewOrder { key: IdempotencyKey::parse("s12-other").unwrap(), ..first.clone() };
    store.begin().await.unwrap();
    store.claim_orders(&[first]).await.unwrap();
    let error = store.claim_orders(&[same_number]).await.unwrap_err();
    assert!(matches!(error, StoreError::Refused(_) | StoreError::NoOrderStands), "{error}");
    store.rollback().await.unwrap();
}

/// The ledger takes one row per order, whatever was done before.
async fn an_order_has_one_ledger_row<S: Store>(store: &mut S) {
    let order_no = clock::order_no();
    store.begin().await.unwrap();
    assert_eq!(store.lock_accounts(&[1], 0).await.unwrap(), [(1, 0)]);
    assert_eq!(store.insert_ledger(&[ledger_row(order_no, 5_250)]).await.unwrap(), 1);
    let credit = Credit { user_id: 1, tokens: 5_250, rows: 1, at: 0 };
    assert_eq!(store.add_to_balances(&[credit]).await.unwrap(), 1);
    assert_eq!(store.lock_accounts(&[1], 0).await.unwrap(), [(1, 5_250)]);
    let error = store.insert_ledger(&[ledger_row(order_no, 10_500)]).await.unwrap_err();
    assert!(matches!(error, StoreError::Refused(_)), "{error}");
    store.rollback().await.unwrap();
}

async fn every_promise<S: Store>(config: &S::Config) {
    let mut store = S::open(config).await.unwrap();
    a_status_moves_one_step_at_a_time(&mut store).await;
    a_claim_shows_the_order_that_stands(&mut store).await;
    another_conflict_is_an_error(&mut store).await;
    an_order_has_one_ledger_row(&mut store).await;
}

async fn a_store_keeps_every_promise(on: On) {
    let database = TestDatabase::create(on).await;
    let engine = prepare(&database).await;
    assert_eq!(three_people(&database.connect().await).await, 1);
    match engine {
        Engine::Sqlite(config) => every_promise::<Sqlite>(&config).await,
        Engine::Postgres(config) => every_promise::<Postgres>(&config).await,
        Engine::MySql(config) => every_promise::<MySql>(&config).await,
    }
}
