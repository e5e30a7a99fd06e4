//! One scheduling cycle: at most one allocation a partition (`scheduler.md` sections 3, 4, 7).

use std::ops::Bound;

use super::app::{Application, Ask, Tried};
use super::event::{Event, EventKind, RunnableCause};
use super::index::{AppKey, AskKey, NodeKey, QueueKey};
use super::node::Nodes;
use super::order::{AppRank, sort_children};
use super::partition::Partition;
use super::queue::ROOT;
use crate::config::properties::AppSortPolicy;
use crate::model::{AppId, AppState, QueueState, Resource, Time};

/// What a cycle keeps from one call to the next, so that it does not allocate memory for it again.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    stack: Vec<QueueKey>,
    children: Vec<QueueKey>,
}

/// What a cycle found: which ask goes to which node.
struct Pick {
    app: AppKey,
    ask: AskKey,
    node: NodeKey,
}

/// What may still be allocated to an application.
struct Room<'r> {
    /// By the limits of its user and group; `None` where none names a resource.
    of_limits: Option<&'r Resource>,
    /// By its queues.
    of_queue: &'r Resource,
}

impl Room<'_> {
    /// Limits first, then queues (LIM-043).
    fn fits(&self, ask: &Resource) -> Result<(), Tried> {
        if self.of_limits.is_some_and(|room| !room.fit_in_max_undef(ask)) {
            return Err(Tried::UserQuota);
        }
        if self.of_queue.fit_in_max_undef(ask) { Ok(()) } else { Err(Tried::QueueQuota) }
    }
}

/// Which Accepted applications of a leaf a cycle tries.
enum OnTheirWay {
    All,
    Only(Option<AppKey>),
}

impl OnTheirWay {
    fn lets_pass(&self, app: &Application) -> bool {
        match self {
            Self::All => true,
            Self::Only(one) => app.state != AppState::Accepted || *one == Some(app.key),
        }
    }
}

impl Partition {
    /// One cycle (SCH-041, SCH-042).
    pub(super) fn cycle(&mut self, now: Time, events: &mut Vec<Event>) {
        if self.state == QueueState::Stopped || !self.has_work() {
            return;
        }
        self.refresh_share_bases();
        if let Some(pick) = self.find_pick(now, events) {
            self.commit(now, pick.app, pick.ask, pick.node, events);
        }
    }

    /// Walks the tree depth first, children in their order, to the first leaf that has something to allocate (SCH-050). The
    /// tree may be deep: the walk keeps its own stack.
    fn find_pick(&mut self, now: Time, events: &mut Vec<Event>) -> Option<Pick> {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.stack.clear();
        scratch.stack.push(ROOT);
        let mut pick = None;
        while let Some(key) = scratch.stack.pop() {
            if self.queues[key].leaf {
                pick = self.try_leaf(now, key, events);
                if pick.is_some() {
                    break;
                }
            } else {
                sort_children(&self.queues, key, &mut scratch.children);
                scratch.stack.extend(scratch.children.iter().rev());
            }
        }
        self.scratch = scratch;
        pick
    }

    /// Tries the applications of a leaf in their order (SCH-081).
    fn try_leaf(&mut self, now: Time, leaf: QueueKey, events: &mut Vec<Event>) -> Option<Pick> {
        let headroom = self.queues.headroom(leaf).unwrap_or_default();
        let on_their_way = self.on_their_way(leaf);
        let mut last: Option<AppRank> = None;
        while let Some(rank) = self.next_candidate(leaf, last.as_ref()) {
            let app = rank.app;
            last = Some(rank);
            if !on_their_way.lets_pass(&self.apps[app]) || !self.may_run(now, leaf, app, events) {
                continue;
            }
            let of_limits = self.usage.headroom(&self.apps[app].account);
            let room = Room { of_limits: of_limits.as_ref(), of_queue: &headroom };
            let (pick, tried) = try_asks(now, &mut self.apps[app], &self.nodes, &room, events);
            for ask in tried {
                let arrival = self.apps[app].asks[ask].arrival;
                self.touch_ask(app, ask, arrival);
            }
            if let Some((ask, node)) = pick {
                return Some(Pick { app, ask, node });
            }
        }
        None
    }

    /// The candidate of a leaf that stands behind `last` (SCH-071).
    fn next_candidate(&self, leaf: QueueKey, last: Option<&AppRank>) -> Option<AppRank> {
        let candidates = &self.queues[leaf].candidates;
        match last {
            None => candidates.first(),
            Some(last) => candidates.range((Bound::Excluded(last), Bound::Unbounded)).next(),
        }
        .cloned()
    }

