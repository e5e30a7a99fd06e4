//! An answer that is a stream of lines.

use reqwest::Response;

use super::fault::Fault;
use super::trouble::Trouble;

/// The longest line of a stream, in bytes.
const LINE: usize = 1 << 20;

/// A stream of lines. Dropping it ends it.
#[derive(Debug)]
pub struct Lines {
    response: Response,
    held: Vec<u8>,
    /// How much of `held` was given out.
    given: usize,
}

impl Lines {
    /// The lines of a response whose header has come.
    pub(super) fn of(response: Response) -> Self {
        Self { response, held: Vec::new(), given: 0 }
    }

    /// The next line that is not empty, however long it takes; `None` at the end. Can be abandoned while it waits: nothing is
    /// lost.
    ///
    /// # Errors
    /// The stream broke, or a line is too long.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>, Fault> {
        loop {
            let rest = &self.held[self.given..];
            if let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
                let line = rest[..end].trim_ascii_end().to_vec();
                self.given += end + 1;
                if !line.is_empty() {
                    return Ok(Some(line));
                }
                continue;
            }
            self.held.drain(..std::mem::take(&mut self.given));
            if self.held.len() > LINE {
                return Err(Fault::TooLarge(LINE));
            }
            match self.response.chunk().await {
                Ok(Some(chunk)) => self.held.extend_from_slice(&chunk),
                Ok(None) => return Ok(None),
                Err(error) => return Err(Fault::Cut(Trouble::of("the stream ended unexpectedly", error))),
            }
        }
    }
}
