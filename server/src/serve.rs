//! Starting and stopping the server.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use leptos::config::LeptosOptions;
use tokio::net::TcpListener;

use crate::database::{self, Database, DatabaseError, Engine};
use crate::http::{self, Shared};
use crate::people::Passwords;
use crate::reads;
use crate::service::{Service, Terms};
use crate::settings::{DatabaseSettings, ServerSettings};
use crate::writer::{Running, Waits};

/// After the signal to stop, requests that are under way get this long.
const FAREWELL: Duration = Duration::from_secs(10);

/// Why the server does not start. The message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A setting is not good.
    #[error("{0}")]
    Setting(String),
    /// The database cannot be used.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// The tiers cannot be read.
    #[error("the tiers cannot be read: {0}")]
    Tiers(sqlx::Error),
    /// Somebody else listens there.
    #[error("cannot listen on {addr}: {error}; stop what listens there, or set RECHARGE_ADDR to another address")]
    Listen {
        /// The address.
        addr: SocketAddr,
        /// What the system says.
        error: std::io::Error,
    },
    /// Serving ended with an error.
    #[error("serving failed: {0}")]
    Serve(std::io::Error),
}

/// A server that listens and has not begun to answer.
#[derive(Debug)]
pub struct Bound {
    /// Where it listens.
    pub addr: SocketAddr,
    /// What its handlers share.
    pub service: Service,
    listener: TcpListener,
    router: axum::Router,
    writer: Running,
}

/// Opens the database, brings it up to date, checks what the guarantees rest on, starts the writer and listens.
///
/// # Errors
/// [`StartError`].
pub async fn bind(database: &DatabaseSettings, settings: &ServerSettings) -> Result<Bound, StartError> {
    let limits = settings.limits().map_err(StartError::Setting)?;
    let wanted = settings.listen_on().map_err(StartError::Setting)?;
    let engine = Engine::choose(database)?;
    database::migrate(database, &engine).await?;
    let pool = Database::open(database, &engine, settings.connections).await?;
    database::check_guards(database, &engine, &pool).await?;

    let tiers = reads::tiers(&pool).await.map_err(StartError::Tiers)?;
    if tiers.quote(limits.min).is_err() {
        tracing::warn!(min = %limits.min, "no tier applies to the smallest amount: it will be refused");
    }

    let waits = Waits { answer: settings.wait(), attempt: database.attempt_wait() };
    let (writer, running) = engine.start_writers(settings.queue, waits);
    let https = settings.public_origin.as_ref().is_some_and(|origin| origin.starts_with("https:"));
    let terms = Terms { limits, currency: settings.currency, session_days: settings.session_days, https };
    let service = Service { writer, database: pool, passwords: Passwords::default(), terms: Arc::new(terms) };

    let listener = TcpListener::bind(wanted).await.map_err(|error| StartError::Listen { addr: wanted, error })?;
    let addr = listener.local_addr().map_err(StartError::Serve)?;
    let site_root = settings.site_root();
    // The build lists the hashed names in the folder itself, so that files and names cannot be of two builds. The path is
    // absolute, or Leptos would look beside the program.
    let hashes = site_root.join("hash.txt");
    let hashes = std::path::absolute(&hashes).unwrap_or(hashes);
    let options = LeptosOptions::builder()
        .output_name("recharge")
        .site_root(site_root.display().to_string())
        .site_addr(addr)
        // A build that was not made for browsers (for the tests, say) has no list of hashed names.
        .hash_files(hashes.is_file())
        .hash_file(hashes.display().to_string().into())
        .build();
    if !site_root.join("pkg").is_dir() {
        tracing::warn!(
            site_root = %site_root.display(),
            "there is no stylesheet and no WASM: pages work as plain forms only; build with `cargo leptos build`, or set \
             RECHARGE_SITE_ROOT"
        );
    }
    let shared = Shared { service: service.clone(), options };
    let router = http::router(shared, settings.public_origin.as_deref())
        .map_err(|error| StartError::Setting(format!("RECHARGE_PUBLIC_ORIGIN: {error}")))?;
    Ok(Bound { addr, service, listener, router, writer: running })
}

impl Bound {
    /// Answers requests until told to stop; then finishes those that are under way, and everything that was handed to
    /// the writer.
    ///
    /// # Errors
    /// [`StartError::Serve`].
    pub async fn serve(self, stop: impl Future<Output = ()> + Send + 'static) -> Result<(), StartError> {
        let Self { service, listener, router, writer, .. } = self;
        let (told, farewell) = tokio::sync::oneshot::channel();
        let stop = async move {
            stop.await;
            // The receiver lives as long as this server.
            let _ = told.send(());
        };
        let serving = axum::serve(listener, router).with_graceful_shutdown(stop);
        let too_long = async {
            if farewell.await.is_ok() {
                tokio::time::sleep(FAREWELL).await;
            } else {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            served = async { serving.await } => served.map_err(StartError::Serve)?,
            () = too_long => tracing::warn!("some requests did not end in time and are cut off"),
        }
        let done = tokio::time::timeout(FAREWELL, writer.end()).await.is_ok();
        service.database.close().await;
        if done {
            tracing::info!("stopped; every recharge that was accepted is done");
        } else {
            tracing::warn!("stopped; some recharges did not end in time, and their keys resolve what became of them");
        }
        Ok(())
    }
}

/// Ends at Ctrl-C or at the signal with which a system stops a service.
pub async fn told_to_stop() {
    let interrupt = async {
        let _ = tokio::signal::ctrl_c().await;
    };
    let terminate = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => {
                signal.recv().await;
            }
            Err(error) => {
                tracing::warn!(%error, "cannot listen for the signal to stop");
                std::future::pending::<()>().await;
            }
        }
    };
    tokio::select! {
        () = interrupt => {}
        () = terminate => {}
    }
}
