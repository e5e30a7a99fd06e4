//! Whether victims are sought for an ask at all (SCH-150, SCH-151).

use std::collections::BTreeSet;
use std::ops::Bound;
use std::time::Duration;

use crate::index::{AskKey, QueueKey};
use crate::state::ask::{Ask, AskRank};
use crate::state::ask_log::{Failure, TryResult};
use crate::state::partition::Partition;
use crate::state::queue::ROOT;
use model::{Resource, Time};

/// How often victims are sought in one leaf and cycle (SCH-150).
const MAX_ATTEMPTS: u32 = 10;

/// The attempts at preemption of one leaf in one cycle.
#[derive(Clone, Debug)]
pub(crate) struct Attempts {
    left: u32,
    /// The partition preempts at all.
    active: bool,
    /// `preemption.delay` of the leaf.
    delay: Duration,
    /// How long after one try the same ask may try again (SCH-151).
    interval: Duration,
    /// Whether a try that ends at the preconditions counts.
    counts_all: bool,
    /// Whether the partition preempts at all.
    enabled: bool,
    /// Every node is reserved: no victims are sought where no node was tried.
    all_reserved: bool,
    request: Option<SearchRequest>,
    /// The request which no victims were found: it and those behind it are still to be tried.
    failed: Option<AskRank>,
}

/// Victims are to be sought for an ask.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SearchRequest {
    rank: AskRank,
    /// No node has room for it unchanged.
    pub nodes_tried: bool,
}

impl SearchRequest {
    /// The ask that victims are searched for.
    pub fn ask(&self) -> AskKey {
        self.rank.3
    }
}

/// What is decided about an ask that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judgement {
    /// It failed by something that preemption does not change, or it was judged already.
    Nothing,
    /// No attempt is left in this cycle.
    NoneLeft,
    /// It may not preempt, or not now.
    MayNot,
    /// Victims are sought for it.
    Sought,
}

/// Why no victims are sought for an ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoSearch {
    /// It requires a node.
    RequiresNode,
    /// It may not preempt others.
    NotAllowed,
    /// Others were preempted for it already, which happens once.
    DoneBefore,
    /// It is too young, or has tried too recently.
    Until(Time),
}

impl Partition {
    /// The attempts of a leaf in a cycle; none where the partition preempts nothing.
    pub(crate) fn preemption_attempts(&self, leaf: QueueKey) -> Attempts {
        let active = self.preemption && self.is_loaded();
        Attempts {
            left: if active { MAX_ATTEMPTS } else { 0 },
            active,
            delay: self.queues[leaf].settings.properties.preemption_delay,
            interval: self.tuning.preemption_interval,
            counts_all: self.switches.attempt_count,
            enabled: self.preemption,
            all_reserved: self.reserves_all(),
            request: None,
            failed: None,
        }
    }
}

impl Partition {
    /// Whether every node is reserved: then no node is tried for an ask, and no victims are sought for one that needs a node.
    fn reserves_all(&self) -> bool {
        self.reservations > 0 && self.nodes.unreserved().next().is_none()
    }

    /// Where every node is reserved, or is not any more, asks may fail otherwise than before.
    pub(crate) fn note_all_reserved(&mut self) {
        let now = self.reserves_all();
        if std::mem::replace(&mut self.all_reserved, now) != now {
            self.end_all_backoffs();
        }
    }

    /// Whether so much of some resource of the cluster is in use that preemption may begin.
    pub(crate) fn is_loaded(&self) -> bool {
        let least = i128::from(self.tuning.preemption_min_load);
        let root = &self.queues[ROOT];
        let loaded = |(name, capacity): (&str, i64)| {
            let used = i128::from(root.allocated.amount(name));
            used * 100 >= i128::from(capacity) * least
        };
        least == 0 || root.max.iter().flat_map(Resource::iter).any(loaded)
    }
}

