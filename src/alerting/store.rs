//! The file in which alerts are kept: written beside it and renamed, so that a reader finds it whole.

use std::fs::{DirBuilder, File};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use crate::alerts::Disk;

/// The name of the file in a state folder.
pub const FILE: &str = "alerts.json";
/// No such file is longer, in bytes.
const LARGEST: u64 = 64 << 20;

/// The file of one cluster's alerts, which one process writes.
#[derive(Debug)]
pub struct Store {
    file: PathBuf,
    _lock: File,
}

impl Store {
    /// Takes the file in a folder, which is made where it is not there.
    ///
    /// # Errors
    /// Another process has it, or the folder cannot be used: in words.
    pub fn open(folder: &Path) -> Result<Self, String> {
        let wrong = |error: std::io::Error| format!("{}: {error}", folder.display());
        DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(wrong)?;
        let lock = File::create(folder.join("alerts.lock")).map_err(wrong)?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { file: folder.join(FILE), _lock: lock }),
            Err(std::fs::TryLockError::WouldBlock) => {
                Err(format!("another kornsole has the alerts in {}", folder.display()))
            }
            Err(std::fs::TryLockError::Error(error)) => Err(wrong(error)),
        }
    }

    /// What is in it; `None` where there is nothing yet.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub fn read(&self) -> Result<Option<String>, String> {
        let wrong = |error: std::io::Error| format!("{}: {error}", self.file.display());
        let mut text = String::new();
        match File::open(&self.file) {
            Ok(file) => file.take(LARGEST).read_to_string(&mut text).map_err(wrong)?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(wrong(error)),
        };
        Ok(Some(text))
    }

    /// Puts a text in its place; it is on the disk when this returns.
    ///
    /// # Errors
    /// Why it is not; what was there before still is.
    pub fn write(&self, text: &str) -> Result<(), String> {
        let beside = self.file.with_extension("json.new");
        let written = || -> std::io::Result<()> {
            let mut file = File::create(&beside)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            std::fs::rename(&beside, &self.file)
        };
        written().map_err(|error| {
            // A part of it only takes room.
            let _ = std::fs::remove_file(&beside);
            format!("{}: {error}", self.file.display())
        })
    }

    /// Moves a file aside that does not read, so that a new one can be begun.
    pub fn set_aside(&self) {
        // It is only kept for a person to look at.
        let _ = std::fs::rename(&self.file, self.file.with_extension("json.damaged"));
    }
}

/// How full the disk of a folder is; `None` where the system does not say.
pub fn disk(folder: &Path) -> Option<Disk> {
    let found = rustix::fs::statvfs(folder).ok()?;
    let bytes = |blocks: u64| blocks.saturating_mul(found.f_frsize);
    Some(Disk {
        folder: folder.display().to_string(),
        free: bytes(found.f_bavail),
        // What only root may use counts as used.
        size: bytes(found.f_blocks),
        failure: None,
    })
}
