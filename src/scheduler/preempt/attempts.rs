//! Whether victims are sought for an ask at all (SCH-150, SCH-151).

use std::collections::BTreeSet;
use std::ops::Bound;
use std::time::Duration;

use crate::model::Time;
use crate::scheduler::app::{Ask, AskRank, Tried};
use crate::scheduler::index::{AskKey, QueueKey};
use crate::scheduler::partition::Partition;

/// How often victims are sought in one leaf and cycle (SCH-150).
const MOST: u32 = 10;
/// How long after one try the same ask may try again (SCH-151).
const AGAIN: Duration = Duration::from_secs(15);

/// The attempts at preemption of one leaf in one cycle.
#[derive(Clone, Debug)]
pub(in crate::scheduler) struct Attempts {
    left: u32,
    /// `preemption.delay` of the leaf.
    delay: Duration,
    /// Whether a try that ends at the preconditions counts.
    counts_all: bool,
    wish: Option<Wish>,
    /// The ask for which no victims were found: it and those behind it are still to be tried.
    failed: Option<AskRank>,
}

/// Victims are to be sought for an ask.
#[derive(Clone, Copy, Debug)]
pub(in crate::scheduler) struct Wish {
    rank: AskRank,
    /// No node has room for it as it is.
    pub nodes_tried: bool,
}

impl Wish {
    /// The ask.
    pub fn ask(&self) -> AskKey {
        self.rank.3
    }
}

impl Partition {
    /// The attempts of a leaf in a cycle; none where the partition preempts nothing.
    pub(in crate::scheduler) fn preemption_attempts(&self, leaf: QueueKey) -> Attempts {
        Attempts {
            left: if self.preemption { MOST } else { 0 },
            delay: self.queues[leaf].settings.properties.preemption_delay,
            counts_all: self.switches.attempt_count,
            wish: None,
            failed: None,
        }
    }
}

impl Attempts {
    /// The asks of an application that are still to be tried.
    pub fn remaining<'a>(&self, asks: &'a BTreeSet<AskRank>) -> impl Iterator<Item = &'a AskRank> + use<'a> {
        asks.range((self.failed.map_or(Bound::Unbounded, Bound::Included), Bound::Unbounded))
    }

    /// Notes that victims are to be sought for an ask that failed, if that may be (SCH-151). Gives whether it may.
    pub fn seek(&mut self, now: Time, rank: AskRank, ask: &mut Ask, failed: Tried) -> bool {
        let nodes_tried = match failed {
            Tried::QueueQuota => false,
            Tried::NoNode if ask.required_node.is_none() => true,
            _ => return false,
        };
        if self.left == 0 || self.failed == Some(rank) {
            return false;
        }
        let may = ask.allow_preempt_other
            && !ask.preempted_others
            && ask.required_node.is_none()
            && now.since(ask.created) >= self.delay
            && ask.preemption_tried.is_none_or(|last| now.since(last) >= AGAIN);
        if may || self.counts_all {
            self.left -= 1;
        }
        if may {
            ask.preemption_tried = Some(now);
            self.wish = Some(Wish { rank, nodes_tried });
        }
        may
    }

    /// The ask for which victims are to be sought now. If none are found, trying goes on where it was.
    pub fn take_wish(&mut self) -> Option<Wish> {
        let wish = self.wish.take();
        self.failed = wish.map(|wish| wish.rank);
        wish
    }
}
