//! Answers that are streams of lines.

use reqwest::Response;

use super::fault::Fault;
use super::problem::Problem;

/// Maximum length of a line, in bytes.
const LINE: usize = 1 << 20;

/// A stream of lines, which ends on drop.
#[derive(Debug)]
pub struct Lines {
    response: Response,
    buffer: Vec<u8>,
    given: usize,
}

impl Lines {
    pub(super) fn of(response: Response) -> Self {
        Self { response, buffer: Vec::new(), given: 0 }
    }

    /// The next nonempty line, without a timeout; `None` at the end. Cancel-safe. Fails if too long.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>, Fault> {
        loop {
            let rest = &self.buffer[self.given..];
            if let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
                let line = rest[..end].trim_ascii_end().to_vec();
                self.given += end + 1;
                if !line.is_empty() {
                    return Ok(Some(line));
                }
                continue;
            }
            self.buffer.drain(..std::mem::take(&mut self.given));
            if self.buffer.len() > LINE {
                return Err(Fault::TooLarge(LINE));
            }
            match self.response.chunk().await {
                Ok(Some(chunk)) => self.buffer.extend_from_slice(&chunk),
                Ok(None) => return Ok(None),
                Err(error) => return Err(Fault::Cut(Problem::of("the stream ended unexpectedly", error))),
            }
        }
    }
}
