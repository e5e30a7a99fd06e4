//! Tests with a real Alertmanager and Prometheus; skipped with a note if they are not installed.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::common::{Program, TestDir, kornsole_command};
use serde_json::Value;

const PATIENCE: Duration = Duration::from_secs(60);

fn is_here(program: &str, package: &str) -> bool {
    let found = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if found.is_err() {
        println!("left out: there is no {program}; `apt-get install {package}`");
    }
    found.is_ok()
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(command: &mut Command) -> Running {
    Running(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
}

fn get(port: u16, path: &str) -> Option<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream.write_all(format!("GET {path} HTTP/1.0\r\nHost: a\r\n\r\n").as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    head.starts_with("HTTP/1.0 200")
        .then(|| body.to_owned())
        .or_else(|| head.contains(" 200 ").then(|| body.to_owned()))
}

fn wait_for(what: &str, mut found: impl FnMut() -> Option<bool>) {
    let until = Instant::now() + PATIENCE;
    while found() != Some(true) {
        assert!(Instant::now() < until, "{what} did not come");
        std::thread::sleep(Duration::from_millis(200));
    }
}

fn serve(dir: &TestDir, rules: &str) -> Program {
    let (file, workload, state) = (dir.join("alerts.toml"), dir.join("w.yaml"), dir.join("state"));
    std::fs::write(&file, rules).unwrap();
    let config = "  partitions:\n    - name: default\n      queues:\n        - name: root\n          submitacl: '*'\n          queues:\n            - name: a\n";
    let steps = "- node: {id: n1, capacity: {vcore: 4}}\n- node: {id: n2, capacity: {vcore: 4}}\n- advance: 15s\n- removeNode: n2\n";
    std::fs::write(&workload, format!("version: 1\nname: lost\nconfig: |\n{config}steps:\n{steps}")).unwrap();
    let text = |path: &Path| path.display().to_string();
    Program::serve(&["--workload", &text(&workload), "--state", &text(&state), "--alerts", &text(&file)])
}

#[test]
fn an_alertmanager_receives_alerts_once() {
    if !is_here("prometheus-alertmanager", "prometheus-alertmanager") {
        return;
    }
    let dir = TestDir::new();
    let config = dir.join("alertmanager.yml");
    std::fs::write(&config, "route:\n  receiver: none\nreceivers:\n  - name: none\n").unwrap();
    let port = free_port();
    let _alertmanager = start(
        Command::new("prometheus-alertmanager")
            .arg(format!("--config.file={}", config.display()))
            .arg(format!("--storage.path={}", dir.join("data").display()))
            .arg(format!("--web.listen-address=127.0.0.1:{port}"))
            .arg("--cluster.listen-address="),
    );
    wait_for("the Alertmanager", || get(port, "/-/ready").map(|_| true));
    let served = serve(&dir, &format!("[[send]]\nname = 'am'\nalertmanager = 'http://127.0.0.1:{port}'\n"));
    let alerts = || serde_json::from_str::<Vec<Value>>(&get(port, "/api/v2/alerts")?).ok();
    wait_for("the alert", || alerts().map(|found| !found.is_empty()));
    let found = alerts().unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    let labels = &found[0]["labels"];
    assert_eq!((&labels["alertname"], &labels["node"]), (&"node-lost".into(), &"n2".into()));
    assert_eq!((&labels["severity"], &labels["partition"]), (&"critical".into(), &"default".into()));
    let started = found[0]["startsAt"].clone();
    served.kill();
    let again = serve(&dir, &format!("[[send]]\nname = 'am'\nalertmanager = 'http://127.0.0.1:{port}'\n"));
    let own = || {
        serde_json::from_str::<Value>(
            &get(again.address.port(), "/metrics")
                .map(|text| text.contains("kornsole_alert{alertname=\"node-lost\"").to_string())?,
        )
        .ok()
    };
    wait_for("the metric after the restart", || own().map(|found| found == Value::Bool(true)));
    let found = alerts().unwrap();
    assert_eq!((found.len(), &found[0]["startsAt"]), (1, &started), "{found:?}");
}

#[test]
fn a_webhook_that_drips_is_left_after_its_time_limit() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (left, was_left) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.write_all(b"HTTP/1.1 200 OK\r\nX-Long: ").unwrap();
        // An endless header, one byte per second: no single read exceeds the timeout.
        let bytes = (0..PATIENCE.as_secs()).take_while(|_| {
            std::thread::sleep(Duration::from_secs(1));
            stream.write_all(b"x").is_ok()
        });
        left.send(bytes.count() as u64).unwrap();
    });
    let dir = TestDir::new();
    let rules = format!("[[send]]\nname = 'slow'\nwebhook = 'http://127.0.0.1:{port}'\ntimeout = '2s'\n");
    let _served = serve(&dir, &rules);
    let bytes = was_left.recv_timeout(PATIENCE * 2).unwrap();
    assert!(bytes < PATIENCE.as_secs(), "the connection was closed before the receiver had enough");
}

#[test]
fn a_prometheus_scrapes_our_alerts() {
    if !is_here("prometheus", "prometheus") {
        return;
    }
    let dir = TestDir::new();
    let served = serve(&dir, "");
    let port = free_port();
    let config = dir.join("prometheus.yml");
    let rules = dir.join("rules.yml");
    let printed = kornsole_command(&["grafana", "--rules"]).output().unwrap();
    assert!(printed.status.success(), "{printed:?}");
    std::fs::write(&rules, &printed.stdout).unwrap();
    let checked = Command::new("promtool").args(["check", "rules"]).arg(&rules).output().unwrap();
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
    let text = format!(
        "global:\n  scrape_interval: 1s\n  evaluation_interval: 1s\nrule_files: ['{}']\nscrape_configs:\n  - job_name: kornsole\n    static_configs:\n      - targets: ['{}']\n",
        rules.display(),
        served.address
    );
    std::fs::write(&config, text).unwrap();
    let _prometheus = start(
        Command::new("prometheus")
            .arg(format!("--config.file={}", config.display()))
            .arg(format!("--storage.tsdb.path={}", dir.join("data").display()))
            .arg(format!("--web.listen-address=127.0.0.1:{port}")),
    );
    let query = |expression: &str| {
        let body = get(port, &format!("/api/v1/query?query={expression}"))?;
        let value: Value = serde_json::from_str(&body).ok()?;
        Some(value["data"]["result"].as_array()?.len())
    };
    wait_for("a scrape", || query("up%3D%3D1").map(|found| found == 1));
    wait_for("our alert", || query("kornsole_alert%7Balertname%3D%22node-lost%22%7D").map(|found| found == 1));
    wait_for("the alert of our rules", || query("ALERTS%7Balertname%3D%22KornsoleAlert%22%7D").map(|found| found == 1));
    let dashboard = kornsole_command(&["grafana"]).output().unwrap();
    let dashboard: Value = serde_json::from_slice(&dashboard.stdout).unwrap();
    let mut expressions = 0;
    for panel in dashboard["panels"].as_array().unwrap() {
        for target in panel["targets"].as_array().into_iter().flatten() {
            let expression = target["expr"].as_str().unwrap();
            let encoded: String = expression.bytes().map(|byte| format!("%{byte:02X}")).collect();
            assert!(query(&encoded).is_some(), "{expression}");
            expressions += 1;
        }
    }
    assert!(expressions > 5);
}
