//! A wire with faults between the program and its database server. It understands as much of the two protocols as it
//! needs to know which statement passes, so that a fault happens exactly there.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::engine::{On, TestDatabase};

/// Longer than anything takes that is not stuck.
const TOO_LONG: Duration = Duration::from_secs(30);

/// What the wire does with everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wire {
    Sound,
    /// New connections are ended at once.
    Down,
    /// Nothing moves, and nothing ends.
    Still,
}

/// Where a fault happens. If not said otherwise, only the connections of writers are meant: those that have begun a
/// transaction in the words of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Where {
    /// When a transaction begins.
    Begin,
    /// At COMMIT.
    Commit,
    /// At the statement of this number, from 0, after the fault was ordered.
    Nth(usize),
    /// At a statement with these words, on the other connections.
    Reading(&'static str),
}

/// What happens there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The statement does not arrive, and the connection ends.
    CutBefore,
    /// The server does what it is told; its answer is lost, and the connection ends.
    LoseAnswer,
    /// As before, and the server cannot be reached any more.
    LoseAnswerAndServer,
    /// The server does what it is told; its answer never comes, and nothing ends.
    KeepAnswer,
    /// The wire stands still, before the statement arrives.
    StandStill,
}

/// A wire to one database. It ends with the test.
pub struct Proxy {
    /// The database's address by way of the wire.
    pub url: String,
    state: Arc<State>,
    accepting: JoinHandle<()>,
}

struct State {
    on: On,
    server: String,
    wire: watch::Sender<Wire>,
    /// Counts the times that all connections were ended.
    cuts: watch::Sender<u32>,
    order: Mutex<Option<Order>>,
    /// Counts the faults that happened.
    happened: watch::Sender<u32>,
    /// The statements of writers.
    statements: Mutex<Vec<String>>,
}

struct Order {
    at: Where,
    fault: Fault,
    times: u32,
    passed: usize,
}

impl Proxy {
    /// A wire to a database.
    pub async fn to(on: On, database: &TestDatabase) -> Self {
        let (scheme, rest) = database.url.split_once("://").unwrap();
        let (user, rest) = rest.split_once('@').unwrap();
        let (server, name) = rest.split_once('/').unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        // What is encrypted cannot be understood on its way.
        let plain = if on == On::Postgres { "sslmode=disable" } else { "ssl-mode=disabled" };
        let url = format!("{scheme}://{user}@{}/{name}?{plain}", listener.local_addr().unwrap());
        let state = Arc::new(State {
            on,
            server: server.to_owned(),
            wire: watch::Sender::new(Wire::Sound),
            cuts: watch::Sender::new(0),
            order: Mutex::new(None),
            happened: watch::Sender::new(0),
            statements: Mutex::new(Vec::new()),
        });
        let accepting = tokio::spawn(accept(listener, Arc::clone(&state)));
        Self { url, state, accepting }
    }

    /// Orders a fault, so many times, instead of any that was ordered before.
    pub fn order(&self, at: Where, fault: Fault, times: u32) {
        *self.state.order.lock().unwrap() = Some(Order { at, fault, times, passed: 0 });
        self.state.happened.send_replace(0);
    }

    /// How often the ordered fault has happened.
    pub fn happened(&self) -> u32 {
        *self.state.happened.borrow()
    }

    /// Waits until the ordered fault has happened.
    pub async fn until_happened(&self) {
        let mut happened = self.state.happened.subscribe();
        tokio::time::timeout(TOO_LONG, happened.wait_for(|times| *times > 0)).await.expect("no fault").unwrap();
    }

    /// Ends all connections and every new one.
    pub fn take_down(&self) {
        self.state.wire.send_replace(Wire::Down);
        self.cut();
    }

    /// Ends all connections.
    pub fn cut(&self) {
        self.state.cuts.send_modify(|cuts| *cuts += 1);
    }

    /// Lets everything pass again, without any fault.
    pub fn mend(&self) {
        *self.state.order.lock().unwrap() = None;
        self.state.wire.send_replace(Wire::Sound);
    }

    /// The statements of writers since the last call.
    pub fn statements(&self) -> Vec<String> {
        std::mem::take(&mut *self.state.statements.lock().unwrap())
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
        self.cut();
    }
}

async fn accept(listener: TcpListener, state: Arc<State>) {
    while let Ok((client, _)) = listener.accept().await {
        if *state.wire.borrow() != Wire::Down {
            tokio::spawn(link(client, Arc::clone(&state)));
        }
    }
}

/// One connection, until either end leaves or a fault ends it.
async fn link(client: TcpStream, state: Arc<State>) {
    let mut cuts = state.cuts.subscribe();
    let Ok(server) = TcpStream::connect(&state.server).await else { return };
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let ear = Mutex::new(Ear::new(state.on));
    let answer = Mutex::new(None);
    tokio::select! {
        () = questions(from_client, to_server, &state, &ear, &answer) => {}
        () = answers(from_server, to_client, &state, &ear, &answer) => {}
        _ = cuts.changed() => {}
    }
}

async fn questions(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    state: &State,
    ear: &Mutex<Ear>,
    answer: &Mutex<Option<Fault>>,
) {
    let mut bytes = vec![0; 64 * 1024];
    while let Ok(count @ 1..) = from.read(&mut bytes).await {
        // A client waits for the answer to one statement before it sends the next.
        let fault = {
            let mut ear = ear.lock().unwrap();
            ear.hear(&bytes[..count]).iter().find_map(|statement| state.pass(&mut ear.writer, statement))
        };
        match fault {
            None | Some(Fault::CutBefore) => {}
            Some(Fault::LoseAnswer | Fault::KeepAnswer) => *answer.lock().unwrap() = fault,
            Some(Fault::LoseAnswerAndServer) => {
                *answer.lock().unwrap() = fault;
                state.wire.send_replace(Wire::Down);
            }
            Some(Fault::StandStill) => drop(state.wire.send_replace(Wire::Still)),
        }
        if let Some(fault) = fault {
            state.happened.send_modify(|times| *times += 1);
            if fault == Fault::CutBefore {
                return;
            }
        }
        state.until_it_moves().await;
        if to.write_all(&bytes[..count]).await.is_err() {
            return;
        }
    }
}

