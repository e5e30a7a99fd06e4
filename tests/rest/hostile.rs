//! Malicious or broken clients are answered or disconnected, and others are served meanwhile.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use model::Profile;
use server::Options;

use super::stage::{Stage, answer};

pub const SHORT: Duration = Duration::from_millis(300);

/// A server with short timeouts.
pub fn impatient(set: impl FnOnce(&mut Options)) -> Stage {
    Stage::resting("tests/conformance/rest/scenario.yaml".as_ref(), Profile::Kornsole, |options| {
        options.limits.header = SHORT;
        options.limits.body = SHORT;
        options.limits.config_bytes = 1 << 16;
        set(options);
    })
}

/// Returns the server's complete answer to some bytes.
pub fn reported(stage: &Stage, bytes: &[u8]) -> Vec<u8> {
    let mut stream = stage.connect();
    let _ = stream.write_all(bytes);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    answer
}

#[test]
fn who_sends_half_a_request_is_hung_up_on() {
    let stage = impatient(|_| {});
    let halves: [&[u8]; 6] = [
        b"",
        b"G",
        b"GET /ws/v1/clusters HTTP/1.1\r\nHost: a\r\n",
        b"GET /ws/v1/clusters HTTP/1.1\r\nX-A: ",
        b"POST /ws/v1/validate-conf HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\npart",
        b"POST /ws/v1/validate-conf HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\nx",
    ];
    for half in halves {
        let started_at = Instant::now();
        let got = reported(&stage, half);
        assert!(started_at.elapsed() < Duration::from_secs(20), "{:?} was waited for", String::from_utf8_lossy(half));
        assert!(got.is_empty() || answer(&got).status >= 400, "{:?}", String::from_utf8_lossy(&got));
    }
    assert_eq!(stage.get("/ws/v1/clusters").status, 200);
}

#[test]
fn what_is_no_http_is_refused() {
    let stage = impatient(|_| {});
    let long = format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "a".repeat(100_000));
    let many = format!("GET /ws/v1/clusters HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(1000));
    let odd: [&[u8]; 6] = [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        long.as_bytes(),
        many.as_bytes(),
    ];
    for bytes in odd {
        let got = reported(&stage, bytes);
        assert!(got.is_empty() || answer(&got).status >= 400, "{:?}", String::from_utf8_lossy(&got));
    }
    assert_eq!(stage.get("/ws/v1/clusters").status, 200);
}

#[test]
fn bodies_are_bounded() {
    let stage = impatient(|_| {});
    let ask = |size: usize| stage.ask("POST", "/ws/v1/validate-conf", &[], &vec![b'a'; size]).status;
    assert_eq!((ask(1 << 16), ask((1 << 16) + 1)), (200, 413));
    let claimed = b"POST /ws/v1/validate-conf HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999\r\n\r\n";
    assert_eq!(answer(&reported(&stage, claimed)).status, 413);
}

#[test]
fn unusual_paths_are_answered() {
    let stage = impatient(|_| {});
    let paths = [
        ("/ws/v1/partition/default/queue/%", 400),
        ("/ws/v1/partition/default/queue/%zz", 400),
        ("/ws/v1/partition/default/queue/root.a%25zz", 400),
        ("/ws/v1/partition/default/queue/%252e%252e", 400),
        ("/ws/v1/partition/default/queue/root..a", 400),
        ("/ws/v1/partition/default/queue/%ff%fe", 400),
        ("/ws/v1/partition/default/queue/root.a%2Fb", 404),
        ("/ws/v1/partition//queues", 404),
        ("/ws/v1/partition/%00/queues", 404),
        ("/ws/v1/partition/default/queue/root.@recovery@", 404),
        ("/ws/v1/partition/default/usage/user/%24%24", 400),
        ("/ws/v1/partition/default/usage/group/*", 400),
        ("/ws/v1/partition/nope/usage/users", 404),
        ("/ws/v1/partition/default/applications/active?status=lost", 400),
        ("/ws/v1/partition/default/applications/active?status=", 200),
        ("/ws/v1/partition/default/applications/ACTIVE?status=Starting", 200),
        ("/ws/v1/partition/default/application/done-1", 200),
        ("/ws/v1/events/batch?start=-1", 400),
        ("/ws/v1/events/batch?count=18446744073709551616", 400),
        ("/ws/v1/events/batch?count=18446744073709551615&start=18446744073709551615", 200),
        ("/ws/v1/events/stream?count=x", 400),
        ("/ws/v1/scheduler/node-utilizations", 200),
        ("/debug/stack", 404),
        ("/metrics", 200),
        ("/..%2f..%2fetc/passwd", 404),
    ];
    for (path, status) in paths {
        let got = stage.get(path);
        assert_eq!(got.status, status, "{path}: {}", got.text());
        let json = got.header("content-type").is_some_and(|kind| kind.starts_with("application/json"));
        if json && status >= 400 {
            assert_eq!(got.json()["status_code"], status, "{path}");
        }
    }
}

