//! The table: medians over the rounds, their spread, and the ratios that the numbers are there for.

use std::fmt::Write as _;

use crate::load::{Load, Rate};

/// All that was measured.
#[derive(Default)]
pub struct Report {
    measured: Vec<(String, Load, &'static str, Rate)>,
}

impl Report {
    pub fn add(&mut self, engine: &str, load: Load, variant: &'static str, rate: Rate) {
        let place = if load.hot { "one person" } else { "10 000 people" };
        println!(
            "{engine} {:>3} callers, {place}: {variant:<7} {:>9.0} /s, p99 {:>7.2} ms",
            load.callers, rate.per_second, rate.p99_ms
        );
        self.measured.push((engine.to_owned(), load, variant, rate));
    }

    /// Prints the table and writes it to `target/bench/recharge.md`.
    pub fn print(&self) {
        let mut text = String::from(
            "| engine | load | usual /s | writer /s (spread) | ratio | replay ratio | p99 ratio | to ceiling |\n\
             |---|---|---|---|---|---|---|---|\n",
        );
        let mut seen: Vec<(&str, Load)> = Vec::new();
        for (engine, load, ..) in &self.measured {
            if !seen.contains(&(engine.as_str(), *load)) {
                seen.push((engine, *load));
            }
        }
        for (engine, load) in seen {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{}", self.line(engine, load));
        }
        println!("\n{text}");
        let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("bench");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("recharge.md"), text).unwrap();
    }

    fn line(&self, engine: &str, load: Load) -> String {
        let rates = |variant| -> Vec<Rate> {
            let same = self.measured.iter().filter(|(e, l, v, _)| e == engine && *l == load && *v == variant);
            same.map(|(.., rate)| *rate).collect()
        };
        let speed = |variant| median(rates(variant).iter().map(|rate| rate.per_second).collect());
        let p99 = |variant| median(rates(variant).iter().map(|rate| rate.p99_ms).collect());
        let (usual, writer) = (speed("usual"), speed("writer"));
        let all: Vec<f64> = rates("writer").iter().map(|rate| rate.per_second).collect();
        let (low, high) = all.iter().fold((f64::MAX, 0.0_f64), |(low, high), rate| (low.min(*rate), high.max(*rate)));
        let ratio = |value: Option<f64>, to: Option<f64>| match (value, to) {
            (Some(value), Some(to)) if to > 0.0 => format!("{:.2}", value / to),
            _ => String::new(),
        };
        let place = if load.hot { ", one person" } else { "" };
        format!(
            "| {engine} | {}{place} | {:.0} | {:.0} ({low:.0}–{high:.0}) | {} | {} | {} | {} |",
            load.callers,
            usual.unwrap_or_default(),
            writer.unwrap_or_default(),
            ratio(writer, usual),
            ratio(speed("replay"), writer),
            ratio(p99("writer"), p99("usual")),
            ratio(writer, speed("ceiling")),
        )
    }
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}
