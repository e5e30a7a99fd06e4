//! The line between a daemon and its supervisor: directories of attempts one way, `BEGUN` and `ENDED` back.
//!
//! A supervisor waits for attempts until the line closes: short jobs need no new process, and it ends with its attempt
//! if the daemon was killed.

use std::ffi::OsString;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

/// The command has started, or cannot.
pub(super) const STARTED: u8 = b'b';
/// The end of the attempt is written, and its processes have ended.
pub(super) const ENDED: u8 = b'e';

pub(super) fn hand(mut line: &UnixStream, dir: &Path) -> io::Result<()> {
    let mut message = dir.as_os_str().as_bytes().to_vec();
    message.push(0);
    line.write_all(&message)
}

pub(super) struct Line(BufReader<UnixStream>);

impl Line {
    /// Returns the line of this process.
    ///
    /// # Errors
    /// The system provides no descriptor.
    pub fn of_this_process() -> io::Result<Self> {
        Ok(Self(BufReader::new(UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?))))
    }

    /// Waits for the next directory; `None` after the line has closed.
    pub fn next(&mut self) -> Option<PathBuf> {
        let mut message = Vec::new();
        self.0.read_until(0, &mut message).ok()?;
        // A message that was cut off is ignored.
        (message.pop() == Some(0)).then(|| PathBuf::from(OsString::from_vec(message)))
    }

    /// Does nothing without a listener.
    pub fn send(&self, word: u8) {
        let _ = self.0.get_ref().write_all(&[word]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_was_cut_off_names_no_attempt() {
        let (local, remote) = UnixStream::pair().unwrap();
        let mut line = Line(BufReader::new(remote));
        hand(&local, Path::new("/jobs/1/1")).unwrap();
        hand(&local, Path::new("/jobs/2\n/1")).unwrap();
        (&local).write_all(b"/jobs/3").unwrap();
        drop(local);
        assert_eq!(line.next(), Some(PathBuf::from("/jobs/1/1")));
        assert_eq!(line.next(), Some(PathBuf::from("/jobs/2\n/1")));
        assert_eq!(line.next(), None);
        line.send(ENDED);
    }
}
