//! The audit and the revisions of a scheduler whose state is elsewhere, for example in Kubernetes: a directory with
//! `audit.redb`, a journal store without records and snapshots.
//!
//! Invariants:
//! - no one waits for the disk: answers come before the write, and a crash loses unwritten entries;
//! - numbers continue after the newest stored one;
//! - while the disk fails, as many entries wait as the log has in memory; lost ones are counted.

use std::fs::{DirBuilder, File};
use std::io::ErrorKind;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;
use std::sync::Arc;

use super::archive::StoreArchive;
use super::bounded::{self, Bounds};
use super::dir::{failure, open_file, whole};
use super::dir_error::DirError;
use super::disk::{Disk, FileDisk, Overlay};
use super::inspect::Inspected;
use super::lock::{AUDIT, FILE};
use super::store::{FORMAT, Store, StoreError};
use super::tables::{Change, JournalHead};
use super::write_batch::changes_of;
use super::{lock, repair};
use crate::audit_log::{AuditArchive as _, AuditLog, MOST_ENTRIES, MOST_REVISIONS, NewEntries};
use crate::setup::STATE_BYTES;
use config::DEFAULT_POLICY_GROUP;
use model::Profile;
use view::audit::AuditQuery;

/// An audit directory, with this process as its only writer.
#[derive(Debug)]
pub struct AuditDir {
    store: Arc<Store>,
    notes: Vec<String>,
    lock: File,
}

impl AuditDir {
    /// Opens or creates a directory. Moves a damaged file aside, and keeps its intact entries.
    ///
    /// # Errors
    /// Returns an error if it is in use, of another kind, from a later version, or unusable.
    pub fn open(path: &Path, profile: Profile) -> Result<Self, DirError> {
        let failed = |why: String| DirError::Dir { dir: path.to_owned(), why };
        DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(|error| failed(error.to_string()))?;
        if path.join(FILE).exists() {
            return Err(DirError::OtherKind { dir: path.to_owned(), by: "kornsole serve" });
        }
        let lock = lock::take(path)?;
        let file = path.join(AUDIT);
        let (mut disk, mut notes) = (open_file(path, AUDIT)?, Vec::new());
        let overlay = disk.overlay().map_err(|error| failed(error.to_string()))?;
        if let Err(problem) = whole(Arc::new(overlay), false).and_then(|store| format_of(&store)) {
            let DirError::Damaged(_) = problem else { return Err(problem) };
            drop(disk);
            notes.push(repair::repair_audit(&file).map_err(failed)?);
            disk = open_file(path, AUDIT)?;
        }
        disk.stays_at(&file);
        let store = start(disk, profile)?;
        Ok(Self { store: Arc::new(store), notes, lock })
    }

    /// The repairs, for people.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The newest stored entries, as many as a log has in memory, the oldest first.
    pub fn retained(&self) -> NewEntries {
        newest(&self.store)
    }

    /// Writes new entries of a log from now on, and serves its older ones.
    pub fn follow(self, log: &Arc<AuditLog>) -> AuditWriter {
        log.collect_new();
        log.set_archive(Arc::new(StoreArchive(Arc::clone(&self.store))));
        let (waiting, lost, dirty) = Default::default();
        AuditWriter { store: self.store, log: Arc::clone(log), waiting, lost, dirty, _lock: self.lock }
    }
}

pub(super) fn newest(store: &Arc<Store>) -> NewEntries {
    let archive = StoreArchive(Arc::clone(store));
    let mut entries = archive.entries(&AuditQuery { limit: MOST_ENTRIES, ..AuditQuery::default() });
    let mut revisions = archive.revisions(u64::MAX, MOST_REVISIONS);
    entries.reverse();
    revisions.reverse();
    NewEntries { entries, revisions }
}

fn start(disk: FileDisk, profile: Profile) -> Result<Store, DirError> {
    let disk: Arc<dyn Disk> = Arc::new(disk);
    let failed = |error| failure(&disk, error);
    let store = Store::open_verified(Arc::clone(&disk)).map_err(failed)?;
    let head = JournalHead { format: FORMAT, core: profile.to_string(), made_by: env!("CARGO_PKG_VERSION").to_owned() };
    if store.head().map_err(failed)?.as_ref() != Some(&head) {
        store.commit(&[Change::Head(head)]).map_err(failed)?;
    }
    Ok(store)
}

