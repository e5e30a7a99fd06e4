//! The program and its resource usage.

use std::io::{BufRead as _, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use super::stage::Stage;

/// Memory and processor usage of a process.
#[derive(Clone, Copy)]
pub struct Process(pub u32);

/// `kornsole kube schedule`, stopped on drop.
pub struct Program {
    child: Child,
    lines: Receiver<String>,
}

impl Program {
    /// Starts the program without waiting.
    pub fn start(program: &Path, stage: &Stage) -> Self {
        let mut child = Command::new(program)
            .args(["kube", "schedule", "--context", "root", "--namespace", "bench", "--listen", "127.0.0.1:0"])
            .args(["--log", "warn"])
            .env("KUBECONFIG", &stage.kubeconfig)
            .env("XDG_CONFIG_HOME", &stage.dir)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = lines_of(child.stdout.take().unwrap());
        Self { child, lines }
    }

    /// Waits for the address of its API.
    pub fn url(&self) -> String {
        self.lines.recv().unwrap()
    }

    /// Its resource usage.
    pub fn process(&self) -> Process {
        Process(self.child.id())
    }
}

/// The lines of an output, read by a thread.
pub fn lines_of(output: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = channel();
    let output = BufReader::new(output).lines();
    std::thread::spawn(move || output.map_while(Result::ok).try_for_each(|line| sender.send(line)));
    lines
}

impl Process {
    fn about(self, what: &str) -> String {
        std::fs::read_to_string(format!("/proc/{}/{what}", self.0)).unwrap_or_default()
    }

    /// Memory in MB: `VmRSS:` current, `VmHWM:` peak. 0 if not available.
    pub fn memory(self, key: &str) -> f64 {
        let status = self.about("status");
        let line = status.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_default();
        line.trim().trim_end_matches(" kB").parse::<f64>().unwrap_or(0.0) / 1000.0
    }

    /// Processor time so far. 0 if not available.
    pub fn processor(self) -> Duration {
        let stat = self.about("stat");
        // After the name: the state, 10 fields, then both times in units of 10 ms.
        let behind = stat.rsplit_once(')').map_or("", |(_, behind)| behind);
        let ticks: u64 = behind.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
        Duration::from_millis(ticks * 10)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // SIGTERM releases the lease.
        let stopped = Command::new("kill").arg(self.child.id().to_string()).status();
        if !stopped.is_ok_and(|status| status.success()) {
            self.child.kill().unwrap();
        }
        self.child.wait().unwrap();
    }
}
