//! Plugins are shell scripts.

use std::io::BufRead as _;
use std::io::BufReader;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::super::bounds::Bounds;
use super::super::{Cluster, Known, Wanted};
use super::*;

const LONGEST: Duration = Duration::from_secs(2);

fn scratch(name: &str) -> PathBuf {
    let dir = std::env::temp_dir().join(format!("kornsole-plugin-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    dir
}

fn script(dir: &Path, lines: &str) {
    let plugin = dir.join("plug");
    std::fs::write(&plugin, format!("#!/bin/sh\n{lines}\n")).unwrap();
    std::fs::set_permissions(&plugin, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn cluster(dir: &Path, server: &str, command: &str) -> Cluster {
    let text = format!(
        "current-context: c\ncontexts: [{{name: c, context: {{cluster: k, user: u}}}}]\nclusters: [{{name: k, cluster: {{server: \
         '{server}'}}}}]\nusers: [{{name: u, user: {{exec: {{apiVersion: client.authentication.k8s.io/v1, command: \
         {command}, interactiveMode: Never, installHint: \"get it\\nfrom example.org\"}}}}}}]\n"
    );
    let file = dir.join("config");
    std::fs::write(&file, text).unwrap();
    let known = Known::of(std::slice::from_ref(&file)).unwrap();
    let context = known.context(None).unwrap();
    Cluster::new(known, context, Wanted::default()).with_bounds(Bounds { whole: LONGEST, ..Bounds::default() })
}

/// Answers each connection once, with a version; returns the credentials that it received.
fn server() -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (give, received) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = BufReader::new(stream.unwrap());
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") && stream.read_line(&mut head).unwrap() > 0 {}
            let credential = head.lines().find_map(|line| line.strip_prefix("authorization: ")).unwrap_or_default();
            let body = r#"{"major": "1", "minor": "30", "gitVersion": "v1.30.0"}"#;
            let head = format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
            let _ = give.send(credential.to_owned());
            let _ = stream.get_mut().write_all((head + body).as_bytes());
        }
    });
    (address, received)
}

/// A script that counts how often it runs, and gives the count as its token.
fn counting(dir: &Path, more: &str) -> String {
    let count = dir.join("count").display().to_string();
    format!("echo x >> {count}\necho '{{\"status\": {{\"token\": \"t'$(wc -l < {count})'\"{more}}}}}'")
}

#[tokio::test]
async fn a_plugin_runs_once_and_its_output_is_used() {
    let dir = scratch("once");
    let count = dir.join("count");
    script(&dir, &format!("echo x >> {}\necho \"session expired\" >&2\nexit 1", count.display()));
    let at = "https://127.0.0.1:1";
    let failing = cluster(&dir, at, "./plug");
    let (one, two) = tokio::join!(failing.version(), failing.who());
    let why = one.unwrap_err().to_string();
    assert!(why.ends_with("failed with exit status: 1: session expired") && why.contains("plug"), "{why}");
    assert!(!why.contains("KUBERNETES_EXEC_INFO"), "{why}");
    assert!(two.is_err());
    assert_eq!(std::fs::read_to_string(count).unwrap(), "x\n");
    let why = cluster(&dir, at, "no-such-plugin-of-kornsole").version().await.unwrap_err().to_string();
    assert!(why.starts_with("cannot start the credential plugin no-such-plugin-of-kornsole: "), "{why}");
    assert!(why.ends_with("; get it from example.org"), "{why}");
    std::fs::remove_dir_all(dir).unwrap();
}

#[tokio::test]
async fn a_plugin_without_a_credential_is_named_in_time_with_the_reason() {
    let dir = scratch("odd");
    for (lines, due) in [
        ("echo 'open a browser' >&2; exec sleep 30", "within 2 s: open a browser; run it in a terminal"),
        ("exit 0", "invalid output of the credential plugin "),
        ("echo '{\"kind\": \"ExecCredential\"}'", "it has no credential: it printed no reason"),
        ("echo 'log in first' >&2; echo '{\"status\": {\"token\": null}}'", "it has no credential: log in first"),
        ("echo once upon a time", "it is not an ExecCredential"),
        ("echo '{\"status\": {\"token\": \"t\", \"expirationTimestamp\": \"soon\"}}'", "is not a time"),
        ("exec cat /dev/zero", "it is larger than 1 MiB"),
    ] {
        script(&dir, lines);
        let started_at = Instant::now();
        let why = cluster(&dir, "https://127.0.0.1:1", "./plug").version().await.unwrap_err().to_string();
        assert!(why.contains(due) && why.contains("/plug"), "{lines}: {why}");
        assert!(started_at.elapsed() < Duration::from_secs(20), "{lines}: {:?}", started_at.elapsed());
    }
    std::fs::remove_dir_all(dir).unwrap();
}

#[tokio::test]
async fn an_expired_credential_is_used_and_does_not_run_the_plugin_for_each_request() {
    let dir = scratch("expired");
    let (address, received) = server();
    script(&dir, &counting(&dir, ", \"expirationTimestamp\": \"2001-01-01T00:00:00Z\""));
    let cluster = cluster(&dir, &address, "./plug");
    for _ in 0..3 {
        cluster.version().await.unwrap();
        assert_eq!(received.recv().unwrap(), "Bearer t1");
    }
    assert_eq!(std::fs::read_to_string(dir.join("count")).unwrap(), "x\n");
    std::fs::remove_dir_all(dir).unwrap();
}

#[tokio::test]
async fn a_credential_is_renewed_within_the_time_limit() {
    let dir = scratch("renewed");
    script(&dir, &counting(&dir, ", \"expirationTimestamp\": \"2001-01-01T00:00:00Z\""));
    let exec = json!({"command": dir.join("plug"), "interactiveMode": "Never"});
    let plugin = Plugin::new(serde_json::from_value(exec).unwrap(), LONGEST);
    let later = || async {
        if let Some((since, _)) = &mut *plugin.retained.lock().await {
            *since = since.checked_sub(AGAIN).unwrap();
        }
        plugin.credential().await.map(|credential| credential.header().unwrap())
    };
    assert_eq!(later().await.unwrap().unwrap(), "Bearer t1");
    script(&dir, &counting(&dir, ", \"expirationTimestamp\": \"2901-01-01T00:00:00Z\""));
    assert_eq!(later().await.unwrap().unwrap(), "Bearer t2");
    assert_eq!(later().await.unwrap().unwrap(), "Bearer t2", "it lasts");
    *plugin.retained.lock().await = None;
    script(&dir, "exec sleep 30");
    let started_at = Instant::now();
    let why = later().await.unwrap_err().to_string();
    assert!(why.starts_with("no output of the credential plugin ") && started_at.elapsed() < LONGEST * 5, "{why}");
    std::fs::remove_dir_all(dir).unwrap();
}
