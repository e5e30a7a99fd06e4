//! How a preemption was decided: the queues as they stood before it, who went, and why the others stayed.

use model::{AppId, AskId, NodeId, QueuePath, Resource};

/// The grounds of one preemption, as things stood right before the first victim was changed.
#[derive(Clone, Debug, PartialEq)]
pub struct PreemptionGrounds {
    /// By which rule.
    pub rule: PreemptionRule,
    /// The node where the ask goes then; `None` where a maximum is enforced.
    pub node: Option<NodeId>,
    /// What the ask needs; where a maximum is enforced, how much of the queue had to go.
    pub wanted: Resource,
    /// The queue that it was done for: that of the ask, or the one above its maximum.
    pub own: UsageState,
    /// The leaves that victims come from, in the order of their paths, at most [`Self::MOST_NAMED`].
    pub leaves: Vec<UsageState>,
    /// How many allocations went for it.
    pub victims: u64,
    /// What was examined and stayed.
    pub retained: RetainedSurvey,
}

/// The allocations that were examined and stay, leaf by leaf: those inside the fence of an ask, or below a queue whose maximum is enforced.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RetainedSurvey {
    /// Those of one leaf with the same reason, most first, at most [`PreemptionGrounds::MOST_NAMED`].
    pub groups: Vec<Retained>,
    /// How many allocations more were examined and stay.
    pub others: u64,
}

impl PreemptionGrounds {
    /// How many leaves, and how many groups of allocations that stay, are named.
    pub const MOST_NAMED: usize = 8;
    /// About how many bytes the names and amounts of a queue or of a group of allocations take.
    const OF_ONE: usize = 256;

    /// About how many bytes it takes.
    pub fn bytes(&self) -> usize {
        let queues = (1 + self.leaves.len()) * (size_of::<UsageState>() + Self::OF_ONE);
        size_of::<Self>() + queues + self.retained.groups.len() * (size_of::<Retained>() + Self::OF_ONE)
    }
}

/// What a preemption goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreemptionRule {
    /// An ask within the guarantee of its queue takes from queues above theirs (SCH-152).
    Guarantee,
    /// An ask takes the node that it requires; guarantees protect no one there (SCH-167).
    RequiredNode,
    /// A queue is brought down to its maximum after its delay (N-01).
    Maximum,
}

/// A queue at that time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UsageState {
    /// The full path of the queue.
    pub queue: QueuePath,
    /// What it used, without what was being preempted already.
    pub used: Resource,
    /// The smallest guarantee of each resource on its path; `None`: there is none.
    pub guaranteed: Option<Resource>,
    /// Its own maximum, where one is enforced.
    pub max: Option<Resource>,
    /// How many of its allocations went.
    pub victims: u64,
}

impl UsageState {
    /// By how much it used more than its guarantee, in the resources where it did; of a queue without one all that it used.
    pub fn over(&self) -> Resource {
        let floor = self.guaranteed.as_ref().or(self.max.as_ref());
        let over = |(name, used): (&str, i64)| {
            let floor = match floor {
                Some(floor) => floor.get(name)?,
                None => 0,
            };
            (used > floor).then(|| (name.to_owned(), used - floor))
        };
        let over: Vec<(String, i64)> = self.used.iter().filter_map(over).collect();
        over.iter().map(|(name, amount)| (name.as_str(), *amount)).collect()
    }
}

/// Allocations of one leaf that were examined and stay for the same reason.
#[derive(Clone, Debug, PartialEq)]
pub struct Retained {
    /// Why they stay.
    pub why: WhyRetained,
    /// Their leaf; `victims` is how many went of it.
    pub leaf: UsageState,
    /// How many they are.
    pub count: u64,
    /// The first of them.
    pub first: (AppId, AskId),
}

/// Why an allocation is not preempted, in the order in which a search for victims finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WhyRetained {
    /// Its queue uses no more than its guarantee.
    WithinGuarantee,
    /// It requires the node that it runs on.
    RequiresNode,
    /// It is being released for another reason.
    Going,
    /// It is being preempted for another ask.
    Preempted,
    /// It has no allocations of the resources that the ask needs.
    NothingShared,
    /// Its priority is higher than the ask's, as that counts in its queue.
    Important,
    /// Without it its queue would use less than its guarantee.
    Floor,
    /// It runs on another node than those that went, and no other node needs fewer victims.
    OtherNode,
    /// Those that went are enough.
    NotNeeded,
    /// It may go, but the ask would not fit then either.
    NoUse,
    /// A maximum is enforced, and it has more than is still to go of its queue.
    TooLarge,
}
