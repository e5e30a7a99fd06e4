//! Inspects an unused state directory; changes happen only in memory.

use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use super::archive::StoreArchive;
use super::dir::{continue_journal, ends_well, failure, no_head, suits, whole};
use super::dir_error::DirError;
use super::disk::Overlay;
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

/// The common content of unused state directories.
pub trait Inspected {
    /// The audit log and the revisions.
    fn audit_log(&self) -> &AuditLog;

    /// How its scheduler decides.
    fn profile(&self) -> Profile;

    /// The entry of a manifest with the queue configuration.
    fn policy_group(&self) -> &str;

    /// The damage and the intact rest, in words; `None` without damage.
    fn damage(&self) -> Option<&str> {
        None
    }
}

/// No process can run it meanwhile.
pub struct DirInspection {
    core: Box<Core>,
    store: Arc<Store>,
    setup: Setup,
    audit_log: Arc<AuditLog>,
    profile: Profile,
    policy_group: String,
    _lock: File,
}

impl DirInspection {
    /// Opens a directory. Takes as long as a start.
    ///
    /// # Errors
    /// Returns an error if it is in use, has no state, or is damaged.
    pub fn open(path: &Path) -> Result<Self, DirError> {
        let lock = lock::share(path)?;
        let file = path.join(FILE);
        if !file.exists() {
            if path.join(AUDIT).exists() {
                return Err(DirError::OtherKind { dir: path.to_owned(), by: "kornsole kube schedule" });
            }
            return Err(DirError::Nothing { dir: path.to_owned() });
        }
        let disk = Overlay::open(&file);
        let disk = disk.map_err(|error| match error.kind() {
            ErrorKind::WouldBlock => DirError::Running { dir: path.to_owned(), who: String::new() },
            _ => DirError::Dir { dir: path.to_owned(), why: error.to_string() },
        })?;
        let store = whole(Arc::new(disk), false)?;
        let last = LastFile::look(path);
        let last = last.map_err(|error| DirError::Dir { dir: path.to_owned(), why: error.to_string() })?;
        if let Some(last) = last {
            ends_well(&store, &last)?;
        }
        let head = store.head().map_err(|error| DirError::Start(format!("cannot read the state: {error}")))?;
        // A journal is renamed only with a head.
        let head = head.ok_or_else(|| failure(store.disk(), no_head()))?;
        let profile: Profile = head.core.parse().map_err(|_| DirError::Start(format!("unknown core {}", head.core)))?;
        let setup = Setup::of(profile);
        suits(&store, &head, &setup)?;
        // The last changes may be only in the records.
        let store = Arc::new(store);
        let (core, ..) = continue_journal(&store, &setup, None)?;
        let audit_log = Arc::clone(core.audit_log());
        audit_log.set_archive(Arc::new(StoreArchive(Arc::clone(&store))));
        let policy_group = core.policy_group().to_owned();
        Ok(Self { core: Box::new(core), store, setup, audit_log, profile, policy_group, _lock: lock })
    }

    /// Copies a partition (default: the first one).
    ///
    /// # Errors
    /// Returns an error if the partition does not exist.
    pub fn fork(&self, partition: Option<&str>) -> Result<Fork, NoFork> {
        self.core.fork(partition, usize::MAX)
    }

    /// Explains why something waits.
    ///
    /// # Errors
    /// Returns an error if the object does not exist.
    pub fn explain(&self, question: &Question) -> Result<Finding, Refusal> {
        self.core.explain(question)
    }

    /// The last recorded time.
    pub fn now(&self) -> Time {
        self.core.now()
    }

    /// What it has of a span of time.
    pub fn recording(&self) -> Recording<'_> {
        Recording::new(&self.store, &self.setup, self.now())
    }

    /// Copies a partition at an earlier time.
    ///
    /// # Errors
    /// Returns an error if the partition did not exist, or the journal does not reach back so far or cannot be read.
    pub fn fork_at(&self, partition: Option<&str>, at: Time) -> Result<Fork, String> {
        self.recording().fork_at(partition, at)
    }

    /// The submissions and requests of a partition between two times, in order.
    ///
    /// # Errors
    /// Returns an error if the journal does not reach back so far or cannot be read.
    pub fn submissions(&self, partition: &str, from: Time, to: Time) -> Result<Vec<(Time, PartitionCommand)>, String> {
        let first = self.core.scheduler().partitions().first().is_some_and(|part| *part.name == *partition);
        self.recording().submissions((partition, first), from, to)
    }

    /// The usage up to the last recorded time.
    pub fn usage(&self, question: &ledger::Question) -> ledger::Report {
        self.core.ledger().ledger().report(self.core.now(), question)
    }

    /// The runs of the clock.
    pub fn clock_runs(&self) -> ClockRuns {
        self.core.clock_runs()
    }
}

impl Inspected for DirInspection {
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
