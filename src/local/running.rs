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
}

impl Running {
    /// Starts a supervisor for an attempt whose task is written.
    ///
    /// # Errors
    /// There is no task, or no process can be made.
    pub fn start(helper: &Helper, folder: &Path) -> io::Result<Self> {
        let mut command = helper.command();
        command.arg(RUN).arg(folder);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        supervise::check(folder)?;
        let mut child = command.spawn()?;
        let pid = i32::try_from(child.id()).unwrap_or_default();
        // Nobody else gets its number before its end is taken note of here.
        let opened = pidfd_open(Pid::from_raw(pid).ok_or(io::ErrorKind::NotFound)?, PidfdFlags::empty());
        opened.map(|fd| Self { fd: Arc::new(fd), pid }).map_err(|why| {
            // What cannot be watched does not run.
            let _ = child.kill().and_then(|()| child.wait());
            why.into()
        })
    }
}
