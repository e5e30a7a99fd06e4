//! Changes of a token file, one at a time over all processes.
//!
//! The file itself is locked, because a separate lock file could be removed. The owner of the lock checks that the path
//! still leads to the locked file.
//!
//! Invariant: the written content is derived from the content under the lock.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::{Token, list, write};

const PATIENCE: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(5);

/// Adds a token to a file, which is created if needed.
///
/// # Errors
/// As [`super::Tokens::open`], another process holds the lock for too long, or a write error.
pub fn add(file: &Path, token: Token) -> Result<(), String> {
    change(file, true, |tokens| {
        tokens.push(token);
        Ok(())
    })
}

/// Removes a token from a file and returns it.
///
/// # Errors
/// As [`add`], or an unknown token.
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

/// Replaces a locked file with the result of `with` on its tokens.
fn change<T>(file: &Path, create: bool, with: impl FnOnce(&mut Vec<Token>) -> Result<T, String>) -> Result<T, String> {
    let failed = |error: io::Error| format!("cannot lock {}: {error}", file.display());
    let locked = lock(file, create).map_err(failed)?;
    let outcome = list(file).and_then(|mut tokens| {
        let done = with(&mut tokens)?;
        write(file, &tokens).map(|()| done)
    });
    if outcome.is_err() && locked.made && is_at(&locked.file, file) {
        // A leftover is empty, which means no tokens.
        let _ = fs::remove_file(file);
    }
    outcome
}

struct Locked {
    file: File,
    made: bool,
}

fn lock(path: &Path, create: bool) -> io::Result<Locked> {
    let until = Instant::now() + PATIENCE;
    loop {
        let locked = open(path, create)?;
        match locked.file.try_lock() {
            Ok(()) if is_at(&locked.file, path) => return Ok(locked),
            // Another process has replaced the file.
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
        // A read-only file is replaced, not written.
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

fn is_at(file: &File, path: &Path) -> bool {
    let known = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    match (file.metadata(), fs::metadata(path)) {
        (Ok(open), Ok(there)) => known(open) == known(there),
        _ => false,
    }
}
