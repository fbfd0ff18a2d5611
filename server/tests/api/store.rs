//! What every store promises the chain, statement by statement. Written against the trait.

use app::key::IdempotencyKey;
use app::money::Amount;
use server::clock;
use server::database::{Database, Engine};
use server::order::Status;
use server::store::{LedgerRow, MySql, NewOrder, OrderKey, Postgres, Sqlite, Store, StoreError};
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

/// Everything the chain does to one order of a person who has an account, except what it leaves out.
async fn chain<S: Store>(store: &mut S, order: &NewOrder, pay: bool) -> Result<(), StoreError> {
    store.claim_orders(std::slice::from_ref(order)).await?;
    if pay {
        store.pay(&[order.order_no]).await?;
    }
    let balance = store.lock_accounts(&[1], 0).await?[0].1;
    store.grant(&[ledger_row(order.order_no, balance + 5_250)]).await?;
    store.complete(&[order.order_no]).await
}

/// The step at which a compare-and-set found something else than it was given.
fn step(done: Result<(), StoreError>) -> &'static str {
    match done {
        Err(StoreError::Guard { step, .. }) => step,
        other => panic!("no guard spoke up: {other:?}"),
    }
}

/// Begins a transaction that looks for nothing in particular.
async fn begin<S: Store>(store: &mut S) {
    store.begin(&[new_order("nobody's").order_key()]).await.unwrap();
}

/// S13: each compare-and-set moves an order once, and none in another status.
async fn a_status_moves_one_step_at_a_time<S: Store>(store: &mut S, database: &Database) {
    begin(store).await;
    chain(store, &new_order("s13"), true).await.unwrap();
    store.rollback().await.unwrap();

    begin(store).await;
    let unpaid = step(chain(store, &new_order("s13"), false).await);
    // A text that pays and completes says that there was nothing to be paid.
    assert!(["pay", "complete"].contains(&unpaid), "0 → 2 does not exist, says {unpaid}");
    store.rollback().await.unwrap();

    // What was paid, by whomever, is not paid again.
    let paid = new_order("s13");
    begin(store).await;
    store.claim_orders(std::slice::from_ref(&paid)).await.unwrap();
    store.commit().await.unwrap();
    let pay = sqlx::query(database.sql("update recharge_order set status = 1 where order_no = $1"));
    pay.bind(paid.order_no.to_string()).execute(&database.pool).await.unwrap();
    begin(store).await;
    let again = async {
        store.pay(&[paid.order_no]).await?;
        store.lock_accounts(&[1], 0).await?;
        store.grant(&[ledger_row(paid.order_no, 5_250)]).await?;
        store.complete(&[paid.order_no]).await
    };
    assert_eq!(step(again.await), "pay");
    store.rollback().await.unwrap();
}

/// S4: whoever loses is shown the winner's order; after a rollback of the winner the loser wins.
async fn a_claim_shows_the_order_that_stood_before<S: Store>(store: &mut S) {
    let (first, second) = (new_order("s4"), new_order("s4"));
    begin(store).await;
    assert_eq!(store.claim_orders(std::slice::from_ref(&first)).await.unwrap(), []);
    store.rollback().await.unwrap();

    begin(store).await;
    assert_eq!(store.claim_orders(&[second.clone(), new_order("other")]).await.unwrap(), []);
    for claimed in [vec![first.clone()], vec![new_order("third"), first]] {
        let before = store.claim_orders(&claimed).await.unwrap();
        assert_eq!((before.len(), before[0].order_no, before[0].status), (1, second.order_no, Status::Pending));
    }
    store.rollback().await.unwrap();

    // An order of the same number that is already complete was not made just now, whoever made it: a COMMIT that was
    // given up arrives late.
    begin(store).await;
    chain(store, &second, true).await.unwrap();
    for claimed in [vec![second.clone()], vec![new_order("third"), second.clone()]] {
        let before = store.claim_orders(&claimed).await.unwrap();
        assert_eq!((before.len(), before[0].order_no, before[0].status), (1, second.order_no, Status::Completed));
    }
    store.rollback().await.unwrap();
}

/// A voided row is shown like an order that stood before, by the look-up and by the claim, beside orders that are new.
async fn a_voided_row_is_shown<S: Store>(store: &mut S, database: &Database) {
    let order = new_order("voided");
    let currency = order.currency;
    let stands = server::voiding::void(database, &order.order_key(), currency).await.unwrap();
    let amount = Amount::from_minor(0);
    assert_eq!((stands.status, stands.amount, stands.bonus_tokens), (Status::Voided, amount, None));
    for others in [0, 1, 30] {
        begin(store).await;
        let mut claimed: Vec<_> = (0..others).map(|number| new_order(&format!("beside-{number:02}"))).collect();
        claimed.push(order.clone());
        let keys: Vec<OrderKey> = claimed.iter().map(NewOrder::order_key).collect();
        assert_eq!(store.claim_orders(&claimed).await.unwrap(), std::slice::from_ref(&stands));
        store.rollback().await.unwrap();
        assert_eq!(store.begin(&keys).await.unwrap().orders, std::slice::from_ref(&stands));
        store.rollback().await.unwrap();
    }
}

