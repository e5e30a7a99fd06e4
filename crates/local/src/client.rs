//! The client end of the socket.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;

use super::attach;
use super::wire::{Reply, Request};

/// A connection to a daemon.
#[derive(Debug)]
pub struct Client {
    reader: BufReader<UnixStream>,
}

impl Client {
    /// Fails without listener or access.
    pub fn connect(socket: &Path) -> io::Result<Self> {
        Ok(Self { reader: BufReader::new(UnixStream::connect(socket)?) })
    }

    /// Fails if the connection broke, or the reply is invalid.
    pub fn ask(&mut self, request: &Request) -> io::Result<(Reply, Vec<u8>)> {
        let mut line = serde_json::to_vec(request)?;
        line.push(b'\n');
        self.reader.get_mut().write_all(&line)?;
        let mut answer = Vec::new();
        self.reader.read_until(b'\n', &mut answer)?;
        if answer.is_empty() {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the daemon closed the connection"));
        }
        let reply: Reply = serde_json::from_slice(&answer)?;
        let mut output = Vec::new();
        if let Reply::Output { bytes, .. } = reply {
            let arrived = (&mut self.reader).take(bytes).read_to_end(&mut output)?;
            if arrived as u64 != bytes {
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the daemon closed the connection"));
            }
        }
        Ok((reply, output))
    }

    /// Returns the connection to the terminal, or the reason why not.
    ///
    /// # Errors
    /// The connection broke, or the reply is invalid.
    pub fn attach(&mut self, job: u64) -> io::Result<(Reply, Option<UnixStream>)> {
        let mut line = serde_json::to_vec(&Request::Attach(job))?;
        line.push(b'\n');
        self.reader.get_mut().write_all(&line)?;
        // Nothing is read ahead: the daemon only replies.
        let (line, terminal) = attach::receive(self.reader.get_ref())?;
        Ok((serde_json::from_slice(&line)?, terminal))
    }
}
