//! The way to a database server can be encrypted and its certificate verified, by what stands in the address.

use std::process::{Command, Output};

use sqlx::{AnyConnection, Connection};

use crate::app::{On, TestApp, TestDatabase};
use crate::engine::on_both_servers;

on_both_servers! {
    an_address_can_ask_for_an_encrypted_and_verified_way;
}

/// The address with what asks for a certificate of this authority.
fn verified(on: On, database: &TestDatabase, authority: &str) -> String {
    let authority = std::env::var(authority).unwrap();
    let url = &database.url;
    match on {
        On::Postgres => format!("{url}?sslmode=verify-full&sslrootcert={authority}"),
        // This one is let in encrypted only.
        _ => format!("{}?ssl-mode=VERIFY_IDENTITY&ssl-ca={authority}", url.replace("recharge:", "encrypted:")),
    }
}

fn migrate(url: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_recharge")).arg("migrate").env("DATABASE_URL", url).output().unwrap()
}

async fn an_address_can_ask_for_an_encrypted_and_verified_way(on: On) {
    let database = TestDatabase::create(on).await;
    let refused = migrate(&verified(on, &database, "TEST_OTHER_CA"));
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(!refused.status.success() && said.contains("certificate"), "{said}");
    assert!(!said.contains("panicked"), "{said}");

    let url = verified(on, &database, "TEST_CA");
    let app = TestApp::start_through(database.into(), &url, &[]).await;
    let person = app.person("tls").await;
    assert_eq!(person.recharge("50", "k").await["idempotentHit"], false);
    if on == On::Postgres {
        let mut connection = AnyConnection::connect(&url).await.unwrap();
        let open: i64 = sqlx::query_scalar(
            "select count(*) from pg_stat_ssl join pg_stat_activity using (pid)
             where application_name = 'recharge' and datname = current_database() and not ssl",
        )
        .fetch_one(&mut connection)
        .await
        .unwrap();
        assert_eq!(open, 0, "a writer's connection is not encrypted");
    }
}
