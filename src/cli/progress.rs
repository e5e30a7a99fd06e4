//! How far a long file is read, on the terminal of who waits for it.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// After how long something is shown, and how often it is shown again.
const PERIOD: Duration = Duration::from_millis(200);

/// The progress of reading a file; nothing is written where standard error is no terminal.
pub struct Progress {
    name: String,
    /// Bytes in all.
    all: usize,
    /// When something was shown last, or reading started.
    last: Instant,
    shown: bool,
    terminal: bool,
}

impl Progress {
    /// Starts to read a file of `all` bytes.
    pub fn of(file: &Path, all: usize) -> Self {
        let terminal = std::io::stderr().is_terminal();
        Self { name: file.display().to_string(), all, last: Instant::now(), shown: false, terminal }
    }

    /// So many bytes were read.
    pub fn show(&mut self, read: usize) {
        if !self.terminal || self.last.elapsed() < PERIOD {
            return;
        }
        let percent = read.saturating_mul(100) / self.all.max(1);
        // A terminal that takes nothing more is no reason to stop.
        let _written = write!(std::io::stderr(), "\r\x1b[2Kreading {} … {percent} %", self.name);
        (self.last, self.shown) = (Instant::now(), true);
    }

    /// Takes the line away.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            let _written = write!(std::io::stderr(), "\r\x1b[2K");
        }
    }
}
