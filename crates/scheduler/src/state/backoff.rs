//! Backoff as data: the failed tries, and the reasons not to try again yet. `cycle::backoff` decides by it.

use std::collections::VecDeque;

use crate::index::{AskKey, NodeKey, QueueKey, SlabKey};
use crate::state::skipped_cycles::{SkippedCycles, SkippedSince};
use model::{Resource, Time};

/// The farthest time.
pub(crate) const NEVER: Time = Time(u64::MAX);

/// How many gains are remembered; a backoff that has seen fewer ends.
const REMEMBERED: usize = 4096;

/// Nodes that may take an ask which they could not take before, in the order of these changes.
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeGains {
    /// The node, and whether it is new to those that look, or larger, so that it may be reserved.
    pub(crate) list: VecDeque<(NodeKey, bool)>,
    /// How many were forgotten.
    pub(crate) forgotten: u64,
}

impl NodeGains {
    /// Every node may take what it could not take before.
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

    /// How many there have been so far.
    pub fn count(&self) -> u64 {
        self.forgotten + self.list.len() as u64
    }
}

/// What a backoff has examined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    /// How many gains of nodes; of a leaf: when it started; its note continues from there.
    pub(crate) gains: u64,
    /// How many changes of nodes, where any of them may let a node be reserved that the resource manager refused.
    pub(crate) changes: Option<u64>,
}

/// That no node will do rests on a resource manager's conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ByConditions {
    /// One of the asks, which are all alike to these conditions.
    pub(crate) ask: AskKey,
    /// What `Nodes::loosened` gave for it.
    pub(crate) loosened: u64,
    /// It has been reported that they refuse all nodes with room. Else the first node with room that they refuse is to be reported.
    pub(crate) reported: bool,
}

/// Why something that was tried without success is not tried again.
#[derive(Clone, Debug)]
pub(crate) struct Backoff {
    /// From then on time alone may change something.
    pub(crate) until: Time,
    pub(crate) epoch: u64,
    /// The largest amounts that had room in queues and limits; they must still have it.
    pub(crate) most: Resource,
    /// The room in the queues then, if that was too small for something.
    pub(crate) queues: Option<Resource>,
    /// The room in the limits then.
    pub(crate) limits: Option<Resource>,
    /// The smallest amounts that found no node, if any.
    pub(crate) least: Option<Resource>,
    pub(crate) seen: Seen,
    /// Whether a resource manager's conditions had a part in it.
    pub(crate) by_conditions: Option<ByConditions>,
    /// How many attempts at preemption trying again would use up (SCH-150).
    pub(crate) attempts: u32,
    /// How many of them there were; of a leaf: how many there were at its first application.
    pub(crate) attempts_left: u32,
    /// Of an application: since when it has been skipped.
    pub(crate) since: Option<SkippedSince>,
}

impl Backoff {
    /// One that nothing ends but another configuration.
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

    /// Whether it ends as others do that are alike: by what the whole leaf has, and by its time.
    pub fn may_be_shared(&self) -> bool {
        self.limits.is_none() && (self.attempts == 0 || self.attempts_left == 0)
    }

    /// Whether attempts at preemption were left.
    pub fn has_attempts(&self) -> bool {
        self.attempts_left > 0
    }

    /// Whether it ends by the same as another one, its time aside, if their asks are alike to a resource manager's conditions. Both may be
    /// shared.
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

/// What a cycle notes of a leaf that it skips.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LeafNote {
    /// How often the leaf was skipped while others were tried.
    pub(crate) skipped_cycles: SkippedCycles,
    /// What has been examined for it.
    pub(crate) seen: Seen,
}

/// The notes of all leaves, by slot. They lie next to the queues: a cycle writes one for each leaf that it skips, and a fork would
/// copy every queue otherwise.
#[derive(Clone, Debug, Default)]
pub(crate) struct LeafNotes(Vec<LeafNote>);

impl LeafNotes {
    /// The note of a queue.
    pub fn get(&self, leaf: QueueKey) -> LeafNote {
        self.0.get(leaf.slot()).copied().unwrap_or_default()
    }

    /// The note of a queue, to be changed.
    pub fn get_mut(&mut self, leaf: QueueKey) -> &mut LeafNote {
        if self.0.len() <= leaf.slot() {
            self.0.resize(leaf.slot() + 1, LeafNote::default());
        }
        &mut self.0[leaf.slot()]
    }
}
