//! Messages while the disk fails: in the REST API and in the console.

use std::net::SocketAddr;
use std::sync::Arc;

use ::engine::Engine;
use ::engine::journal::Journal;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::ConnectInfo;
use axum::http::Request;
use config::{Settings, checksum};
use console::{Driver, Options};
use model::{Acl, Identity, Profile};
use serde_json::Value;
use server::Limits;
use server::auth::{self, NewToken, Tokens};
use server::native::{self, NativeApi, NativeOptions};
use source::Embedded;
use tower::ServiceExt as _;
use wire::convert::Wall;

use super::disk::{BadDisk, Fault};
use crate::common::{TestDir, about, shows};

use super::stage::{CONFIG, Step, engine, on, perform, sue};

fn stage() -> (Arc<BadDisk>, Arc<Engine>, Journal) {
    let disk = Arc::new(BadDisk::default());
    let (core, retained) = on(Arc::clone(&disk) as _).unwrap();
    let journal = retained.journal().clone();
    let engine = Arc::new(engine((core, retained)));
    perform(&engine, Step::Submit("app".to_owned(), "root.a").act()).unwrap();
    (disk, engine, journal)
}

async fn send(router: &Router, token: &str, line: &str, body: &str) -> (u16, Value) {
    let (method, path) = line.split_once(' ').unwrap();
    let kind = if path == "/config" { "application/yaml" } else { "application/json" };
    let request = Request::builder().method(method).uri(format!("/kornsole/v1{path}"));
    let request = request.header("authorization", format!("Bearer {token}")).header("content-type", kind);
    let request = request.header("if-match", format!("\"{}\"", checksum(CONFIG.as_bytes())));
    let peer: SocketAddr = "127.0.0.1:5000".parse().unwrap();
    let request = request.extension(ConnectInfo(peer)).body(Body::from(body.to_owned())).unwrap();
    let response = router.clone().oneshot(request).await.unwrap();
    let status = response.status().as_u16();
    let bytes = to_bytes(response.into_body(), 1 << 20).await.unwrap();
    (status, serde_json::from_slice(&bytes).unwrap())
}

#[tokio::test]
async fn a_client_learns_that_nothing_was_done_and_may_try_again() {
    let scratch = TestDir::new();
    let new = NewToken::make(Identity::new("sue", ["dev"]), None, false, "").unwrap();
    let file = scratch.join("tokens.yaml");
    auth::add(&file, new.token).unwrap();
    for fault in [Fault::Full, Fault::Io, Fault::Short, Fault::Sync] {
        let (disk, engine, journal) = stage();
        let options = NativeOptions {
            tokens: Some(Tokens::open(&file).unwrap()),
            of_jobs: false,
            require_token: false,
            read_only: false,
            standby: None,
            scheduler_acl: Acl::default(),
            owner: "sue".to_owned(),
            tls: false,
            profile: Profile::Kornsole,
            policy_group: "queues".to_owned(),
            events: Settings::default().config().event.clone(),
            limits: Limits::default(),
            alerts: None,
            shadow: None,
        };
        let wall = Wall::new(std::time::UNIX_EPOCH, 1.0);
        let router =
            Router::new().nest("/kornsole/v1", native::routes(NativeApi::new(Arc::clone(&engine), wall, options)));
        disk.fail(0..u64::MAX, fault);
        let other = CONFIG.replace("name: b", "name: c");
        let (kill, pause) = ("POST /partition/default/application/app/kill", "POST /scheduler/pause");
        for (line, body) in [(kill, "{}"), (pause, "{}"), ("PUT /config", other.as_str())] {
            let (status, report) = send(&router, &new.secret, line, body).await;
            assert_eq!((status, report["code"].as_str()), (503, Some("NOT_DURABLE")), "{fault:?} {line}: {report}");
            assert!(report["message"].as_str().is_some_and(|text| text.contains("it was not executed")), "{report}");
            assert!(report["description"].as_str().is_some_and(|text| !text.is_empty()), "{report}");
        }
        let view = engine.published().view();
        assert!(view.partitions[0].apps.iter().flatten().any(|app| app.id.as_str() == "app"), "{fault:?}");
        assert_eq!(view.configuration.as_ref().map(|running| running.revision), Some(1));
        disk.repair();
        journal.wait_until_well();
        assert_eq!(send(&router, &new.secret, kill, "{}").await.0, 200, "{fault:?}: it is taken again by itself");
    }
}

#[test]
fn the_console_reports_a_failing_disk_and_its_recovery() {
    let (disk, engine, journal) = stage();
    let source = Arc::new(Embedded::new(engine, about("kept"), sue()));
    let mut driver = Driver::new(source, Options::default(), 140, 40);
    driver.keys(":apps<ret>").unwrap();
    shows(&driver, "app ");
    disk.fail(0..u64::MAX, Fault::Full);
    driver.keys("K<right><ret>").unwrap().settle();
    shows(&driver, "cannot save the operation; it was not executed: the disk is full");
    shows(&driver, "app ");
    while driver.find_row("PAUSED").is_none() {
        std::thread::yield_now();
        driver.refresh();
    }
    driver.keys(":messages<ret>").unwrap();
    shows(&driver, "cannot write the state: the scheduler is paused until writing works");
    driver.keys("<esc>").unwrap();
    disk.repair();
    journal.wait_until_well();
    while driver.find_row("PAUSED").is_some() {
        std::thread::yield_now();
        driver.refresh();
    }
    driver.keys(":messages<ret>").unwrap();
    shows(&driver, "the state can be written again: the scheduler continues");
    driver.keys("<esc>K<right><ret>").unwrap().settle();
    shows(&driver, "no applications in this partition");
}
