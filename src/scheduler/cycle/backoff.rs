//! What was tried in vain and need not be tried again yet: applications, leaves, and whole cycles.
//!
//! Something sleeps only when trying it again would find the same and tell nothing. What can change that is known: time, room in
//! queues and limits, room on nodes, and the thing itself. Whatever is not as simple as that does not sleep: asks that require a node, that
//! wait for placeholders, or that hold reservations, resource managers with conditions of their own, and leaves with limits or
//! application maxima on their path.
//!
//! Invariants:
//! - all that concerns an application itself goes through `touch_app` or `touch_ask`, and that wakes it and its leaf;
//! - a node that may take what it could not take before is written down ([`Gains`]);
//! - what a sleeper would be told of rooms is compared with what it knows: smaller ones count too, for then it would fail
//!   otherwise and say so;
//! - a new configuration wakes everything (`epoch`).

use crate::config::properties::AppSortPolicy;
use crate::model::{Resource, Time};
use crate::scheduler::cycle::headroom::{RESERVATION_DELAY, Room};
use crate::scheduler::index::{AppKey, QueueKey};
use crate::scheduler::preemption::attempts::Attempts;
use crate::scheduler::state::app::Application;
use crate::scheduler::state::ask::Ask;
use crate::scheduler::state::ask_log::Tried;
use crate::scheduler::state::backoff::Sleep;
use crate::scheduler::state::node::Node;
use crate::scheduler::state::nodes::Nodes;
use crate::scheduler::state::partition::Partition;
use crate::scheduler::state::skipped_cycles::Since;

/// The farthest time.
const NEVER: Time = Time(u64::MAX);

impl Sleep {
    fn new(epoch: u64, nodes: &Nodes) -> Self {
        Self {
            until: NEVER,
            epoch,
            most: Resource::new(),
            queues: None,
            limits: None,
            least: None,
            gains: nodes.gains().count(),
            attempts: 0,
            attempts_left: 0,
            since: None,
        }
    }

    /// Nothing may have changed for it but its limits.
    fn holds(&mut self, now: Time, epoch: u64, room: &Resource, nodes: &Nodes) -> bool {
        now < self.until
            && self.epoch == epoch
            && !nodes.has_predicates()
            && room.fit_in_max_undef(&self.most)
            && self.queues.as_ref().is_none_or(|then| room.is_no_roomier_than(then))
            && !self.may_find_node(nodes)
    }

    /// Whether a node gained what may be room for it.
    fn may_find_node(&mut self, nodes: &Nodes) -> bool {
        let Some(least) = &self.least else { return false };
        let gains = nodes.gains();
        let Some(from) = self.gains.checked_sub(gains.forgotten).and_then(|from| usize::try_from(from).ok()) else {
            return true;
        };
        let open = |node: &&Node| node.schedulable && node.reservations.is_empty();
        let found = gains.list.range(from.min(gains.list.len())..).any(|(key, anew)| {
            let node = nodes.get(*key).filter(open);
            node.is_some_and(|node| node.available.fit_in(least) || (*anew && node.total.fit_in(least)))
        });
        self.gains = gains.count();
        found
    }

    /// Both sleep: as long as neither wakes.
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

/// What is learned while the asks of an application are tried: whether it may sleep if none is found.
pub(in crate::scheduler) struct Drowsy {
    sleep: Option<Sleep>,
}

impl Drowsy {
    /// Before the first ask is tried.
    pub fn new(epoch: u64, app: &Application, nodes: &Nodes, attempts: &Attempts) -> Self {
        let simple = app.reservations.is_empty() && !nodes.has_predicates();
        let sleep = || Sleep { attempts_left: attempts.left(), ..Sleep::new(epoch, nodes) };
        Self { sleep: simple.then(sleep) }
    }

    /// It must be tried again in the next cycle.
    pub fn wake(&mut self) {
        self.sleep = None;
    }

    /// An ask failed.
    pub fn note(&mut self, now: Time, ask: &Ask, tried: Tried, room: &Room<'_>, attempts: &Attempts) {
        let Some(sleep) = &mut self.sleep else { return };
        if ask.required_node.is_some() {
            return self.wake();
        }
        match tried {
            Tried::UserQuota => return,
            Tried::QueueQuota => {
                if sleep.queues.is_none() {
                    sleep.queues = Some(room.of_queue.clone());
                }
            }
            Tried::NoNode => {
                sleep.most = sleep.most.max(&ask.resource);
                sleep.least = Some(match &sleep.least {
                    Some(least) => least.min_strict(&ask.resource),
                    None => ask.resource.clone(),
                });
                if now.since(ask.created) <= RESERVATION_DELAY {
                    sleep.until = sleep.until.min(Time((ask.created + RESERVATION_DELAY).0.saturating_add(1)));
                }
            }
            Tried::Never | Tried::Placeholder => return self.wake(),
        }
        sleep.until = sleep.until.min(attempts.ready_at(ask).unwrap_or(NEVER));
        sleep.attempts = sleep.attempts.saturating_add(attempts.used_by_a_failure());
        if sleep.until <= now {
            self.wake();
        }
    }

