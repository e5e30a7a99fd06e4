//! A state directory: opened by one process, with the state that a scheduler starts with.

use std::fs::{DirBuilder, File};
use std::io::ErrorKind;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::archive::StoreArchive;
use super::committer::{Journal, JournalThread, RETRY_PAUSES, RetryPauses};
use super::dir_error::DirError;
use super::disk::{Disk, FileDisk};
use super::history::JournalHistory;
use super::last::{self, LastFile};
use super::lock::{AUDIT, FILE};
use super::recorder::{Recorder, Volume};
use super::recording::records;
use super::snapshots::{self, Snapshots};
use super::store::{FORMAT, Store, StoreError};
use super::tables::{Change, EntryTable, JournalHead, SnapshotIndex};
use super::write_batch::changes_of;
use super::{lock, repair};
use crate::audit_log::{MOST_ENTRIES, MOST_REVISIONS, NewEntries};
use crate::core::Core;
use crate::replay;
use crate::setup::Setup;
use scenario::Workload;
use view::audit::{AuditEntry, Revision};

/// The name of the store until its start is written.
const NEW: &str = "journal.new";

/// A state directory owned by this process.
#[derive(Debug)]
pub struct Dir {
    store: Store,
    lock: Option<File>,
    notes: Vec<String>,
    new: Option<NewFile>,
    pauses: RetryPauses,
    last: Option<LastFile>,
}

#[derive(Debug)]
struct NewFile {
    dir: PathBuf,
    started: PathBuf,
    disk: Arc<FileDisk>,
}

impl NewFile {
    fn name(&self) -> Result<(), DirError> {
        let file = self.dir.join(FILE);
        let named = std::fs::rename(&self.started, &file).and_then(|()| File::open(&self.dir)?.sync_all());
        named.map_err(|error| DirError::Dir { dir: self.dir.clone(), why: error.to_string() })?;
        self.disk.stays_at(&file);
        Ok(())
    }
}

/// What goes with a scheduler that is kept, for as long as it runs.
pub struct RunningJournal {
    // In the order in which they end.
    pub(crate) snapshots: Snapshots,
    pub(crate) thread: JournalThread,
    pub(crate) setup: Setup,
    /// How much there was before this run.
    pub(crate) volume: Volume,
    _lock: Option<File>,
}

impl RunningJournal {
    /// The running journal.
    pub fn journal(&self) -> &Journal {
        self.thread.journal()
    }

    /// Returns whether it succeeded.
    pub fn sync(&self, core: &mut Core) -> bool {
        let (block, new) = core.state.take_written();
        let last = block.as_ref().map_or(0, |block| block.last());
        self.journal().write(block, &new, None);
        core.state.outbox.release();
        self.journal().wait_for(last)
    }

    /// Takes a snapshot of a core and waits for it.
    ///
    /// # Errors
    /// Returns an error if the snapshot fails.
    pub fn snapshot(&self, core: &mut Core) -> Result<(), String> {
        let number = replay::record_progress(&mut core.state);
        let own = core.state.recorder.as_ref().map(Recorder::volume).unwrap_or_default();
        if !self.sync(core) {
            return Err("the disk has failed".to_owned());
        }
        snapshots::make(self.journal(), &self.setup, number, self.volume + own)
    }

    /// The past, read-only.
    pub fn history(&self) -> JournalHistory {
        JournalHistory::new(self.journal().clone(), self.setup.clone())
    }
}

/// Creates the scheduler of a new directory.
pub type MakeCore<'a> = Box<dyn FnOnce(Option<Box<dyn Workload>>) -> Result<Core, String> + 'a>;