async fn answers(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    state: &State,
    ear: &Mutex<Ear>,
    answer: &Mutex<Option<Fault>>,
) {
    let mut bytes = vec![0; 64 * 1024];
    while let Ok(count @ 1..) = from.read(&mut bytes).await {
        ear.lock().unwrap().hear_answer(&bytes[..count]);
        state.until_it_moves().await;
        let fault = *answer.lock().unwrap();
        match fault {
            None if to.write_all(&bytes[..count]).await.is_ok() => {}
            Some(Fault::KeepAnswer) => std::future::pending().await,
            _ => return,
        }
    }
}

impl State {
    async fn until_it_moves(&self) {
        let _ = self.wire.subscribe().wait_for(|wire| *wire != Wire::Still).await;
    }

    /// Takes note of a statement and says which fault is to happen to it.
    fn pass(&self, writer: &mut bool, statement: &str) -> Option<Fault> {
        // On MySQL a transaction begins with its first statement, which is that of step 1.
        let begins = statement == "begin" || statement.contains("union all");
        *writer |= begins;
        if *writer {
            self.statements.lock().unwrap().push(statement.to_owned());
        }
        let mut order = self.order.lock().unwrap();
        let reading = order.as_ref().is_some_and(|order| matches!(order.at, Where::Reading(_)));
        let order = order.as_mut().filter(|order| order.times > 0 && *writer != reading)?;
        let here = match order.at {
            Where::Begin => begins,
            Where::Commit => statement == "commit",
            Where::Nth(number) => order.passed == number,
            Where::Reading(words) => statement.contains(words),
        };
        order.passed += 1;
        order.times -= u32::from(here);
        here.then_some(order.fault)
    }
}

/// Hears the statements in what a client sends.
struct Ear {
    on: On,
    heard: Vec<u8>,
    /// Whether the client is a writer.
    writer: bool,
    /// PostgreSQL: the first message has no letter.
    greeted: bool,
    /// The prepared statements by their names, or by their numbers.
    prepared: HashMap<Vec<u8>, String>,
    /// PostgreSQL: the statement that will be executed.
    bound: String,
    /// MySQL: the statement that waits for its number.
    unnumbered: Option<String>,
}

impl Ear {
    fn new(on: On) -> Self {
        let (heard, prepared) = (Vec::new(), HashMap::new());
        Self { on, heard, writer: false, greeted: false, prepared, bound: String::new(), unnumbered: None }
    }

    /// The statements that are complete with these bytes.
    fn hear(&mut self, bytes: &[u8]) -> Vec<String> {
        self.heard.extend_from_slice(bytes);
        let mut statements = Vec::new();
        while let Some(end) = self.end_of_message() {
            let message: Vec<u8> = self.heard.drain(..end).collect();
            statements.extend(match self.on {
                On::Postgres => self.postgres(&message),
                _ => self.mysql(&message),
            });
        }
        statements
    }

    fn end_of_message(&self) -> Option<usize> {
        let end = match (self.on, self.greeted, &self.heard[..]) {
            (On::Postgres, false, [a, b, c, d, ..]) => u32::from_be_bytes([*a, *b, *c, *d]) as usize,
            (On::Postgres, true, [_, a, b, c, d, ..]) => 1 + u32::from_be_bytes([*a, *b, *c, *d]) as usize,
            (On::MySql, _, [a, b, c, _, ..]) => 4 + u32::from_le_bytes([*a, *b, *c, 0]) as usize,
            _ => return None,
        };
        (self.heard.len() >= end).then_some(end)
    }

    /// Parse gives a statement a name, Bind chooses it, Execute runs it; Query does all at once.
    fn postgres(&mut self, message: &[u8]) -> Option<String> {
        if !self.greeted {
            self.greeted = true;
            return None;
        }
        let mut words = message[5..].split(|byte| *byte == 0);
        let mut word = || words.next().unwrap_or_default();
        match message[0] {
            b'P' => {
                let name = word().to_owned();
                self.prepared.insert(name, text(word()));
            }
            b'B' => {
                let _portal = word();
                self.bound = self.prepared.get(word()).cloned().unwrap_or_default();
            }
            b'E' => return Some(self.bound.clone()),
            b'Q' => return Some(text(word())),
            _ => {}
        }
        None
    }

    /// A command is the first packet of an exchange: 3 is a query in words, 22 prepares one, 23 runs the one of a number.
    fn mysql(&mut self, packet: &[u8]) -> Option<String> {
        match packet {
            [_, _, _, 0, 3, words @ ..] => return Some(text(words)),
            [_, _, _, 0, 22, words @ ..] => self.unnumbered = Some(text(words)),
            [_, _, _, 0, 23, a, b, c, d, ..] => return self.prepared.get([*a, *b, *c, *d].as_slice()).cloned(),
            _ => {}
        }
        None
    }

    /// MySQL: a server answers what is prepared with its number.
    fn hear_answer(&mut self, bytes: &[u8]) {
        if let Some(statement) = self.unnumbered.take()
            && let [_, _, _, 1, 0, a, b, c, d, ..] = bytes
        {
            self.prepared.insert(vec![*a, *b, *c, *d], statement);
        }
    }
}

fn text(words: &[u8]) -> String {
    String::from_utf8_lossy(words).into_owned()
}
