//! The conditions under which victims are sought for a request (SCH-150, SCH-151).

use std::collections::BTreeSet;
use std::ops::Bound;
use std::time::Duration;

use crate::index::{AskKey, QueueKey};
use crate::state::ask::{Ask, AskRank};
use crate::state::ask_log::{Failure, TryResult};
use crate::state::partition::Partition;
use crate::state::queue::ROOT;
use model::{Resource, Time};

/// Per leaf and cycle (SCH-150).
const MAX_ATTEMPTS: u32 = 10;

#[derive(Clone, Debug)]
pub(crate) struct Attempts {
    left: u32,
    active: bool,
    delay: Duration,
    /// Between two searches for the same request (SCH-151).
    interval: Duration,
    counts_all: bool,
    enabled: bool,
    /// Every node is reserved: no victims are sought if no node was tried.
    all_reserved: bool,
    request: Option<SearchRequest>,
    /// No victims were found for this request: it and the following ones are still to be tried.
    failed: Option<AskRank>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct SearchRequest {
    rank: AskRank,
    /// No node has enough free resources for the request.
    pub nodes_tried: bool,
}

impl SearchRequest {
    /// The request that needs victims.
    pub fn ask(&self) -> AskKey {
        self.rank.3
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judgement {
    Nothing,
    NoneLeft,
    MayNot,
    Sought,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoSearch {
    RequiresNode,
    NotAllowed,
    DoneBefore,
    Until(Time),
}

impl Partition {
    /// None if preemption is disabled.
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
    /// If every node is reserved, no victims are sought for a request that needs a node.
    fn reserves_all(&self) -> bool {
        self.reservations > 0 && self.nodes.unreserved().next().is_none()
    }

    /// Ends all backoffs after a change, because requests may fail differently.
    pub(crate) fn note_all_reserved(&mut self) {
        let now = self.reserves_all();
        if std::mem::replace(&mut self.all_reserved, now) != now {
            self.end_all_backoffs();
        }
    }

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
    /// The requests that are still to be tried.
    pub fn remaining<'a>(&self, asks: &'a BTreeSet<AskRank>) -> impl Iterator<Item = &'a AskRank> + use<'a> {
        asks.range((self.failed.map_or(Bound::Unbounded, Bound::Included), Bound::Unbounded))
    }

    /// Plans a search for victims, if the request may have one (SCH-151). Returns whether it does.
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

    /// Decides whether victims are sought for a failed request, and uses up an attempt.
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

    /// Whether victims may be sought for a failed request (SCH-151).
    ///
    /// # Errors
    /// The first failed condition.
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

    /// Whether a request finds every node reserved (SCH-151).
    pub fn finds_all_reserved(&self) -> bool {
        self.all_reserved
    }

    /// When victims may be sought, if ever (SCH-151).
    pub fn ready_at(&self, ask: &Ask) -> Option<Time> {
        let ever = self.enabled && ask.allow_preempt_other && !ask.preempted_others && ask.rare.required_node.is_none();
        let again = ask.rare.preemption_tried.map_or(Time::ZERO, |last| last + self.interval);
        ever.then(|| again.max(ask.created + self.delay))
    }

    /// Attempts that a failed request without a search uses up.
    pub fn cost_of_failure(&self) -> u32 {
        u32::from(self.counts_all)
    }

    /// The attempts left.
    pub fn left(&self) -> u32 {
        self.left
    }

    /// Uses up attempts.
    pub fn consume(&mut self, attempts: u32) {
        self.left = self.left.saturating_sub(attempts);
    }

    /// Without victims, the requests from that one on are tried again.
    pub fn take_request(&mut self) -> Option<SearchRequest> {
        let request = self.request.take();
        self.failed = request.map(|request| request.rank);
        request
    }
}