    /// No ask was found.
    pub fn fall_asleep(self, since: Since, of_limits: Option<&Resource>) -> Option<Box<Sleep>> {
        let mut sleep = self.sleep?;
        sleep.limits = of_limits.cloned();
        sleep.since = Some(since);
        Some(Box::new(sleep))
    }
}

impl Partition {
    /// Whether trying an application would find what it found last time. Then the attempts at preemption are used up that this would
    /// have taken.
    pub(in crate::scheduler) fn app_sleeps(
        &mut self,
        now: Time,
        app: AppKey,
        room: &Resource,
        attempts: &mut Attempts,
    ) -> bool {
        let Self { apps, nodes, usage, epoch, .. } = self;
        let Application { sleep, account, .. } = &mut apps[app];
        let Some(known) = sleep else { return false };
        let same_limits = match (usage.headroom(account), &known.limits) {
            (None, None) => true,
            (Some(now), Some(then)) => now.is_same_as(then),
            _ => false,
        };
        // An ask without an attempt left says so.
        let enough = known.attempts.max(1);
        let same_attempts = attempts.left().min(enough) == known.attempts_left.min(enough);
        if same_limits && same_attempts && known.holds(now, *epoch, room, nodes) {
            attempts.use_up(known.attempts);
            if let Some(since) = &mut known.since {
                since.own.note(now);
            }
            return true;
        }
        self.count_slept(app);
        self.apps[app].sleep = None;
        false
    }

    /// Whether trying a leaf would find what it found last time.
    pub(in crate::scheduler) fn leaf_sleeps(&mut self, now: Time, leaf: QueueKey) -> bool {
        let Some(mut sleep) = self.queues.take_sleep(leaf) else { return false };
        let room = self.queues.headroom(leaf).unwrap_or_default();
        let sleeps = sleep.holds(now, self.epoch, &room, &self.nodes);
        if sleeps {
            self.quiet = self.quiet.map(|quiet| quiet.min(sleep.until));
            self.queues.put_sleep(leaf, sleep);
            self.queues[leaf].slept.note(now);
        }
        sleeps
    }

    /// A leaf was tried in vain: it sleeps if all its applications do, and nothing else decides about them.
    pub(in crate::scheduler) fn leaf_falls_asleep(&mut self, leaf: QueueKey) {
        self.quiet = match (self.quiet, self.sleep_of_leaf(leaf)) {
            (Some(quiet), Some(sleep)) => {
                let until = quiet.min(sleep.until);
                self.queues.put_sleep(leaf, Box::new(sleep));
                Some(until)
            }
            (None, Some(sleep)) => {
                self.queues.put_sleep(leaf, Box::new(sleep));
                None
            }
            _ => None,
        };
    }

    fn sleep_of_leaf(&self, leaf: QueueKey) -> Option<Sleep> {
        let queue = &self.queues[leaf];
        let by_state = queue.settings.properties.app_sort == AppSortPolicy::StateAware && self.switches.stateaware;
        let maxima = self.queues.path_up(leaf).iter().any(|key| self.queues[*key].settings.max_applications.is_some());
        if by_state || maxima {
            return None;
        }
        let mut all = Sleep::new(self.epoch, &self.nodes);
        for rank in &queue.candidates {
            let app = &self.apps[rank.app];
            all.join(app.sleep.as_ref().filter(|_| app.account.bounds.as_ref().is_some_and(Vec::is_empty))?);
        }
        Some(all)
    }

    /// Something of an application changed.
    pub(in crate::scheduler) fn wake_app(&mut self, app: AppKey) {
        self.count_slept(app);
        if let Some(app) = self.apps.get_mut(app) {
            app.sleep = None;
            self.queues.take_sleep(app.queue);
        }
    }

    /// Something that concerns everybody changed.
    pub(in crate::scheduler) fn wake_all(&mut self) {
        self.epoch += 1;
        self.quiet = None;
    }
}