impl Dir {
    /// Opens or creates a directory. If `repaired`, moves a damaged file aside, and keeps its intact content.
    ///
    /// # Errors
    /// Returns an error if it cannot be used.
    pub fn open(path: &Path, repaired: bool) -> Result<Self, DirError> {
        let failed = |error: std::io::Error| DirError::Dir { dir: path.to_owned(), why: error.to_string() };
        DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(failed)?;
        let lock = lock::take(path)?;
        let file = path.join(FILE);
        if !file.exists() {
            if path.join(AUDIT).exists() {
                return Err(DirError::OtherKind { dir: path.to_owned(), by: "kornsole kube schedule" });
            }
            let started = path.join(NEW);
            let opened = open_file(path, NEW)?;
            // An interrupted creation was never acknowledged.
            let cut_off = opened.len().map_err(failed)? > 0;
            opened.set_len(0).map_err(failed)?;
            // If it names a record, a journal existed.
            let gone = LastFile::look(path).map_err(failed)?.is_some_and(|last| last.names_one());
            last::remove(path).map_err(failed)?;
            let notes = cut_off.then(|| "the first start was interrupted; it starts again".to_owned());
            let notes = notes
                .into_iter()
                .chain(gone.then(|| format!("{FILE} was removed; the scheduler starts without state")));
            let disk = Arc::new(opened);
            let store = whole(Arc::clone(&disk) as _, false)?;
            let (notes, new) = (notes.collect(), Some(NewFile { dir: path.to_owned(), started, disk }));
            let last = Some(LastFile::open(path).map_err(failed)?);
            return Ok(Self { store, lock: Some(lock), notes, new, pauses: RETRY_PAUSES, last });
        }
        let mut last = LastFile::open(path).map_err(failed)?;
        let mut notes: Vec<String> = last.note().into_iter().collect();
        let mut disk = open_file(path, FILE)?;
        match look(path, &disk, repaired).and_then(|store| starts_well(&store).and_then(|()| ends_well(&store, &last)))
        {
            Err(DirError::Damaged(_)) if repaired => {
                drop(disk);
                notes.push(repair::repaired(&file).map_err(|why| DirError::Dir { dir: path.to_owned(), why })?);
                disk = open_file(path, FILE)?;
                let store = look(path, &disk, repaired)?;
                if let Some(missing) = last.missing(&store).map_err(|error| failure(store.disk(), error))? {
                    notes.push(format!("the end of the journal is lost: {missing}"));
                    last.forget();
                }
            }
            opened_store => opened_store?,
        }
        disk.stays_at(&file);
        let disk: Arc<dyn Disk> = Arc::new(disk);
        let store = Store::open_verified(Arc::clone(&disk)).map_err(|error| failure(&disk, error))?;
        Ok(Self { store, lock: Some(lock), notes, new: None, pauses: RETRY_PAUSES, last: Some(last) })
    }

    /// As [`Self::open`], on any disk of this process; failures are retried soon.
    ///
    /// # Errors
    /// Returns an error if it cannot be used.
    pub fn on(disk: Arc<dyn Disk>) -> Result<Self, DirError> {
        let pauses = (Duration::from_millis(1), Duration::from_millis(20));
        Ok(Self { store: whole(disk, true)?, lock: None, notes: Vec::new(), new: None, pauses, last: None })
    }

    /// The repairs, for people.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Starts the scheduler of the directory, replayed to its last record, or a new one.
    ///
    /// # Errors
    /// Returns an error if the start fails.
    pub fn start(
        self,
        setup: &Setup,
        speed: f64,
        workload: Option<Box<dyn Workload>>,
        make: MakeCore<'_>,
    ) -> Result<(Core, RunningJournal), DirError> {
        let (mut core, next, volume) = match self.store.head().map_err(|error| failure(self.store.disk(), error))? {
            Some(head) => {
                suits(&self.store, &head, setup)?;
                continue_journal(&self.store, setup, workload)?
            }
            None => {
                let mut core = make(workload).map_err(DirError::Start)?;
                found(&self.store, &mut core, setup)?;
                if let Some(new) = &self.new {
                    new.name()?;
                }
                (core, 1, Volume::default())
            }
        };
        core.go_live(setup);
        core.state.set_recorder(Recorder::new(next));
        replay::start_run(&mut core.state, setup, speed);
        let failed = |error: std::io::Error| DirError::Start(format!("the journal cannot be started: {error}"));
        let thread = JournalThread::start(self.store, next - 1, self.pauses, self.last).map_err(failed)?;
        let journal = thread.journal().clone();
        core.audit_log().set_archive(Arc::new(StoreArchive(journal.shared_store())));
        let snapshots = Snapshots::start(journal, setup.clone()).map_err(failed)?;
        Ok((core, RunningJournal { snapshots, thread, setup: setup.clone(), volume, _lock: self.lock }))
    }
}

