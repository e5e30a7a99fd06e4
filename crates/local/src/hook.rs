//! Hooks, the commands that a job brings with it: a shell runs them before the job is asked to end, and after it has ended.

use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open};

use super::helper::Helper;
use super::part::START;
use super::process;

/// How long the hook of an end may run.
const LONGEST: Duration = Duration::from_secs(30);

/// Which command it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hook {
    /// Before the signal that asks the job to end, so that it can save its work.
    Checkpoint,
    /// When an attempt has ended.
    AtEnd,
}

impl Hook {
    /// By its name on the command line of `local-start`.
    pub fn by_name(name: &str) -> Option<Self> {
        [Self::Checkpoint, Self::AtEnd].into_iter().find(|hook| hook.name() == name)
    }

    /// Its name on the command line of `local-start`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Checkpoint => "checkpoint",
            Self::AtEnd => "at-end",
        }
    }
}

/// A hook that runs, next to the command or after it, as the job's user and with its limits.
pub struct Running {
    child: Child,
    pub(super) fd: OwnedFd,
}

impl Running {
    /// Starts the hook of an attempt. `variable` is in its environment, next to the job's own.
    ///
    /// # Errors
    /// The system gives no process.
    pub fn start(folder: &Path, hook: Hook, variable: (&str, &str), output: Stdio, errors: Stdio) -> io::Result<Self> {
        let mut command = Helper::default().command();
        command.arg(START).arg(folder).arg(hook.name()).env(variable.0, variable.1);
        let child = command.stdin(Stdio::null()).stdout(output).stderr(errors).spawn()?;
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).ok_or(io::ErrorKind::NotFound)?;
        Ok(Self { child, fd: pidfd_open(pid, PidfdFlags::empty())? })
    }

    /// Whether it has ended; one that cannot be asked has.
    pub fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Waits for its end, for a while. Returns what is to be reported of it; empty when it ended with 0.
    pub fn wait(mut self) -> String {
        let until = Instant::now() + LONGEST;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) if status.success() => return String::new(),
                Ok(Some(status)) => return format!("--at-end: {status}"),
                Ok(None) if Instant::now() < until => {
                    let left = until.saturating_duration_since(Instant::now());
                    let left = Timespec { tv_sec: i64::try_from(left.as_secs() + 1).unwrap_or(1), tv_nsec: 0 };
                    let _ = poll(&mut [PollFd::new(&self.fd, PollFlags::IN)], Some(&left));
                }
                Ok(None) => {
                    process::signal_group(i32::try_from(self.child.id()).unwrap_or_default(), Signal::KILL);
                    let _ = self.child.wait();
                    return format!("--at-end: stopped after {} s", LONGEST.as_secs());
                }
                Err(why) => return format!("--at-end: {why}"),
            }
        }
    }
}
