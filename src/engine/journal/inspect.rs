//! A state folder that nobody runs, to look at: its audit, and the configurations that were in force.
//!
//! Nothing in the folder is changed: repairs and updates that a start would make are made in memory.

use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use super::archive::StoreArchive;
use super::disk::Overlay;
use super::folder::{FILE, continue_journal, ends_well, suits, whole};
use super::folder_error::FolderError;
use super::history::{core_at, records};
use super::last::LastFile;
use super::lock;
use super::record::{Record, RecordedCommand};
use super::store::Store;
use crate::engine::audit_log::AuditLog;
use crate::engine::core::Core;
use crate::engine::replay;
use crate::engine::setup::Setup;
use crate::ledger;
use crate::model::{Profile, Time};
use crate::scheduler::{AskSpec, Event, PartitionCommand, Scheduler};
use crate::view::act::{Act, PartitionAct, Refusal};
use crate::view::waiting::{Finding, Question};
use crate::whatif::{Fork, NoFork};

/// A state folder that is looked at. While this is there nobody can run it.
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
        let store = Arc::new(store);
        let (core, ..) = continue_journal(&store, &setup, None)?;
        let audit_log = Arc::clone(core.audit_log());
        audit_log.set_archive(Arc::new(StoreArchive(Arc::clone(&store))));
        let policy_group = core.policy_group().to_owned();
        Ok(Self { core: Box::new(core), store, setup, audit_log, profile, policy_group, _lock: lock })
    }

    /// A copy of a partition as it stands, the first one where none is named.
    ///
    /// # Errors
    /// There is no such partition.
    pub fn fork(&self, partition: Option<&str>) -> Result<Fork, NoFork> {
        self.core.fork(partition, usize::MAX)
    }

    /// Why something waits as it stands.
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

    /// A copy of a partition as it stood at an earlier time.
    ///
    /// # Errors
    /// There was no such partition, the journal does not reach back so far, or it cannot be read.
    pub fn fork_at(&self, partition: Option<&str>, at: Time) -> Result<Fork, String> {
        let mut core = core_at(&self.store, &self.setup, at, u64::MAX).map_err(|why| {
            let reach = self.store.snapshots().ok().and_then(|all| all.first().map(|(_, index)| index.at));
            match reach.filter(|reach| *reach > at) {
                Some(reach) => format!("the journal goes back to {reach} only"),
                None => why.to_string(),
            }
        })?;
        replay::advance_to(&mut core.state, at);
        core.fork(partition, usize::MAX).map_err(|why| why.to_string())
    }

    /// The applications that were submitted to a partition after one time and up to another, and what was asked for then, in their order.
    ///
    /// # Errors
    /// The journal does not reach back so far, or cannot be read.
    pub fn submissions(&self, partition: &str, from: Time, to: Time) -> Result<Vec<(Time, PartitionCommand)>, String> {
        let snapshots = self.store.snapshots().map_err(|why| why.to_string())?;
        let Some((number, _)) = snapshots.iter().rev().find(|(_, index)| index.at <= from) else {
            let reach = snapshots.first().map(|(_, index)| index.at.to_string()).unwrap_or_default();
            return Err(format!("what came in is known from {reach} on only"));
        };
        let first = self.core.scheduler().partitions().first().is_some_and(|part| *part.name == *partition);
        let here = |name: Option<&str>| name.map_or(first, |name| name == partition);
        let mut found = Vec::new();
        let read = records(&self.store, number + 1, |_, record| {
            let at = record.at();
            if at > from && at <= to {
                found.extend(came_in(record, &here).into_iter().map(|command| (at, command)));
            }
            at <= to
        });
        read.map_err(|why| why.to_string())?;
        Ok(found)
    }

    /// Replays what happened after one time and up to another. `each` gets the events of some commands at a time with the scheduler after
    /// them; first of all none, with the scheduler as it stood at the beginning. Gives the scheduler as it stood at the end.
    ///
    /// # Errors
    /// The journal does not reach back so far, or cannot be read.
    pub fn watch(&self, from: Time, to: Time, each: &mut dyn FnMut(&[Event], &Scheduler)) -> Result<Scheduler, String> {
        let snapshots = self.store.snapshots().map_err(|why| why.to_string())?;
        let Some((number, index)) = snapshots.iter().rev().find(|(_, index)| index.at <= from) else {
            let reach = snapshots.first().map(|(_, index)| index.at.to_string()).unwrap_or_default();
            return Err(format!("what happened is known from {reach} on only"));
        };
        let bytes = self.store.snapshot(*number, index).map_err(|why| why.to_string())?;
        let mut core = Core::restored(&self.setup, &bytes, None)?;
        let mut begun = false;
        let read = records(&self.store, number + 1, |_, record| {
            if record.at() > to {
                return false;
            }
            if !begun && record.at() > from {
                begun = true;
                // A restored core drops its events until it is live.
                core.go_live(&self.setup);
                core.state.outbox.flush();
                core.state.outbox.hold();
                each(&[], core.scheduler());
            }
            core.replay(record);
            if begun {
                core.state.outbox.flush();
                core.state.outbox.take().iter().for_each(|events| each(events, core.scheduler()));
            }
            true
        });
        read.map_err(|why| why.to_string())?;
        Ok(core.state.scheduler)
    }

    /// What was used over time, up to its last moment.
    pub fn usage(&self, question: &ledger::Question) -> ledger::Report {
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

/// What a record says of applications that came in.
fn came_in(record: Record, here: &dyn Fn(Option<&str>) -> bool) -> Vec<PartitionCommand> {
    let of = |command: RecordedCommand| match command {
        RecordedCommand::In { partition, command } if here(partition.as_deref()) => Some(command),
        _ => None,
    };
    match record {
        Record::Work { commands, .. } => commands.into_iter().filter_map(of).collect(),
        Record::Give { command, .. } => of(command).into_iter().collect(),
        Record::Order(order) => match order.order.act {
            Act::In { partition, act } if here(Some(&partition)) => match act {
                PartitionAct::Submit(submission) => vec![PartitionCommand::Submit(submission)],
                PartitionAct::Ask { app, asks } => {
                    let own = |ask: AskSpec| PartitionCommand::Ask(AskSpec { app: app.clone(), ..ask });
                    asks.into_iter().map(own).collect()
                }
                _ => Vec::new(),
            },
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}
