//! Migrations: from the schema before the newest one with data in it, interrupted after any statement, and by several
//! processes at once.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use app::key::IdempotencyKey;
use app::money::Amount;
use app::words::Language;
use server::chain::Intent;
use server::database::Engine;
use server::reads;
use server::writer::Waits;
use sqlx::migrate::Migrator;
use sqlx::{AnyConnection, AssertSqlSafe, Connection, Executor};
use std::time::Duration;

use crate::app::{On, TestDatabase, assert_verified};
use crate::engine::on_every_engine;
use crate::interleave::recharge_outside;
use crate::slices::three_people;

on_every_engine! {
    an_older_schema_with_data_is_brought_up_to_date;
    an_interrupted_migration_is_finished;
    several_processes_migrate_at_once;
}

/// The files of the engine's migrations, in order.
fn files(on: On) -> Vec<PathBuf> {
    let engine = match on {
        On::Sqlite => "sqlite",
        On::Postgres => "postgres",
        On::MySql => "mysql",
    };
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../migrations").join(engine);
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    files
}

/// Applies the first so many migrations, as a program that had no more of them.
async fn migrate_to(on: On, database: &TestDatabase, version: usize) {
    let folder = tempfile::tempdir().unwrap();
    for file in &files(on)[..version] {
        fs::copy(file, folder.path().join(file.file_name().unwrap())).unwrap();
    }
    let migrator = Migrator::new(folder.path()).await.unwrap();
    let mut connection = connect(on, database).await;
    migrator.run(&mut connection).await.unwrap();
    connection.close().await.unwrap();
}

/// A connection that makes a file if it is missing.
async fn connect(on: On, database: &TestDatabase) -> AnyConnection {
    sqlx::any::install_default_drivers();
    let url = if on == On::Sqlite { format!("{}?mode=rwc", database.url) } else { database.url.clone() };
    AnyConnection::connect(&url).await.unwrap()
}

/// Brings the database up to date as the program does, and recharges: the key that was used before is a replay.
async fn go_on(database: &TestDatabase, user_id: i64, used: Option<&str>) {
    let settings = database.settings();
    let engine = Engine::choose(&settings).unwrap();
    server::database::migrate(&settings, &engine).await.unwrap();
    let reader = database.connect().await;
    server::database::check_guards(&settings, &engine, &reader).await.unwrap();
    let waits = Waits { answer: Duration::from_mins(1), attempt: Duration::from_secs(10) };
    let (writer, running) = engine.start_writers(10, waits);
    let recharge = |key: &str| {
        writer.recharge(Intent {
            user_id,
            key: IdempotencyKey::parse(key).unwrap(),
            amount: Amount::from_minor(5_000),
            currency: "USD".parse().unwrap(),
        })
    };
    if let Some(used) = used {
        assert!(recharge(used).await.unwrap().replayed);
    }
    assert!(!recharge("new").await.unwrap().replayed);
    let orders = reads::orders(&reader, user_id, Language::English, None).await.unwrap().rows;
    let keys: Vec<&str> = orders.iter().map(|order| order.key.as_str()).collect();
    assert_eq!(keys, ["new"].into_iter().chain(used).collect::<Vec<_>>(), "newest first");
    drop(writer);
    running.end().await;
    assert_verified(database);
}

async fn an_older_schema_with_data_is_brought_up_to_date(on: On) {
    let database = TestDatabase::create(on).await;
    migrate_to(on, &database, files(on).len() - 1).await;
    let user_id = three_people(&database.connect().await).await;
    let mut connection = database.connection().await;
    recharge_outside(&mut connection, user_id, "before").await;
    connection.execute("commit").await.unwrap();
    connection.close().await.unwrap();
    go_on(&database, user_id, Some("before")).await;
}

/// The program dies after each statement of each migration.
async fn an_interrupted_migration_is_finished(on: On) {
    for (before, file) in files(on).iter().enumerate() {
        let text = fs::read_to_string(file).unwrap();
        // A trigger of SQLite and a function of PostgreSQL have statements in them: there a migration is one transaction,
        // and it does not matter how much of it had been done.
        let statements: Vec<&str> =
            if on == On::MySql { text.split_inclusive(";\n").collect() } else { vec![text.as_str()] };
        for done in 1..=statements.len() {
            let database = TestDatabase::create(on).await;
            migrate_to(on, &database, before).await;
            let mut connection = connect(on, &database).await;
            if on == On::MySql {
                // The library marks a migration as begun before it begins it.
                let migrator = Migrator::new(file.parent().unwrap()).await.unwrap();
                let migration = &migrator.migrations[before];
                if before > 0 {
                    let mark = "insert into _sqlx_migrations (version, description, success, checksum, execution_time)
                                values (?, ?, false, ?, -1)";
                    let mark = sqlx::query(mark).bind(migration.version).bind(migration.description.to_string());
                    mark.bind(migration.checksum.to_vec()).execute(&mut connection).await.unwrap();
                }
            } else {
                connection.execute("begin").await.unwrap();
            }
            for statement in &statements[..done] {
                let statement = sqlx::raw_sql(AssertSqlSafe((*statement).to_owned()));
                connection.execute(statement).await.unwrap();
            }
            // What a process that dies has not committed is rolled back.
            connection.close().await.unwrap();
            let settings = database.settings();
            let engine = Engine::choose(&settings).unwrap();
            server::database::migrate(&settings, &engine).await.unwrap();
            let user_id = three_people(&database.connect().await).await;
            go_on(&database, user_id, None).await;
        }
    }
}

async fn several_processes_migrate_at_once(on: On) {
    let database = TestDatabase::create(on).await;
    let started: Vec<_> = (0..4)
        .map(|_| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_recharge"));
            command.arg("migrate").env("DATABASE_URL", &database.url).spawn().unwrap()
        })
        .collect();
    for process in started {
        assert!(process.wait_with_output().unwrap().status.success());
    }
    let user_id = three_people(&database.connect().await).await;
    go_on(&database, user_id, None).await;
}
