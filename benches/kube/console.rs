//! A console on the cluster in linear mode, with timed output.

use std::io::Write as _;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use super::program::{Process, lines_of};
use super::stage::Stage;

const PATIENCE: Duration = Duration::from_secs(120);

/// `kornsole attach`, killed on drop.
pub struct Console {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    started: Instant,
}

impl Console {
    /// Attaches to a scheduler and to the cluster of the stage.
    pub fn attach(program: &Path, stage: &Stage, url: &str) -> Self {
        let started = Instant::now();
        let mut child = Command::new(program)
            .args(["attach", "k8s://root/bench", "--via", url, "--linear"])
            .env("KUBECONFIG", &stage.kubeconfig)
            .env("XDG_CONFIG_HOME", &stage.dir)
            .env("XDG_STATE_HOME", &stage.dir)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = lines_of(child.stdout.take().unwrap());
        let input = child.stdin.take().unwrap();
        Self { child, input, lines, started }
    }

    /// Returns the time since the start.
    pub fn until(&self, reported: &str) -> Duration {
        let end = Instant::now() + PATIENCE;
        while let Ok(line) = self.lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
            if line.contains(reported) {
                return self.started.elapsed();
            }
        }
        panic!("the console does not say {reported:?}");
    }

    /// Repeats a command until it prints something. Returns the time since the start.
    pub fn ask_until(&mut self, command: &str, reported: &str) -> Duration {
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            writeln!(self.input, "{command}").unwrap();
            while let Ok(line) = self.lines.recv_timeout(Duration::from_millis(100)) {
                if line.contains(reported) {
                    return self.started.elapsed();
                }
            }
        }
        panic!("the console does not say {reported:?} to {command}");
    }

    /// Its resource usage.
    pub fn process(&self) -> Process {
        Process(self.child.id())
    }
}

impl Drop for Console {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
