//! Inspects a damaged state directory read-only; only `--state-repair` restores it.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::archive::StoreArchive;
use super::audit_dir::newest;
use super::dir_error::DirError;
use super::disk::{Disk, MemoryDisk, Overlay};
use super::inspect::Inspected;
use super::lock::{AUDIT, FILE};
use super::store::Store;
use super::{lock, repair};
use crate::audit_log::AuditLog;
use config::DEFAULT_POLICY_GROUP;
use model::Profile;

/// No process can run it meanwhile.
pub struct SalvagedDir {
    log: AuditLog,
    profile: Profile,
    damage: String,
    _lock: File,
}

impl SalvagedDir {
    /// Reads a directory with this damage.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or the directory is in use.
    pub fn open(path: &Path, why: &str) -> Result<Self, DirError> {
        let lock = lock::share(path)?;
        let file = file_of(path);
        let failed = |error: &dyn std::fmt::Display| DirError::Damaged(format!("{why}\n  {error}"));
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

pub(super) fn file_of(dir: &Path) -> PathBuf {
    let journal = dir.join(FILE);
    if journal.exists() { journal } else { dir.join(AUDIT) }
}

impl Inspected for SalvagedDir {
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
