use std::io::{Read as _, Write as _};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use model::{Identity, Profile};
use server::Options;
use server::auth::{self, NewToken};

use super::stage::{Answer, PATIENCE, Stage, answer};
use crate::common::TestDir;

const KILL: &str = "/kornsole/v1/partition/default/application/etl-1/kill";
const CONFIG: &[u8] = b"partitions: [{name: default, queues: [{name: root, queues: [{name: a}]}]}]";
const JSON: (&str, &str) = ("Content-Type", "application/json");

fn with_token(set: impl FnOnce(&mut Options)) -> (Stage, TestDir, String) {
    let dir = TestDir::new();
    let token = format!("Bearer {}", dir.token("sue", "dev"));
    let stage = Stage::resting("tests/conformance/rest/scenario.yaml".as_ref(), Profile::Kornsole, |options| {
        options.access.tokens = Some(dir.tokens());
        set(options);
    });
    (stage, dir, token)
}

fn code(answer: &Answer) -> (u16, String) {
    (answer.status, answer.json()["code"].as_str().unwrap_or_default().to_owned())
}

#[test]
fn a_client_that_guesses_tokens_is_slowed_down_and_learns_none() {
    let (stage, _dir, token) = with_token(|_| {});
    for number in 0..10 {
        let guessed = format!("Bearer kso_{number}");
        let answer = stage.ask("GET", "/kornsole/v1/config", &[("Authorization", &guessed)], b"");
        assert_eq!(code(&answer), (401, "UNAUTHENTICATED".to_owned()));
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
        assert!(!answer.text().contains("kso_"), "{}", answer.text());
    }
    for _ in 0..2 {
        let guessed = stage.ask("GET", "/kornsole/v1/config", &[("Authorization", "Bearer kso_9")], b"");
        assert_eq!(code(&guessed).0, 401, "few tokens begin like this one");
        let answer = stage.ask("GET", "/kornsole/v1/config", &[("Authorization", &token)], b"");
        assert_eq!(answer.status, 200, "a right one passes from the same address");
    }
    let identical = |number: u32| {
        let guessed = format!("Bearer kso_same{number}");
        stage.ask("GET", "/kornsole/v1/config", &[("Authorization", &guessed)], b"")
    };
    let answers: Vec<_> = (0..11).map(identical).collect();
    assert_eq!(answers.iter().filter(|answer| answer.status == 401).count(), 10);
    assert_eq!(code(&answers[10]), (429, "RATE_LIMITED".to_owned()));
    assert_eq!(answers[10].header("retry-after"), Some("60"));
    assert_eq!(stage.get("/ws/v1/clusters").status, 200, "what needs no token is open");
}

#[test]
fn nothing_is_shown_without_a_token_where_one_is_required() {
    let (stage, _dir, token) = with_token(|options| options.access.require_token = true);
    for path in [
        "/ws/v1/clusters",
        "/ws/v1/config",
        "/ws/v1/events/stream",
        "/ws/v1/metrics",
        "/metrics",
        "/debug/fullstatedump",
        "/no/such/path",
        "/kornsole/v1/openapi.json",
        "/kornsole/v1/config",
    ] {
        let answer = stage.get(path);
        assert_eq!(code(&answer), (401, "UNAUTHENTICATED".to_owned()), "{path}");
    }
    let checked = stage.ask("POST", "/ws/v1/validate-conf", &[], b"partitions: []");
    assert_eq!(code(&checked), (401, "UNAUTHENTICATED".to_owned()));
    for path in ["/livez", "/readyz", "/kornsole/v1/server", "/kornsole/v1/whoami"] {
        assert_eq!(stage.get(path).status, 200, "{path}");
    }
    assert_eq!(stage.get("/kornsole/v1/server").json()["auth"], "required");
    for path in ["/ws/v1/clusters", "/metrics", "/kornsole/v1/config"] {
        assert_eq!(stage.ask("GET", path, &[("Authorization", &token)], b"").status, 200, "{path}");
    }
}

