//! A damaged state directory, to look at: what is intact of its audit and of the configurations that were active.
//!
//! Nothing in the directory is changed. The state itself is not made of a damaged journal here: `--state-repair` does that.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::archive::StoreArchive;
use super::audit_folder::newest;
use super::disk::{Disk, MemoryDisk, Overlay};
use super::folder_error::FolderError;
use super::inspect::Inspected;
use super::lock::{AUDIT, FILE};
use super::store::Store;
use super::{lock, repair};
use crate::audit_log::AuditLog;
use config::DEFAULT_POLICY_GROUP;
use model::Profile;

/// What is intact of a damaged directory. While this is there no one can run it.
pub struct SalvagedFolder {
    log: AuditLog,
    profile: Profile,
    damage: String,
    _lock: File,
}

impl SalvagedFolder {
    /// Reads a directory whose file is damaged in this way.
    ///
    /// # Errors
    /// The file cannot be read at all, or the directory is in use.
    pub fn open(path: &Path, why: &str) -> Result<Self, FolderError> {
        let lock = lock::share(path)?;
        let file = file_of(path);
        let failed = |error: &dyn std::fmt::Display| FolderError::Damaged(format!("{why}\n  {error}"));
        let disk: Arc<dyn Disk> = Arc::new(Overlay::open(&file).map_err(|error| failed(&error))?);
        let found = repair::audit_in(&disk).map_err(|error| failed(&error))?;
        let store = Store::open(Arc::new(MemoryDisk::default())).map_err(|error| failed(&error))?;
        store.commit(&found.changes).map_err(|error| failed(&error))?;
        let (log, store) = (AuditLog::default(), Arc::new(store));
        log.restore(newest(&store));
        log.set_archive(Arc::new(StoreArchive(store)));
        let profile = found.head.and_then(|head| head.core.parse().ok()).unwrap_or_default();
        let damage = format!(
            "{}: {why}\n  intact: {} audit entries and {} configurations",
            file.display(),
            found.entries,
            found.revisions
        );
        Ok(Self { log, profile, damage, _lock: lock })
    }
}

/// The file of a directory that has its state.
pub(super) fn file_of(folder: &Path) -> PathBuf {
    let journal = folder.join(FILE);
    if journal.exists() { journal } else { folder.join(AUDIT) }
}

impl Inspected for SalvagedFolder {
    fn audit_log(&self) -> &AuditLog {
        &self.log
    }

    fn profile(&self) -> Profile {
        self.profile
    }

    fn policy_group(&self) -> &str {
        DEFAULT_POLICY_GROUP
    }

    fn damage(&self) -> Option<&str> {
        Some(&self.damage)
    }
}
