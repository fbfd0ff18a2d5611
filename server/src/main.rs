//! The program `recharge`.

use std::ffi::OsString;
use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use server::database::{self, Database, Engine, without_password};
use server::serve;
use server::settings::{DatabaseSettings, ServerSettings};
use server::verify::{self, Report};
use tracing_subscriber::EnvFilter;

/// Recharge: pay an amount and be credited tokens, exactly once per decision to pay.
#[derive(Debug, Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    database: DatabaseSettings,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Bring the database up to date and serve the pages and the JSON API.
    Serve(ServerSettings),
    /// Bring the database up to date, and do nothing else.
    Migrate,
    /// Prove that no money was lost: check every balance, ledger row and order. Exits 1 and names each breach if not.
    Verify,
}

#[tokio::main]
async fn main() -> ExitCode {
    let filter = std::env::var("RECHARGE_LOG").unwrap_or_else(|_| "info,sqlx=warn".to_owned());
    let filter = match EnvFilter::try_new(&filter) {
        Ok(filter) => filter,
        Err(error) => {
            let _ = writeln!(
                std::io::stderr(),
                "recharge: RECHARGE_LOG is {filter:?}: {error}; write it like info,sqlx=warn"
            );
            return ExitCode::from(2);
        }
    };
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(false)
        .init();
    match run(Cli::parse()).await {
        Ok(code) => code,
        Err(message) => {
            let _ = writeln!(std::io::stderr(), "recharge: {message}");
            ExitCode::from(2)
        }
    }
}

async fn run(cli: Cli) -> Result<ExitCode, String> {
    let database = cli.database;
    match cli.command.unwrap_or_else(serve_by_default) {
        Command::Serve(settings) => {
            let bound = serve::bind(&database, &settings).await.map_err(|error| error.to_string())?;
            tracing::info!(
                version = env!("CARGO_PKG_VERSION"),
                database = without_password(&database.database_url),
                currency = settings.currency.code(),
                min = %settings.min_amount,
                max = %settings.max_amount,
                "open http://{}",
                bound.addr
            );
            bound.serve(serve::told_to_stop()).await.map_err(|error| error.to_string())?;
        }
        Command::Migrate => {
            let engine = Engine::choose(&database).map_err(|error| error.to_string())?;
            database::migrate(&database, &engine).await.map_err(|error| error.to_string())?;
            tracing::info!("the database is up to date");
        }
        Command::Verify => return check(&database).await,
    }
    Ok(ExitCode::SUCCESS)
}

/// Without a word on the command line the program serves, with the settings of its environment.
fn serve_by_default() -> Command {
    let words = std::env::args_os().chain([OsString::from("serve")]);
    // With a subcommand at the end there always is one, unless clap has ended the process with a message.
    Cli::parse_from(words).command.unwrap_or(Command::Migrate)
}

async fn check(settings: &DatabaseSettings) -> Result<ExitCode, String> {
    let engine = Engine::choose(settings).map_err(|error| error.to_string())?;
    engine.check_exists(settings).map_err(|error| error.to_string())?;
    let pool = Database::open(settings, &engine, 1).await.map_err(|error| error.to_string())?;
    let guards = database::check_guards(settings, &engine, &pool).await;
    let mut report = verify::verify(&pool).await.map_err(|error| format!("the database cannot be checked: {error}"))?;
    report.breaches.extend(guards.err().map(|error| error.to_string()));
    print(&report).map_err(|error| error.to_string())?;
    Ok(if report.breaches.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Prints each breach on a line of its own, and the counts last.
fn print(report: &Report) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for breach in &report.breaches {
        writeln!(out, "{breach}")?;
    }
    let Report { breaches, accounts, orders, voided, ledger_rows } = report;
    let verdict = if breaches.is_empty() { "all right" } else { "NOT RIGHT" };
    let count = breaches.len();
    writeln!(
        out,
        "{verdict}: {accounts} accounts, {orders} orders, {ledger_rows} ledger rows, {voided} voided keys, {count} breaches"
    )
}
