//! Sending what was planned, leaving at random moments, and asking again in the end.

use std::collections::BTreeMap;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use futures_util::stream::{self, StreamExt};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use reqwest::{Client, RequestBuilder, Response};
use serde_json::{Value, json};
use server::http::SESSION_COOKIE;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::sync::Semaphore;

use crate::checker;
use crate::history::{Act, Answer, Dress, Exchange, History, Request};
use crate::people::Person;
use crate::plan::Plan;
use crate::process::Pair;

/// Those who send at the same time, each one intent, and that perhaps several times at once.
const SENDERS: u64 = 16;
/// So many requests are under way at most.
const AT_ONCE: usize = 32;
/// No answer takes longer than a server that is alive takes to give one.
const PATIENCE: Duration = Duration::from_mins(1);

/// When a client leaves.
#[derive(Debug, Clone, Copy)]
enum Leaves {
    /// It stays for the answer.
    Never,
    /// After so many thousandths of the request's bytes.
    AfterBytes(usize),
    /// After so many times that there was something to do.
    AfterPolls(u32),
    /// After some time.
    After(Duration),
}

/// The clients.
#[derive(Debug)]
pub struct Load<'a> {
    pub people: &'a [Person],
    pub servers: &'a Pair,
    pub history: &'a History,
    client: Client,
    turns: Semaphore,
}

impl<'a> Load<'a> {
    pub fn new(people: &'a [Person], servers: &'a Pair, history: &'a History) -> Self {
        let client = Client::builder().timeout(PATIENCE).no_proxy().build().unwrap();
        Self { people, servers, history, client, turns: Semaphore::new(AT_ONCE) }
    }

    /// Sends what the seed says, until it is time to end.
    pub async fn run(&self, seed: u64, until: Instant) {
        let plan = Plan::new(self.people);
        let senders =
            (0..SENDERS).map(|number| self.sender(&plan, seed.wrapping_mul(SENDERS).wrapping_add(number), until));
        join_all(senders).await;
    }

    async fn sender(&self, plan: &Plan<'_>, seed: u64, until: Instant) {
        let mut rng = SmallRng::seed_from_u64(seed);
        while Instant::now() < until {
            let first = rng.random_range(0..2);
            let requests = plan.next(&mut rng).into_iter().zip(first..);
            join_all(requests.map(|(request, place)| self.send(request, place, leaves(&mut rng)))).await;
        }
    }

    /// Asks again about every intent whose outcome is open, until it is definite.
    pub async fn settle(&self) {
        let mut open: BTreeMap<_, (Request, bool)> = BTreeMap::new();
        for exchange in self.history.exchanges() {
            if let Some(minor) = checker::intended(&exchange.request) {
                let name = (exchange.request.person, exchange.request.key.clone(), minor);
                let (_, decided) = open.entry(name).or_insert((exchange.request, false));
                *decided |= exchange.answer.is_definite();
            }
        }
        let open = open.into_values().filter(|(_, decided)| !decided);
        stream::iter(open).for_each_concurrent(AT_ONCE, |(request, _)| self.insist(request)).await;
    }

    async fn insist(&self, request: Request) {
        let began = Instant::now();
        for place in 0.. {
            let answer = self.send(request.clone(), place, Leaves::Never).await;
            if answer.is_definite() || began.elapsed() > PATIENCE {
                return;
            }
        }
    }

    /// Sends a request and writes down what became of it.
    async fn send(&self, request: Request, place: usize, leaves: Leaves) -> Answer {
        let _turn = self.turns.acquire().await;
        let url = self.servers.url(place);
        let sent = self.history.now();
        let answer = self.outcome(&url, &request, leaves).await.unwrap_or(Answer::Nothing);
        self.history.add(Exchange { request, sent, answered: self.history.now(), answer: answer.clone() });
        answer
    }

    /// The answer, if the client stays for it.
    async fn outcome(&self, url: &str, request: &Request, leaves: Leaves) -> Option<Answer> {
        let asking = self.ask(url, request);
        match leaves {
            Leaves::Never => Some(asking.await),
            Leaves::AfterBytes(share) => self.send_in_part(url, request, share).await,
            Leaves::AfterPolls(polls) => leave_after(polls, asking).await,
            Leaves::After(time) => tokio::time::timeout(time, asking).await.ok(),
        }
    }

    async fn ask(&self, url: &str, request: &Request) -> Answer {
        match self.request(url, request).send().await {
            Ok(response) => read(response).await.unwrap_or(Answer::Nothing),
            Err(_) => Answer::Nothing,
        }
    }