    /// Which Accepted applications of a leaf may be tried: all, but by `stateaware` only the oldest, and none while one is
    /// Starting (SCH-073).
    fn on_their_way(&self, leaf: QueueKey) -> OnTheirWay {
        let queue = &self.queues[leaf];
        if queue.settings.properties.app_sort != AppSortPolicy::StateAware || !self.switches.stateaware {
            return OnTheirWay::All;
        }
        if queue.apps.iter().any(|app| self.apps[*app].state == AppState::Starting) {
            return OnTheirWay::Only(None);
        }
        let accepted = queue.candidates.iter().map(|rank| &self.apps[rank.app]);
        let accepted = accepted.filter(|app| app.state == AppState::Accepted);
        OnTheirWay::Only(accepted.min_by_key(|app| (app.submitted, &app.id)).map(|app| app.key))
    }

    /// Whether the application maxima let an application begin to run; one that runs already is never held back
    /// (SCH-081). A change is told once (SCH-114).
    fn may_run(&mut self, now: Time, leaf: QueueKey, app: AppKey, events: &mut Vec<Event>) -> bool {
        self.decide_limits(app, !self.switches.group_usage_lost);
        let application = &mut self.apps[app];
        if application.state != AppState::Accepted {
            application.runnable_in_queue = true;
            application.runnable_by_limits = true;
            return true;
        }
        let in_queue = self.queues.can_run(leaf, &application.id);
        let by_limits = self.usage.lets_run(&application.account, &application.id);
        let told = events.len();
        for (cause, known, runnable) in [
            (RunnableCause::Queue, &mut application.runnable_in_queue, in_queue),
            (RunnableCause::Limits, &mut application.runnable_by_limits, by_limits),
        ] {
            if std::mem::replace(known, runnable) != runnable {
                let kind = EventKind::AppRunnable { app: application.id.clone(), cause, runnable };
                events.push(Event { at: now, kind });
            }
        }
        if events.len() > told {
            self.touch_app(app);
        }
        in_queue && by_limits
    }

    /// Works out anew what 1.8.0 takes queues' shares of (SCH-055): cluster size, overridden by each maximum on the way
    /// down, overridden by the queue's own guarantee.
    fn refresh_share_bases(&mut self) {
        if !self.switches.fair_share_of_cluster || !std::mem::take(&mut self.share_bases_stale) {
            return;
        }
        let mut fair_max: Vec<(QueueKey, Resource)> = Vec::new();
        for key in self.queues.top_down() {
            let queue = &self.queues[key];
            // The ancestors' entries stand on the stack; what is not the parent is finished with.
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

/// Tries the asks of one application in their order (SCH-082). Gives the first that a node takes, and those of which something
/// new is known.
fn try_asks(
    now: Time,
    app: &mut Application,
    nodes: &Nodes,
    room: &Room<'_>,
    events: &mut Vec<Event>,
) -> (Option<(AskKey, NodeKey)>, Vec<AskKey>) {
    let Application { id, pending_order, asks, .. } = app;
    let mut changed = Vec::new();
    // Within one cycle the same wish fails the same way again; no need to ask every node anew.
    let mut failed: Option<(AskKey, Tried)> = None;
    for (.., key) in pending_order.iter() {
        let known = failed.filter(|(other, _)| {
            let (other, ask) = (&asks[*other], &asks[*key]);
            other.resource == ask.resource && other.required_node == ask.required_node
        });
        let found = match known {
            Some((_, tried)) => Err(tried),
            None => room.fits(&asks[*key].resource).and_then(|()| find_node(nodes, &asks[*key]).ok_or(Tried::NoNode)),
        };
        let ask = &mut asks[*key];
        tell_fit(now, id, ask, found.err(), events);
        match found {
            Ok(node) => return (Some((*key, node)), changed),
            Err(tried) => {
                failed = Some((*key, tried));
                if ask.tried != tried {
                    ask.tried = tried;
                    changed.push(*key);
                }
            }
        }
    }
    (None, changed)
}

/// Tells what changed of whether an ask fits the limits, then the queues (SCH-222). What fails the limits is not held against
/// the queues.
fn tell_fit(now: Time, app: &AppId, ask: &mut Ask, failed: Option<Tried>, events: &mut Vec<Event>) {
    let fits = failed != Some(Tried::UserQuota);
    if std::mem::replace(&mut ask.fits_limits, fits) != fits {
        let kind = EventKind::AskFitsLimits { app: app.clone(), ask: ask.id.clone(), fits };
        events.push(Event { at: now, kind });
    }
    if !fits {
        return;
    }
    let fits = failed != Some(Tried::QueueQuota);
    if std::mem::replace(&mut ask.fits_queue, fits) != fits {
        let kind = EventKind::AskFitsQueue { app: app.clone(), ask: ask.id.clone(), fits };
        events.push(Event { at: now, kind });
    }
}

/// The first node in order that has room for the ask (SCH-093), or the one that it requires.
fn find_node(nodes: &Nodes, ask: &Ask) -> Option<NodeKey> {
    let takes = |node: &&super::node::Node| {
        node.schedulable && node.total.fit_in(&ask.resource) && node.available.fit_in(&ask.resource)
    };
    match &ask.required_node {
        None => nodes.in_order().find(takes).map(|node| node.key),
        Some(id) => nodes.find(id).filter(|key| nodes[*key].available.fit_in(&ask.resource)),
    }
}
