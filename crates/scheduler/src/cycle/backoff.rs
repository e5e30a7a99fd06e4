//! Backoff of applications, leaves, and whole cycles: no new attempt before it can succeed.
//!
//! An application backs off only if another attempt would have the same result and report nothing. Only these can
//! change the result: time, headroom of queues and limits, free resources on nodes, and the application itself. Not for
//! backoff: requests with a required node, a reservation, or a placeholder to wait for, and leaves with limits or
//! application maxima on their path.
//!
//! Invariants:
//! - every change of an application goes through `mark_app` or `mark_ask`, which end its backoff and that of its leaf;
//! - a node that may accept more than before is recorded ([`NodeGains`]);
//! - headrooms are compared with those of the last attempt. Smaller ones count too: the attempt would fail differently
//!   and report it;
//! - a new configuration ends every backoff (`epoch`).

use std::time::Duration;

use crate::cycle::headroom::{Headroom, RESERVATION_DELAY};
use crate::index::{AppKey, AskKey, QueueKey};
use crate::preemption::attempts::Attempts;
use crate::state::app::Application;
use crate::state::ask::{Ask, AskRank, REPORT_AGAIN, is_report_due};
use crate::state::ask_log::TryResult;
use crate::state::backoff::{Backoff, ByConditions, NEVER, Seen};
use crate::state::node::Node;
use crate::state::nodes::Nodes;
use crate::state::partition::Partition;
use crate::state::skipped_cycles::SkippedSince;
use model::{AppId, Resource, Time};

impl Backoff {
    fn new(epoch: u64, nodes: &Nodes) -> Self {
        let seen = Seen { gains: nodes.gains().count(), changes: None };
        Self { seen, ..Self::at_epoch(epoch) }
    }

    /// Whether only the limits may have changed. `ask`: represents all requests for the resource manager's conditions.
    pub(super) fn applies(
        &self,
        now: Time,
        epoch: u64,
        headroom: &Resource,
        (nodes, ask): (&Nodes, Option<&Ask>),
        seen: &mut Seen,
    ) -> bool {
        now < self.until
            && self.epoch == epoch
            && headroom.fit_in_max_undef(&self.most)
            && self.queues.as_ref().is_none_or(|then| headroom.has_no_more_space_than(then))
            && self.by_conditions.is_none_or(|by| ask.is_some_and(|ask| nodes.loosened(ask) == Some(by.loosened)))
            && !self.may_find_node(nodes, ask, seen)
            && !may_reserve_another(nodes, ask, seen)
    }

    fn may_find_node(&self, nodes: &Nodes, ask: Option<&Ask>, seen: &mut Seen) -> bool {
        let Some(least) = &self.least else { return false };
        let gains = nodes.gains();
        let Some(from) = seen.gains.checked_sub(gains.forgotten).and_then(|from| usize::try_from(from).ok()) else {
            return true;
        };
        let open = |node: &&Node| node.schedulable && node.reservations.is_empty();
        let unreported = self.by_conditions.is_none_or(|by| !by.reported);
        let lets = |node: &Node, allocate| unreported || ask.is_none_or(|ask| nodes.lets(ask, node.key, allocate));
        let found = gains.list.range(from.min(gains.list.len())..).any(|(key, larger)| {
            let node = nodes.get(*key).filter(open);
            node.is_some_and(|node| {
                node.available.fit_in(least) && lets(node, true)
                    || (*larger && node.total.fit_in(least) && lets(node, false))
            })
        });
        seen.gains = gains.count();
        found
    }

    fn join(&mut self, other: &Self) {
        self.until = self.until.min(other.until);
        self.most = self.most.max(&other.most);
        self.queues = Resource::min_permissive_unset(self.queues.as_ref(), other.queues.as_ref());
        self.least = match (&self.least, &other.least) {
            (Some(one), Some(other)) => Some(one.min_strict(other)),
            (one, other) => one.as_ref().or(other.as_ref()).cloned(),
        };
        self.seen.gains = self.seen.gains.min(other.seen.gains);
    }
}

fn may_reserve_another(nodes: &Nodes, ask: Option<&Ask>, seen: &mut Seen) -> bool {
    if seen.changes.is_none_or(|changes| changes == nodes.changes()) {
        return false;
    }
    seen.changes = Some(nodes.changes());
    ask.is_none_or(|ask| nodes.may_be_reserved(ask))
}

pub(crate) struct FailureTracker {
    backoff: Option<Backoff>,
    /// Counts the requests that find no node (D-19).
    pub unschedulable: Unschedulable,
}

/// The leaf's rule of D-19.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Unschedulable {
    left: Option<(u64, Duration)>,
    most: u64,
}

