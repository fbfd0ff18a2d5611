//! The ceiling: the bare multi-row writes of a full slice, with nothing looked up, checked or read back. No writer can be
//! faster than that with the same statements.

use std::time::{Duration, Instant};

use app::key::IdempotencyKey;
use app::money::Amount;
use server::clock;
use server::database::Engine;
use server::store::{Completion, Credit, LedgerRow, MySql, NewOrder, Postgres, Sqlite, Store};
use server::writer::SLICE;

use crate::load::Rate;
use crate::setting::Setting;

/// Writes slices for so long.
pub async fn run(setting: &Setting, time: Duration) -> Rate {
    match &setting.engine {
        Engine::Sqlite(config) => write::<Sqlite>(config, time).await,
        Engine::Postgres(config) => write::<Postgres>(config, time).await,
        Engine::MySql(config) => write::<MySql>(config, time).await,
    }
}

async fn write<S: Store>(config: &S::Config, time: Duration) -> Rate {
    let mut store = S::open(config).await.unwrap();
    let people: Vec<i64> = (1..=i64::try_from(SLICE).unwrap()).collect();
    let mut balances: Vec<i64> = Vec::new();
    for (_, balance) in store.lock_accounts(&people, 0).await.unwrap() {
        balances.push(balance);
    }
    let began = Instant::now();
    let mut written = 0_u32;
    while began.elapsed() < time {
        let at = clock::now();
        let orders: Vec<NewOrder> = people
            .iter()
            .map(|user_id| NewOrder {
                order_no: clock::order_no(),
                user_id: *user_id,
                key: IdempotencyKey::random(),
                amount: Amount::from_minor(5_001),
                currency: "USD".parse().unwrap(),
                tier: "Mid".to_owned(),
                at,
            })
            .collect();
        let rows: Vec<LedgerRow> = orders
            .iter()
            .zip(&mut balances)
            .map(|(order, balance)| {
                *balance += 5_251;
                LedgerRow {
                    user_id: order.user_id,
                    order_no: order.order_no,
                    change: 5_251,
                    balance_after: *balance,
                    at,
                }
            })
            .collect();
        let credits: Vec<Credit> =
            people.iter().map(|user_id| Credit { user_id: *user_id, tokens: 5_251, rows: 1, at }).collect();
        let numbers: Vec<_> = orders.iter().map(|order| order.order_no).collect();
        let done: Vec<Completion> =
            numbers.iter().map(|order_no| Completion { order_no: *order_no, tokens: 5_251 }).collect();
        store.begin().await.unwrap();
        store.claim_orders(&orders).await.unwrap();
        store.pay(&numbers).await.unwrap();
        store.insert_ledger(&rows).await.unwrap();
        store.add_to_balances(&credits).await.unwrap();
        store.complete(&done).await.unwrap();
        store.commit().await.unwrap();
        written += u32::try_from(SLICE).unwrap();
    }
    Rate { per_second: f64::from(written) / began.elapsed().as_secs_f64(), p99_ms: 0.0 }
}
