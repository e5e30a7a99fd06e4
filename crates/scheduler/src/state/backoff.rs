//! The data of backoff: failed attempts and their reasons. `cycle::backoff` decides by them.

use std::collections::VecDeque;

use crate::index::{AskKey, NodeKey, QueueKey, SlabKey};
use crate::state::skipped_cycles::{SkippedCycles, SkippedSince};
use model::{Resource, Time};

pub(crate) const NEVER: Time = Time(u64::MAX);

const REMEMBERED: usize = 4096;

/// Nodes that may accept more than before, in the order of the changes.
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeGains {
    /// With whether its total is larger, or it was unschedulable before, so that it may be reserved.
    pub(crate) list: VecDeque<(NodeKey, bool)>,
    pub(crate) forgotten: u64,
}

impl NodeGains {
    /// Ends all backoffs that depend on gains.
    pub fn forget(&mut self) {
        self.forgotten = self.count() + 1;
        self.list.clear();
    }

    pub fn note(&mut self, node: NodeKey, larger: bool) {
        if self.list.len() == REMEMBERED {
            self.list.pop_front();
            self.forgotten += 1;
        }
        self.list.push_back((node, larger));
    }

    /// The number of gains so far.
    pub fn count(&self) -> u64 {
        self.forgotten + self.list.len() as u64
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    /// Of a leaf: at its start; its note continues from there.
    pub(crate) gains: u64,
    /// If any change may allow a reservation that conditions excluded.
    pub(crate) changes: Option<u64>,
}

/// No node fits because of a resource manager's conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ByConditions {
    /// Represents all requests, which the conditions treat alike.
    pub(crate) ask: AskKey,
    pub(crate) loosened: u64,
    /// The refusal of all nodes was reported. Otherwise the first one must be.
    pub(crate) reported: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Backoff {
    pub(crate) until: Time,
    pub(crate) epoch: u64,
    /// The largest resources that fitted queues and limits; they must still fit.
    pub(crate) most: Resource,
    pub(crate) queues: Option<Resource>,
    pub(crate) limits: Option<Resource>,
    pub(crate) least: Option<Resource>,
    pub(crate) seen: Seen,
    pub(crate) by_conditions: Option<ByConditions>,
    /// What a new attempt would use up (SCH-150).
    pub(crate) attempts: u32,
    pub(crate) attempts_left: u32,
    pub(crate) since: Option<SkippedSince>,
}

impl Backoff {
    /// A backoff that ends only with another configuration.
    pub fn at_epoch(epoch: u64) -> Self {
        Self {
            until: NEVER,
            epoch,
            most: Resource::new(),
            queues: None,
            limits: None,
            least: None,
            seen: Seen::default(),
            by_conditions: None,
            attempts: 0,
            attempts_left: 0,
            since: None,
        }
    }

    /// Whether it depends only on the leaf and on time.
    pub fn may_be_shared(&self) -> bool {
        self.limits.is_none() && (self.attempts == 0 || self.attempts_left == 0)
    }

    /// Whether preemption attempts were left.
    pub fn has_attempts(&self) -> bool {
        self.attempts_left > 0
    }

    /// Whether it ends like another one except for time. Both may be shared.
    pub fn is_identical(&self, other: &Self) -> bool {
        self.epoch == other.epoch
            && self.has_attempts() == other.has_attempts()
            && self.least == other.least
            && self.most == other.most
            && self.queues == other.queues
            && self.seen.changes.is_some() == other.seen.changes.is_some()
            && self.by_conditions.map(|by| (by.loosened, by.reported))
                == other.by_conditions.map(|by| (by.loosened, by.reported))
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LeafNote {
    pub(crate) skipped_cycles: SkippedCycles,
    pub(crate) seen: Seen,
}

/// By slot. Outside of the queues: a cycle writes one for each skipped leaf, and a fork would copy every queue.
#[derive(Clone, Debug, Default)]
pub(crate) struct LeafNotes(Vec<LeafNote>);

impl LeafNotes {
    /// The note of a leaf.
    pub fn get(&self, leaf: QueueKey) -> LeafNote {
        self.0.get(leaf.slot()).copied().unwrap_or_default()
    }

    /// The note of a leaf, created if missing.
    pub fn get_mut(&mut self, leaf: QueueKey) -> &mut LeafNote {
        if self.0.len() <= leaf.slot() {
            self.0.resize(leaf.slot() + 1, LeafNote::default());
        }
        &mut self.0[leaf.slot()]
    }
}
