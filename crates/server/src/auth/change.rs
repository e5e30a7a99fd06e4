//! Changes of a file of tokens: one at a time, by however many processes.
//!
//! The file itself is locked, and not one next to it that someone could remove. A change replaces the file, so who got the lock looks
//! whether the file at this place is still the one that is locked, and restarts if it is not.
//!
//! Invariant: what is written follows from what the file holds while it is locked.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::{Token, list, write};

/// How long a change waits for others.
const PATIENCE: Duration = Duration::from_secs(30);
/// The pause between two tries.
const PAUSE: Duration = Duration::from_millis(5);

/// Adds a token to a file, which is made when it is not there.
///
/// # Errors
/// As [`super::Tokens::open`], another process changes the file for too long, or why it cannot be written.
pub fn add(file: &Path, token: Token) -> Result<(), String> {
    change(file, true, |tokens| {
        tokens.push(token);
        Ok(())
    })
}

/// Takes a token out of a file. Gives it.
///
/// # Errors
/// As [`add`], or there is no such token.
pub fn revoke(file: &Path, id: &str) -> Result<Token, String> {
    let message = || format!("{}: token {id} not found", file.display());
    if !file.exists() {
        return Err(message());
    }
    change(file, false, |tokens| {
        let at = tokens.iter().position(|token| token.id == id).ok_or_else(message)?;
        Ok(tokens.remove(at))
    })
}

/// Reads a file under its lock, and replaces it by what `with` makes of its tokens.
fn change<T>(file: &Path, create: bool, with: impl FnOnce(&mut Vec<Token>) -> Result<T, String>) -> Result<T, String> {
    let failed = |error: io::Error| format!("cannot lock {}: {error}", file.display());
    let locked = lock(file, create).map_err(failed)?;
    let outcome = list(file).and_then(|mut tokens| {
        let done = with(&mut tokens)?;
        write(file, &tokens).map(|()| done)
    });
    if outcome.is_err() && locked.made && is_at(&locked.file, file) {
        // It was made for its lock only. One that stays is empty, and means no tokens.
        let _ = fs::remove_file(file);
    }
    outcome
}

struct Locked {
    file: File,
    /// It was not there before.
    made: bool,
}

/// Waits for the lock of the file at this path.
fn lock(path: &Path, create: bool) -> io::Result<Locked> {
    let until = Instant::now() + PATIENCE;
    loop {
        let locked = open(path, create)?;
        match locked.file.try_lock() {
            Ok(()) if is_at(&locked.file, path) => return Ok(locked),
            // Another one was put in its place meanwhile.
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => sleep(PAUSE),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        if Instant::now() > until {
            return Err(io::Error::other("another process is changing it and does not end"));
        }
    }
}

fn open(path: &Path, create: bool) -> io::Result<Locked> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).mode(0o600);
    match options.open(path) {
        Ok(file) => Ok(Locked { file, made: false }),
        // What may only be read can be locked as well, and is replaced, not written.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            File::open(path).map(|file| Locked { file, made: false })
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound && create => match options.create_new(true).open(path) {
            Ok(file) => Ok(Locked { file, made: true }),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => open(path, false),
            Err(error) => Err(error),
        },
        Err(error) => Err(error),
    }
}

/// Whether an open file is the one at this place.
fn is_at(file: &File, path: &Path) -> bool {
    let known = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    match (file.metadata(), fs::metadata(path)) {
        (Ok(open), Ok(there)) => known(open) == known(there),
        _ => false,
    }
}
