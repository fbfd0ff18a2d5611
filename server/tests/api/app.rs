//! A server of its own for each test, and what a test asks of it.

use std::process::{Command, Output};
use std::sync::Arc;

use clap::Parser;
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, Response};
use serde_json::{Value, json};
use server::database::Database;
use server::serve::{self, Bound};
use server::settings::{DatabaseSettings, ServerSettings};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

pub use crate::engine::{On, TestDatabase};

/// A running server with a database of its own.
pub struct TestApp {
    pub url: String,
    pub database: Arc<TestDatabase>,
    stop: Option<oneshot::Sender<()>>,
    serving: JoinHandle<()>,
}

/// A person who is signed in, with a browser's worth of cookies.
#[derive(Clone)]
pub struct Person {
    pub client: Client,
    pub url: String,
    pub email: String,
    pub user_id: i64,
}

/// What the database holds of one person and key: the counts by which every case is judged.
#[derive(Debug, PartialEq, Eq)]
pub struct Facts {
    pub orders: i64,
    pub completed: i64,
    pub ledger_rows: i64,
    pub balance: i64,
}

#[derive(Parser)]
struct Settings {
    #[command(flatten)]
    database: DatabaseSettings,
    #[command(flatten)]
    server: ServerSettings,
}

impl TestApp {
    /// Starts a server with the usual settings.
    pub async fn start(on: On) -> Self {
        Self::start_with(on, &[]).await
    }

    /// Starts a server with some settings of the test's own.
    pub async fn start_with(on: On, settings: &[&str]) -> Self {
        Self::start_in(TestDatabase::create(on).await, settings).await
    }

    /// Starts a server on a database that is there, and that other servers may share.
    pub async fn start_in(database: impl Into<Arc<TestDatabase>>, settings: &[&str]) -> Self {
        let database = database.into();
        let url = database.url.clone();
        Self::start_through(database, &url, settings).await
    }

    /// Starts a server that reaches its database at another address than the test does.
    pub async fn start_through(database: Arc<TestDatabase>, address: &str, settings: &[&str]) -> Self {
        let bound = bind(address, settings).await.unwrap();
        let url = format!("http://{}", bound.addr);
        let (stop, stopped) = oneshot::channel();
        let serving = tokio::spawn(async move {
            let told = async move {
                let _ = stopped.await;
            };
            bound.serve(told).await.unwrap();
        });
        Self { url, database, stop: Some(stop), serving }
    }

    /// Stops the server in good order and gives its database back.
    pub async fn stop(mut self) -> Arc<TestDatabase> {
        let _ = self.stop.take().unwrap().send(());
        self.serving.await.unwrap();
        self.database
    }

    /// Connections to the database that are not the server's.
    pub async fn connect(&self) -> Database {
        self.database.connect().await
    }

    /// A new person who has signed up.
    pub async fn person(&self, name: &str) -> Person {
        sign_up(&self.url, name).await
    }

    /// So many new people. Signing up is not what the tests are about, so their passwords are hashed two at a time only.
    pub async fn people(&self, count: usize) -> Vec<Person> {
        let mut people = Vec::with_capacity(count);
        for number in 0..count {
            people.push(self.person(&format!("person{number}")).await);
        }
        people
    }

    pub async fn facts(&self, person: &Person, key: &str) -> Facts {
        facts(&self.database, person.user_id, key).await
    }

    /// What `recharge verify` says.
    pub fn verify(&self) -> Output {
        verify(&self.database)
    }

    /// Fails unless `recharge verify` finds everything in order.
    pub fn assert_verified(&self) {
        assert_verified(&self.database);
    }
}

impl Person {
    /// The same person at another server of the same database.
    pub fn at(&self, app: &TestApp) -> Self {
        Self { url: app.url.clone(), ..self.clone() }
    }

    /// A recharge through the JSON API, ready to be sent.
    pub fn sync(&self, amount: &str, key: &str) -> RequestBuilder {
        self.post(&json!({ "amount": amount, "idempotentKey": key }))
    }

    /// A body for the JSON API, ready to be sent.
    pub fn post(&self, body: &Value) -> RequestBuilder {
        self.client.post(format!("{}/api/recharge/sync", self.url)).json(body)
    }

