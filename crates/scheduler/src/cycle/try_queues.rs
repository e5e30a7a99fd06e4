//! One scheduling cycle: at most one allocation per partition (`scheduler.md` sections 3, 4, 7).

use crate::cycle::backoff::FailureTracker;
use crate::cycle::headroom::Headroom;
use crate::cycle::try_asks::{Pick, try_asks};
use crate::cycle::turns::TurnPlans;
use crate::index::{AppKey, QueueKey};
use crate::interface::event::{Event, EventKind, RunnableCause};
use crate::preemption::attempts::Attempts;
use crate::state::app::Application;
use crate::state::ask_log::Failure;
use crate::state::partition::Partition;
use crate::state::queue::ROOT;
use crate::state::siblings::Visit;
use model::{AppState, QueueState, Resource, Time};

/// The steps of a cycle (SCH-042).
#[derive(Clone, Copy, PartialEq, Eq)]
enum CycleStage {
    Reserved,
    Replace,
    Normal,
}

pub(crate) enum StateAwareFilter {
    All,
    Only(Option<AppKey>),
}

impl StateAwareFilter {
    pub(crate) fn admits(&self, app: &Application) -> bool {
        match self {
            Self::All => true,
            Self::Only(one) => app.state != AppState::Accepted || *one == Some(app.key),
        }
    }
}

impl Partition {
    /// One cycle (SCH-041, SCH-042).
    pub(crate) fn cycle(&mut self, now: Time, events: &mut Vec<Event>) {
        self.settle_turns();
        let quiet = self.quiet.is_some_and(|until| now < until) && !self.nodes.has_predicates();
        if self.state == QueueState::Stopped || !self.has_work() {
            return;
        }
        if quiet {
            self.skipped_cycles.note(now);
            return;
        }
        self.refresh_share_bases();
        let reserved = if self.reservations > 0 { self.find_pick(now, CycleStage::Reserved, events) } else { None };
        let replace = reserved.is_none() && self.placeholders > 0;
        let replaced = if replace { self.find_pick(now, CycleStage::Replace, events) } else { reserved };
        let simple = self.reservations == 0 && self.placeholders == 0;
        let pick = replaced.or_else(|| {
            self.note_all_reserved();
            self.quiet = simple.then_some(Time(u64::MAX));
            self.find_pick(now, CycleStage::Normal, events)
        });
        if pick.is_some() {
            self.quiet = None;
        }
        match pick {
            Some(Pick::Allocate { app, ask, node }) => self.commit(now, app, ask, node, events),
            Some(Pick::Reserve { app, ask, node }) => self.reserve(now, app, ask, node, events),
            Some(Pick::Claim { app, ask, node }) => {
                self.unreserve_node(now, node, events);
                let (node_now, wanted) = (&self.nodes[node], &self.apps[app].asks[ask]);
                if !self.commit_fails(self.apps[app].queue) && self.nodes.accepts(wanted, node) {
                    self.commit(now, app, ask, node, events);
                } else if node_now.total.fit_in(&wanted.resource) {
                    self.reserve(now, app, ask, node, events);
                }
            }
            Some(Pick::Replace { app, ask, placeholder, node }) => {
                self.start_replacement(now, app, ask, placeholder, node, events);
            }
            // A release treats a node that it cannot reserve as reserved (SCH-084).
            Some(Pick::Stall { app }) => self.hold_place(app),
            Some(Pick::Preempted) | None => {}
        }
        self.confirm_stopped(now, events);
    }

    /// Walks the tree depth first, children in their order, to the first leaf that has something to do (SCH-050). The tree may
    /// be deep: the walk keeps its own stack.
    fn find_pick(&mut self, now: Time, stage: CycleStage, events: &mut Vec<Event>) -> Option<Pick> {
        let mut walk = std::mem::take(&mut self.walk);
        let mut plans = TurnPlans::default();
        let mut pick = self.walk_queues(now, stage, &mut walk, &mut plans, events);
        if pick.is_none() && plans.disregard_those_that_fit() {
            self.end_all_backoffs();
            pick = self.walk_queues(now, stage, &mut walk, &mut plans, events);
        }
        self.walk = walk;
        pick
    }

