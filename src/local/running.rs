//! The supervisors that run, as the daemon knows them.

use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;

use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::helper::Helper;
use super::part::RUN;
use super::supervise;

/// A supervisor that runs.
pub(super) struct Running {
    /// Becomes readable when it ends.
    pub fd: Arc<OwnedFd>,
    pub pid: i32,
    /// Becomes readable when it has started its command, or could not; `None` from then on.
    pub beginning: Option<Arc<OwnedFd>>,
}

impl Running {
    /// One that another daemon started.
    pub fn adopted(fd: OwnedFd, pid: i32) -> Self {
        Self { fd: Arc::new(fd), pid, beginning: None }
    }

    /// Starts a supervisor for an attempt whose task is written.
    ///
    /// # Errors
    /// There is no task, or no process can be made.
    pub fn start(helper: &Helper, folder: &Path) -> io::Result<Self> {
        let mut command = helper.command();
        command.arg(RUN).arg(folder);
        // The supervisor closes its end when it has started its command ([`supervise::begun`]).
        let (beginning, theirs) = io::pipe()?;
        command.stdin(Stdio::null()).stdout(theirs).stderr(Stdio::null());
        supervise::check(folder)?;
        let mut child = command.spawn()?;
        drop(command);
        let pid = i32::try_from(child.id()).unwrap_or_default();
        // Nobody else gets its number before its end is taken note of here.
        let opened = pidfd_open(Pid::from_raw(pid).ok_or(io::ErrorKind::NotFound)?, PidfdFlags::empty());
        let beginning = Some(Arc::new(OwnedFd::from(beginning)));
        opened.map(|fd| Self { fd: Arc::new(fd), pid, beginning }).map_err(|why| {
            // What cannot be watched does not run.
            let _ = child.kill().and_then(|()| child.wait());
            why.into()
        })
    }
}
