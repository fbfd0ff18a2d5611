//! A slice is a constant number of statements: as many for one recharge as for 256. They are counted on the wire to the
//! database server; a SQLite file has no wire, and its store is written in the same way, a few texts per slice.

use std::pin::pin;
use std::time::Duration;

use app::key::IdempotencyKey;
use app::money::Amount;
use futures_util::future::join_all;
use server::chain::Intent;
use server::database::{Database, Engine};
use server::settings::DatabaseSettings;
use server::store::{MySql, Postgres};
use server::writer::{SLICE, Waits, Writer};

use crate::app::{On, TestDatabase, assert_verified};
use crate::engine::on_both_servers;
use crate::proxy::{Fault, Proxy, Where};
use crate::slices::{prepare, three_people};

on_both_servers! {
    a_slice_of_any_size_is_the_same_number_of_statements;
}

/// A writer on a wire, which can be made to wait until a slice is complete.
struct Counted {
    writer: Writer,
    proxy: Proxy,
    decoys: u32,
}

fn intent(user_id: i64, key: &str) -> Intent {
    Intent {
        user_id,
        key: IdempotencyKey::parse(key).unwrap(),
        amount: Amount::from_minor(100),
        currency: "USD".parse().unwrap(),
    }
}

impl Counted {
    /// Runs the intents as one slice, while all are told the same, and returns the statements of its transaction.
    async fn slice(&mut self, intents: Vec<Intent>, replayed: bool) -> Vec<String> {
        // The writer stands still with another intent in hands until the slice is handed over.
        self.decoys += 1;
        let decoy = intent(intents[0].user_id, &format!("decoy-{}", self.decoys));
        self.proxy.order(Where::Begin, Fault::StandStill, 1);
        let writer = self.writer.clone();
        let decoy = tokio::spawn(async move { writer.recharge(decoy).await });
        self.proxy.until_happened().await;
        let mut answers = pin!(join_all(intents.into_iter().map(|intent| self.writer.recharge(intent))));
        tokio::select! {
            biased;
            _ = &mut answers => unreachable!("the wire stands still"),
            () = std::future::ready(()) => self.proxy.mend(),
        }
        assert!(!decoy.await.unwrap().unwrap().replayed);
        assert!(answers.await.into_iter().all(|answer| answer.unwrap().replayed == replayed));

        let statements = self.proxy.statements();
        let transactions: Vec<_> = statements.split_inclusive(|statement| statement == "commit").collect();
        assert_eq!(transactions.len(), 2, "the decoy, and the slice: {statements:#?}");
        transactions[1].to_vec()
    }
}

/// So many new people who have no account, for slices that make accounts.
async fn people(database: &Database, count: usize) -> Vec<i64> {
    let mut people = Vec::new();
    while people.len() < count {
        let first = three_people(database).await;
        // The third has one.
        people.extend([first, first + 1]);
    }
    people.truncate(count);
    people
}

/// One intent of each person.
fn each(people: &[i64], key: &str) -> Vec<Intent> {
    people.iter().map(|person| intent(*person, key)).collect()
}

async fn a_slice_of_any_size_is_the_same_number_of_statements(on: On) {
    let database = TestDatabase::create(on).await;
    prepare(&database).await;
    let reader = database.connect().await;
    let proxy = Proxy::to(on, &database).await;
    let settings = DatabaseSettings { database_url: proxy.url.clone(), lock_wait_ms: 4_000 };
    let waits = Waits { answer: Duration::from_mins(1), attempt: Duration::from_secs(10) };
    let (writer, running) = match Engine::choose(&settings).unwrap() {
        Engine::Postgres(config) => Writer::start::<Postgres>(&config, 1, 2 * SLICE, waits),
        Engine::MySql(config) => Writer::start::<MySql>(&config, 1, 2 * SLICE, waits),
        Engine::Sqlite(_) => unreachable!("not on a file"),
    };
    let mut counted = Counted { writer, proxy, decoys: 0 };

    let new = people(&reader, SLICE + 1).await;
    // The decoys are of somebody who is in each slice, and make the first account before it.
    let (first, one, many) = (new[0], &new[..1], &new[1..]);
    let with = |people: &[i64]| [&[first], people].concat();

    counted.slice(each(one, "warm"), false).await;
    let accounts_for_two = counted.slice(each(&with(&many[..1]), "new"), false).await;
    let accounts_for_all = counted.slice(each(&with(&many[1..]), "new-too"), false).await;
    assert_eq!(accounts_for_two.len(), accounts_for_all.len(), "with accounts to be made: {accounts_for_all:#?}");

    // PostgreSQL: BEGIN, the keys and tiers, the orders, pay and lock, ledger with balance and completion, COMMIT. MySQL:
    // the keys and tiers, the orders, what stands, pay, lock, ledger, balance, complete, COMMIT.
    let (whole, hit) = if on == On::Postgres { (6, 3) } else { (9, 2) };
    let of_one_person = (0..SLICE).map(|number| intent(first, &format!("mine-{number}"))).collect();
    for slice in [each(one, "known"), each(&many[..7], "some"), each(many, "known"), of_one_person] {
        let size = slice.len();
        let statements = counted.slice(slice, false).await;
        assert_eq!(statements.len(), whole, "a slice of {size}: {statements:#?}");
    }
    for slice in [each(one, "known"), each(many, "known")] {
        let size = slice.len();
        let statements = counted.slice(slice, true).await;
        assert_eq!(statements.len(), hit, "{size} hits: {statements:#?}");
    }

    drop(counted);
    running.end().await;
    assert_verified(&database);
}