    /// A recharge through the plain form, ready to be sent.
    pub fn form(&self, amount: &str, key: &str) -> RequestBuilder {
        self.client.post(&self.url).form(&[("amount", amount), ("idempotency_key", key)])
    }

    /// A recharge through the page's server function, ready to be sent.
    pub fn page(&self, amount: &str, key: &str) -> RequestBuilder {
        let form = [("amount", amount), ("idempotency_key", key)];
        self.client.post(format!("{}/api/page/recharge", self.url)).form(&form)
    }

    pub async fn get(&self, path: &str) -> Response {
        self.client.get(format!("{}{path}", self.url)).send().await.unwrap()
    }

    /// Recharges through the JSON API and expects it to stand.
    pub async fn recharge(&self, amount: &str, key: &str) -> Value {
        let response = self.sync(amount, key).send().await.unwrap();
        assert_eq!(response.status(), 200, "{}", response.text().await.unwrap());
        response.json().await.unwrap()
    }

    pub async fn balance(&self) -> i64 {
        let account: Value = self.get("/api/account").await.json().await.unwrap();
        account["balance"].as_str().unwrap().parse().unwrap()
    }
}

/// A client that keeps cookies and does not follow redirects: what an answer says is what is asserted.
pub fn browser() -> Client {
    Client::builder().cookie_store(true).redirect(Policy::none()).build().unwrap()
}

pub async fn sign_up(url: &str, name: &str) -> Person {
    let client = browser();
    let email = format!("{name}@example.com");
    let form = [("email", email.as_str()), ("password", "correct horse")];
    let response = client.post(format!("{url}/sign-up")).form(&form).send().await.unwrap();
    assert_eq!(response.status(), 303);
    let account: Value = client.get(format!("{url}/api/account")).send().await.unwrap().json().await.unwrap();
    Person { client, url: url.to_owned(), email, user_id: account["userId"].as_i64().unwrap() }
}

/// A server that listens on a free port and has not begun to answer.
pub async fn bind(database_url: &str, settings: &[&str]) -> Result<Bound, serve::StartError> {
    let words = ["recharge", "--database-url", database_url, "--addr", "127.0.0.1:0"];
    let settings = Settings::parse_from(words.iter().chain(settings));
    serve::bind(&settings.database, &settings.server).await
}

pub async fn facts(database: &TestDatabase, user_id: i64, key: &str) -> Facts {
    let database = database.connect().await;
    let orders: Vec<(String, i64)> = sqlx::query_as(
        database.sql("select order_no, status from recharge_order where user_id = $1 and idempotency_key = $2"),
    )
    .bind(user_id)
    .bind(key)
    .fetch_all(&database.pool)
    .await
    .unwrap();
    let ledger: Vec<(String, i64)> =
        sqlx::query_as(database.sql("select biz_id, id from token_ledger where user_id = $1"))
            .bind(user_id)
            .fetch_all(&database.pool)
            .await
            .unwrap();
    let balance: Option<i64> = sqlx::query_scalar(database.sql("select balance from token_account where user_id = $1"))
        .bind(user_id)
        .fetch_optional(&database.pool)
        .await
        .unwrap();
    let ours = |order: &str| orders.iter().any(|(order_no, _)| order_no == order);
    let count = |number: usize| i64::try_from(number).unwrap();
    Facts {
        orders: count(orders.len()),
        completed: count(orders.iter().filter(|(_, status)| *status == 2).count()),
        ledger_rows: count(ledger.iter().filter(|(order, _)| ours(order)).count()),
        balance: balance.unwrap_or_default(),
    }
}

pub fn verify(database: &TestDatabase) -> Output {
    Command::new(env!("CARGO_BIN_EXE_recharge")).arg("verify").env("DATABASE_URL", &database.url).output().unwrap()
}

pub fn assert_verified(database: &TestDatabase) {
    let output = verify(database);
    let said = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&said));
}

/// The status of an answer, and whether it says that it is a replay.
pub fn told(response: &Response) -> (u16, &str) {
    (response.status().as_u16(), response.headers()["idempotent-replayed"].to_str().unwrap())
}

/// One credit of so many tokens, and nothing else.
pub fn once(balance: i64) -> Facts {
    Facts { orders: 1, completed: 1, ledger_rows: 1, balance }
}

/// No trace.
pub fn nothing() -> Facts {
    Facts { orders: 0, completed: 0, ledger_rows: 0, balance: 0 }
}