/// The lock file alone proves nothing: it can be removed.
pub(super) fn open_file(dir: &Path, name: &str) -> Result<FileDisk, DirError> {
    FileDisk::open(&dir.join(name)).map_err(|error| match error.kind() {
        ErrorKind::WouldBlock => DirError::InUse { dir: dir.to_owned(), who: String::new() },
        _ => DirError::Dir { dir: dir.to_owned(), why: error.to_string() },
    })
}

/// Checks the journal of a directory without writing: opening an unclosed file changes it, and a repair would lose
/// data.
fn look(dir: &Path, disk: &FileDisk, thorough: bool) -> Result<Store, DirError> {
    let overlay = disk.overlay();
    let overlay = overlay.map_err(|error| DirError::Dir { dir: dir.to_owned(), why: error.to_string() })?;
    whole(Arc::new(overlay), thorough)
}

/// Opens a store. `thorough` checks all of it, not only the data for the start.
pub(super) fn whole(disk: Arc<dyn Disk>, thorough: bool) -> Result<Store, DirError> {
    let store = Store::open(Arc::clone(&disk)).map_err(|error| failure(&disk, error))?;
    let look = || -> Result<(), StoreError> {
        if store.head()?.is_none() || !thorough {
            return Ok(());
        }
        let snapshots = store.snapshots()?;
        for (number, index) in &snapshots {
            store.snapshot(*number, index)?;
        }
        let oldest = snapshots.first().ok_or_else(|| StoreError::Damaged("no snapshot found".to_owned()))?;
        store.look_through(oldest.0 + 1)
    };
    look().map_err(|error| failure(&disk, error))?;
    Ok(store)
}

/// The error for a file without a head.
pub(super) fn no_head() -> StoreError {
    StoreError::Damaged("the file is empty, or its start is missing".to_owned())
}

/// Rejects a store without a start: a journal is renamed only with one.
fn starts_well(store: &Store) -> Result<(), DirError> {
    match store.head().map_err(|error| failure(store.disk(), error))? {
        Some(_) => Ok(()),
        None => Err(failure(store.disk(), no_head())),
    }
}

pub(super) fn ends_well(store: &Store, last: &LastFile) -> Result<(), DirError> {
    match last.missing(store).map_err(|error| failure(store.disk(), error))? {
        None => Ok(()),
        Some(missing) => Err(failure(store.disk(), StoreError::Damaged(missing))),
    }
}

pub(super) fn failure(disk: &Arc<dyn Disk>, error: StoreError) -> DirError {
    match error {
        StoreError::Disk(why) => DirError::Start(format!("cannot read the state: {why}")),
        StoreError::Damaged(why) => DirError::Damaged(repair::report(disk, &why)),
    }
}

/// Migrates a journal from one format version to the next: returns the changes of the store.
pub type Migration = fn(&Store) -> Result<Vec<Change>, StoreError>;

const MIGRATIONS: &[Migration] = &[];

pub(super) fn suits(store: &Store, head: &JournalHead, setup: &Setup) -> Result<(), DirError> {
    let wanted = setup.profile.to_string();
    if head.core != wanted {
        return Err(DirError::OtherCore { was: head.core.clone(), wanted });
    }
    migrate(store, head, FORMAT, MIGRATIONS)
}

/// Applies the migrations one by one, each completely or not at all.
fn migrate(store: &Store, head: &JournalHead, known: u32, steps: &[Migration]) -> Result<(), DirError> {
    if head.format > known || head.format == 0 {
        return Err(DirError::Newer { found: head.format, by: head.made_by.clone(), known });
    }
    for format in head.format..known {
        let step = usize::try_from(format - 1).ok().and_then(|at| steps.get(at));
        let step = step.ok_or_else(|| DirError::Start(format!("format {format} is not supported")))?;
        let mut changes = step(store).map_err(|error| failure(store.disk(), error))?;
        changes.push(Change::Head(JournalHead { format: format + 1, ..head.clone() }));
        store.commit(&changes).map_err(|error| failure(store.disk(), error))?;
    }
    Ok(())
}

