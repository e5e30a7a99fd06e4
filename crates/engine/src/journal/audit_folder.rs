//! The audit and the revisions of a scheduler whose state is kept elsewhere, as in a cluster of Kubernetes: a directory with `audit.redb`, the
//! same store as that of a journal, without records and snapshots.
//!
//! Invariants:
//! - no one waits for the disk: what is written was answered before, and a crash loses what is not written yet;
//! - numbers continue after the newest that is kept;
//! - while the disk fails as much waits as the log has in memory, and it is counted what goes.

use std::fs::{DirBuilder, File};
use std::io::ErrorKind;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;
use std::sync::Arc;

use super::archive::StoreArchive;
use super::bounded::{self, Bounds};
use super::disk::{Disk, FileDisk, Overlay};
use super::folder::{failure, open_file, whole};
use super::folder_error::FolderError;
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

/// A directory with an audit, which this process alone writes.
#[derive(Debug)]
pub struct AuditFolder {
    store: Arc<Store>,
    notes: Vec<String>,
    lock: File,
}

impl AuditFolder {
    /// Opens a directory, or makes it. A damaged file is moved aside, and what is intact of it is kept.
    ///
    /// # Errors
    /// It is in use, of another kind, written by a later version, or cannot be used.
    pub fn open(path: &Path, profile: Profile) -> Result<Self, FolderError> {
        let failed = |why: String| FolderError::Folder { folder: path.to_owned(), why };
        DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(|error| failed(error.to_string()))?;
        if path.join(FILE).exists() {
            return Err(FolderError::OtherKind { folder: path.to_owned(), by: "kornsole serve" });
        }
        let lock = lock::take(path)?;
        let file = path.join(AUDIT);
        let (mut disk, mut notes) = (open_file(path, AUDIT)?, Vec::new());
        let overlay = disk.overlay().map_err(|error| failed(error.to_string()))?;
        if let Err(trouble) = whole(Arc::new(overlay), false).and_then(|store| format_of(&store)) {
            let FolderError::Damaged(_) = trouble else { return Err(trouble) };
            drop(disk);
            notes.push(repair::mend_audit(&file).map_err(failed)?);
            disk = open_file(path, AUDIT)?;
        }
        disk.stays_at(&file);
        let store = begin(disk, profile)?;
        Ok(Self { store: Arc::new(store), notes, lock })
    }

    /// What was done about damage, for a person.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The newest of what is kept, as much as a log has in memory, the oldest first.
    pub fn retained(&self) -> NewEntries {
        newest(&self.store)
    }

    /// From now on what is new in a log is for the writer, and what is older than memory comes from here.
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

/// Makes the head, or brings it up to date.
fn begin(disk: FileDisk, profile: Profile) -> Result<Store, FolderError> {
    let disk: Arc<dyn Disk> = Arc::new(disk);
    let failed = |error| failure(&disk, error);
    let store = Store::open_verified(Arc::clone(&disk)).map_err(failed)?;
    let head = JournalHead { format: FORMAT, core: profile.to_string(), made_by: env!("CARGO_PKG_VERSION").to_owned() };
    if store.head().map_err(failed)?.as_ref() != Some(&head) {
        store.commit(&[Change::Head(head)]).map_err(failed)?;
    }
    Ok(store)
}

fn format_of(store: &Store) -> Result<(), FolderError> {
    match store.head().map_err(|error| failure(store.disk(), error))? {
        Some(head) if head.format > FORMAT => {
            Err(FolderError::Newer { found: head.format, by: head.made_by, known: FORMAT })
        }
        _ => Ok(()),
    }
}

/// Writes what is new in a log.
#[derive(Debug)]
pub struct AuditWriter {
    store: Arc<Store>,
    log: Arc<AuditLog>,
    waiting: NewEntries,
    /// How many entries went while the disk failed.
    lost: usize,
    /// The store has to be opened again.
    dirty: bool,
    _lock: File,
}

impl AuditWriter {
    /// Writes everything that is new, and waits until it outlasts a power cut. Returns how many entries were lost before, because too many
    /// waited.
    ///
    /// # Errors
    /// The disk fails; it is written with the next call.
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
        // Others may still hold the log; the next owner of the directory must be the only writer.
        self.store.close();
    }
}

/// What is reported of a file that is invalid.
const DAMAGED: &str = "the audit is damaged: the next start moves the file aside and keeps the intact entries";

/// Such a directory while nothing writes it, to look at. Nothing in it is changed.
pub struct AuditInspection {
    log: AuditLog,
    profile: Profile,
    _lock: File,
}

impl AuditInspection {
    /// Whether a directory is one of this kind.
    pub fn is_of(path: &Path) -> bool {
        path.join(AUDIT).exists() && !path.join(FILE).exists()
    }

    /// Opens a directory.
    ///
    /// # Errors
    /// It is in use, has no audit, or is damaged.
    pub fn open(path: &Path) -> Result<Self, FolderError> {
        let lock = lock::share(path)?;
        let disk = Overlay::open(&path.join(AUDIT)).map_err(|error| match error.kind() {
            ErrorKind::WouldBlock => FolderError::Running { folder: path.to_owned(), who: String::new() },
            ErrorKind::NotFound => FolderError::Nothing { folder: path.to_owned() },
            _ => FolderError::Folder { folder: path.to_owned(), why: error.to_string() },
        })?;
        let damaged = |trouble| match trouble {
            FolderError::Damaged(_) => FolderError::Damaged(DAMAGED.to_owned()),
            other => other,
        };
        let store = whole(Arc::new(disk), false).map_err(damaged)?;
        format_of(&store).map_err(damaged)?;
        let head = store.head().map_err(|error| failure(store.disk(), error))?;
        // It is the first that is written into it.
        let head = head.ok_or_else(|| FolderError::Damaged(DAMAGED.to_owned()))?;
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
