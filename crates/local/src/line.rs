//! The line between a daemon and a supervisor that it started: which attempt comes next, that its command has started, that it has ended.
//!
//! ```text
//!  daemon ── directory of an attempt, NUL ──> supervisor
//!         <── BEGUN, ENDED ───────────────
//! ```
//!
//! A supervisor has one attempt at a time. It waits for the next one until its line ends, which is when its daemon has gone or lets it go. So a
//! short job need not wait for a new process, and a supervisor whose daemon was killed ends with its attempt.

use std::ffi::OsString;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

/// The command has started, or cannot.
pub(super) const BEGUN: u8 = b'b';
/// The end of the attempt is written, and nothing of it is left.
pub(super) const ENDED: u8 = b'e';

/// Names an attempt to a supervisor.
///
/// # Errors
/// It is not there any more.
pub(super) fn hand(mut line: &UnixStream, folder: &Path) -> io::Result<()> {
    let mut message = folder.as_os_str().as_bytes().to_vec();
    message.push(0);
    line.write_all(&message)
}

/// A supervisor's end of it: its standard input.
pub(super) struct Line(BufReader<UnixStream>);

impl Line {
    /// The one of this process.
    ///
    /// # Errors
    /// The system gives no descriptor.
    pub fn of_this_process() -> io::Result<Self> {
        Ok(Self(BufReader::new(UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?))))
    }

    /// Waits for the directory of the next attempt; `None` when the line has ended.
    pub fn next(&mut self) -> Option<PathBuf> {
        let mut message = Vec::new();
        self.0.read_until(0, &mut message).ok()?;
        // One that was cut off is none.
        (message.pop() == Some(0)).then(|| PathBuf::from(OsString::from_vec(message)))
    }

    /// Says something. Where no one listens any more no one waits for it.
    pub fn say(&self, word: u8) {
        let _ = self.0.get_ref().write_all(&[word]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_was_cut_off_names_no_attempt() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let mut line = Line(BufReader::new(theirs));
        hand(&ours, Path::new("/jobs/1/1")).unwrap();
        hand(&ours, Path::new("/jobs/2\n/1")).unwrap();
        (&ours).write_all(b"/jobs/3").unwrap();
        drop(ours);
        assert_eq!(line.next(), Some(PathBuf::from("/jobs/1/1")));
        assert_eq!(line.next(), Some(PathBuf::from("/jobs/2\n/1")));
        assert_eq!(line.next(), None);
        line.say(ENDED);
    }
}
