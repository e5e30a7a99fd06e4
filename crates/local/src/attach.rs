//! Attaches to a job's terminal: the daemon passes a connection to the supervisor.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::thread::sleep;
use std::time::Duration;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
    recvmsg, sendmsg,
};

use super::daemon::Daemon;
use super::job::{JobState, Owner};
use super::requests::refused;
use super::terminal;
use super::wire::Reply;

const TRIES: u32 = 40;
const PAUSE: Duration = Duration::from_millis(50);

impl Daemon {
    /// Returns a connection to the job's terminal, for its owner and the daemon's user. An attached user acts as the
    /// job's user, so admin access to the queue is not enough.
    ///
    /// # Errors
    /// Why the connection is not available, as the reply.
    pub(super) fn terminal_of(&self, who: &Owner, number: u64) -> Result<UnixStream, Reply> {
        let found = {
            let table = self.table();
            let job = table.jobs.get(&number).filter(|job| self.may_see(who, job));
            job.map(|job| (job.state, job.next, job.spec.interactive, job.owner.uid))
        };
        let Some((state, attempt, interactive, owner)) = found else {
            return Err(refused(format!("job {number} not found, or it is not yours")));
        };
        if who.uid != owner && who.uid != 0 && who.uid != self.settings.owner.uid {
            return Err(refused(format!("job {number} belongs to another user; only its owner can attach")));
        }
        if !interactive {
            return Err(refused(format!(
                "job {number} has no terminal; submit it with `kornsole submit --interactive`"
            )));
        }
        if state != JobState::Running {
            return Err(refused(format!("job {number} is not running")));
        }
        let dir = self.store.attempt(number, attempt);
        for _ in 0..TRIES {
            if let Ok(stream) = terminal::connect(&dir) {
                return Ok(stream);
            }
            sleep(PAUSE);
        }
        Err(refused(format!("the terminal of job {number} is closed: the job has ended or failed to start")))
    }
}

pub(super) fn send(stream: &UnixStream, line: &[u8], given: &UnixStream) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let files = [given.as_fd()];
    if !control.push(SendAncillaryMessage::ScmRights(&files)) {
        return Err(io::Error::other("it is too large for a message"));
    }
    let sent = sendmsg(stream, &[IoSlice::new(line)], &mut control, SendFlags::NOSIGNAL)?;
    if sent == line.len() { Ok(()) } else { Err(io::ErrorKind::WriteZero.into()) }
}

/// Receives a line, and the connection that it transfers.
///
/// # Errors
/// The other end is closed.
pub(super) fn receive(stream: &UnixStream) -> io::Result<(Vec<u8>, Option<UnixStream>)> {
    let (mut line, mut given) = (Vec::new(), None);
    while !line.ends_with(b"\n") {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let mut bytes = [0; 4096];
        let arrived = recvmsg(stream, &mut [IoSliceMut::new(&mut bytes)], &mut control, RecvFlags::CMSG_CLOEXEC)?;
        if arrived.bytes == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let files: Vec<OwnedFd> = control
            .drain()
            .filter_map(|message| match message {
                RecvAncillaryMessage::ScmRights(files) => Some(files),
                _ => None,
            })
            .flatten()
            .collect();
        given = given.or(files.into_iter().next().map(UnixStream::from));
        line.extend(&bytes[..arrived.bytes]);
    }
    Ok((line, given))
}
