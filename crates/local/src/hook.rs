//! Shell commands before a job is asked to end, and after its end.

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

const LONGEST: Duration = Duration::from_secs(30);

/// The kind of hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hook {
    /// Before the signal, to save work.
    Checkpoint,
    /// After an attempt has ended.
    AtEnd,
}

impl Hook {
    /// Parses the name for `local-start`.
    pub fn by_name(name: &str) -> Option<Self> {
        [Self::Checkpoint, Self::AtEnd].into_iter().find(|hook| hook.name() == name)
    }

    /// Returns the name for `local-start`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Checkpoint => "checkpoint",
            Self::AtEnd => "at-end",
        }
    }
}

/// Runs with the job's user and limits.
pub struct Running {
    child: Child,
    pub(super) fd: OwnedFd,
}

impl Running {
    /// Adds `variable` to the environment.
    ///
    /// # Errors
    /// No process can be started.
    pub fn start(dir: &Path, hook: Hook, variable: (&str, &str), output: Stdio, errors: Stdio) -> io::Result<Self> {
        let mut command = Helper::default().command();
        command.arg(START).arg(dir).arg(hook.name()).env(variable.0, variable.1);
        let child = command.stdin(Stdio::null()).stdout(output).stderr(errors).spawn()?;
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).ok_or(io::ErrorKind::NotFound)?;
        Ok(Self { child, fd: pidfd_open(pid, PidfdFlags::empty())? })
    }

    /// Returns true also if its state is unknown.
    pub fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Waits with a time limit. Returns a message; empty after status 0.
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
