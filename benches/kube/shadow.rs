//! `kornsole kube shadow` on the cluster, while `kube schedule` binds pods.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::program::{Process, lines_of};
use super::stage::Stage;

const PATIENCE: Duration = Duration::from_secs(300);

/// `kornsole kube shadow --json`, killed on drop.
pub struct Shadow {
    child: Child,
    comparisons: Receiver<String>,
}

impl Shadow {
    /// Starts one, and returns it with the time until it watches.
    pub fn start(program: &Path, stage: &Stage, via: &str) -> (Self, Duration) {
        let started = Instant::now();
        let mut child = Command::new(program)
            .args(["kube", "shadow", "root", "--namespace", "bench", "--scheduler-name", "kornsole", "--json"])
            .args(["--via", via])
            .env("KUBECONFIG", &stage.kubeconfig)
            .env("XDG_CONFIG_HOME", &stage.dir)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut messages = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        assert!(messages.any(|line| line.contains("watching: ")), "the shadow ended");
        let took = started.elapsed();
        std::thread::spawn(move || messages.for_each(drop));
        let comparisons = lines_of(child.stdout.take().unwrap());
        (Self { child, comparisons }, took)
    }

    /// Waits for a number of comparisons, and counts them by verdict.
    pub fn verdicts(&self, count: usize) -> BTreeMap<String, usize> {
        let end = Instant::now() + PATIENCE;
        let next = || self.comparisons.recv_timeout(end.saturating_duration_since(Instant::now())).ok();
        let lines: Vec<String> = std::iter::from_fn(next).take(count).collect();
        assert_eq!(lines.len(), count, "comparisons");
        let mut verdicts = BTreeMap::new();
        for line in lines {
            let comparison: Value = serde_json::from_str(&line).unwrap();
            *verdicts.entry(comparison["verdict"].as_str().unwrap_or_default().to_owned()).or_default() += 1;
        }
        verdicts
    }

    /// Its resource usage.
    pub fn process(&self) -> Process {
        Process(self.child.id())
    }
}

impl Drop for Shadow {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