impl Attempts {
    /// The asks of an application that are still to be tried.
    pub fn remaining<'a>(&self, asks: &'a BTreeSet<AskRank>) -> impl Iterator<Item = &'a AskRank> + use<'a> {
        asks.range((self.failed.map_or(Bound::Unbounded, Bound::Included), Bound::Unbounded))
    }

    /// Plans a search for victims for a failed ask, if the ask may have one (SCH-151). Returns whether it may.
    pub fn seek(&mut self, now: Time, rank: AskRank, ask: &mut Ask, failed: TryResult) -> bool {
        match self.judge(now, rank, ask, failed) {
            Judgement::Nothing => false,
            Judgement::NoneLeft => {
                ask.log.note(Failure::NoAttemptLeft, now);
                false
            }
            Judgement::MayNot => {
                ask.log.note(Failure::MayNotPreempt, now);
                ask.log.note(Failure::PreemptionHelpsNot, now);
                false
            }
            Judgement::Sought => {
                ask.rare.preemption_tried = Some(now);
                true
            }
        }
    }

    /// Decides whether victims are sought for an ask that failed, and uses up an attempt for it.
    pub fn judge(&mut self, now: Time, rank: AskRank, ask: &Ask, failed: TryResult) -> Judgement {
        let nodes_tried = match failed {
            TryResult::QueueQuota => false,
            TryResult::NoNode if ask.rare.required_node.is_none() && !self.all_reserved => true,
            _ => return Judgement::Nothing,
        };
        if self.failed == Some(rank) {
            return Judgement::Nothing;
        }
        if self.left == 0 {
            return if self.active { Judgement::NoneLeft } else { Judgement::Nothing };
        }
        let may = self.check(now, ask).is_ok();
        if may || self.counts_all {
            self.left -= 1;
        }
        if !may {
            return Judgement::MayNot;
        }
        self.request = Some(SearchRequest { rank, nodes_tried });
        Judgement::Sought
    }

    /// Whether victims may be sought for an ask that failed (SCH-151).
    ///
    /// # Errors
    /// The first reason why not.
    pub fn check(&self, now: Time, ask: &Ask) -> Result<(), NoSearch> {
        let since = |last: Time| now.since(last) >= self.interval;
        if ask.rare.required_node.is_some() {
            Err(NoSearch::RequiresNode)
        } else if !ask.allow_preempt_other {
            Err(NoSearch::NotAllowed)
        } else if ask.preempted_others {
            Err(NoSearch::DoneBefore)
        } else if now.since(ask.created) < self.delay {
            Err(NoSearch::Until(ask.created + self.delay))
        } else if let Some(last) = ask.rare.preemption_tried.filter(|last| !since(*last)) {
            Err(NoSearch::Until(last + self.interval))
        } else {
            Ok(())
        }
    }

    /// Whether an ask that found no node is not looked at further, since every node is reserved (SCH-151).
    pub fn finds_all_reserved(&self) -> bool {
        self.all_reserved
    }

    /// From when on victims may be sought for an ask that fails as it did (SCH-151), if ever.
    pub fn ready_at(&self, ask: &Ask) -> Option<Time> {
        let ever = self.enabled && ask.allow_preempt_other && !ask.preempted_others && ask.rare.required_node.is_none();
        let again = ask.rare.preemption_tried.map_or(Time::ZERO, |last| last + self.interval);
        ever.then(|| again.max(ask.created + self.delay))
    }

    /// How many attempts an ask uses up that fails and may not seek victims.
    pub fn cost_of_failure(&self) -> u32 {
        u32::from(self.counts_all)
    }

    /// How many are left.
    pub fn left(&self) -> u32 {
        self.left
    }

    /// So many are used up.
    pub fn consume(&mut self, attempts: u32) {
        self.left = self.left.saturating_sub(attempts);
    }

    /// The request which victims are to be sought now. If none are found, trying continues at that ask.
    pub fn take_request(&mut self) -> Option<SearchRequest> {
        let request = self.request.take();
        self.failed = request.map(|request| request.rank);
        request
    }
}
