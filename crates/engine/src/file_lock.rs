//! A lock file that a process holds while it writes a file next to it; it survives the deletion of the lock file.

use std::fs::{File, OpenOptions, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The lock, released on drop.
#[derive(Debug)]
pub struct FileLock {
    path: PathBuf,
    file: Mutex<File>,
}

impl FileLock {
    /// Acquires the lock at a path with access for its owner only; `None` while another process has it.
    ///
    /// # Errors
    /// Returns an error if the file cannot be created or locked.
    pub fn take(path: &Path) -> io::Result<Option<Self>> {
        let file = taken(path)?;
        Ok(file.map(|file| Self { path: path.to_owned(), file: Mutex::new(file) }))
    }

    /// Checks before a write that no other process can have the lock; acquires a deleted lock file again.
    ///
    /// # Errors
    /// Returns an error if another process has the lock or it cannot be acquired again.
    pub fn keep(&self) -> io::Result<()> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let own = file.metadata()?;
        match std::fs::metadata(&self.path) {
            Ok(found) if (found.dev(), found.ino()) == (own.dev(), own.ino()) => return Ok(()),
            Ok(_) => {}
            Err(why) if why.kind() == io::ErrorKind::NotFound => {}
            Err(why) => return Err(why),
        }
        match taken(&self.path)? {
            Some(again) => *file = again,
            None => return Err(io::Error::other(format!("another kornsole took the lock {}", self.path.display()))),
        }
        Ok(())
    }
}

fn taken(path: &Path) -> io::Result<Option<File>> {
    let file = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path)?;
    match file.try_lock() {
        Ok(()) => {
            // Earlier versions created it with wider permissions.
            file.set_permissions(Permissions::from_mode(0o600))?;
            Ok(Some(file))
        }
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(why)) => Err(why),
    }
}

#[cfg(test)]
mod tests {
    use super::FileLock;

    #[test]
    fn a_lock_that_was_removed_is_taken_again_or_is_another_ones() {
        let path = std::env::temp_dir().join(format!("kornsole-file-lock-{}", std::process::id()));
        let lock = FileLock::take(&path).unwrap().unwrap();
        assert!(FileLock::take(&path).unwrap().is_none());
        std::fs::remove_file(&path).unwrap();
        lock.keep().unwrap();
        assert!(FileLock::take(&path).unwrap().is_none(), "it is taken again");
        std::fs::remove_file(&path).unwrap();
        let other = FileLock::take(&path).unwrap().unwrap();
        assert!(lock.keep().unwrap_err().to_string().contains("another kornsole took the lock"));
        other.keep().unwrap();
        drop(other);
        lock.keep().unwrap();
        std::fs::remove_file(&path).unwrap();
    }
}