#[test]
fn a_read_only_server_changes_nothing_for_any_user() {
    let (stage, dir, token) = with_token(|options| {
        options.access.read_only = true;
        options.access.owner = "root".to_owned();
    });
    let owner = format!("Bearer {}", dir.token("root", "root"));
    for token in [&token, &owner] {
        let send = |method: &str, path: &str, kind: &str, body: &[u8]| {
            let headers = [("Authorization", token.as_str()), ("Content-Type", kind), ("If-Match", "\"AB\"")];
            code(&stage.ask(method, path, &headers, body))
        };
        let refused = (403, "READ_ONLY".to_owned());
        assert_eq!(send("POST", KILL, "application/json", b"{}"), refused);
        assert_eq!(send("PUT", "/kornsole/v1/config", "application/yaml", CONFIG), refused);
        assert_eq!(send("PUT", "/ws/v1/config", "text/plain", CONFIG), refused);
        assert_eq!(send("POST", "/kornsole/v1/scheduler/resume", "application/json", b"{}"), refused);
        let node = br#"{"id": "n", "capacity": {"vcore": 1}}"#;
        assert_eq!(send("POST", "/kornsole/v1/partition/default/nodes", "application/json", node), refused);
        let read = stage.ask("GET", "/kornsole/v1/config", &[("Authorization", token)], b"");
        assert_eq!(read.status, 200, "what only reads is answered");
    }
    assert_eq!(stage.get("/kornsole/v1/server").json()["readOnly"], true);
}

#[test]
fn no_page_in_a_browser_can_drive_it() {
    let (stage, _dir, token) = with_token(|_| {});
    let auth = ("Authorization", token.as_str());
    // Content types that an HTML form can send.
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"] {
        let answer = stage.ask("POST", KILL, &[auth, ("Content-Type", kind), ("Origin", "http://evil.example")], b"{}");
        assert_eq!((answer.status, &answer.json()["status_code"]), (415, &415.into()), "{kind}");
        assert!(answer.header("access-control-allow-origin").is_none());
    }
    assert_eq!(stage.ask("POST", KILL, &[auth], b"{}").status, 415, "without a type");
    let preflight = stage.ask("OPTIONS", KILL, &[("Origin", "http://evil.example")], b"");
    assert!(preflight.status >= 400 && !preflight.headers.keys().any(|name| name.starts_with("access-control")));
    let answer = stage.ask("POST", KILL, &[auth, JSON], b"{}");
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert!(!answer.headers.keys().any(|name| name.starts_with("access-control")));
}

#[test]
fn other_methods_are_answered_with_those_that_there_are_and_head_is_get_without_its_body() {
    let (stage, _dir, token) = with_token(|_| {});
    let auth = [("Authorization", token.as_str())];
    for (path, allowed) in [("config", "GET, HEAD, PUT"), ("server", "GET, HEAD"), ("permissions", "POST")] {
        let answer = stage.ask("PATCH", &format!("/kornsole/v1/{path}"), &auth, b"");
        assert_eq!((answer.status, answer.header("allow")), (405, Some(allowed)), "{path}");
    }
    let (head, get) = ["HEAD", "GET"].map(|method| stage.ask(method, "/kornsole/v1/config", &auth, b"")).into();
    assert_eq!((head.status, head.body.len()), (200, 0));
    assert_eq!(head.header("etag"), get.header("etag"));
    assert_eq!(head.header("content-length"), Some(get.body.len().to_string().as_str()));
    assert_eq!(stage.ask("HEAD", "/kornsole/v1/config", &[], b"").status, 401);
}

