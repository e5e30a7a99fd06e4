//! Asks, and the allocations that they become.

use std::cmp::Reverse;
use std::sync::Arc;
use std::time::Duration;

use crate::index::{AskKey, NodeKey};
use crate::interface::command::AskSpec;
use crate::state::ask_log::{AskLog, TryResult};
use crate::state::ask_rare::Rare;
use model::{AskId, Priority, Resource, Time};

/// The place of a pending ask: priority first, then age, then arrival (SCH-080).
pub type AskRank = (Reverse<Priority>, Time, u64, AskKey);

/// An ask, and the allocation that it becomes (SCH-013, SCH-014). A cluster may have millions of them, and a cycle reads them in an order
/// that no cache foresees: they are kept small. How one is written down: `ask_saved`.
#[derive(Clone, Debug)]
pub struct Ask {
    /// The id, unique only within its application.
    pub id: AskId,
    /// Counts arrivals over the whole partition.
    pub arrival: u64,
    /// The amounts wanted: memory in bytes, vcore in millicores.
    pub resource: Resource,
    /// The priority; a higher one is tried first (SCH-080).
    pub priority: Priority,
    /// When it was asked.
    pub created: Time,
    /// May be preempted.
    pub allow_preempt_self: bool,
    /// May preempt others.
    pub allow_preempt_other: bool,
    /// Began its application: the last one to be preempted (SCH-158).
    pub originator: bool,
    /// Holds room for a gang.
    pub placeholder: bool,
    /// It was made again since: it is still tried, but only the later one is counted as pending (switch `ask_again_pending`).
    pub superseded: bool,
    /// Where it runs; `None` while it is pending.
    pub allocation: Option<Allocation>,
    /// The resource manager was asked to stop it and has not confirmed that yet (SCH-046).
    pub released: bool,
    /// What the last cycle that tried it found.
    pub tried: TryResult,
    /// Why it was not allocated so far.
    pub log: AskLog,
    /// Whether it fitted its queues at the last report (SCH-222).
    pub fits_queue: bool,
    /// Whether it fitted the limits of its user and group when last reported (SCH-222).
    pub fits_limits: bool,
    /// Others were preempted for it, which happens once (SCH-161).
    pub preempted_others: bool,
    /// What most asks have not.
    pub rare: Rare,
}

/// Where an ask was allocated.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub struct Allocation {
    /// The node that it is on, by its key.
    pub node: NodeKey,
    /// Counts allocations over the whole partition.
    pub number: u64,
    /// When it was allocated.
    pub since: Time,
    /// It is being preempted: the resource manager is asked to stop it (SCH-161).
    pub preempted: bool,
}

impl Ask {
    /// An ask as it is made: nothing came of it yet.
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

    /// Whether it is on its way out, and not because it is being preempted (P-09), or its application knows nothing of it any more.
    pub(crate) fn goes_anyway(&self) -> bool {
        self.rare.shadowed || self.released && self.allocation.is_some_and(|allocation| !allocation.preempted)
    }

    /// The task group of an ask that can take over from a placeholder.
    pub(crate) fn replaces_in(&self) -> Option<&Arc<str>> {
        self.rare.task_group.as_ref().filter(|_| !self.placeholder)
    }
}

/// How long the same thing is not reported again for the same ask (SCH-222).
pub(crate) const REPORT_AGAIN: Duration = Duration::from_secs(15);

/// Whether a report about an ask is due, the last one having been at `last`; if so, `last` becomes `now`.
pub(crate) fn report_again(now: Time, last: &mut Option<Time>) -> bool {
    let due = is_report_due(now, *last);
    if due {
        *last = Some(now);
    }
    due
}

/// Whether a report about an ask is due, the last one having been at `last`.
pub(crate) fn is_report_due(now: Time, last: Option<Time>) -> bool {
    last.is_none_or(|last| now.since(last) >= REPORT_AGAIN)
}