fn found(store: &Store, core: &mut Core, setup: &Setup) -> Result<(), DirError> {
    core.audit_log().collect_new();
    let made_by = env!("CARGO_PKG_VERSION").to_owned();
    let mut changes = snapshots::changes(0, &core.save(), core.now(), Volume::default());
    changes.extend(changes_of(&core.audit_log().take_new()));
    changes.push(Change::Head(JournalHead { format: FORMAT, core: setup.profile.to_string(), made_by }));
    store.commit(&changes).map_err(|error| DirError::Start(format!("cannot write the state: {error}")))
}

/// Restores the scheduler of a store; returns it with the number of the next record and the recorded volume.
pub(super) fn continue_journal(
    store: &Store,
    setup: &Setup,
    workload: Option<Box<dyn Workload>>,
) -> Result<(Core, u64, Volume), DirError> {
    let snapshots = store.snapshots().map_err(|error| failure(store.disk(), error))?;
    let Some((number, index)) = snapshots.last() else {
        return Err(failure(store.disk(), StoreError::Damaged("no snapshot found".to_owned())));
    };
    let failed = |error| failure(store.disk(), error);
    let mut core = restored(store, *number, index, setup, workload)?;
    let mut volume = index.volume();
    if *number > 0 && volume.bytes == 0 {
        // An earlier version did not count them.
        volume.bytes = store.record_bytes(..=*number).map_err(failed)?;
    }
    let next = records(store, number + 1, |_, record| {
        volume.work += record.work();
        core.replay(record);
        true
    });
    volume.bytes += store.record_bytes(number + 1..).map_err(failed)?;
    Ok((core, next.map_err(failed)?, volume))
}

fn restored(
    store: &Store,
    number: u64,
    index: &SnapshotIndex,
    setup: &Setup,
    workload: Option<Box<dyn Workload>>,
) -> Result<Core, DirError> {
    let bytes = store.snapshot(number, index).map_err(|error| failure(store.disk(), error))?;
    let core = Core::restored(setup, &bytes, workload).map_err(DirError::Start)?;
    let log = core.audit_log();
    log.collect_new();
    // Later entries come from the replay.
    let (last, revision) = (log.last(), core.state.active_config.revision);
    let mut entries: Vec<AuditEntry> =
        store.entries(EntryTable::Audit, last + 1, MOST_ENTRIES).map_err(|error| failure(store.disk(), error))?;
    let mut revisions: Vec<Revision> = store
        .entries(EntryTable::Revisions, revision + 1, MOST_REVISIONS)
        .map_err(|error| failure(store.disk(), error))?;
    entries.reverse();
    revisions.reverse();
    let (entries, revisions) = (entries.into_iter().map(Arc::new), revisions.into_iter().map(Arc::new));
    log.restore(NewEntries { entries: entries.collect(), revisions: revisions.collect() });
    Ok(core)
}

#[cfg(test)]
mod tests {
    use super::super::disk::MemoryDisk;
    use super::*;
    use model::Profile;

    fn head(format: u32) -> JournalHead {
        JournalHead { format, core: Profile::Kornsole.to_string(), made_by: "0".to_owned() }
    }

    #[test]
    fn an_older_format_is_migrated_step_by_step() {
        let store = Store::open(Arc::new(MemoryDisk::default())).unwrap();
        let step: Migration = |store| {
            let head = store.head()?.ok_or_else(|| StoreError::Damaged("no head".to_owned()))?;
            Ok(vec![Change::Audit(u64::from(head.format), Arc::from(*b"\xa3one"))])
        };
        store.commit(&[Change::Head(head(1))]).unwrap();
        migrate(&store, &head(1), 3, &[step, step]).unwrap();
        assert_eq!(store.head().unwrap(), Some(head(3)));
        let steps: Vec<String> = store.entries(EntryTable::Audit, 9, 9).unwrap();
        assert_eq!(steps, ["one", "one"], "each step saw the form that the one before left");
        assert!(matches!(migrate(&store, &head(4), 3, &[step, step]), Err(DirError::Newer { found: 4, known: 3, .. })));
        assert!(matches!(migrate(&store, &head(1), 3, &[step]), Err(DirError::Start(_))));
    }
}