#[test]
fn settings_that_were_made_are_reported_with_the_configuration() {
    let stage = Stage::resting("tests/conformance/rest/scenario.yaml".as_ref(), Profile::Kornsole, |options| {
        let mut settings = config::Settings::default();
        settings.set("event.maxStreams", "7", "--set").unwrap();
        settings.set("drain.webhook", "http://127.0.0.1:1/secret", "--set").unwrap();
        options.extra = settings.extra();
    });
    let json = stage.ask("GET", "/ws/v1/config", &[("Accept", "application/json")], b"").json();
    let message = serde_json::json!({ "event.maxStreams": "7", "drain.webhook": "(set)" });
    assert_eq!(json["Extra"], message, "what a webhook's address says may be a secret");
    let yaml = stage.get("/ws/v1/config");
    assert!(yaml.text().contains("extra:\n    drain.webhook: (set)\n    event.maxStreams: \"7\"\n"), "{}", yaml.text());
}

#[test]
fn pages_may_read_unless_a_token_is_required_and_it_can_be_set() {
    let allowed = |require_token: bool, pages: Option<bool>| {
        let (stage, _dir, token) = with_token(|options| {
            options.access.require_token = require_token;
            options.access.pages = pages;
        });
        let ask = |method: &str, path: &str| {
            let answer = stage.ask(method, path, &[("Authorization", &token), ("Origin", "http://evil.example")], b"");
            answer.headers.keys().any(|name| name.starts_with("access-control"))
        };
        let all = [ask("GET", "/ws/v1/queues"), ask("GET", "/ws/v1/partitions"), ask("OPTIONS", "/ws/v1/partitions")];
        assert!(all[1] == all[2] && !all[0], "{all:?}");
        all[1]
    };
    assert!(allowed(false, None) && !allowed(true, None));
    assert!(allowed(true, Some(true)) && !allowed(false, Some(false)));
}

#[test]
fn what_is_expensive_has_a_budget_for_each_address() {
    let (stage, _dir, token) = with_token(|options| options.limits.work = Duration::ZERO);
    let auth = ("Authorization", token.as_str());
    let yaml = [auth, ("Content-Type", "application/yaml")];
    let path = "/ws/v1/validate-conf";
    assert_eq!(stage.ask("POST", path, &[], CONFIG).status, 200);
    let refused = stage.ask("POST", path, &[], CONFIG);
    assert_eq!(refused.status, 429, "{}", refused.text());
    assert!(refused.header("retry-after").unwrap().parse::<u64>().unwrap() >= 1);
    for (method, path) in [
        ("POST", "/kornsole/v1/config/validate"),
        ("POST", "/kornsole/v1/config/diff"),
        ("PUT", "/kornsole/v1/config?dryRun"),
    ] {
        let refused = stage.ask(method, path, &yaml, CONFIG);
        assert_eq!(code(&refused), (429, "RATE_LIMITED".to_owned()), "{path}");
    }
    assert_eq!(stage.get("/debug/fullstatedump").status, 429);
    assert_eq!(stage.get("/ws/v1/partition/default/queues").status, 200, "lists are not counted");
    let unchanged = stage.ask("PUT", "/kornsole/v1/config", &yaml, CONFIG);
    assert_eq!(code(&unchanged), (428, "CHECKSUM_REQUIRED".to_owned()), "neither are changes");
    let (stage, _dir, _) = with_token(|_| {});
    for _ in 0..50 {
        assert_eq!(stage.ask("POST", path, &[], CONFIG).status, 200, "a usual client never notices");
    }
}

#[test]
fn a_request_names_one_host() {
    let (stage, _dir, _) = with_token(|_| {});
    let reported = |head: &str| {
        let mut stream = stage.connect();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        answer(&bytes)
    };
    for path in ["/ws/v1/clusters", "/kornsole/v1/server", "/livez"] {
        let none = reported(&format!("GET {path} HTTP/1.1\r\nConnection: close\r\n\r\n"));
        assert_eq!((none.status, none.text()), (400, "400 Bad Request: missing required Host header"), "{path}");
        let two = reported(&format!("GET {path} HTTP/1.1\r\nHost: a\r\nHost: a\r\nConnection: close\r\n\r\n"));
        assert_eq!((two.status, two.text()), (400, "400 Bad Request: too many Host headers"), "{path}");
        assert_eq!(reported(&format!("GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")).status, 200);
        assert_eq!(reported(&format!("GET {path} HTTP/1.0\r\n\r\n")).status, 200, "an old client need not");
    }
}

