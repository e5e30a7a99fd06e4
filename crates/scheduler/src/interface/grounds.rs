//! The grounds of a preemption.

use model::{AppId, AskId, NodeId, QueuePath, Resource};

/// The grounds of a preemption, recorded before the first victim is changed.
#[derive(Clone, Debug, PartialEq)]
pub struct PreemptionGrounds {
    /// By which rule.
    pub rule: PreemptionRule,
    /// `None` if a maximum is enforced.
    pub node: Option<NodeId>,
    /// Of the request; if a maximum is enforced, the resources to release.
    pub wanted: Resource,
    /// The queue that benefits: that of the request, or the one above its maximum.
    pub own: UsageState,
    /// By path, at most [`Self::MOST_NAMED`].
    pub leaves: Vec<UsageState>,
    /// The number of victims.
    pub victims: u64,
    /// The examined allocations that stay.
    pub retained: RetainedSurvey,
}

/// The examined allocations that stay, by leaf.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RetainedSurvey {
    /// Allocations of one leaf with the same reason, most first, at most [`PreemptionGrounds::MOST_NAMED`].
    pub groups: Vec<Retained>,
    /// The number of other examined allocations that stay.
    pub others: u64,
}

impl PreemptionGrounds {
    /// The limit of listed leaves, and of listed groups of allocations that stay.
    pub const MOST_NAMED: usize = 8;
    const OF_ONE: usize = 256;

    /// The approximate size in bytes.
    pub fn bytes(&self) -> usize {
        let queues = (1 + self.leaves.len()) * (size_of::<UsageState>() + Self::OF_ONE);
        size_of::<Self>() + queues + self.retained.groups.len() * (size_of::<Retained>() + Self::OF_ONE)
    }
}

/// The rule of a preemption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreemptionRule {
    /// A request within guaranteed resources preempts in queues above theirs (SCH-152).
    Guarantee,
    /// On a required node guaranteed resources protect nothing (SCH-167).
    RequiredNode,
    /// A queue is brought down to its maximum after its delay (N-01).
    Maximum,
}

/// The usage of a queue before the preemption.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UsageState {
    /// The full path of the queue.
    pub queue: QueuePath,
    /// Its usage, without what was being preempted already.
    pub used: Resource,
    /// The smallest of each resource on its path.
    pub guaranteed: Option<Resource>,
    /// Its own maximum, if one is enforced.
    pub max: Option<Resource>,
    /// The number of its victims.
    pub victims: u64,
}

impl UsageState {
    /// The usage above the guaranteed resources; all usage if none are guaranteed.
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

/// Allocations of one leaf that stay for the same reason.
#[derive(Clone, Debug, PartialEq)]
pub struct Retained {
    /// Why they stay.
    pub why: WhyRetained,
    /// Their leaf with the number of its victims.
    pub leaf: UsageState,
    /// How many they are.
    pub count: u64,
    /// The first of them.
    pub first: (AppId, AskId),
}

/// Why an allocation stays, in the order of a search's checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WhyRetained {
    /// Its queue does not exceed its guaranteed resources.
    WithinGuarantee,
    /// It requires its node.
    RequiresNode,
    /// It is being stopped for another reason.
    Ending,
    /// It is being preempted for another request.
    Preempted,
    /// It uses none of the requested resources.
    NothingShared,
    /// Its priority, as it counts in its queue, is higher.
    Important,
    /// Its queue would fall below its guaranteed resources.
    Floor,
    /// Not on the victims' node, and no other node needs fewer victims.
    OtherNode,
    /// The victims are enough.
    NotNeeded,
    /// The request would still not fit.
    NoUse,
    /// Larger than the rest to release for the maximum.
    TooLarge,
}
