//! A state folder that nobody runs, to look at: who did what in it, and which configurations were in force.
//!
//! Nothing in the folder is changed: what a start would mend or bring up to date is done in memory.

use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use super::archive::StoreArchive;
use super::disk::Overlay;
use super::folder::{FILE, ends_well, go_on, suits, whole};
use super::folder_error::FolderError;
use super::last::LastFile;
use super::lock;
use crate::engine::audit_log::AuditLog;
use crate::engine::core::Core;
use crate::engine::setup::Setup;
use crate::ledger::{Question, Report};
use crate::model::Profile;
use crate::whatif::{Fork, NoFork};

/// A state folder that is looked at. While this is there nobody can run it.
pub struct FolderInspection {
    core: Box<Core>,
    audit_log: Arc<AuditLog>,
    profile: Profile,
    policy_group: String,
    _lock: File,
}

impl FolderInspection {
    /// Opens a folder. Takes as long as a start.
    ///
    /// # Errors
    /// It is in use, holds no state, or is damaged.
    pub fn open(path: &Path) -> Result<Self, FolderError> {
        let lock = lock::share(path)?;
        let file = path.join(FILE);
        if !file.exists() {
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
        let head = store.head().map_err(|error| FolderError::Begin(format!("the state cannot be read: {error}")))?;
        let head = head.ok_or_else(|| FolderError::Nothing { folder: path.to_owned() })?;
        let profile: Profile =
            head.core.parse().map_err(|_| FolderError::Begin(format!("{} is no core that is known", head.core)))?;
        let setup = Setup::of(profile);
        suits(&store, &head, &setup)?;
        // What was done last may be in the records only.
        let (core, ..) = go_on(&store, &setup, None)?;
        let audit_log = Arc::clone(core.audit_log());
        audit_log.set_archive(Arc::new(StoreArchive(Arc::new(store))));
        let policy_group = core.policy_group().to_owned();
        Ok(Self { core: Box::new(core), audit_log, profile, policy_group, _lock: lock })
    }

    /// A copy of a partition as it stands, the first one where none is named.
    ///
    /// # Errors
    /// There is no such partition.
    pub fn fork(&self, partition: Option<&str>) -> Result<Fork, NoFork> {
        self.core.fork(partition, usize::MAX)
    }

    /// What was used over time, up to its last moment.
    pub fn usage(&self, question: &Question) -> Report {
        self.core.ledger().ledger().report(self.core.now(), question)
    }

    /// The time of day at which the scheduler's time would have begun, had it always run.
    pub fn began(&self) -> SystemTime {
        self.core.began()
    }

    /// Who did what, and every configuration that was in force.
    pub fn audit_log(&self) -> &AuditLog {
        &self.audit_log
    }

    /// How its scheduler decides.
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// Which entry of a manifest is the queue configuration.
    pub fn policy_group(&self) -> &str {
        &self.policy_group
    }
}
