//! The scheduler: its partitions, and its options.

use std::sync::Arc;

use crate::interface::switches::Switches;
use crate::interface::tuning::Tuning;
use crate::state::group_cache::NamedGroups;
use crate::state::partition::Partition;
use config::Config;
use model::{Profile, Time};

/// A scheduler: partitions, and how they behave.
#[derive(Clone, Debug)]
pub struct Scheduler {
    pub(crate) switches: Switches,
    pub(crate) tuning: Tuning,
    pub(crate) partitions: Vec<Partition>,
    pub(crate) checksum: String,
    pub(crate) named_groups: NamedGroups,
    /// The configuration that every queue has been settled by; `None` before the first, and where that is unknown.
    pub(crate) loaded: Option<Arc<Config>>,
    /// Commands before the invariants are asserted again.
    #[cfg(debug_assertions)]
    pub(crate) unasserted: u64,
}

impl Scheduler {
    /// A scheduler without a configuration. It decides as `profile` says.
    pub fn new(profile: Profile) -> Self {
        Self::tuned(profile, Tuning::default())
    }

    /// A scheduler without a configuration that decides as `profile` says, as far as `tuning` does not say otherwise.
    pub fn tuned(profile: Profile, tuning: Tuning) -> Self {
        Self::switched(Switches::of(profile).tuned(&tuning), tuning)
    }

    /// A scheduler without a configuration that decides by these switches. Meant for tests of a single switch.
    pub fn switched(switches: Switches, tuning: Tuning) -> Self {
        Self {
            switches,
            tuning,
            partitions: Vec::new(),
            checksum: String::new(),
            named_groups: NamedGroups::default(),
            loaded: None,
            #[cfg(debug_assertions)]
            unasserted: 0,
        }
    }

    /// The partitions in the order of the configuration.
    pub fn partitions(&self) -> &[Partition] {
        &self.partitions
    }

    /// The partitions, for a read model that takes what changed ([`Partition::dirty`]).
    pub fn partitions_mut(&mut self) -> &mut [Partition] {
        &mut self.partitions
    }

    /// When the next timer is due; before that a [`Command::Tick`] does nothing.
    pub fn next_timer(&self) -> Option<Time> {
        self.partitions.iter().filter_map(Partition::next_timer).min()
    }

    /// Whether an application is ending that had too much for one command. Each [`Command::Continue`] removes more of it. A cycle or a
    /// reload could decide otherwise because of its rest, so both remove all of it first.
    pub fn is_unfinished(&self) -> bool {
        self.partitions.iter().any(Partition::is_unfinished)
    }

    /// Whether a cycle has something to look at (SCH-041, SCH-042).
    pub fn has_work(&self) -> bool {
        self.partitions.iter().any(Partition::has_work)
    }

    /// Drops everything that cycles hold to save work. No decision rests on it: tests compare a scheduler that has to find everything
    /// again with one that does not.
    pub fn forget_shortcuts(&mut self) {
        self.partitions.iter_mut().for_each(Partition::forget_shortcuts);
        self.loaded = None;
    }

    /// The checksum of the active configuration; empty before the first.
    pub fn checksum(&self) -> &str {
        &self.checksum
    }

    /// What was decided at its start.
    pub fn tuning(&self) -> &Tuning {
        &self.tuning
    }

    /// How it behaves.
    pub fn switches(&self) -> &Switches {
        &self.switches
    }
}
