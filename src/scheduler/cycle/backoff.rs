//! Backoff of applications, leaves and whole cycles: no second try before it can succeed.
//!
//! An application backs off only when another try would find the same and report nothing. Only these can change that: time, room in
//! queues and limits, room on nodes, and the application itself. Less simple cases do not back off: asks with a required node, asks that
//! wait for placeholders or hold reservations, resource managers with conditions of their own, and leaves with limits or
//! application maxima on their path.
//!
//! Invariants:
//! - all that concerns an application itself goes through `mark_app` or `mark_ask`, and that ends its backoff and its leaf's;
//! - a node that may take what it could not take before is written down ([`NodeGains`]);
//! - headrooms are compared with those of the last try: smaller ones count too, for then it would fail
//!   otherwise and say so;
//! - a new configuration ends every backoff (`epoch`).

use crate::model::{Resource, Time};
use crate::scheduler::cycle::headroom::{Headroom, RESERVATION_DELAY};
use crate::scheduler::index::{AppKey, QueueKey};
use crate::scheduler::preemption::attempts::Attempts;
use crate::scheduler::state::app::Application;
use crate::scheduler::state::ask::Ask;
use crate::scheduler::state::ask_log::TryResult;
use crate::scheduler::state::backoff::{Backoff, NEVER};
use crate::scheduler::state::node::Node;
use crate::scheduler::state::nodes::Nodes;
use crate::scheduler::state::partition::Partition;
use crate::scheduler::state::skipped_cycles::SkippedSince;

impl Backoff {
    fn new(epoch: u64, nodes: &Nodes) -> Self {
        Self { gains: nodes.gains().count(), ..Self::at_epoch(epoch) }
    }

    /// Nothing may have changed for it but its limits. `gains`: how many gains of nodes have been looked at.
    pub(super) fn holds(&self, now: Time, epoch: u64, headroom: &Resource, nodes: &Nodes, gains: &mut u64) -> bool {
        now < self.until
            && self.epoch == epoch
            && !nodes.has_predicates()
            && headroom.fit_in_max_undef(&self.most)
            && self.queues.as_ref().is_none_or(|then| headroom.is_no_roomier_than(then))
            && !self.may_find_node(nodes, gains)
    }

    /// Whether a node gained what may be room for it.
    fn may_find_node(&self, nodes: &Nodes, seen: &mut u64) -> bool {
        let Some(least) = &self.least else { return false };
        let gains = nodes.gains();
        let Some(from) = seen.checked_sub(gains.forgotten).and_then(|from| usize::try_from(from).ok()) else {
            return true;
        };
        let open = |node: &&Node| node.schedulable && node.reservations.is_empty();
        let found = gains.list.range(from.min(gains.list.len())..).any(|(key, larger)| {
            let node = nodes.get(*key).filter(open);
            node.is_some_and(|node| node.available.fit_in(least) || (*larger && node.total.fit_in(least)))
        });
        *seen = gains.count();
        found
    }

    /// Both back off: as long as neither ends.
    fn join(&mut self, other: &Self) {
        self.until = self.until.min(other.until);
        self.most = self.most.max(&other.most);
        self.queues = Resource::min_permissive_unset(self.queues.as_ref(), other.queues.as_ref());
        self.least = match (&self.least, &other.least) {
            (Some(one), Some(other)) => Some(one.min_strict(other)),
            (one, other) => one.as_ref().or(other.as_ref()).cloned(),
        };
        self.gains = self.gains.min(other.gains);
    }
}

/// What is learned while the asks of an application are tried: whether it may back off if none is found.
pub(in crate::scheduler) struct FailureTracker {
    backoff: Option<Backoff>,
}

impl FailureTracker {
    /// Before the first ask is tried.
    pub fn new(epoch: u64, app: &Application, nodes: &Nodes, attempts: &Attempts) -> Self {
        let simple = app.reservations.is_empty() && !nodes.has_predicates();
        let backoff = || Backoff { attempts_left: attempts.left(), ..Backoff::new(epoch, nodes) };
        Self { backoff: simple.then(backoff) }
    }

    /// It must be tried again in the next cycle.
    pub fn clear(&mut self) {
        self.backoff = None;
    }

    /// An ask failed.
    pub fn note(&mut self, now: Time, ask: &Ask, tried: TryResult, headroom: &Headroom<'_>, attempts: &Attempts) {
        let Some(backoff) = &mut self.backoff else { return };
        if ask.rare.required_node.is_some() {
            return self.clear();
        }
        match tried {
            TryResult::UserQuota => return,
            TryResult::QueueQuota => {
                if backoff.queues.is_none() {
                    backoff.queues = Some(headroom.of_queue.clone());
                }
            }
            TryResult::NoNode => {
                backoff.most = backoff.most.max(&ask.resource);
                backoff.least = Some(match &backoff.least {
                    Some(least) => least.min_strict(&ask.resource),
                    None => ask.resource.clone(),
                });
                if now.since(ask.created) <= RESERVATION_DELAY {
                    backoff.until = backoff.until.min(Time((ask.created + RESERVATION_DELAY).0.saturating_add(1)));
                }
            }
            TryResult::Never | TryResult::Placeholder => return self.clear(),
        }
        // Without attempts it may seek none, however old it is.
        if backoff.has_attempts() {
            backoff.until = backoff.until.min(attempts.ready_at(ask).unwrap_or(NEVER));
        }
        backoff.attempts = backoff.attempts.saturating_add(attempts.cost_of_failure());
        if backoff.until <= now {
            self.clear();
        }
    }