fn format_of(store: &Store) -> Result<(), DirError> {
    match store.head().map_err(|error| failure(store.disk(), error))? {
        Some(head) if head.format > FORMAT => {
            Err(DirError::Newer { found: head.format, by: head.made_by, known: FORMAT })
        }
        _ => Ok(()),
    }
}

/// Writes the new entries of a log.
#[derive(Debug)]
pub struct AuditWriter {
    store: Arc<Store>,
    log: Arc<AuditLog>,
    waiting: NewEntries,
    /// The number of entries lost while the disk failed.
    lost: usize,
    dirty: bool,
    _lock: File,
}

impl AuditWriter {
    /// Writes all new entries durably. Returns the number of entries that were lost before because too many waited.
    ///
    /// # Errors
    /// Returns an error if the disk fails; the next call retries.
    pub fn write(&mut self) -> Result<usize, StoreError> {
        let new = self.log.take_new();
        self.waiting.entries.extend(new.entries);
        self.waiting.revisions.extend(new.revisions);
        let more = self.waiting.entries.len().saturating_sub(MOST_ENTRIES);
        self.waiting.entries.drain(..more);
        self.lost += more;
        let more = self.waiting.revisions.len().saturating_sub(MOST_REVISIONS);
        self.waiting.revisions.drain(..more);
        if self.waiting == NewEntries::default() && !self.dirty {
            return Ok(0);
        }
        let (store, was_dirty) = (&self.store, std::mem::replace(&mut self.dirty, true));
        if was_dirty {
            store.reopen()?;
        }
        let changes: Vec<Change> = changes_of(&self.waiting).collect();
        store.commit(&changes)?;
        bounded::bound(store, Bounds::of(STATE_BYTES), |change| store.commit(&[change]).is_ok())?;
        self.dirty = false;
        self.waiting = NewEntries::default();
        Ok(std::mem::take(&mut self.lost))
    }
}

impl Drop for AuditWriter {
    fn drop(&mut self) {
        // Others may still have the log; the next owner of the directory must be the only writer.
        self.store.close();
    }
}

const DAMAGED: &str = "the audit is damaged: the next start moves the file aside and keeps the intact entries";

/// An audit directory without a writer, read-only.
pub struct AuditInspection {
    log: AuditLog,
    profile: Profile,
    _lock: File,
}

impl AuditInspection {
    /// Whether a directory is of this kind.
    pub fn is_of(path: &Path) -> bool {
        path.join(AUDIT).exists() && !path.join(FILE).exists()
    }

    /// Opens a directory.
    ///
    /// # Errors
    /// Returns an error if it is in use, has no audit, or is damaged.
    pub fn open(path: &Path) -> Result<Self, DirError> {
        let lock = lock::share(path)?;
        let disk = Overlay::open(&path.join(AUDIT)).map_err(|error| match error.kind() {
            ErrorKind::WouldBlock => DirError::Running { dir: path.to_owned(), who: String::new() },
            ErrorKind::NotFound => DirError::Nothing { dir: path.to_owned() },
            _ => DirError::Dir { dir: path.to_owned(), why: error.to_string() },
        })?;
        let damaged = |problem| match problem {
            DirError::Damaged(_) => DirError::Damaged(DAMAGED.to_owned()),
            other => other,
        };
        let store = whole(Arc::new(disk), false).map_err(damaged)?;
        format_of(&store).map_err(damaged)?;
        let head = store.head().map_err(|error| failure(store.disk(), error))?;
        // The head is written first.
        let head = head.ok_or_else(|| DirError::Damaged(DAMAGED.to_owned()))?;
        let (log, store) = (AuditLog::default(), Arc::new(store));
        log.restore(newest(&store));
        log.set_archive(Arc::new(StoreArchive(store)));
        Ok(Self { log, profile: head.core.parse().unwrap_or_default(), _lock: lock })
    }
}

impl Inspected for AuditInspection {
    fn audit_log(&self) -> &AuditLog {
        &self.log
    }

    fn profile(&self) -> Profile {
        self.profile
    }

    fn policy_group(&self) -> &str {
        DEFAULT_POLICY_GROUP
    }
}

#[cfg(test)]
mod tests;