#[test]
fn connections_are_bounded_and_given_back() {
    let stage = impatient(|options| options.limits.connections_per_peer = 3);
    let streams: Vec<_> = (0..3)
        .map(|_| {
            let mut stream = stage.connect();
            stream.write_all(b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
            let mut first = [0; 12];
            stream.read_exact(&mut first).unwrap();
            assert_eq!(&first, b"HTTP/1.1 200");
            stream
        })
        .collect();
    assert!(reported(&stage, b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n").is_empty(), "the fourth is turned away");
    drop(streams);
    let started_at = Instant::now();
    while reported(&stage, b"GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").is_empty() {
        assert!(started_at.elapsed() < super::stage::PATIENCE);
    }
}

#[test]
fn streams_are_bounded_and_end_with_the_server() {
    let stage = impatient(|options| options.events.max_streams_per_host = 1);
    let mut stream = stage.connect();
    stream.write_all(b"GET /ws/v1/events/stream?count=2 HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
    let mut seen = Vec::new();
    while seen.iter().filter(|byte| **byte == b'}').count() < 4 {
        let mut piece = [0; 512];
        let count = stream.read(&mut piece).unwrap();
        assert!(count > 0, "{:?}", String::from_utf8_lossy(&seen));
        seen.extend_from_slice(&piece[..count]);
    }
    assert_eq!(stage.get("/ws/v1/events/stream").status, 503, "one for each address");
    stage.server.start_to_stop();
    stream.read_to_end(&mut seen).unwrap();
    let text = String::from_utf8_lossy(&answer(&seen).body).into_owned();
    let lines: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["InstanceUUID"], "test", "{text}");
    assert!(lines[1]["timestampNano"].is_i64() && lines[2]["timestampNano"].is_i64(), "{text}");
    assert_eq!(lines[3]["status_code"], 200, "the last line says that it is over: {text}");
}

#[test]
fn head_options_and_gzip() {
    let stage = impatient(|_| {});
    let path = "/ws/v1/partition/default/queues";
    let (get, head) = (stage.get(path), stage.ask("HEAD", path, &[], b""));
    assert_eq!((head.status, head.body.len()), (200, 0));
    assert_eq!(head.header("content-length"), Some(get.body.len().to_string().as_str()));
    let packed = stage.ask("GET", path, &[("Accept-Encoding", "deflate, gzip")], b"");
    assert_eq!(packed.header("content-encoding"), Some("gzip"));
    assert!(packed.header("vary").is_some_and(|vary| vary.eq_ignore_ascii_case("accept-encoding")));
    assert_eq!(packed.body[..2], [0x1f, 0x8b]);
    let refused = stage.ask("GET", path, &[("Accept-Encoding", "gzip;q=0")], b"");
    assert_eq!((refused.header("content-encoding"), &refused.body), (None, &get.body));
    let small = stage.ask("GET", "/ws/v1/clusters", &[("Accept-Encoding", "gzip")], b"");
    assert_eq!(small.header("content-encoding"), None);
    let preflight = stage.ask("OPTIONS", path, &[], b"");
    assert_eq!((preflight.status, preflight.header("access-control-allow-origin")), (200, Some("*")));
}
