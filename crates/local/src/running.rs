//! The daemon's supervisors: those with an attempt, and spares.

use std::io::{self, Read as _};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::helper::Helper;
use super::line::{self, ENDED, STARTED};
use super::part::RUN;
use super::{process, task};

const MOST_SPARE: usize = 32;
const LONGEST_SPARE: Duration = Duration::from_secs(2);

pub(super) struct Running {
    pub fd: Arc<OwnedFd>,
    pub pid: i32,
    /// The line; `None` if another daemon started it, or if it receives no more attempts.
    line: Option<Arc<UnixStream>>,
    pub has_started: bool,
    pub has_ended: bool,
    /// CPU time of its earlier attempts, in milliseconds.
    pub earlier_cpu_ms: u64,
}

pub(super) enum Listener {
    Line(Arc<UnixStream>),
    Process(Arc<OwnedFd>),
}

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Line(line) => line.as_fd(),
            Self::Process(fd) => fd.as_fd(),
        }
    }
}

impl Running {
    /// Adopts a supervisor that another daemon started.
    pub fn adopted(fd: OwnedFd, pid: i32) -> Self {
        Self { fd: Arc::new(fd), pid, line: None, has_started: true, has_ended: false, earlier_cpu_ms: 0 }
    }

    /// Assigns a prepared attempt. Returns the supervisor on failure.
    pub fn reuse(mut self, dir: &Path) -> Result<Self, Self> {
        match task::check(dir).and_then(|()| self.take(dir)) {
            Ok(()) => Ok(self),
            Err(_) => Err(self),
        }
    }

    /// Starts a prepared attempt; fails without a task or process.
    pub fn start(helper: &Helper, dir: &Path) -> io::Result<Self> {
        task::check(dir)?;
        let mut new = Self::spawn(helper)?;
        // A supervisor that does not accept it has ended, and is found later.
        let _ = new.take(dir);
        Ok(new)
    }

    fn spawn(helper: &Helper) -> io::Result<Self> {
        let (line, remote) = UnixStream::pair()?;
        line.set_nonblocking(true)?;
        let mut command = helper.command();
        command.arg(RUN).stdin(OwnedFd::from(remote)).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        drop(command);
        let pid = i32::try_from(child.id()).unwrap_or_default();
        // The PID is not reused before this process reaps it.
        let opened = pidfd_open(Pid::from_raw(pid).ok_or(io::ErrorKind::NotFound)?, PidfdFlags::empty());
        match opened {
            Ok(fd) => Ok(Self { line: Some(Arc::new(line)), has_started: false, ..Self::adopted(fd, pid) }),
            Err(why) => {
                // A process that cannot be watched must not run.
                let _ = child.kill().and_then(|()| child.wait());
                Err(why.into())
            }
        }
    }

    fn take(&mut self, dir: &Path) -> io::Result<()> {
        let line = self.line.as_ref().ok_or(io::ErrorKind::NotConnected)?;
        if std::mem::take(&mut self.has_ended) {
            self.earlier_cpu_ms = process::ended_cpu_ms(self.pid);
        }
        self.has_started = false;
        line::hand(line, dir)
    }

    /// Returns what to wait for.
    pub fn listener(&self) -> Listener {
        self.line
            .as_ref()
            .map_or_else(|| Listener::Process(Arc::clone(&self.fd)), |line| Listener::Line(Arc::clone(line)))
    }

    /// Reads messages. If the line is closed, waits for the end of the process.
    pub fn receive(&mut self) {
        let mut bytes = [0; 16];
        while let Some(mut line) = self.line.as_deref() {
            match line.read(&mut bytes) {
                Ok(0) => self.hang_up(),
                Ok(count) => bytes[..count].iter().for_each(|byte| match *byte {
                    STARTED => self.has_started = true,
                    ENDED => (self.has_started, self.has_ended) = (true, true),
                    _ => {}
                }),
                Err(why) if why.kind() == io::ErrorKind::WouldBlock => return,
                Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => self.hang_up(),
            }
        }
    }

    /// Closes its line, so it ends.
    pub fn hang_up(&mut self) {
        (self.line, self.has_started, self.has_ended) = (None, true, false);
    }
}

#[derive(Default)]
pub(super) struct Spares {
    /// Longest idle first.
    waiting: Vec<(Instant, Running)>,
    leaving: Vec<i32>,
}

impl Spares {
    /// Takes an idle supervisor.
    pub fn take(&mut self) -> Option<Running> {
        self.waiting.pop().map(|(_, spare)| spare)
    }

    /// Adds a supervisor whose attempt has ended.
    pub fn put(&mut self, spare: Running) {
        self.waiting.push((Instant::now(), spare));
        if self.waiting.len() > MOST_SPARE {
            let (_, oldest) = self.waiting.remove(0);
            self.let_go(oldest);
        }
    }

    /// Closes its line, so it ends.
    pub fn let_go(&mut self, spare: Running) {
        self.leaving.push(spare.pid);
    }

    /// Releases idle supervisors, and reaps ended ones.
    pub fn tidy(&mut self) {
        while self.waiting.first().is_some_and(|(since, _)| since.elapsed() > LONGEST_SPARE) {
            let (_, oldest) = self.waiting.remove(0);
            self.let_go(oldest);
        }
        self.leaving.retain(|pid| process::reap(*pid).is_none());
    }

    /// Returns true if no spares exist.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.leaving.is_empty()
    }
}
