//! Resources that clients occupy are bounded and released.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ::config::{self, Settings};
use engine::{Core, Engine, Setup};
use model::{AppId, Identity, Profile, Resource};
use scheduler::{AskSpec, PartitionCommand, Submission};
use server::{Options, TlsFiles};

use super::hostile::{SHORT, impatient, reported};
use super::stage::{PATIENCE, Stage, answer};
use crate::common::TestDir;

fn listen(stage: &Stage, request: &str) -> (TcpStream, [u8; 12]) {
    let (mut stream, mut status) = (stage.connect(), [0; 12]);
    stream.write_all(request.as_bytes()).unwrap();
    stream.read_exact(&mut status).unwrap();
    (stream, status)
}

fn is_dropped(request: &str, set: impl FnOnce(&mut Options)) {
    let stage = impatient(|options| {
        options.events.max_streams_per_host = 1;
        options.limits.stream_write = SHORT;
        // Only clients that read nothing may be disconnected, even on a slow machine.
        options.limits.header = PATIENCE;
        set(options);
    });
    let (_stuck, status) = listen(&stage, request);
    assert!(status.ends_with(b"200"));
    let apply = |command: PartitionCommand| {
        stage.engine.apply(command.into()).recv_timeout(PATIENCE).expect("the scheduler is resumed");
    };
    let who = Identity::new("sue", ["dev"]);
    let started_at = Instant::now();
    for round in 0.. {
        // In total more than the system buffers for a connection.
        let app = AppId::from(format!("loud-{round}"));
        let (queue, who) = ("root.tenants.tenant-a.etl".to_owned(), who.clone());
        apply(PartitionCommand::Submit(Submission { app: app.clone(), queue, who, ..Submission::default() }));
        let resource: Resource = [("vcore", 1)].into_iter().collect();
        let ask = AskSpec { app: app.clone(), id: "t".into(), count: 5000, resource, ..AskSpec::default() };
        apply(PartitionCommand::Ask(ask));
        apply(PartitionCommand::Remove { app });
        assert_eq!(stage.get("/ws/v1/clusters").status, 200, "others are served meanwhile");
        if listen(&stage, request).1.ends_with(b"200") {
            break;
        }
        assert!(started_at.elapsed() < PATIENCE, "the place of the stuck client is never given back");
    }
}

#[test]
fn who_reads_nothing_of_a_stream_is_dropped() {
    is_dropped("GET /ws/v1/events/stream HTTP/1.1\r\nHost: a\r\n\r\n", |_| {});
}

#[test]
fn who_reads_nothing_of_our_own_stream_is_dropped() {
    let dir = TestDir::new();
    let token = dir.token("sue", "dev");
    let request =
        format!("GET /kornsole/v1/events/stream HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\n\r\n");
    is_dropped(&request, |options| options.access.tokens = Some(dir.tokens()));
}

#[test]
fn streams_of_our_own_are_counted_by_user() {
    let dir = TestDir::new();
    let tokens = [dir.token("sue", "dev"), dir.token("ann", "ml")];
    let stage = impatient(|options| {
        options.events.max_streams_per_host = 2;
        options.events.max_streams = 3;
        options.limits.header = PATIENCE;
        options.access.tokens = Some(dir.tokens());
    });
    let open = |who: usize| {
        let head = format!("Host: a\r\nAuthorization: Bearer {}\r\n\r\n", tokens[who]);
        listen(&stage, &format!("GET /kornsole/v1/events/stream HTTP/1.1\r\n{head}"))
    };
    let status = |who: usize| String::from_utf8_lossy(&open(who).1[9..]).into_owned();
    let sue = [open(0), open(0)];
    assert!(sue.iter().all(|(_, status)| status.ends_with(b"200")));
    assert_eq!(status(0), "503", "two for each user");
    let ann = open(1);
    assert!(ann.1.ends_with(b"200"), "another user has his own");
    assert_eq!(status(1), "503", "three for all");
    drop((sue, ann));
    let started_at = Instant::now();
    while status(1) != "200" {
        assert!(started_at.elapsed() < PATIENCE, "places are given back");
    }
}

fn wide(set: impl FnOnce(&mut Options)) -> Stage {
    let queues: String = (0..1000).map(|number| format!("{{name: q{number}}},")).collect();
    let text = format!("partitions: [{{name: default, queues: [{{name: root, queues: [{queues}]}}]}}]");
    let config = Arc::new(config::read(&text, Profile::Kornsole).config.unwrap());
    let core = Core::set_up(&Setup::of(Profile::Kornsole), config, None).unwrap();
    Stage::serve(Arc::new(Engine::start(core, 1.0).unwrap()), Profile::Kornsole, set)
}

#[test]
fn unread_answers_are_bounded() {
    const TREE: &str = "/ws/v1/partition/default/queues";
    let stage = wide(|options| {
        options.limits.answers = 1;
        options.limits.write = PATIENCE;
        options.limits.header = PATIENCE;
    });
    assert_eq!(stage.get(TREE).status, 200, "what is alone is always answered");
    let mut stuck = stage.connect();
    stuck.write_all(format!("GET {TREE} HTTP/1.1\r\nHost: a\r\n\r\n").repeat(200).as_bytes()).unwrap();
    let until = |status: u16| {
        let started_at = Instant::now();
        while stage.get(TREE).status != status {
            assert!(started_at.elapsed() < PATIENCE, "it never gets to {status}");
        }
    };
    until(503);
    assert_eq!(stage.get("/ws/v1/partition/default/queue/root.q7").status, 200, "small ones are answered all the same");
    drop(stuck);
    until(200);
}

