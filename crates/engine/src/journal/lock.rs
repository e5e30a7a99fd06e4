//! The lock of a state directory: one writer, or any number of readers.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use super::dir_error::DirError;

/// Locked by the owner of the directory. Its content is for users: the process ID, and on a second line the address of
/// the server.
const LOCK: &str = "lock";
pub(super) const FILE: &str = "journal.redb";
pub(super) const AUDIT: &str = "audit.redb";
const HOLDER: u64 = 1 << 10;
/// A child of a killed owner has the lock until it starts its own program.
const PASSING: Duration = Duration::from_secs(2);

pub(super) fn take(dir: &Path) -> Result<File, DirError> {
    let failed = |error: std::io::Error| DirError::Dir { dir: dir.to_owned(), why: error.to_string() };
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(0o600);
    let mut file = options.open(dir.join(LOCK)).map_err(failed)?;
    let since = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => {
                // Without it, the owner is not shown to others.
                let _ =
                    file.set_len(0).and_then(|()| file.rewind()).and_then(|()| write!(file, "{}", std::process::id()));
                return Ok(file);
            }
            Err(TryLockError::WouldBlock) => {
                let who = holder(&mut file);
                if !has_ended(&who) || since.elapsed() > PASSING {
                    return Err(DirError::InUse { dir: dir.to_owned(), who });
                }
                std::thread::sleep(Duration::from_millis(20));
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
    }
}

/// Whether the process of a holder is known to have ended.
fn has_ended(who: &str) -> bool {
    let process = who.split(',').next().unwrap_or_default();
    let is_number = !process.is_empty() && process.bytes().all(|byte| byte.is_ascii_digit());
    is_number && Path::new("/proc/self").exists() && !Path::new("/proc").join(process).exists()
}

pub(super) fn share(dir: &Path) -> Result<File, DirError> {
    let failed = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => DirError::Nothing { dir: dir.to_owned() },
        _ => DirError::Dir { dir: dir.to_owned(), why: error.to_string() },
    };
    // A copied directory may lack the lock file.
    let places = [LOCK, FILE, AUDIT].map(|name| dir.join(name));
    let place = places.iter().find(|place| place.exists()).unwrap_or(&places[0]);
    let mut file = File::open(place).map_err(failed)?;
    match file.try_lock_shared() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(DirError::Running { dir: dir.to_owned(), who: holder(&mut file) }),
        Err(TryLockError::Error(error)) => Err(failed(error)),
    }
}

/// Stores the served address, for other processes.
pub fn served(dir: &Path, address: &str) {
    // Without it, the address is not shown to others.
    let lock = OpenOptions::new().append(true).open(dir.join(LOCK));
    let _ = lock.and_then(|mut lock| write!(lock, "\n{address}"));
}

fn holder(file: &mut File) -> String {
    let mut text = String::new();
    let _ = file.rewind().and_then(|()| file.take(HOLDER).read_to_string(&mut text));
    let mut lines = text.lines().map(str::trim);
    let process = lines.next().unwrap_or_default();
    match lines.next() {
        Some(address) => format!("{process}, serving {address}"),
        None => process.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lock_of_an_ended_process_is_awaited_and_that_of_a_running_one_is_not() {
        let dir = std::env::temp_dir().join(format!("kornsole-lock-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let mut ended = std::process::Command::new("true").spawn().unwrap();
        ended.wait().unwrap();
        let file = File::create(dir.join(LOCK)).unwrap();
        file.lock().unwrap();
        std::fs::write(dir.join(LOCK), ended.id().to_string()).unwrap();
        let holding = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(200));
            drop(file);
        });
        let lock = take(&dir).unwrap();
        holding.join().unwrap();
        assert_eq!(std::fs::read_to_string(dir.join(LOCK)).unwrap(), std::process::id().to_string());
        let since = Instant::now();
        assert!(matches!(take(&dir), Err(DirError::InUse { .. })), "this process runs");
        assert!(since.elapsed() < PASSING);
        drop(lock);
        std::fs::remove_dir_all(dir).unwrap();
    }
}