fn listening(stage: &Stage, path: &str, token: &str) -> (std::net::TcpStream, Vec<u8>) {
    let mut stream = stage.connect();
    let head = format!("GET {path} HTTP/1.1\r\nHost: a\r\nAuthorization: {token}\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut seen = Vec::new();
    while !String::from_utf8_lossy(&seen).contains("nstanceUUID") {
        let mut piece = [0; 4096];
        let count = stream.read(&mut piece).unwrap();
        assert!(count > 0, "{}", String::from_utf8_lossy(&seen));
        seen.extend_from_slice(&piece[..count]);
    }
    (stream, seen)
}

fn continues(stream: &mut std::net::TcpStream) -> bool {
    stream.set_read_timeout(Some(Duration::from_millis(400))).unwrap();
    let read_result = match stream.read(&mut [0; 4096]) {
        Ok(count) => count > 0,
        Err(error) => matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut),
    };
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    read_result
}

const STREAMS: [&str; 2] = ["/kornsole/v1/events/stream", "/ws/v1/events/stream"];

#[test]
fn a_client_with_a_revoked_token_receives_nothing_more() {
    let (stage, dir, sue) = with_token(|options| options.access.require_token = true);
    let bob = NewToken::make(Identity::new("bob", ["dev"]), None, false, "").unwrap();
    auth::add(&dir.tokens(), bob.token.clone()).unwrap();
    let bobs = format!("Bearer {}", bob.secret);
    let mut lost: Vec<_> = STREAMS.iter().map(|path| listening(&stage, path, &bobs)).collect();
    let mut retained: Vec<_> = STREAMS.iter().map(|path| listening(&stage, path, &sue)).collect();
    assert!(lost.iter_mut().all(|(stream, _)| continues(stream)));
    let revoked = Instant::now();
    auth::revoke(&dir.tokens(), &bob.token.id).unwrap();
    for (stream, seen) in &mut lost {
        stream.read_to_end(seen).unwrap();
        let text = String::from_utf8_lossy(seen).into_owned();
        assert!(revoked.elapsed() < Duration::from_secs(1), "after {:?}: {text}", revoked.elapsed());
        assert!(text.contains("the token has expired, or was revoked"), "{text}");
    }
    assert!(retained.iter_mut().all(|(stream, _)| continues(stream)), "another token's streams go on");
}

#[test]
fn a_stream_ends_when_its_token_expires() {
    let (stage, dir, _) = with_token(|options| options.access.require_token = true);
    let over = SystemTime::now() + Duration::from_millis(1500);
    let nanos = i64::try_from(over.duration_since(UNIX_EPOCH).unwrap().as_nanos()).unwrap();
    // The file has a resolution of seconds.
    let nanos = nanos / 1_000_000_000 * 1_000_000_000 + 1_000_000_000;
    let brief = NewToken::make(Identity::new("bob", ["dev"]), Some(nanos), false, "").unwrap();
    auth::add(&dir.tokens(), brief.token).unwrap();
    let token = format!("Bearer {}", brief.secret);
    for (mut stream, mut seen) in STREAMS.map(|path| listening(&stage, path, &token)) {
        stream.read_to_end(&mut seen).unwrap();
        let now = i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos()).unwrap();
        let late = (now - nanos) as f64 / 1e9;
        assert!((0.0..1.0).contains(&late), "{late} s after it expired: {}", String::from_utf8_lossy(&seen));
    }
}
