//! The data of backoff: failed attempts and their reasons. `cycle::backoff` decides by them.

use std::collections::VecDeque;

use crate::index::{AskKey, NodeKey, QueueKey, SlabKey};
use crate::state::skipped_cycles::{SkippedCycles, SkippedSince};
use model::{Resource, Time};

pub(crate) const NEVER: Time = Time(u64::MAX);

/// The number of stored gains; a backoff that misses older ones ends.
const REMEMBERED: usize = 4096;

/// Nodes that may accept a request that they could not accept before, in the order of the changes.
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeGains {
    /// The node, and whether its total is larger or it was not open before, so that it may be reserved.
    pub(crate) list: VecDeque<(NodeKey, bool)>,
    /// The number of dropped gains.
    pub(crate) forgotten: u64,
}

impl NodeGains {
    /// Drops all gains, which ends all backoffs that depend on them.
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

/// What a backoff has examined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    /// The number of gains of nodes; of a leaf: at its start, and its note continues from there.
    pub(crate) gains: u64,
    /// The number of node changes, if any change may allow a reservation that the resource manager's conditions
    /// excluded.
    pub(crate) changes: Option<u64>,
}

/// The absence of a suitable node depends on a resource manager's conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ByConditions {
    /// One of the requests, which these conditions treat alike.
    pub(crate) ask: AskKey,
    /// The result of `Nodes::loosened` for it.
    pub(crate) loosened: u64,
    /// Whether the refusal of all nodes with enough resources was reported. Otherwise the first such node must be
    /// reported.
    pub(crate) reported: bool,
}

/// Why a failed attempt is not repeated.
#[derive(Clone, Debug)]
pub(crate) struct Backoff {
    /// From then on time alone may change the result.
    pub(crate) until: Time,
    pub(crate) epoch: u64,
    /// The largest resources that fitted the queues and limits; they must still fit.
    pub(crate) most: Resource,
    /// The headroom of the queues, if it was too small.
    pub(crate) queues: Option<Resource>,
    /// The headroom of the limits.
    pub(crate) limits: Option<Resource>,
    /// The smallest resources that found no node, if any.
    pub(crate) least: Option<Resource>,
    pub(crate) seen: Seen,
    /// Set if a resource manager's conditions were involved.
    pub(crate) by_conditions: Option<ByConditions>,
    /// The number of preemption attempts that a new attempt would use up (SCH-150).
    pub(crate) attempts: u32,
    /// The number of preemption attempts left; of a leaf: at its first application.
    pub(crate) attempts_left: u32,
    /// Of an application: since when it is skipped.
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

    /// Whether it depends only on what the whole leaf has, and on time, so that others can share it.
    pub fn may_be_shared(&self) -> bool {
        self.limits.is_none() && (self.attempts == 0 || self.attempts_left == 0)
    }

    /// Whether preemption attempts were left.
    pub fn has_attempts(&self) -> bool {
        self.attempts_left > 0
    }

    /// Whether it ends like another one except for time, if the resource manager's conditions treat their requests
    /// alike. Both may be shared.
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

/// The note of a cycle about a leaf that it skips.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LeafNote {
    /// How often the leaf was skipped while others were tried.
    pub(crate) skipped_cycles: SkippedCycles,
    pub(crate) seen: Seen,
}

/// The notes of all leaves, by slot. Stored outside of the queues: a cycle writes one for each skipped leaf, and a fork
/// would otherwise copy every queue.
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
