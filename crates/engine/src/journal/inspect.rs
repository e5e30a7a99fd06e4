//! A state directory that no one runs, to look at: its audit, and the configurations that were active.
//!
//! Nothing in the directory is changed: repairs and updates that a start would make are made in memory.

use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use super::archive::StoreArchive;
use super::disk::Overlay;
use super::folder::{continue_journal, ends_well, failure, no_head, suits, whole};
use super::folder_error::FolderError;
use super::last::LastFile;
use super::lock;
use super::lock::{AUDIT, FILE};
use super::recording::Recording;
use super::store::Store;
use crate::audit_log::AuditLog;
use crate::core::Core;
use crate::setup::Setup;
use forecast::whatif::{Fork, NoFork};
use model::{Profile, Time};
use scheduler::PartitionCommand;
use view::ClockRuns;
use view::act::Refusal;
use view::waiting::{Finding, Question};

/// What every kind of state directory has that no one runs.
pub trait Inspected {
    /// Who did what, and every configuration that was active.
    fn audit_log(&self) -> &AuditLog;

    /// How its scheduler decides.
    fn profile(&self) -> Profile;

    /// Which entry of a manifest is the queue configuration.
    fn policy_group(&self) -> &str;

    /// What is damaged of it, and what is intact: all that is shown is what is intact. `None` for a directory that is whole.
    fn damage(&self) -> Option<&str> {
        None
    }
}

/// A state directory that is examined. While this is there no one can run it.
pub struct FolderInspection {
    core: Box<Core>,
    store: Arc<Store>,
    setup: Setup,
    audit_log: Arc<AuditLog>,
    profile: Profile,
    policy_group: String,
    _lock: File,
}

impl FolderInspection {
    /// Opens a directory. Takes as long as a start.
    ///
    /// # Errors
    /// It is in use, has no state, or is damaged.
    pub fn open(path: &Path) -> Result<Self, FolderError> {
        let lock = lock::share(path)?;
        let file = path.join(FILE);
        if !file.exists() {
            if path.join(AUDIT).exists() {
                return Err(FolderError::OtherKind { folder: path.to_owned(), by: "kornsole kube schedule" });
            }
            return Err(FolderError::Nothing { folder: path.to_owned() });
        }
        let disk = Overlay::open(&file);
        let disk = disk.map_err(|error| match error.kind() {
            ErrorKind::WouldBlock => FolderError::Running { folder: path.to_owned(), who: String::new() },
            _ => FolderError::Folder { folder: path.to_owned(), why: error.to_string() },
        })?;
        let store = whole(Arc::new(disk), false)?;
        let last = LastFile::look(path);
        let last = last.map_err(|error| FolderError::Folder { folder: path.to_owned(), why: error.to_string() })?;
        if let Some(last) = last {
            ends_well(&store, &last)?;
        }
        let head = store.head().map_err(|error| FolderError::Begin(format!("cannot read the state: {error}")))?;
        // A journal gets its name once its head is in it.
        let head = head.ok_or_else(|| failure(store.disk(), no_head()))?;
        let profile: Profile =
            head.core.parse().map_err(|_| FolderError::Begin(format!("unknown core {}", head.core)))?;
        let setup = Setup::of(profile);
        suits(&store, &head, &setup)?;
        // What was done last may be in the records only.
        let store = Arc::new(store);
        let (core, ..) = continue_journal(&store, &setup, None)?;
        let audit_log = Arc::clone(core.audit_log());
        audit_log.set_archive(Arc::new(StoreArchive(Arc::clone(&store))));
        let policy_group = core.policy_group().to_owned();
        Ok(Self { core: Box::new(core), store, setup, audit_log, profile, policy_group, _lock: lock })
    }

    /// A copy of a partition unchanged, the first one where none is named.
    ///
    /// # Errors
    /// There is no such partition.
    pub fn fork(&self, partition: Option<&str>) -> Result<Fork, NoFork> {
        self.core.fork(partition, usize::MAX)
    }

    /// Why something waits unchanged.
    ///
    /// # Errors
    /// There is no such thing.
    pub fn explain(&self, question: &Question) -> Result<Finding, Refusal> {
        self.core.explain(question)
    }

    /// The last moment that is in it.
    pub fn now(&self) -> Time {
        self.core.now()
    }

    /// What it has of a span of time.
    pub fn recording(&self) -> Recording<'_> {
        Recording::new(&self.store, &self.setup, self.now())
    }

    /// A copy of a partition as it was at an earlier time.
    ///
    /// # Errors
    /// There was no such partition, the journal does not reach back so far, or it cannot be read.
    pub fn fork_at(&self, partition: Option<&str>, at: Time) -> Result<Fork, String> {
        self.recording().fork_at(partition, at)
    }

    /// The applications that were submitted to a partition after one time and up to another, and what was requested then, in their order.
    ///
    /// # Errors
    /// The journal does not reach back so far, or cannot be read.
    pub fn submissions(&self, partition: &str, from: Time, to: Time) -> Result<Vec<(Time, PartitionCommand)>, String> {
        let first = self.core.scheduler().partitions().first().is_some_and(|part| *part.name == *partition);
        self.recording().submissions((partition, first), from, to)
    }

    /// What was used over time, up to its last moment.
    pub fn usage(&self, question: &ledger::Question) -> ledger::Report {
        self.core.ledger().ledger().report(self.core.now(), question)
    }

    /// When its time ran, by the wall clock.
    pub fn clock_runs(&self) -> ClockRuns {
        self.core.clock_runs()
    }
}

impl Inspected for FolderInspection {
    fn audit_log(&self) -> &AuditLog {
        &self.audit_log
    }

    fn profile(&self) -> Profile {
        self.profile
    }

    fn policy_group(&self) -> &str {
        &self.policy_group
    }
}