    /// No ask was found.
    pub fn into_backoff(self, since: SkippedSince, of_limits: Option<&Resource>) -> Option<Box<Backoff>> {
        let mut backoff = self.backoff?;
        backoff.limits = of_limits.cloned();
        backoff.since = Some(since);
        Some(Box::new(backoff))
    }
}

impl Partition {
    /// Whether trying an application would find what it found last time. Then the attempts at preemption are used up that this would
    /// have taken.
    pub(in crate::scheduler) fn app_backs_off(
        &mut self,
        now: Time,
        app: AppKey,
        headroom: &Resource,
        attempts: &mut Attempts,
    ) -> bool {
        let Self { apps, nodes, usage, epoch, .. } = self;
        let Application { backoff, account, .. } = &mut apps[app];
        let Some(known) = backoff else { return false };
        let same_limits = match (usage.headroom(account), &known.limits) {
            (None, None) => true,
            (Some(now), Some(then)) => now.is_same_as(then),
            _ => false,
        };
        // An ask without an attempt left says so.
        let enough = known.attempts.max(1);
        let same_attempts = attempts.left().min(enough) == known.attempts_left.min(enough);
        let mut gains = known.gains;
        let holds = same_limits && same_attempts && known.holds(now, *epoch, headroom, nodes, &mut gains);
        known.gains = gains;
        if holds {
            attempts.consume(known.attempts);
            if let Some(since) = &mut known.since {
                since.own.note(now);
            }
            return true;
        }
        self.count_skipped_cycles(app);
        self.apps[app].backoff = None;
        false
    }

    /// Whether trying a leaf would find what it found last time.
    pub(in crate::scheduler) fn leaf_backs_off(&mut self, now: Time, leaf: QueueKey) -> bool {
        let Some(backoff) = &self.queues[leaf].backoff else { return false };
        let headroom = self.queues.headroom(leaf).unwrap_or_default();
        let mut note = self.queues.leaf_notes.get(leaf);
        let same_attempts = backoff.attempts_left == self.preemption_attempts(leaf).left();
        let holds = same_attempts && backoff.holds(now, self.epoch, &headroom, &self.nodes, &mut note.gains);
        if holds {
            self.quiet = self.quiet.map(|quiet| quiet.min(backoff.until));
            note.skipped_cycles.note(now);
            *self.queues.leaf_notes.get_mut(leaf) = note;
        } else {
            self.queues.end_backoff(leaf);
        }
        holds
    }

    /// A leaf was tried without success: it backs off if all its applications do, and nothing else decides about them.
    pub(in crate::scheduler) fn begin_leaf_backoff(&mut self, leaf: QueueKey) {
        self.quiet = match (self.quiet, self.backoff_of_leaf(leaf)) {
            (Some(quiet), Some(backoff)) => {
                let until = quiet.min(backoff.until);
                self.queues.begin_backoff(leaf, Box::new(backoff));
                Some(until)
            }
            (None, Some(backoff)) => {
                self.queues.begin_backoff(leaf, Box::new(backoff));
                None
            }
            _ => None,
        };
    }

    /// Whether room alone decides about the applications of a leaf: neither is one started after the other, nor is their number
    /// bounded.
    pub(in crate::scheduler) fn only_rooms_decide(&self, leaf: QueueKey) -> bool {
        let one_at_a_time = self.queues[leaf].settings.properties.app_sort.starts_one_at_a_time();
        let maxima =
            || self.queues.path_up(leaf).iter().any(|key| self.queues[*key].settings.max_applications.is_some());
        !(one_at_a_time && self.switches.stateaware || maxima())
    }

    /// Whether no limit of a user or group bounds an application.
    pub(in crate::scheduler) fn has_no_limits(&self, app: AppKey) -> bool {
        self.apps[app].account.bounds.as_ref().is_some_and(Vec::is_empty)
    }

    fn backoff_of_leaf(&self, leaf: QueueKey) -> Option<Backoff> {
        if !self.only_rooms_decide(leaf) {
            return None;
        }
        let attempts_left = self.preemption_attempts(leaf).left();
        let mut all = Backoff { attempts_left, ..Backoff::new(self.epoch, &self.nodes) };
        let candidates = &self.queues[leaf].candidates;
        for rank in candidates.awake() {
            let backoff = self.apps[rank.app].backoff.as_ref();
            all.join(backoff.filter(|_| self.has_no_limits(rank.app))?);
        }
        let groups = (0..candidates.group_count()).map(|number| candidates.group(number));
        groups.filter(|group| !group.members.is_empty()).for_each(|group| all.join(&group.common));
        all.until = all.until.min(candidates.first_wake().map_or(NEVER, |(until, _)| until));
        Some(all)
    }

    /// Something of an application changed.
    pub(in crate::scheduler) fn end_backoff(&mut self, key: AppKey) {
        self.count_skipped_cycles(key);
        if let Some(app) = self.apps.get(key) {
            let leaf = app.queue;
            if app.asleep.is_some() {
                self.wake_app(key);
            }
            self.apps[key].backoff = None;
            self.queues.end_backoff(leaf);
        }
    }

    /// Something that concerns everybody changed.
    pub(in crate::scheduler) fn end_all_backoffs(&mut self) {
        self.epoch += 1;
        self.quiet = None;
    }
}