/// A key may hold every character of its grammar, and is found byte for byte.
async fn every_key_is_found_as_it_was<S: Store>(store: &mut S) {
    let all: String = (0x21..=0x7e_u8).map(char::from).collect();
    let (odd, upper, lower) = (new_order(&all), new_order("KEY"), new_order("key"));
    begin(store).await;
    store.claim_orders(&[odd.clone(), upper.clone()]).await.unwrap();
    store.commit().await.unwrap();
    for (asked, stand) in
        [(vec![&odd, &upper, &lower], vec![&odd, &upper]), (vec![&odd], vec![&odd]), (vec![&lower], vec![])]
    {
        let asked: Vec<OrderKey> = asked.into_iter().map(NewOrder::order_key).collect();
        let found = store.begin(&asked).await.unwrap();
        store.rollback().await.unwrap();
        let mut found: Vec<_> = found.orders.into_iter().map(|order| (order.order_no, order.key)).collect();
        found.sort();
        let mut stand: Vec<_> = stand.into_iter().map(|order| (order.order_no, order.key.clone())).collect();
        stand.sort();
        assert_eq!(found, stand);
    }
    // And read back in the place of another order.
    let longest = new_order(&"\\\"".repeat(127));
    for claimed in [vec![new_order(&all)], vec![new_order(&all), longest.clone()], vec![longest.clone()]] {
        begin(store).await;
        let before = store.claim_orders(&claimed).await.unwrap();
        let before: Vec<_> = before.into_iter().map(|order| (order.order_no, order.key)).collect();
        let stood = [(odd.order_no, odd.key.clone())];
        assert_eq!(before, if claimed[0].key == odd.key { &stood[..] } else { &[] });
        store.rollback().await.unwrap();
    }
}

/// S12: only the conflict of person and key is a hit; that of the order number is an error.
async fn another_conflict_is_an_error<S: Store>(store: &mut S) {
    let first = new_order("s12");
    let same_number = NewOrder { key: IdempotencyKey::parse("s12-other").unwrap(), ..first.clone() };
    for claimed in [vec![same_number.clone()], vec![new_order("third"), same_number]] {
        begin(store).await;
        store.claim_orders(std::slice::from_ref(&first)).await.unwrap();
        let error = store.claim_orders(&claimed).await.unwrap_err();
        assert!(matches!(error, StoreError::Refused(_) | StoreError::NoOrderStands), "{error}");
        store.rollback().await.unwrap();
    }
}

/// The ledger takes one row per order, whatever was done before.
async fn an_order_has_one_ledger_row<S: Store>(store: &mut S) {
    begin(store).await;
    let order = new_order("once");
    chain(store, &order, true).await.unwrap();
    let again = async {
        store.grant(&[ledger_row(order.order_no, 10_500)]).await?;
        store.complete(&[order.order_no]).await
    };
    let error = again.await.unwrap_err();
    assert!(matches!(error, StoreError::Refused(_)), "{error}");
    store.rollback().await.unwrap();

    begin(store).await;
    store.claim_orders(&[new_order("after")]).await.unwrap();
    assert_eq!(store.lock_accounts(&[1], 0).await.unwrap(), [(1, 0)]);
    store.rollback().await.unwrap();
}

async fn every_promise<S: Store>(config: &S::Config, database: &Database) {
    let mut store = S::open(config).await.unwrap();
    a_status_moves_one_step_at_a_time(&mut store, database).await;
    a_claim_shows_the_order_that_stood_before(&mut store).await;
    a_voided_row_is_shown(&mut store, database).await;
    every_key_is_found_as_it_was(&mut store).await;
    another_conflict_is_an_error(&mut store).await;
    an_order_has_one_ledger_row(&mut store).await;
}

async fn a_store_keeps_every_promise(on: On) {
    let database = TestDatabase::create(on).await;
    let engine = prepare(&database).await;
    let reader = database.connect().await;
    assert_eq!(three_people(&reader).await, 1);
    match engine {
        Engine::Sqlite(config) => every_promise::<Sqlite>(&config, &reader).await,
        Engine::Postgres(config) => every_promise::<Postgres>(&config, &reader).await,
        Engine::MySql(config) => every_promise::<MySql>(&config, &reader).await,
    }
}