#[test]
fn missing_bodies_are_not_awaited() {
    let dir = TestDir::new();
    let token = dir.token("sue", "dev");
    let stage = impatient(|options| {
        options.access.tokens = Some(dir.tokens());
        options.limits.bodies = 1;
        options.limits.header = PATIENCE;
    });
    let started = |path: &str| {
        let head = format!("Host: a\r\nAuthorization: Bearer {token}\r\nContent-Type: application/yaml\r\n");
        format!("POST {path} HTTP/1.1\r\n{head}Content-Length: 100\r\n\r\npart")
    };
    for path in ["/ws/v1/validate-conf", "/kornsole/v1/config/validate"] {
        let started_at = Instant::now();
        let got = answer(&reported(&stage, started(path).as_bytes()));
        assert!([400, 408].contains(&got.status), "{path}: {}", got.text());
        assert!(got.text().contains("timed out"), "{path}: {}", got.text());
        assert!(started_at.elapsed() < Duration::from_secs(20), "{path} was waited for");
        let mut first = stage.connect();
        first.write_all(started(path).as_bytes()).unwrap();
        let kind = [("Content-Type", "application/yaml"), ("Authorization", &*format!("Bearer {token}"))];
        let started_at = Instant::now();
        while stage.ask("POST", path, &kind, b"partitions: []").status != 200 {
            assert!(started_at.elapsed() < PATIENCE, "the room is given back");
        }
    }
}

#[test]
fn a_handshake_that_does_not_continue_is_canceled() {
    let dir = TestDir::new();
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let files = TlsFiles { certificate: dir.join("chain.pem"), key: dir.join("key.pem") };
    std::fs::write(&files.certificate, made.cert.pem()).unwrap();
    std::fs::write(&files.key, made.signing_key.serialize_pem()).unwrap();
    let stage = impatient(|options| options.tls = Some(files));
    let hello: [&[u8]; 3] = [b"", b"\x16\x03\x01\x02\x00\x01\x00", b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n"];
    for started in hello {
        let started_at = Instant::now();
        let got = reported(&stage, started);
        assert!(started_at.elapsed() < Duration::from_secs(20), "{started:?} was waited for");
        assert!(!got.starts_with(b"HTTP"), "nothing is said in plain text: {:?}", String::from_utf8_lossy(&got));
    }
}

#[test]
fn the_native_stream_reports_losses_heartbeats_and_its_end() {
    let dir = TestDir::new();
    let token = dir.token("sue", "dev");
    let mut settings = Settings::default();
    settings.set("event.ringBufferCapacity", "100", "--set").unwrap();
    let text = "partitions: [{name: default, queues: [{name: root, submitacl: '*', queues: [{name: a}]}]}]";
    let config = Arc::new(config::read(text, Profile::Kornsole).config.unwrap());
    let core = Core::set_up(&Setup::by(Profile::Kornsole, settings.config()), config, None).unwrap();
    let stage = Stage::serve(Arc::new(Engine::start(core, 1.0).unwrap()), Profile::Kornsole, |options| {
        options.access.tokens = Some(dir.tokens());
        options.limits.heartbeat = Duration::from_millis(20);
    });
    for number in 0..2000 {
        let (app, queue) = (AppId::from(format!("app-{number}")), "root.a".to_owned());
        let who = Identity::new("sue", ["dev"]);
        let submit = PartitionCommand::Submit(Submission { app, queue, who, ..Submission::default() });
        stage.engine.apply(submit.into()).recv_timeout(PATIENCE).unwrap();
    }
    let head = format!("Host: a\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n");
    let mut stream = stage.connect();
    stream.write_all(format!("GET /kornsole/v1/events/stream?since=3 HTTP/1.1\r\n{head}").as_bytes()).unwrap();
    let mut seen = Vec::new();
    while !String::from_utf8_lossy(&seen).contains("heartbeat") {
        let mut piece = [0; 4096];
        let count = stream.read(&mut piece).unwrap();
        assert!(count > 0, "it ended before it said that it lives: {}", String::from_utf8_lossy(&seen));
        seen.extend_from_slice(&piece[..count]);
    }
    stage.server.start_to_stop();
    stream.read_to_end(&mut seen).unwrap();
    let text = answer(&seen).text().to_owned();
    let lines: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let lowest = lines[0]["lowest"].as_u64().unwrap();
    assert!(lines[0]["instanceUUID"].is_string() && lowest > 3, "{}", lines[0]);
    assert_eq!(lines[1], serde_json::json!({ "gap": { "from": 3, "to": lowest - 1 } }));
    let ids: Vec<u64> = lines.iter().filter_map(|line| line["id"].as_u64()).collect();
    let highest = lines[0]["highest"].as_u64().unwrap();
    assert_eq!(ids, (lowest..=highest).collect::<Vec<_>>(), "each once, in order");
    let beats: Vec<u64> = lines.iter().filter_map(|line| line["heartbeat"].as_u64()).collect();
    assert!(!beats.is_empty() && beats.is_sorted() && beats[0] > 1_600_000_000_000_000_000, "{beats:?}");
    assert_eq!(lines.last().unwrap(), &serde_json::json!({ "end": "the server is stopping" }));
}
