//! The program, and what it takes.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use super::stage::Stage;

/// What a process takes of memory and processors.
#[derive(Clone, Copy)]
pub struct Process(pub u32);

/// `kornsole kube schedule`. Dropping it stops it.
pub struct Program {
    child: Child,
    /// What it prints: where its API is.
    lines: Receiver<String>,
}

impl Program {
    /// Starts it, and does not wait for it.
    pub fn start(stage: &Stage) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_kornsole"))
            .args(["kube", "schedule", "--context", "root", "--namespace", "bench", "--listen", "127.0.0.1:0"])
            .args(["--log", "warn"])
            .env("KUBECONFIG", &stage.kubeconfig)
            .env("XDG_CONFIG_HOME", &stage.folder)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap()).lines();
        let (sender, lines) = channel();
        std::thread::spawn(move || output.map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Self { child, lines }
    }

    /// Where its API is; it is waited for.
    pub fn url(&self) -> String {
        self.lines.recv().unwrap()
    }

    /// What it takes.
    pub fn process(&self) -> Process {
        Process(self.child.id())
    }
}

impl Process {
    fn about(self, what: &str) -> String {
        std::fs::read_to_string(format!("/proc/{}/{what}", self.0)).unwrap_or_default()
    }

    /// Memory in megabytes: `VmRSS:` now, `VmHWM:` at most. 0 where the system does not say.
    pub fn memory(self, key: &str) -> f64 {
        let status = self.about("status");
        let line = status.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_default();
        line.trim().trim_end_matches(" kB").parse::<f64>().unwrap_or(0.0) / 1000.0
    }

    /// Processor time so far. 0 where the system does not say.
    pub fn processor(self) -> Duration {
        let stat = self.about("stat");
        // Behind the name, which may have blanks: the state, then 10 fields, then both times in hundredths of a second.
        let behind = stat.rsplit_once(')').map_or("", |(_, behind)| behind);
        let ticks: u64 = behind.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
        Duration::from_millis(ticks * 10)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // By SIGTERM it gives its lease back, so that the next one need not wait for its end.
        let stopped = Command::new("kill").arg(self.child.id().to_string()).status();
        if !stopped.is_ok_and(|status| status.success()) {
            self.child.kill().unwrap();
        }
        self.child.wait().unwrap();
    }
}
