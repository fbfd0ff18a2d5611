//! `make bench`: recharges per second through the writer, against the usual way (one transaction per recharge, one
//! statement per step) and against the ceiling (bare multi-row writes), on each engine, in one run. What counts is the
//! ratio of numbers that stand side by side: machines are shared and noisy, so no time is ever asserted.
//!
//! `RECHARGE_BENCH_SECONDS` and `RECHARGE_BENCH_ROUNDS` make it shorter; `RECHARGE_BENCH_ENGINES` picks engines by name.

#![expect(clippy::unwrap_used, reason = "a bench that cannot go on has nothing else to say")]
#![expect(clippy::print_stdout, reason = "its table goes there")]

mod ceiling;
mod load;
mod report;
mod setting;
mod usual;

use std::sync::Arc;
use std::time::Duration;

use self::load::{Load, Rate};
use self::report::Report;
use self::setting::{Setting, number, recharges};

/// The loads: so many callers at once, over all people or on one.
const LOADS: [Load; 6] = [
    Load { callers: 1, hot: false },
    Load { callers: 16, hot: false },
    Load { callers: 64, hot: false },
    Load { callers: 256, hot: false },
    Load { callers: 64, hot: true },
    Load { callers: 256, hot: true },
];

#[tokio::main]
async fn main() {
    let seconds = Duration::from_secs(number("RECHARGE_BENCH_SECONDS", 5));
    let rounds = number("RECHARGE_BENCH_ROUNDS", 3);
    let engines = std::env::var("RECHARGE_BENCH_ENGINES").unwrap_or_else(|_| "sqlite,postgres,mysql".to_owned());
    let mut report = Report::default();
    for engine in engines.split(',') {
        println!("== {engine}: {rounds} rounds of {} s, variants in turn", seconds.as_secs());
        for _ in 0..rounds {
            // Each round on a new database, so that it finds what the one before it found.
            let setting = Setting::new(engine).await;
            let usual = Arc::new(usual::Usual::open(&setting).await);
            for load in LOADS {
                let mut best: Option<Rate> = None;
                for pool in 0..usual.pools() {
                    let rate = load.run(seconds, usual.recharges(pool)).await;
                    best = Some(best.filter(|best| best.per_second >= rate.per_second).unwrap_or(rate));
                }
                report.add(engine, load, "usual", best.unwrap());
                let (writer, running) = setting.writer();
                let rate = load.run(seconds, recharges(&writer)).await;
                report.add(engine, load, "writer", rate);
                if load.callers == 16 {
                    let keys = setting.used_keys().await;
                    let rate = load.replay(seconds, keys, recharges(&writer)).await;
                    report.add(engine, load, "replay", rate);
                }
                drop(writer);
                running.end().await;
                setting.assert_verified().await;
            }
            report.add(engine, LOADS[3], "ceiling", ceiling::run(&setting, seconds).await);
            setting.assert_verified().await;
        }
    }
    report.print();
}
