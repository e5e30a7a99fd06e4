//! The supervisors, as the daemon knows them: those that have an attempt, and those that wait for one.

use std::io::{self, Read as _};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::helper::Helper;
use super::line::{self, BEGUN, ENDED};
use super::part::RUN;
use super::{process, task};

/// How many supervisors wait for another attempt at most, and how long.
const MOST_SPARE: usize = 32;
const LONGEST_SPARE: Duration = Duration::from_secs(2);

/// A supervisor that runs.
pub(super) struct Running {
    /// Becomes readable when its process ends.
    pub fd: Arc<OwnedFd>,
    pub pid: i32,
    /// The line to it; `None` to one that another daemon started, or that receives nothing more.
    line: Option<Arc<UnixStream>>,
    /// It has started its command, or could not.
    pub has_begun: bool,
    /// It has written how its attempt ended, and waits for another one.
    pub has_ended: bool,
    /// The processor time of the attempts that it had before, in milliseconds.
    pub earlier_cpu_ms: u64,
}

/// What is waited for to receive of a supervisor.
pub(super) enum Ear {
    /// What it says.
    Line(Arc<UnixStream>),
    /// The end of its process.
    Process(Arc<OwnedFd>),
}

impl AsFd for Ear {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Line(line) => line.as_fd(),
            Self::Process(fd) => fd.as_fd(),
        }
    }
}

impl Running {
    /// One that another daemon started.
    pub fn adopted(fd: OwnedFd, pid: i32) -> Self {
        Self { fd: Arc::new(fd), pid, line: None, has_begun: true, has_ended: false, earlier_cpu_ms: 0 }
    }

    /// Has an attempt supervised whose task is written, by one that waits for it. Gives that one back where it cannot.
    pub fn reuse(mut self, folder: &Path) -> Result<Self, Self> {
        match task::check(folder).and_then(|()| self.take(folder)) {
            Ok(()) => Ok(self),
            Err(_) => Err(self),
        }
    }

    /// Starts a supervisor for an attempt whose task is written.
    ///
    /// # Errors
    /// There is no task, or no process can be made.
    pub fn start(helper: &Helper, folder: &Path) -> io::Result<Self> {
        task::check(folder)?;
        let mut new = Self::spawn(helper)?;
        // One that does not take it has ended, and is found to have.
        let _ = new.take(folder);
        Ok(new)
    }

    /// Starts a supervisor.
    fn spawn(helper: &Helper) -> io::Result<Self> {
        let (line, theirs) = UnixStream::pair()?;
        line.set_nonblocking(true)?;
        let mut command = helper.command();
        command.arg(RUN).stdin(OwnedFd::from(theirs)).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        drop(command);
        let pid = i32::try_from(child.id()).unwrap_or_default();
        // No one else gets its number before its end is taken note of here.
        let opened = pidfd_open(Pid::from_raw(pid).ok_or(io::ErrorKind::NotFound)?, PidfdFlags::empty());
        match opened {
            Ok(fd) => Ok(Self { line: Some(Arc::new(line)), has_begun: false, ..Self::adopted(fd, pid) }),
            Err(why) => {
                // What cannot be watched does not run.
                let _ = child.kill().and_then(|()| child.wait());
                Err(why.into())
            }
        }
    }

    /// Gives it an attempt.
    fn take(&mut self, folder: &Path) -> io::Result<()> {
        let line = self.line.as_ref().ok_or(io::ErrorKind::NotConnected)?;
        if std::mem::take(&mut self.has_ended) {
            self.earlier_cpu_ms = process::ended_cpu_ms(self.pid);
        }
        self.has_begun = false;
        line::hand(line, folder)
    }

    /// What to wait for.
    pub fn ear(&self) -> Ear {
        self.line.as_ref().map_or_else(|| Ear::Process(Arc::clone(&self.fd)), |line| Ear::Line(Arc::clone(line)))
    }

    /// Takes what it has said. Where the line has ended, the end of its process is waited for.
    pub fn hear(&mut self) {
        let mut bytes = [0; 16];
        while let Some(mut line) = self.line.as_deref() {
            match line.read(&mut bytes) {
                Ok(0) => self.hang_up(),
                Ok(count) => bytes[..count].iter().for_each(|byte| match *byte {
                    BEGUN => self.has_begun = true,
                    ENDED => (self.has_begun, self.has_ended) = (true, true),
                    _ => {}
                }),
                Err(why) if why.kind() == io::ErrorKind::WouldBlock => return,
                Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => self.hang_up(),
            }
        }
    }

    /// Gives it no attempt any more, and waits for its end.
    pub fn hang_up(&mut self) {
        (self.line, self.has_begun, self.has_ended) = (None, true, false);
    }
}

/// Supervisors without an attempt: they wait for one, or were let go and have not ended yet.
#[derive(Default)]
pub(super) struct Spares {
    /// The one that waits for the longest time is the first.
    waiting: Vec<(Instant, Running)>,
    leaving: Vec<i32>,
}

impl Spares {
    /// One that waits.
    pub fn take(&mut self) -> Option<Running> {
        self.waiting.pop().map(|(_, spare)| spare)
    }

    /// Takes one whose attempt has ended.
    pub fn put(&mut self, spare: Running) {
        self.waiting.push((Instant::now(), spare));
        if self.waiting.len() > MOST_SPARE {
            let (_, oldest) = self.waiting.remove(0);
            self.let_go(oldest);
        }
    }

    /// Lets one go: its line ends, and so does it.
    pub fn let_go(&mut self, spare: Running) {
        self.leaving.push(spare.pid);
    }

    /// Lets those go that wait too long, and takes note of those that have ended.
    pub fn tidy(&mut self) {
        while self.waiting.first().is_some_and(|(since, _)| since.elapsed() > LONGEST_SPARE) {
            let (_, oldest) = self.waiting.remove(0);
            self.let_go(oldest);
        }
        self.leaving.retain(|pid| process::reap(*pid).is_none());
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.leaving.is_empty()
    }
}
