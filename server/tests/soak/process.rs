//! Two processes of the program on one database, of which one at a time is killed and started again.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use tokio::sync::oneshot;

/// Of what a process warns about, so much is kept for the report of a failure.
const LINES: usize = 40;

/// Lines that say nothing about a failure: the narrow settings turn many away.
const EXPECTED: [&str; 2] = [" INFO ", "the queue is full"];

/// The last warnings of all processes.
type Warnings = Arc<Mutex<VecDeque<String>>>;

/// A running process.
#[derive(Debug)]
struct Process {
    child: Child,
    url: String,
}

/// The two, each at its place; a place is empty while its process is started again.
#[derive(Debug)]
pub struct Pair {
    database_url: String,
    places: [Mutex<Option<Process>>; 2],
    kills: AtomicUsize,
    warnings: Warnings,
}

impl Process {
    /// Starts the program and waits until it listens.
    async fn start(database_url: &str, settings: &[&str], warnings: &Warnings) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_recharge"))
            .args(["serve", "--addr", "127.0.0.1:0"])
            .args(settings)
            .env("DATABASE_URL", database_url)
            .env("RECHARGE_LOG", "info")
            .env("NO_COLOR", "1")
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (listens, listening) = oneshot::channel();
        let log = BufReader::new(child.stderr.take().unwrap());
        let kept = Arc::clone(warnings);
        // A thread of its own, because a log that nobody reads stops the program.
        std::thread::spawn(move || read_log(log, listens, &kept));
        let started = listening.await.map(|url| Self { child, url });
        started.unwrap_or_else(|_| panic!("the program did not start; it said:\n{}", all(warnings)))
    }

    /// `kill -9`.
    fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Pair {
    /// Starts both at the same time, on a database that may still be empty.
    pub async fn start(database_url: &str) -> Self {
        let warnings = Warnings::default();
        let (first, second) =
            tokio::join!(Process::start(database_url, &[], &warnings), Process::start(database_url, &[], &warnings));
        let places = [Mutex::new(Some(first)), Mutex::new(Some(second))];
        Self { database_url: database_url.to_owned(), places, kills: AtomicUsize::new(0), warnings }
    }

    /// The address of this process, or of the other one while this one is down.
    pub fn url(&self, place: usize) -> String {
        let url = |place: usize| self.lock(place).as_ref().map(|process| process.url.clone());
        // Only one is ever down.
        url(place % 2).or_else(|| url((place + 1) % 2)).unwrap_or_default()
    }

    /// Kills one or the other and starts it again, at random moments, until it is time to end.
    pub async fn trouble(&self, seed: u64, until: Instant) {
        let mut rng = SmallRng::seed_from_u64(seed);
        loop {
            tokio::time::sleep(Duration::from_micros(rng.random_range(50_000..1_500_000))).await;
            if Instant::now() >= until {
                return;
            }
            let place = rng.random_range(0..2);
            self.kill(place);
            self.start_again(place, &narrow(&mut rng)).await;
        }
    }

    /// Kills both, in the middle of whatever they still have to do, and starts them with the usual settings.
    pub async fn restart(&self) {
        for place in 0..2 {
            self.kill(place);
        }
        for place in 0..2 {
            self.start_again(place, &[]).await;
        }
    }

    /// How often a process was killed.
    pub fn kills(&self) -> usize {
        self.kills.load(Ordering::Relaxed)
    }

    /// The last warnings.
    pub fn warnings(&self) -> String {
        all(&self.warnings)
    }

    fn kill(&self, place: usize) {
        self.kills.fetch_add(1, Ordering::Relaxed);
        drop(self.lock(place).take());
    }

    async fn start_again(&self, place: usize, settings: &[&str]) {
        let started = Process::start(&self.database_url, settings, &self.warnings).await;
        *self.lock(place) = Some(started);
    }

    fn lock(&self, place: usize) -> std::sync::MutexGuard<'_, Option<Process>> {
        self.places[place].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Settings under which requests are turned away and given up more often than in earnest.
fn narrow(rng: &mut SmallRng) -> [&'static str; 4] {
    let queue = ["4096", "64", "4"].choose(rng).copied().unwrap_or("4");
    let wait = ["10000", "200", "20"].choose(rng).copied().unwrap_or("20");
    ["--queue", queue, "--wait-ms", wait]
}

/// Reads a log to its end: tells where the program listens, and keeps what it warns about.
fn read_log(log: BufReader<ChildStderr>, listens: oneshot::Sender<String>, warnings: &Warnings) {
    let mut listens = Some(listens);
    for line in log.lines().map_while(Result::ok) {
        let url = line.split_once("open http://").and_then(|(_, address)| address.split_whitespace().next());
        if let Some(listens) = url.and_then(|_| listens.take()) {
            let _ = listens.send(format!("http://{}", url.unwrap_or_default()));
        } else if !EXPECTED.iter().any(|words| line.contains(words)) {
            let mut warnings = warnings.lock().unwrap_or_else(PoisonError::into_inner);
            warnings.push_back(line);
            let surplus = warnings.len().saturating_sub(LINES);
            warnings.drain(..surplus);
        }
    }
}

fn all(warnings: &Warnings) -> String {
    let warnings = warnings.lock().unwrap_or_else(PoisonError::into_inner);
    warnings.iter().map(String::as_str).collect::<Vec<_>>().join("\n")
}
