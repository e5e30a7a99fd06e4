//! The terminal of an interactive job, in its supervisor: a pseudoterminal that outlives its connections.
//!
//! The daemon connects through a socket that only its user can reach, and passes the connection to the job's owner.
//! Input arrives in frames; the output is sent unchanged.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags};
use rustix::fs::{Uid, fchown};
use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use super::task::Credentials;

const SOCKET: &str = "terminal.sock";
const MOST_ATTACHED: usize = 8;
/// Recent output that a user gets when attaching, in bytes.
const RECENT: usize = 16 << 10;
/// A user who lags more bytes than this is detached.
const MOST_BEHIND: usize = 1 << 20;
/// Maximum input that the job has not read, in bytes.
const MOST_TYPED: usize = 64 << 10;
const LAST_TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(10);

const USUAL: (u16, u16) = (24, 80);

/// A byte for the kind, two bytes for the length, then the payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// What was typed.
    Typed = 0,
    /// Lines and columns, two bytes each.
    Size = 1,
}

/// Encodes a frame; a long one as several.
pub fn frames(kind: Frame, bytes: &[u8]) -> Vec<u8> {
    let mut all = Vec::new();
    for part in bytes.chunks(usize::from(u16::MAX)) {
        all.push(kind as u8);
        all.extend(u16::try_from(part.len()).unwrap_or(u16::MAX).to_be_bytes());
        all.extend(part);
    }
    all
}

/// Returns a path of the socket that is short for any directory, through the open directory.
///
/// # Errors
/// The directory cannot be opened.
fn place(dir: &Path) -> io::Result<(File, PathBuf)> {
    let dir = File::open(dir)?;
    let path = PathBuf::from(format!("/proc/self/fd/{}/{SOCKET}", dir.as_raw_fd()));
    Ok((dir, path))
}

/// Fails without terminal or supervisor.
pub fn connect(dir: &Path) -> io::Result<UnixStream> {
    let (_dir, path) = place(dir)?;
    UnixStream::connect(path)
}

struct Attached {
    stream: UnixStream,
    part: Vec<u8>,
    behind: VecDeque<u8>,
}

/// A pseudoterminal, and the attached users.
pub struct Terminal {
    master: File,
    listener: UnixListener,
    attached: Vec<Attached>,
    recent: VecDeque<u8>,
    typed: VecDeque<u8>,
}

impl Terminal {
    /// Creates the terminal, owned by the job's user. Returns the job's end.
    ///
    /// # Errors
    /// The system provides none.
    pub fn open(dir: &Path, user: Option<&Credentials>) -> io::Result<(Self, OwnedFd)> {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        grantpt(&master)?;
        unlockpt(&master)?;
        let slave = ioctl_tiocgptpeer(&master, OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        if let Some(user) = user {
            fchown(&slave, Some(Uid::from_raw(user.uid)), None)?;
        }
        rustix::io::ioctl_fionbio(&master, true)?;
        let (_dir, path) = place(dir)?;
        let _ = fs::remove_file(&path);
        let listener = UnixListener::bind(&path)?;
        listener.set_nonblocking(true)?;
        let (recent, typed) = (VecDeque::new(), VecDeque::new());
        let terminal = Self { master: File::from(master), listener, attached: Vec::new(), recent, typed };
        terminal.resize(USUAL);
        Ok((terminal, slave))
    }

    /// Returns the source of the job's output.
    ///
    /// # Errors
    /// Too many open files.
    pub fn output(&self) -> io::Result<File> {
        self.master.try_clone()
    }

    fn resize(&self, (lines, columns): (u16, u16)) {
        let size = Winsize { ws_row: lines, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        let _ = tcsetwinsize(&self.master, size);
    }

    /// Returns what to poll in addition to the output.
    pub fn watched(&self) -> Vec<PollFd<'_>> {
        let mut watched = vec![PollFd::new(&self.listener, PollFlags::IN)];
        if !self.typed.is_empty() {
            watched.push(PollFd::new(&self.master, PollFlags::OUT));
        }
        for one in &self.attached {
            let mut flags = PollFlags::empty();
            flags.set(PollFlags::IN, self.typed.len() < MOST_TYPED);
            flags.set(PollFlags::OUT, !one.behind.is_empty());
            if !flags.is_empty() {
                watched.push(PollFd::from_borrowed_fd(one.stream.as_fd(), flags));
            }
        }
        watched
    }

    /// Sends output to the attached users.
    pub fn show(&mut self, bytes: &[u8]) {
        self.recent.extend(bytes);
        let over = self.recent.len().saturating_sub(RECENT);
        self.recent.drain(..over);
        self.attached.iter_mut().for_each(|one| one.behind.extend(bytes));
        self.give();
    }

    /// Accepts connections and input without waiting.
    pub fn serve(&mut self) {
        while let Ok((stream, _)) = self.listener.accept() {
            if self.attached.len() < MOST_ATTACHED && stream.set_nonblocking(true).is_ok() {
                self.attached.push(Attached { stream, part: Vec::new(), behind: self.recent.clone() });
            }
        }
        let mut sizes = Vec::new();
        let Self { attached, typed, .. } = self;
        attached.retain_mut(|one| typed.len() >= MOST_TYPED || one.read(typed, &mut sizes));
        if let Some(size) = sizes.pop() {
            self.resize(size);
        }
        while !self.typed.is_empty() {
            let (first, _) = self.typed.as_slices();
            match self.master.write(first) {
                Ok(count @ 1..) => drop(self.typed.drain(..count)),
                Err(why) if why.kind() == io::ErrorKind::WouldBlock => break,
                _ => self.typed.clear(),
            }
        }
        self.give();
    }

    /// Detaches users who lag too far.
    fn give(&mut self) {
        self.attached.retain_mut(|one| one.give() && one.behind.len() <= MOST_BEHIND);
    }

    /// Sends the rest of the output, with a time limit.
    pub fn finish(&mut self) {
        for _ in 0..LAST_TRIES {
            self.give();
            if self.attached.iter().all(|one| one.behind.is_empty()) {
                break;
            }
            sleep(PAUSE);
        }
    }
}

impl Attached {
    /// Returns false if the user is gone.
    fn read(&mut self, typed: &mut VecDeque<u8>, sizes: &mut Vec<(u16, u16)>) -> bool {
        let mut bytes = [0; 4096];
        match self.stream.read(&mut bytes) {
            Ok(0) => return false,
            Ok(count) => self.part.extend(&bytes[..count]),
            Err(why) => return matches!(why.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted),
        }
        let mut at = 0;
        while let Some([kind, high, low]) = self.part.get(at..at + 3).and_then(|head| <[u8; 3]>::try_from(head).ok()) {
            let from = at + 3;
            let Some(content) = self.part.get(from..from + usize::from(u16::from_be_bytes([high, low]))) else { break };
            at = from + content.len();
            match (kind, content) {
                (kind, content) if kind == Frame::Typed as u8 => typed.extend(content),
                (kind, &[a, b, c, d]) if kind == Frame::Size as u8 => {
                    sizes.push((u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d])));
                }
                _ => return false,
            }
        }
        self.part.drain(..at);
        true
    }

    fn give(&mut self) -> bool {
        while !self.behind.is_empty() {
            let (first, _) = self.behind.as_slices();
            match self.stream.write(first) {
                Ok(0) => return false,
                Ok(count) => drop(self.behind.drain(..count)),
                Err(why) => return matches!(why.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted),
            }
        }
        true
    }
}