    /// Walks the tree depth first, children in their order. The tree may be deep: the walk keeps its own stack.
    fn walk_queues(
        &mut self,
        now: Time,
        stage: CycleStage,
        walk: &mut Vec<Visit>,
        plans: &mut TurnPlans,
        events: &mut Vec<Event>,
    ) -> Option<Pick> {
        let (mut depth, mut key) = (0, ROOT);
        loop {
            if self.queues[key].leaf {
                let pick = match stage {
                    CycleStage::Normal => self.try_leaf(now, key, plans, events),
                    CycleStage::Reserved => self.try_reserved(now, key, events),
                    CycleStage::Replace => self.try_replace(now, key, events),
                };
                if pick.is_some() {
                    return pick;
                }
            } else {
                if walk.len() == depth {
                    walk.push(Visit::default());
                }
                walk[depth].start(key);
                depth += 1;
            }
            self.queues.settle_order();
            key = loop {
                let visit = &mut walk[depth.checked_sub(1)?];
                match self.queues.next_child(visit) {
                    Some(next) => break next,
                    None => depth -= 1,
                }
            };
        }
    }

    /// Tries the applications of a leaf in their order (SCH-081).
    fn try_leaf(&mut self, now: Time, leaf: QueueKey, plans: &mut TurnPlans, events: &mut Vec<Event>) -> Option<Pick> {
        if self.leaf_backs_off(now, leaf) {
            return None;
        }
        let headroom = self.queues.headroom(leaf).unwrap_or_default();
        let state_aware_filter = self.state_aware_filter(leaf);
        let mut attempts = self.preemption_attempts(leaf);
        let mut by_spaces: Option<bool> = None;
        let mut walk = self.start_walk(now, leaf, &headroom, &attempts);
        while let Some(app) = walk.next(&self.queues[leaf].candidates, &self.apps, attempts.left() > 0) {
            let delayed = self.apps[app].is_delayed(now);
            if delayed || !state_aware_filter.admits(&self.apps[app]) {
                continue;
            }
            // If only headroom decides, the result of `may_run` did not change.
            let unlimited = self.apps[app].backoff.is_some()
                && self.has_no_limits(app)
                && *by_spaces.get_or_insert_with(|| self.only_spaces_decide(leaf));
            if unlimited && self.app_backs_off(now, app, &headroom, &mut attempts) {
                continue;
            }
            walk.examined.push(app);
            if !self.may_run(now, leaf, app, events)
                || !unlimited && self.app_backs_off(now, app, &headroom, &mut attempts)
            {
                continue;
            }
            let pick = self.try_app(now, app, &headroom, &mut attempts, plans, events);
            if pick.is_some() {
                self.end_walk(now, leaf, walk, Some(app));
                return pick;
            }
        }
        self.end_walk(now, leaf, walk, None);
        self.start_leaf_backoff(leaf);
        None
    }

    /// Tries the asks of one application, with preemption for those that may (SCH-082).
    fn try_app(
        &mut self,
        now: Time,
        app: AppKey,
        headroom: &Resource,
        attempts: &mut Attempts,
        plans: &mut TurnPlans,
        events: &mut Vec<Event>,
    ) -> Option<Pick> {
        let of_limits = self.usage.headroom(&self.apps[app].account);
        let headroom = Headroom {
            of_limits: of_limits.as_ref(),
            of_queue: headroom,
            commit_fails: self.commit_fails(self.apps[app].queue),
            reserves: self.reserves(),
        };
        let mut failures = FailureTracker::new(self.epoch, &self.apps[app], &self.nodes, attempts);
        failures = failures.with_unschedulable(self.unschedulable(app));
        loop {
            let Self { apps, nodes, switches, .. } = self;
            let (pick, tried) =
                try_asks(now, &mut apps[app], nodes, &headroom, switches, attempts, &mut failures, events);
            for ask in tried {
                let arrival = self.apps[app].asks[ask].arrival;
                self.mark_ask(app, ask, arrival);
            }
            let Some(request) = attempts.take_request() else {
                let sent_back = pick.is_some_and(|pick| self.is_sent_back(now, pick, plans));
                if sent_back {
                    failures.note_turn(&headroom);
                }
                let pick = pick.filter(|_| !sent_back);
                let since = self.skipped_since(now, app);
                self.apps[app].backoff =
                    if pick.is_none() { failures.into_backoff(since, of_limits.as_ref()) } else { None };
                return pick;
            };
            failures.clear();
            if self.preempt(now, app, request.ask(), request.nodes_tried, events) {
                return Some(Pick::Preempted);
            }
            self.apps[app].asks[request.ask()].log.note(Failure::PreemptionHelpsNot, now);
        }
    }