impl Unschedulable {
    /// The number of requests without a node after which the others wait; 0 if they never wait.
    pub const fn most(&self) -> u64 {
        self.most
    }

    /// How long the others wait.
    pub fn delay(&self) -> Option<Duration> {
        Some(self.left?.1)
    }

    /// Returns the wait of the others once the number is reached.
    pub fn count(&mut self, ask: &Ask, tried: TryResult) -> Option<Duration> {
        let counts = tried == TryResult::NoNode && ask.rare.required_node.is_none();
        let (left, delay) = self.left.as_mut().filter(|_| counts)?;
        *left = left.saturating_sub(1);
        (*left == 0).then_some(*delay)
    }
}

impl Application {
    pub(crate) fn is_delayed(&self, now: Time) -> bool {
        self.backoff_until.is_some_and(|until| now < until)
    }

    pub(crate) fn has_ask_behind(&self, place: &AskRank) -> bool {
        self.asks.iter().any(|(key, ask)| ask.rank(key) > *place) || self.known_ids.is_behind(place)
    }
}

impl FailureTracker {
    /// Starts before the first request is tried.
    pub fn new(epoch: u64, app: &Application, nodes: &Nodes, attempts: &Attempts) -> Self {
        let backoff = || Backoff { attempts_left: attempts.left(), ..Backoff::new(epoch, nodes) };
        Self { backoff: app.reservations.is_empty().then(backoff), unschedulable: Unschedulable::default() }
    }

    /// Adds D-19. Each cycle must then count, so the application does not back off.
    pub fn with_unschedulable(self, unschedulable: Unschedulable) -> Self {
        let backoff = self.backoff.filter(|_| unschedulable.left.is_none());
        Self { backoff, unschedulable }
    }

    /// The request that represents the application for the resource manager's conditions.
    pub fn common_ask(&self) -> Option<AskKey> {
        Some(self.backoff.as_ref()?.by_conditions?.ask)
    }

    /// Notes that conditions leave no node for a request. `identical`: they treat it like the earlier ones.
    pub fn note_conditions(&mut self, now: Time, (key, ask): (AskKey, &Ask), identical: bool, nodes: &Nodes) {
        let Some(backoff) = &mut self.backoff else { return };
        let Some(loosened) = nodes.loosened(ask).filter(|_| identical) else { return self.clear() };
        let reported = ask.rare.predicates_reported.filter(|last| !is_report_due(now, Some(*last)));
        let by = backoff.by_conditions.get_or_insert(ByConditions { ask: key, loosened, reported: true });
        by.reported &= reported.is_some();
        if now.since(ask.created) > RESERVATION_DELAY && nodes.may_hold(&ask.resource, true) {
            backoff.seen.changes = Some(nodes.changes());
        }
        if let Some(reported) = reported {
            backoff.until = backoff.until.min(reported + REPORT_AGAIN);
        }
    }

    /// Requires a new attempt in the next cycle.
    pub fn clear(&mut self) {
        self.backoff = None;
    }

    /// Notes a failed request.
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
            TryResult::Never | TryResult::Placeholder | TryResult::Turn => return self.clear(),
        }
        // Without attempts left, a request cannot seek victims, however old it is.
        if backoff.has_attempts() {
            backoff.until = backoff.until.min(attempts.ready_at(ask).unwrap_or(NEVER));
        }
        backoff.attempts = backoff.attempts.saturating_add(attempts.cost_of_failure());
        if backoff.until <= now {
            self.clear();
        }
    }

    /// Notes that a request was sent back because of a blocked one. What ends that ends all backoffs.
    pub fn note_turn(&mut self, headroom: &Headroom<'_>) {
        if let Some(backoff) = &mut self.backoff {
            backoff.queues.get_or_insert_with(|| headroom.of_queue.clone());
        }
    }

    /// Returns the backoff, if no request was allocated.
    pub fn into_backoff(self, since: SkippedSince, of_limits: Option<&Resource>) -> Option<Box<Backoff>> {
        let mut backoff = self.backoff?;
        backoff.limits = of_limits.cloned();
        backoff.since = Some(since);
        Some(Box::new(backoff))
    }
}

impl Partition {
    /// Pauses the requests of an application, as another scheduler did (D-19).
    pub fn back_off_until(&mut self, app: &AppId, until: Time) {
        if let Some(key) = self.app_key(app) {
            self.apps[key].backoff_until = Some(until);
        }
    }

