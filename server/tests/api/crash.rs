//! A real process, killed with `kill -9` at every step: after the restart the same key succeeds, once.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::app::{On, Person, TestDatabase, assert_verified, facts, once, sign_up};
use crate::engine::on_every_engine;

on_every_engine! {
    killed_at_any_step_and_started_again_the_same_key_credits_once;
    a_panic_at_any_step_leaves_the_key_good;
    told_to_stop_it_finishes_what_it_accepted;
}

/// The points of the chain at which a debug build can be held, in order.
const POINTS: [&str; 9] =
    ["begin", "check_key", "tier", "create_order", "pay", "grant", "complete", "before_commit", "committed"];

/// The program as a process of its own.
struct Process {
    child: Child,
    url: String,
    log: BufReader<std::process::ChildStderr>,
}

impl Process {
    /// Starts the program on the database and waits until it listens.
    fn start(database: &TestDatabase, fault: Option<&str>) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_recharge"));
        command
            .args(["serve", "--addr", "127.0.0.1:0"])
            .env("DATABASE_URL", &database.url)
            .env("RECHARGE_LOG", "info")
            .env("NO_COLOR", "1")
            .stderr(Stdio::piped());
        if let Some(fault) = fault {
            command.env("RECHARGE_FAULT", fault);
        }
        let mut child = command.spawn().unwrap();
        let log = BufReader::new(child.stderr.take().unwrap());
        let mut process = Self { child, url: String::new(), log };
        let line = process.wait_for("open http://");
        let url = line.split_once("open ").unwrap().1.split_whitespace().next().unwrap();
        url.clone_into(&mut process.url);
        process
    }

    /// Reads the log up to a line with these words.
    fn wait_for(&mut self, words: &str) -> String {
        let mut line = String::new();
        loop {
            line.clear();
            assert_ne!(self.log.read_line(&mut line).unwrap(), 0, "the program ended before it said {words:?}");
            if line.contains(words) {
                return line;
            }
        }
    }

    /// `kill -9`.
    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    fn person(&self, person: &Person) -> Person {
        Person { url: self.url.clone(), ..person.clone() }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// S10 and S18.
async fn killed_at_any_step_and_started_again_the_same_key_credits_once(on: On) {
    for point in POINTS {
        let database = TestDatabase::create(on).await;
        let calm = Process::start(&database, None);
        let person = sign_up(&calm.url, "s10").await;
        person.recharge("1", "before").await;
        calm.kill();

        let mut held = Process::start(&database, Some(&format!("hold:{point}")));
        let request = held.person(&person).sync("50", "k");
        let lost = tokio::spawn(request.send());
        tokio::task::block_in_place(|| held.wait_for(&format!("held at {point}")));
        held.kill();
        assert!(lost.await.unwrap().is_err(), "the answer is lost");

        assert_verified(&database);
        let again = Process::start(&database, None);
        let answer = again.person(&person).recharge("50", "k").await;
        assert_eq!(answer["idempotentHit"], Value::Bool(point == "committed"), "{point}");
        again.kill();
        assert_eq!(facts(&database, person.user_id, "k").await, once(5350), "{point}");
        assert_verified(&database);
    }
}

/// A6: a panic in the chain loses nothing and burns no key, and the server goes on.
async fn a_panic_at_any_step_leaves_the_key_good(on: On) {
    for point in POINTS {
        let database = TestDatabase::create(on).await;
        let process = Process::start(&database, Some(&format!("panic:{point}")));
        let person = sign_up(&process.url, "a6").await;
        let response = person.sync("50", "k").send().await.unwrap();
        assert_eq!(response.status(), 503, "{point}");
        assert_eq!(response.headers()["retry-after"], "1");
        let problem: Value = response.json().await.unwrap();
        assert_eq!(problem["type"], "/problems/outcome-unknown");
        let answer = person.recharge("50", "k").await;
        assert_eq!(answer["idempotentHit"], Value::Bool(point == "committed"), "{point}");
        process.kill();
        assert_eq!(facts(&database, person.user_id, "k").await, once(5250), "{point}");
        assert_verified(&database);
    }
}

/// The signal with which a system stops a service: what was accepted is done before the program ends.
async fn told_to_stop_it_finishes_what_it_accepted(on: On) {
    let database = TestDatabase::create(on).await;
    let mut process = Process::start(&database, None);
    let person = sign_up(&process.url, "stop").await;
    let requests: Vec<_> = (0..50).map(|key| tokio::spawn(person.sync("1", &format!("k{key}")).send())).collect();
    tokio::task::block_in_place(|| process.wait_for("recharged"));
    let pid = process.child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    let mut answered = 0;
    for request in requests {
        if let Ok(response) = request.await.unwrap() {
            assert_eq!(response.status(), 200);
            answered += 1;
        }
    }
    assert!(tokio::task::block_in_place(|| process.child.wait()).unwrap().success());
    assert!(answered > 0);
    let reader = database.connect().await;
    let orders: i64 = sqlx::query_scalar("select count(*) from recharge_order").fetch_one(&reader.pool).await.unwrap();
    assert!(orders >= answered, "{answered} successes were answered, {orders} orders stand");
    assert_verified(&database);
}

/// After a clean stop everything stands in the one file of a SQLite database: who copies it then has it all.
#[tokio::test(flavor = "multi_thread")]
async fn a_clean_stop_leaves_everything_in_the_one_file() {
    for _ in 0..4 {
        let database = TestDatabase::create(On::Sqlite).await;
        let mut process = Process::start(&database, None);
        let person = sign_up(&process.url, "stop").await;
        for key in ["a", "b", "c"] {
            person.recharge("1", key).await;
        }
        drop(person);
        let pid = process.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
        tokio::task::block_in_place(|| process.wait_for("every recharge that was accepted is done"));
        assert!(tokio::task::block_in_place(|| process.child.wait()).unwrap().success());
        let file = database.url.strip_prefix("sqlite:").unwrap();
        assert!(!std::path::Path::new(&format!("{file}-wal")).exists(), "something is left beside the file");
    }
}