    fn request(&self, url: &str, request: &Request) -> RequestBuilder {
        let mut body = json!({});
        if let Some(amount) = &request.amount {
            body["amount"] = json!(amount);
        }
        if let Some(key) = &request.key {
            body["idempotentKey"] = json!(key);
        }
        if request.dress == Dress::OfAnother {
            body["userId"] = json!(request.person + 1);
        }
        let secret = match request.dress {
            Dress::Unsigned => "nobody",
            _ => self.people.iter().find(|person| person.id == request.person).map_or("nobody", |it| &it.secret),
        };
        let sent = match request.act {
            Act::Recharge => self.client.post(format!("{url}/api/recharge/sync")).json(&body),
            Act::Void => self.client.delete(format!("{url}/api/recharge/keys/{}", encoded(request))),
        };
        let sent = sent.header("cookie", format!("{SESSION_COOKIE}={secret}"));
        if request.dress == Dress::Foreign { sent.header("origin", "http://foreign.example") } else { sent }
    }

    /// Sends the first bytes of a request, or all, and hangs up.
    async fn send_in_part(&self, url: &str, request: &Request, share: usize) -> Option<Answer> {
        let bytes = in_bytes(&self.request(url, request).build().ok()?);
        let mut socket = TcpStream::connect(url.strip_prefix("http://")?).await.ok()?;
        let _ = socket.write_all(&bytes[..bytes.len() * share / 1000]).await;
        None
    }
}

/// The key in an address.
fn encoded(request: &Request) -> String {
    let key = request.key.as_deref().unwrap_or_default();
    key.bytes().map(|byte| format!("%{byte:02X}")).collect::<Vec<_>>().concat()
}

/// A request as it goes over the wire.
fn in_bytes(request: &reqwest::Request) -> Vec<u8> {
    let body = request.body().and_then(|body| body.as_bytes()).unwrap_or_default();
    let (method, path) = (request.method(), request.url().path());
    let mut bytes = format!("{method} {path} HTTP/1.1\r\nhost: localhost\r\n").into_bytes();
    for (name, value) in request.headers() {
        bytes.extend([name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
    }
    bytes.extend(format!("content-length: {}\r\n\r\n", body.len()).into_bytes());
    bytes.extend(body);
    bytes
}

/// One in four leaves.
fn leaves(rng: &mut SmallRng) -> Leaves {
    match rng.random_range(0..16) {
        0 => Leaves::AfterBytes(rng.random_range(0..=1000)),
        1 => Leaves::AfterBytes(1000),
        2 => Leaves::AfterPolls(rng.random_range(0..6)),
        3 => Leaves::After(Duration::from_micros(rng.random_range(0..40_000))),
        _ => Leaves::Never,
    }
}

/// Polls a future so often, and drops it if that was not enough.
async fn leave_after<T>(mut polls: u32, future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    poll_fn(|context| {
        if polls == 0 {
            return Poll::Ready(None);
        }
        polls -= 1;
        future.as_mut().poll(context).map(Some)
    })
    .await
}

/// Reads an answer; nothing, if it is cut off.
async fn read(response: Response) -> Option<Answer> {
    let status = response.status().as_u16();
    let headers = response.headers();
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let (replayed, retry) = (header("idempotent-replayed"), header("retry-after"));
    let text = response.text().await.ok()?;
    let body: Value = serde_json::from_str(&text).unwrap_or_default();
    let answer = match status {
        200 => success(&body, replayed.as_deref()),
        204 if text.is_empty() => Some(Answer::Voided),
        503 if retry.is_none() => None,
        _ => problem(&body, status),
    };
    Some(answer.unwrap_or_else(|| Answer::Strange(format!("{status} {text}"))))
}

fn success(body: &Value, header: Option<&str>) -> Option<Answer> {
    let replayed = body["idempotentHit"].as_bool()?;
    let tokens = body["bonusToken"].as_str()?.parse().ok()?;
    let order_no = body["orderNo"].as_str()?.to_owned();
    let whole = body["status"] == 2 && header == Some(if replayed { "true" } else { "false" });
    whole.then_some(Answer::Success { order_no, tokens, replayed })
}

fn problem(body: &Value, status: u16) -> Option<Answer> {
    let name = body["type"].as_str()?.strip_prefix("/problems/")?.to_owned();
    (body["status"] == status).then_some(Answer::Problem { status, name })
}