    pub(crate) fn unschedulable(&self, app: AppKey) -> Unschedulable {
        let of_leaf = &self.queues[self.apps[app].queue].settings.properties;
        let counts = self.switches.unschedulable_backoff && of_leaf.ask_backoff > 0;
        let most = if counts { of_leaf.ask_backoff } else { 0 };
        Unschedulable { left: counts.then_some((most, of_leaf.ask_backoff_delay)), most }
    }

    /// If so, uses up the preemption attempts that another try would have used.
    pub(crate) fn app_backs_off(
        &mut self,
        now: Time,
        app: AppKey,
        headroom: &Resource,
        attempts: &mut Attempts,
    ) -> bool {
        let Self { apps, nodes, usage, epoch, .. } = self;
        let Application { backoff, account, asks, .. } = &mut apps[app];
        let Some(known) = backoff else { return false };
        let same_limits = match (usage.headroom(account), &known.limits) {
            (None, None) => true,
            (Some(now), Some(then)) => now.is_same_as(then),
            _ => false,
        };
        let enough = known.attempts.max(1);
        let same_attempts = attempts.left().min(enough) == known.attempts_left.min(enough);
        let ask = known.by_conditions.and_then(|by| asks.get(by.ask));
        let mut seen = known.seen;
        let applies = same_limits && same_attempts && known.applies(now, *epoch, headroom, (nodes, ask), &mut seen);
        known.seen = seen;
        if applies {
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

    pub(crate) fn leaf_backs_off(&mut self, now: Time, leaf: QueueKey) -> bool {
        let Some(backoff) = &self.queues[leaf].backoff else { return false };
        let headroom = self.queues.headroom(leaf).unwrap_or_default();
        let mut note = self.queues.leaf_notes.get(leaf);
        let same_attempts = backoff.attempts_left == self.preemption_attempts(leaf).left();
        let applies = same_attempts && backoff.applies(now, self.epoch, &headroom, (&self.nodes, None), &mut note.seen);
        if applies {
            self.quiet = self.quiet.map(|quiet| quiet.min(backoff.until));
            note.skipped_cycles.note(now);
            *self.queues.leaf_notes.get_mut(leaf) = note;
        } else {
            self.queues.end_backoff(leaf);
        }
        applies
    }

    /// Starts if all applications of the leaf back off and nothing else decides about them.
    pub(crate) fn start_leaf_backoff(&mut self, leaf: QueueKey) {
        self.quiet = match (self.quiet, self.backoff_of_leaf(leaf)) {
            (Some(quiet), Some(backoff)) => {
                let until = quiet.min(backoff.until);
                self.queues.start_backoff(leaf, Box::new(backoff));
                Some(until)
            }
            (None, Some(backoff)) => {
                self.queues.start_backoff(leaf, Box::new(backoff));
                None
            }
            _ => None,
        };
    }

    pub(crate) fn only_spaces_decide(&self, leaf: QueueKey) -> bool {
        let one_at_a_time = self.queues[leaf].settings.properties.app_sort.starts_one_at_a_time();
        let maxima =
            || self.queues.path_up(leaf).iter().any(|key| self.queues[*key].settings.max_applications.is_some());
        !(one_at_a_time && self.switches.stateaware || maxima())
    }

    pub(crate) fn has_no_limits(&self, app: AppKey) -> bool {
        self.apps[app].account.bounds.as_ref().is_some_and(Vec::is_empty)
    }

    fn backoff_of_leaf(&self, leaf: QueueKey) -> Option<Backoff> {
        if !self.only_spaces_decide(leaf) {
            return None;
        }
        let attempts_left = self.preemption_attempts(leaf).left();
        let mut all = Backoff { attempts_left, ..Backoff::new(self.epoch, &self.nodes) };
        let candidates = &self.queues[leaf].candidates;
        let mut conditions = false;
        for rank in candidates.awake() {
            let backoff = self.apps[rank.app].backoff.as_ref().filter(|_| self.has_no_limits(rank.app))?;
            all.join(backoff);
            conditions |= backoff.by_conditions.is_some();
        }
        let groups = (0..candidates.group_count()).map(|number| candidates.group(number));
        for group in groups.filter(|group| !group.members.is_empty()) {
            all.join(&group.common);
            conditions |= group.common.by_conditions.is_some();
        }
        // No request represents a whole leaf, so any change on nodes ends the backoff.
        all.seen.changes = conditions.then(|| self.nodes.changes());
        all.until = all.until.min(candidates.first_wake().map_or(NEVER, |(until, _)| until));
        Some(all)
    }

    pub(crate) fn end_backoff(&mut self, key: AppKey) {
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

    pub(crate) fn end_all_backoffs(&mut self) {
        self.epoch += 1;
        self.quiet = None;
    }
}
