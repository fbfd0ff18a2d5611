//! All settings, each from an environment variable or the option of the same name. A bad one stops the start with a
//! message that says what would be good.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use app::money::{Amount, Currency, Limits};
use clap::Args;

/// What every command needs to know.
#[derive(Debug, Clone, Args)]
pub struct DatabaseSettings {
    /// The database: `sqlite:` and the path of a file, which is made if it is missing; or a server's address, such as
    /// `postgres://user:password@host/database` or `mysql://user:password@host/database`.
    #[arg(
        long,
        env = "DATABASE_URL",
        hide_env_values = true,
        default_value = "sqlite:data/recharge.db",
        global = true
    )]
    pub database_url: String,

    /// How long to wait for a lock that somebody else holds, in milliseconds.
    #[arg(long, env = "RECHARGE_LOCK_WAIT_MS", default_value_t = 4_000, global = true, value_parser = milliseconds)]
    pub lock_wait_ms: u64,
}

/// What the server needs to know besides.
#[derive(Debug, Clone, Args)]
pub struct ServerSettings {
    /// The address to listen on; without it that of `LEPTOS_SITE_ADDR`, else 127.0.0.1:3000.
    #[arg(long, env = "RECHARGE_ADDR", value_parser = address)]
    pub addr: Option<SocketAddr>,

    /// The origin under which people reach the server, such as `https://tokens.example`, where a proxy changes the host.
    #[arg(long, env = "RECHARGE_PUBLIC_ORIGIN", value_parser = origin)]
    pub public_origin: Option<String>,

    /// The currency of all amounts, by its three-letter code.
    #[arg(long, env = "RECHARGE_CURRENCY", default_value = "USD")]
    pub currency: Currency,

    /// The smallest amount of a recharge.
    #[arg(long, env = "RECHARGE_MIN_AMOUNT", default_value = "1.00", value_parser = amount)]
    pub min_amount: Amount,

    /// The largest amount of a recharge.
    #[arg(long, env = "RECHARGE_MAX_AMOUNT", default_value = "50000.00", value_parser = amount)]
    pub max_amount: Amount,

    /// How many recharges may wait for the writer; further ones are answered 503.
    #[arg(long, env = "RECHARGE_QUEUE", default_value_t = 4_096, value_parser = capacity)]
    pub queue: usize,

    /// How long a request waits for its outcome, in milliseconds.
    #[arg(long, env = "RECHARGE_WAIT_MS", default_value_t = 10_000, value_parser = milliseconds)]
    pub wait_ms: u64,

    /// After how many days a person has to sign in again.
    #[arg(long, env = "RECHARGE_SESSION_DAYS", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=3_650))]
    pub session_days: u32,

    /// How many connections read everything but the chain.
    #[arg(long, env = "RECHARGE_CONNECTIONS", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub connections: u32,

    /// The folder with the stylesheet and the WASM; without it that of `LEPTOS_SITE_ROOT`, else `site` beside the
    /// program, else `target/site`.
    #[arg(long, env = "RECHARGE_SITE_ROOT")]
    pub site_root: Option<PathBuf>,
}

impl DatabaseSettings {
    /// How long to wait for a lock.
    pub fn lock_wait(&self) -> Duration {
        Duration::from_millis(self.lock_wait_ms)
    }

    /// How long a transaction may take: it may wait for more than one lock, and has work to do between them.
    pub fn attempt_wait(&self) -> Duration {
        self.lock_wait() * 2 + Duration::from_secs(1)
    }
}

impl ServerSettings {
    /// The address to listen on.
    ///
    /// # Errors
    /// When `LEPTOS_SITE_ADDR` is needed and is not an address.
    pub fn listen_on(&self) -> Result<SocketAddr, String> {
        if let Some(addr) = self.addr {
            return Ok(addr);
        }
        match std::env::var("LEPTOS_SITE_ADDR") {
            Ok(text) => address(&text).map_err(|error| format!("LEPTOS_SITE_ADDR is {text:?}: {error}")),
            Err(_) => Ok(SocketAddr::from(([127, 0, 0, 1], 3000))),
        }
    }

    /// The limits of an amount.
    ///
    /// # Errors
    /// When the smallest amount is zero or above the largest.
    pub fn limits(&self) -> Result<Limits, String> {
        let limits = Limits { min: self.min_amount, max: self.max_amount };
        if limits.min.minor() < 1 || limits.min > limits.max {
            return Err(format!(
                "RECHARGE_MIN_AMOUNT is {} and RECHARGE_MAX_AMOUNT {}; the smallest must be at least 0.01 and not above \
                 the largest",
                limits.min, limits.max
            ));
        }
        Ok(limits)
    }

    /// How long a request waits for its outcome.
    pub fn wait(&self) -> Duration {
        Duration::from_millis(self.wait_ms)
    }

    /// The folder with the stylesheet and the WASM.
    pub fn site_root(&self) -> PathBuf {
        let named = self.site_root.clone().or_else(|| std::env::var_os("LEPTOS_SITE_ROOT").map(PathBuf::from));
        let beside = || Some(std::env::current_exe().ok()?.parent()?.join("site")).filter(|folder| folder.is_dir());
        named.or_else(beside).unwrap_or_else(|| PathBuf::from("target/site"))
    }
}

fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| "write an address and a port, such as 127.0.0.1:3000".to_owned())
}

fn amount(text: &str) -> Result<Amount, String> {
    Amount::parse(text).map_err(|error| format!("{error}; write an amount such as 1.00"))
}

fn milliseconds(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number| (1..=600_000).contains(number));
    number.ok_or_else(|| "write a number of milliseconds from 1 to 600000".to_owned())
}

/// An origin as browsers spell it: what differs in one letter would be taken for another site.
fn origin(text: &str) -> Result<String, String> {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let good = host.is_some_and(|host| {
        !host.is_empty()
            && host.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.:[]".contains(&byte))
    });
    if good {
        Ok(text.to_owned())
    } else {
        Err("write scheme and host only, in lower case and without a slash at the end, such as https://tokens.example"
            .to_owned())
    }
}

fn capacity(text: &str) -> Result<usize, String> {
    text.parse()
        .ok()
        .filter(|capacity| (1..=1_000_000).contains(capacity))
        .ok_or_else(|| "a number from 1 to 1000000 is needed".to_owned())
}
