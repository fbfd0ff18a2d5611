//! A long random run: two processes on one database, some hundred people, hang-ups and `kill -9` at random moments, and a
//! judge who knows nothing of the code.
//!
//! `RECHARGE_SOAK_SECONDS` says how long each engine runs, `RECHARGE_SOAK_SEED` what is done. The seed fixes what is asked
//! and when somebody leaves or is killed; how it interleaves is up to the machine.

#![expect(clippy::unwrap_used, reason = "a test says by its panic that it failed")]

mod checker;
mod checker_tests;
#[path = "../api/engine.rs"]
#[expect(dead_code, reason = "the other tests use more of it")]
mod engine;
mod history;
mod load;
mod people;
mod plan;
mod process;
mod tables;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::Command;
use std::time::{Duration, Instant};

use uuid::Uuid;

use crate::checker::{Breach, Rule};
use crate::engine::{On, TestDatabase, on_every_engine};
use crate::history::{Exchange, History, Request};
use crate::load::Load;
use crate::process::Pair;
use crate::tables::Tables;

on_every_engine! {
    whatever_happens_every_intent_is_credited_once;
}

/// A run begins anew, on a database of its own, after so much time: what it found stays short enough to be read.
const ROUND: Duration = Duration::from_mins(2);
const DEFAULT_SECONDS: u64 = 20;
/// So many breaches of each rule are printed at most.
const SHOWN: usize = 3;

async fn whatever_happens_every_intent_is_credited_once(on: On) {
    let end = Instant::now() + Duration::from_secs(number("RECHARGE_SOAK_SECONDS").unwrap_or(DEFAULT_SECONDS));
    let mut seed = number("RECHARGE_SOAK_SEED").unwrap_or_else(|| Uuid::new_v4().as_u64_pair().0);
    while Instant::now() < end {
        round(on, seed, end.min(Instant::now() + ROUND)).await;
        seed = seed.wrapping_add(1);
    }
}

async fn round(on: On, seed: u64, until: Instant) {
    say(&format!("{on:?}: RECHARGE_SOAK_SEED={seed}"));
    let database = TestDatabase::create(on).await;
    let servers = Pair::start(&database.url).await;
    let reader = database.connect().await;
    let people = people::create(&reader).await;
    let history = History::begin();
    let load = Load::new(&people, &servers, &history);

    tokio::join!(load.run(seed, until), servers.trouble(seed, until));
    servers.restart().await;
    let before = verify(&database.url);
    load.settle().await;
    let after = verify(&database.url);

    let exchanges = history.exchanges();
    let tables = Tables::read(&reader).await;
    let breaches = checker::check(&exchanges, &tables);
    say(&format!(
        "{on:?}: {} kills, {} orders, {:?}",
        servers.kills(),
        tables.orders.len(),
        history::tally(&exchanges)
    ));
    let told = [before, after].into_iter().filter_map(Result::err).collect::<String>();
    assert!(
        breaches.is_empty() && told.is_empty(),
        "{on:?}: RECHARGE_SOAK_SEED={seed}\n{told}{}\nthe servers' last warnings:\n{}",
        report(&breaches, &exchanges),
        servers.warnings()
    );
}

/// How often each rule was broken, and the first breaches of each with the history of their keys.
fn report(breaches: &[Breach], exchanges: &[Exchange]) -> String {
    let mut broken: BTreeMap<Rule, Vec<&Breach>> = BTreeMap::new();
    for breach in breaches {
        broken.entry(breach.rule).or_default().push(breach);
    }
    let mut lines = Vec::new();
    for (rule, breaches) in broken {
        lines.push(format!("\n{rule:?}: {} times", breaches.len()));
        for Breach { person, key, detail, .. } in breaches.into_iter().take(SHOWN) {
            lines.push(format!("  person {person}, key {key:?}: {detail}"));
            let about_it = |request: &Request| request.person == *person && request.key.as_ref() == Some(key);
            let exchanges = exchanges.iter().filter(|exchange| about_it(&exchange.request));
            lines.extend(exchanges.map(|exchange| format!("    {exchange:?}")));
        }
    }
    lines.join("\n")
}

/// What `recharge verify` has to say, if not everything is right.
fn verify(url: &str) -> Result<(), String> {
    let output = Command::new(env!("CARGO_BIN_EXE_recharge")).arg("verify").env("DATABASE_URL", url).output().unwrap();
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    if output.status.success() { Ok(()) } else { Err(said) }
}

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable} is {text:?}; it must be a whole number")))
}

/// Says something at once, which a test's captured output would not.
fn say(words: &str) {
    let _ = writeln!(std::io::stderr(), "{words}");
}
