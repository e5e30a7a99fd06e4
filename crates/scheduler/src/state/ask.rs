//! Requests and their allocations.

use std::cmp::Reverse;
use std::sync::Arc;
use std::time::Duration;

use crate::index::{AskKey, NodeKey};
use crate::interface::command::AskSpec;
use crate::state::ask_log::{AskLog, TryResult};
use crate::state::ask_rare::Rare;
use model::{AskId, Priority, Resource, Time};

/// The rank of a pending request: priority, then age, then arrival (SCH-080).
pub type AskRank = (Reverse<Priority>, Time, u64, AskKey);

/// A request and its allocation (SCH-013, SCH-014). Small: a cluster may have millions, read in an unpredictable order.
#[derive(Clone, Debug)]
pub struct Ask {
    /// The id, unique only within its application.
    pub id: AskId,
    /// The arrival number in the partition.
    pub arrival: u64,
    /// The requested resources: memory in bytes, vcore in millicores.
    pub resource: Resource,
    /// The priority; a higher one is tried first (SCH-080).
    pub priority: Priority,
    /// When it was requested.
    pub created: Time,
    /// May be preempted.
    pub allow_preempt_self: bool,
    /// May preempt others.
    pub allow_preempt_other: bool,
    /// Started its application, and is preempted last (SCH-158).
    pub originator: bool,
    /// Reserves resources for a gang.
    pub placeholder: bool,
    /// It was sent again: still tried, but only the later one counts as pending (switch `ask_again_pending`).
    pub superseded: bool,
    /// `None` while it is pending.
    pub allocation: Option<Allocation>,
    /// The resource manager was asked to stop it and has not confirmed it (SCH-046).
    pub released: bool,
    /// The result of the last attempt.
    pub tried: TryResult,
    /// Why it was not allocated so far.
    pub log: AskLog,
    /// Whether it fitted its queues in the last report (SCH-222).
    pub fits_queue: bool,
    /// The same for the limits of its user and group.
    pub fits_limits: bool,
    /// Others were preempted for it; this happens once (SCH-161).
    pub preempted_others: bool,
    /// Fields that most requests do not use.
    pub rare: Rare,
}

/// The node and time of an allocation.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub struct Allocation {
    /// The node that it is on, by its key.
    pub node: NodeKey,
    /// The allocation number in the partition.
    pub number: u64,
    /// When it was allocated.
    pub since: Time,
    /// It is being preempted: the resource manager was asked to stop it (SCH-161).
    pub preempted: bool,
}

impl Ask {
    pub(crate) fn new(id: AskId, arrival: u64, created: Time, spec: &AskSpec) -> Self {
        Self {
            id,
            arrival,
            resource: spec.resource.clone(),
            priority: spec.priority,
            created,
            allow_preempt_self: spec.allow_preempt_self,
            allow_preempt_other: spec.allow_preempt_other,
            originator: spec.originator,
            placeholder: spec.placeholder,
            rare: Rare::of(spec),
            allocation: None,
            released: false,
            superseded: false,
            tried: TryResult::Never,
            log: Default::default(),
            fits_queue: true,
            fits_limits: true,
            preempted_others: false,
        }
    }

    /// Its place among the pending asks of its application (SCH-080).
    pub(crate) fn rank(&self, key: AskKey) -> AskRank {
        (Reverse(self.priority), self.created, self.arrival, key)
    }

    /// Not because of preemption (P-09), or its application no longer knows it.
    pub(crate) fn continues_anyway(&self) -> bool {
        self.rare.shadowed || self.released && self.allocation.is_some_and(|allocation| !allocation.preempted)
    }

    pub(crate) fn replaces_in(&self) -> Option<&Arc<str>> {
        self.rare.task_group.as_ref().filter(|_| !self.placeholder)
    }
}

/// How long the same thing is not reported again for the same ask (SCH-222).
pub(crate) const REPORT_AGAIN: Duration = Duration::from_secs(15);

/// If so, sets `last` to `now`.
pub(crate) fn report_again(now: Time, last: &mut Option<Time>) -> bool {
    let due = is_report_due(now, *last);
    if due {
        *last = Some(now);
    }
    due
}

pub(crate) fn is_report_due(now: Time, last: Option<Time>) -> bool {
    last.is_none_or(|last| now.since(last) >= REPORT_AGAIN)
}
