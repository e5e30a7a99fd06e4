//! The program in a terminal with the real API server.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Stage;

#[path = "../pty/terminal.rs"]
#[allow(dead_code, reason = "the terminal of tests/pty, of which this takes a part")]
mod terminal;

pub use terminal::Terminal;

fn second(stage: &Stage) -> String {
    let exec = json!({"apiVersion": "client.authentication.k8s.io/v1", "command": "sh", "interactiveMode": "Never",
        "args": ["-c", "echo the ticket has expired >&2; exit 3"]});
    let context =
        |name: &str, cluster: &str, user: &str| json!({"name": name, "context": {"cluster": cluster, "user": user}});
    let more = json!({"apiVersion": "v1", "kind": "Config",
        "contexts": [context("by-program", "stage", "program"), context("gone", "nowhere", "admin")],
        "clusters": [{"name": "nowhere", "cluster": {"server": "https://127.0.0.1:1"}}],
        "users": [{"name": "program", "user": {"exec": exec}}]});
    let file = stage.dir.join("second");
    std::fs::write(&file, more.to_string()).unwrap();
    format!("{}:{}", stage.kubeconfig, file.display())
}

pub fn attach_and_look(stage: &Stage) {
    let dir = stage.dir.display().to_string();
    let both = second(stage);
    let environment = [("KUBECONFIG", both.as_str()), ("XDG_CONFIG_HOME", &dir), ("XDG_STATE_HOME", &dir)];
    let started_at = Instant::now();
    let mut terminal = Terminal::kornsole(&["attach"], &environment);
    // Target: 2 s; a busy machine gets more time.
    for word in ["REMOTE", "admin/yunikorn", "tenant-a", "etl"] {
        terminal.until_text(word);
    }
    super::print_line(&format!("first figures in {:?}", started_at.elapsed()));
    assert!(started_at.elapsed() < Duration::from_secs(15));
    terminal.until_text("admin (");
    terminal.press(":info\r");
    terminal.until_text("Asked by port-forward to the pod of yunikorn/yunikorn-service");
    terminal.press("q2");
    terminal.until_text("job-1");
    terminal.press(":context\r");
    for word in ["k8s://admin", "k8s://bob", "not connected, because that runs sh", "unreachable", "Kubernetes v1.20.2"]
    {
        terminal.until_text(word);
    }
    // A context that runs a program is contacted only on request.
    terminal.until("the first context under the cursor", |seen| {
        seen.emulator.screen().contents().contains("of the kubeconfig (current)")
    });
    terminal.press("G\x1b[A ");
    terminal.until_text("the ticket has expired");
    terminal.press(":context k8s://bob\r");
    terminal.until_text("bob/yunikorn");
    terminal.until_text("bob (");
    terminal.press(":quit!\r");
    assert!(terminal.end().success());
    terminal.until_whole();
    let asked: Value = serde_json::from_str(&std::fs::read_to_string(&stage.kubeconfig).unwrap()).unwrap();
    let raw = terminal.look(|seen| String::from_utf8_lossy(&seen.raw).into_owned());
    for user in asked["users"].as_array().unwrap() {
        let token = user["user"]["token"].as_str().unwrap();
        assert!(!raw.contains(token), "a token is on the screen");
    }
}

/// The values in `docs/guide/kubernetes-attach.md`.
pub fn requests_a_minute(stage: &Stage) {
    let (dir, kubeconfig) = (stage.dir.display().to_string(), stage.through());
    let environment = [("KUBECONFIG", kubeconfig.as_str()), ("XDG_CONFIG_HOME", &dir), ("XDG_STATE_HOME", &dir)];
    let via = format!("http://127.0.0.1:{}", stage.core);
    let mut terminal = Terminal::kornsole(&["attach", "k8s://root/yunikorn", "--via", &via], &environment);
    terminal.until_text("tenant-a");
    std::thread::sleep(Duration::from_secs(8));
    let before = stage.requests();
    std::thread::sleep(Duration::from_secs(30));
    let sent = 2 * (stage.requests() - before);
    super::print_line(&format!("an attached console sends {sent} requests a minute to the API server"));
    assert!((20..=60).contains(&sent), "{sent}");
    terminal.press(":quit!\r");
    assert!(terminal.end().success());
}