    /// All, but under `stateaware` only the oldest, and none while one is Starting (SCH-073).
    pub(crate) fn state_aware_filter(&self, leaf: QueueKey) -> StateAwareFilter {
        let queue = &self.queues[leaf];
        if !queue.settings.properties.app_sort.starts_one_at_a_time() || !self.switches.stateaware {
            return StateAwareFilter::All;
        }
        if queue.apps.iter().any(|app| self.apps[*app].state == AppState::Starting) {
            return StateAwareFilter::Only(None);
        }
        let accepted = queue.candidates.iter().map(|rank| &self.apps[rank.app]);
        let accepted = accepted.filter(|app| app.state == AppState::Accepted);
        StateAwareFilter::Only(accepted.min_by_key(|app| (app.submitted, &app.id)).map(|app| app.key))
    }

    /// SCH-081: a running application is never blocked. Reports a change once (SCH-114).
    pub(crate) fn may_run(&mut self, now: Time, leaf: QueueKey, app: AppKey, events: &mut Vec<Event>) -> bool {
        self.decide_limits(now, app, !self.switches.group_usage_lost, events);
        let application = &mut self.apps[app];
        let waits = application.state == AppState::Accepted;
        if !waits && !self.switches.events_runnable {
            application.runnable_in_queue = true;
            application.runnable_by_limits = true;
            return true;
        }
        let in_queue = self.queues.can_run(leaf, &application.id);
        let by_limits = self.usage.lets_run(&application.account, &application.id);
        let before = events.len();
        for (cause, known, runnable) in [
            (RunnableCause::Queue, &mut application.runnable_in_queue, in_queue),
            (RunnableCause::Limits, &mut application.runnable_by_limits, by_limits),
        ] {
            if std::mem::replace(known, runnable) != runnable {
                let kind = EventKind::AppRunnable { app: application.id.clone(), cause, runnable };
                events.push(Event { at: now, kind });
            }
        }
        if events.len() > before {
            self.mark_app(app);
        }
        !waits || in_queue && by_limits
    }

    /// 1.8.0 (SCH-055): cluster size, overridden by each maximum on the way down, then by the queue's own guaranteed
    /// resources.
    pub(crate) fn refresh_share_bases(&mut self) {
        if !self.switches.fair_share_of_cluster || !std::mem::take(&mut self.share_bases_stale) {
            return;
        }
        let mut fair_max: Vec<(QueueKey, Resource)> = Vec::new();
        for key in self.queues.top_down() {
            let queue = &self.queues[key];
            // Only the entries of the ancestors remain on the stack.
            while fair_max.last().is_some_and(|(last, _)| Some(*last) != queue.parent) {
                fair_max.pop();
            }
            let mut own = fair_max.last().map(|(_, max)| max.clone()).unwrap_or_default();
            if let Some(max) = &queue.max
                && (queue.parent.is_none() || !own.is_empty())
            {
                max.iter().for_each(|(name, amount)| own.set(name, amount));
            }
            let mut base = own.clone();
            if let Some(guaranteed) = &queue.guaranteed {
                guaranteed.iter().for_each(|(name, amount)| base.set(name, amount));
            }
            fair_max.push((key, own));
            let queue = &mut self.queues[key];
            queue.share_base = Some(base);
            queue.refresh_share();
        }
    }
}
