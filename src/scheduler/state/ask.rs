//! Asks, and the allocations that they become.

use std::cmp::Reverse;
use std::sync::Arc;
use std::time::Duration;

use crate::model::{AskId, NodeId, Priority, Resource, Tags, Time};
use crate::scheduler::index::{AskKey, NodeKey};
use crate::scheduler::interface::command::AskSpec;
use crate::scheduler::state::ask_log::{AskLog, TryResult};

/// The place of a pending ask: priority first, then age, then arrival (SCH-080).
pub type AskRank = (Reverse<Priority>, Time, u64, AskKey);

/// An ask, and the allocation that it becomes (SCH-013, SCH-014).
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Ask {
    /// The id.
    pub id: AskId,
    /// Counts arrivals over the whole partition.
    pub arrival: u64,
    /// The amounts wanted: memory in bytes, vcore in millicores.
    pub resource: Resource,
    /// The priority; a higher one is tried first (SCH-080).
    pub priority: Priority,
    /// When it was asked.
    pub created: Time,
    /// The only node that will do.
    pub required_node: Option<NodeId>,
    /// May be preempted.
    pub allow_preempt_self: bool,
    /// May preempt others.
    pub allow_preempt_other: bool,
    /// Began its application: the last one to be preempted (SCH-158).
    pub originator: bool,
    /// Holds room for a gang.
    pub placeholder: bool,
    /// The task group.
    #[serde(default, with = "crate::model::saved::text_option")]
    pub task_group: Option<Arc<str>>,
    /// It was made again since: it is still tried, but only the later one is counted as pending (switch `ask_again_pending`).
    pub superseded: bool,
    /// Where it runs; `None` while it is pending.
    pub allocation: Option<Allocation>,
    /// The resource manager was asked to stop it and has not confirmed that yet (SCH-046).
    pub released: bool,
    /// Of an ask that is about to take over a placeholder's room: it is neither pending nor allocated (SCH-144).
    pub takes_over: Option<Takeover>,
    /// Of a placeholder that is about to give way: the ask that takes over.
    pub gives_way: Option<AskKey>,
    /// What the last cycle that tried it found.
    pub tried: TryResult,
    /// Why it was not allocated so far.
    pub log: AskLog,
    /// When the placeholder was asked for that it took over from (SCH-144).
    pub replaced: Option<Time>,
    /// Whether it fitted its queues at the last report (SCH-222).
    pub fits_queue: bool,
    /// Whether it fitted the limits of its user and group when last reported (SCH-222).
    pub fits_limits: bool,
    /// Others were preempted for it, which happens once (SCH-161).
    pub preempted_others: bool,
    /// When victims were last sought for it (SCH-151).
    pub preemption_tried: Option<Time>,
    /// When it was last reported that nothing on the node that it requires can make room (SCH-222).
    #[serde(rename = "no_victim_told")]
    pub no_victim_reported: Option<Time>,
    /// When it was last reported that the resource manager's conditions keep it from nodes (SCH-222).
    #[serde(rename = "predicates_told")]
    pub predicates_reported: Option<Time>,
    /// What the resource manager says of it. Nothing is decided by them.
    #[serde(default)]
    pub tags: Tags,
    /// Since when it holds a node reserved (N-04).
    #[serde(default)]
    pub reserved_since: Option<Time>,
}

/// Where an ask was allocated.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub struct Allocation {
    /// The node.
    pub node: NodeKey,
    /// Counts allocations over the whole partition.
    pub number: u64,
    /// When.
    pub since: Time,
    /// It is being preempted: the resource manager is asked to stop it (SCH-161).
    pub preempted: bool,
}

/// What an ask takes over (SCH-144).
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Takeover {
    /// The placeholder that gives way.
    pub placeholder: AskKey,
    /// Where the ask goes.
    pub node: NodeKey,
    /// The number of the allocation to come.
    pub number: u64,
    /// The node is not the placeholder's own, and has been charged.
    pub charged: bool,
}

impl Ask {
    /// An ask as it is made: nothing came of it yet.
    pub(in crate::scheduler) fn new(id: AskId, arrival: u64, created: Time, spec: &AskSpec) -> Self {
        Self {
            id,
            arrival,
            resource: spec.resource.clone(),
            priority: spec.priority,
            created,
            required_node: spec.required_node.clone(),
            allow_preempt_self: spec.allow_preempt_self,
            allow_preempt_other: spec.allow_preempt_other,
            originator: spec.originator,
            placeholder: spec.placeholder,
            task_group: spec.task_group.clone(),
            tags: spec.tags.clone(),
            allocation: None,
            released: false,
            superseded: false,
            takes_over: None,
            gives_way: None,
            tried: TryResult::Never,
            log: Default::default(),
            replaced: None,
            fits_queue: true,
            fits_limits: true,
            preempted_others: false,
            preemption_tried: None,
            no_victim_reported: None,
            predicates_reported: None,
            reserved_since: None,
        }
    }

    /// Its place among the pending asks of its application (SCH-080).
    pub(in crate::scheduler) fn rank(&self, key: AskKey) -> AskRank {
        (Reverse(self.priority), self.created, self.arrival, key)
    }

    /// Whether it is on its way out, and not because it is being preempted (P-09).
    pub(in crate::scheduler) fn goes_anyway(&self) -> bool {
        self.released && self.allocation.is_some_and(|allocation| !allocation.preempted)
    }

    /// The task group of an ask that can take over from a placeholder.
    pub(in crate::scheduler) fn replaces_in(&self) -> Option<&Arc<str>> {
        self.task_group.as_ref().filter(|_| !self.placeholder)
    }
}

/// How long the same thing is not reported again for the same ask (SCH-222).
const REPORT_AGAIN: Duration = Duration::from_secs(15);

/// Whether a report about an ask is due, the last one having been at `last`; if so, `last` becomes `now`.
pub(in crate::scheduler) fn report_again(now: Time, last: &mut Option<Time>) -> bool {
    let due = last.is_none_or(|last| now.since(last) >= REPORT_AGAIN);
    if due {
        *last = Some(now);
    }
    due
}
