//! Progress of reading a large file, on the terminal.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use super::printed;

/// The delay before the first update, and the interval of updates.
const PERIOD: Duration = Duration::from_millis(200);

/// Progress of reading a file; silent if stderr is not a terminal.
pub struct Progress {
    name: String,
    all: usize,
    /// Time of the last update, or of the start.
    last: Instant,
    shown: bool,
    terminal: bool,
}

impl Progress {
    /// Starts to read a file of `all` bytes.
    pub fn of(file: &Path, all: usize) -> Self {
        let terminal = std::io::stderr().is_terminal();
        Self {
            name: printed::safe(&file.display().to_string()).into_owned(),
            all,
            last: Instant::now(),
            shown: false,
            terminal,
        }
    }

    /// Reports the number of bytes read so far.
    pub fn show(&mut self, read: usize) {
        if !self.terminal || self.last.elapsed() < PERIOD {
            return;
        }
        let percent = read.saturating_mul(100) / self.all.max(1);
        // A terminal error must not stop the command.
        let _written = write!(std::io::stderr(), "\r\x1b[2Kreading {} … {percent} %", self.name);
        (self.last, self.shown) = (Instant::now(), true);
    }

    /// Clears the progress line.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            let _written = write!(std::io::stderr(), "\r\x1b[2K");
        }
    }
}
