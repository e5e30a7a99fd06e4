//! The socket: one thread for each connection, with limits.

use std::collections::HashMap;
use std::fs::{self, Permissions};
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, sleep};
use std::time::Duration;

use super::daemon::Daemon;
use super::job::Owner;
use super::requests::Answered;
use super::wire::{Reply, Request};
use super::{attach, peer, safe_path};

const MOST: usize = 256;
const MOST_OF_ONE: usize = 64;
const LARGEST: u64 = 8 << 20;
const SILENCE: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(100);

/// The socket of a daemon.
#[derive(Debug)]
pub struct Server {
    listener: UnixListener,
}

impl Server {
    /// Listens for every user if `shared`, by file modes. Replaces the socket of a killed daemon, not of a living one.
    pub fn bind(socket: &Path, shared: bool) -> io::Result<Self> {
        let mut socket = socket.to_owned();
        if let (Some(dir), Some(name)) = (socket.parent(), socket.file_name()) {
            let new = !dir.exists();
            if shared {
                safe_path::checked_above(dir)?;
            }
            fs::create_dir_all(dir)?;
            if new {
                fs::set_permissions(dir, Permissions::from_mode(if shared { 0o755 } else { 0o700 }))?;
            }
            if shared {
                // Otherwise a link could replace the socket before its mode is set.
                socket = safe_path::checked(dir)?.join(name);
            }
        }
        let socket = socket.as_path();
        // Checked first: the system's error is about a constant of C.
        SocketAddr::from_pathname(socket).map_err(|_| {
            io::Error::other("a socket path has at most 107 bytes; choose a shorter path with --socket")
        })?;
        if UnixStream::connect(socket).is_ok() {
            return Err(io::Error::other("a daemon already listens there"));
        }
        match fs::symlink_metadata(socket) {
            Ok(found) if found.file_type().is_socket() => fs::remove_file(socket)?,
            Ok(_) => return Err(io::Error::other("the path exists and is not a socket")),
            Err(_) => {}
        }
        let listener = UnixListener::bind(socket)?;
        fs::set_permissions(socket, Permissions::from_mode(if shared { 0o666 } else { 0o600 }))?;
        Ok(Self { listener })
    }

    /// Accepts connections until the process ends.
    pub fn serve(&self, daemon: &Arc<Daemon>) {
        let connected: Arc<Mutex<HashMap<u32, usize>>> = Arc::default();
        for stream in self.listener.incoming() {
            let accepted = stream.and_then(|stream| Ok((peer::of(&stream)?, stream)));
            let Ok((who, stream)) = accepted else {
                sleep(PAUSE);
                continue;
            };
            let Some(place) = Place::take(&connected, &who) else {
                let _ = answer(&stream, refuse("too many connections; try again").into());
                continue;
            };
            let daemon = Arc::clone(daemon);
            // Without a thread the connection is closed, and the client notices.
            let _ = Builder::new().name("local-request".to_owned()).spawn(move || {
                let _place = place;
                let _ = converse(&daemon, &who, &stream);
            });
        }
    }
}

/// A slot of the connection limit, freed on drop.
struct Place {
    connected: Arc<Mutex<HashMap<u32, usize>>>,
    uid: u32,
}

impl Place {
    fn take(connected: &Arc<Mutex<HashMap<u32, usize>>>, who: &Owner) -> Option<Self> {
        let mut counts = connected.lock().unwrap_or_else(PoisonError::into_inner);
        let own = counts.get(&who.uid).copied().unwrap_or_default();
        if counts.values().sum::<usize>() >= MOST || (own >= MOST_OF_ONE && who.uid != 0) {
            return None;
        }
        counts.insert(who.uid, own + 1);
        Some(Self { connected: Arc::clone(connected), uid: who.uid })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut counts = self.connected.lock().unwrap_or_else(PoisonError::into_inner);
        let left = counts.get(&self.uid).copied().unwrap_or_default().saturating_sub(1);
        if left == 0 {
            counts.remove(&self.uid);
        } else {
            counts.insert(self.uid, left);
        }
    }
}

fn refuse(message: impl Into<String>) -> Reply {
    Reply::Refused { usage: false, message: message.into() }
}

fn converse(daemon: &Daemon, who: &Owner, stream: &UnixStream) -> io::Result<()> {
    stream.set_read_timeout(Some(SILENCE))?;
    stream.set_write_timeout(Some(SILENCE))?;
    let owner = &daemon.settings.owner;
    if owner.uid != 0 && who.uid != 0 && who.uid != owner.uid {
        let message = format!("this daemon accepts only {}", owner.identity.user);
        return answer(stream, refuse(message).into());
    }
    let mut reader = BufReader::new(stream);
    loop {
        let mut line = Vec::new();
        (&mut reader).take(LARGEST).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Ok(());
        }
        let answered = match serde_json::from_slice::<Request>(&line) {
            Ok(mut request) => {
                if let Request::Submit(spec) = &mut request {
                    (spec.limits, spec.nice) = peer::surroundings(stream, who);
                }
                daemon.answer(who, request)
            }
            Err(why) => return answer(stream, refuse(format!("invalid request: {why}")).into()),
        };
        answer(stream, answered)?;
    }
}

fn answer(mut stream: &UnixStream, answered: Answered) -> io::Result<()> {
    let mut bytes = serde_json::to_vec(&answered.reply)?;
    bytes.push(b'\n');
    if let Some(terminal) = &answered.terminal {
        return attach::send(stream, &bytes, terminal);
    }
    bytes.extend(answered.output);
    stream.write_all(&bytes)
}
