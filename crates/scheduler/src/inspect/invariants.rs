//! The invariants of the core (SCH-240): every counter is compared with a recount of its objects.
//!
//! A debug build asserts them in [`Scheduler::apply`], more rarely with many objects. Invariant (7) is asserted at the
//! allocation, because a maximum may be lowered later.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::index::{QueueKey, SlabKey};
use crate::inspect::task_groups::{may_replace, task_group_is_right};
use crate::interface::switches::{AskAgainAllocated, AskAgainPending, Switches};
use crate::state::app::Application;
use crate::state::partition::Partition;
use crate::state::queue::{Queue, ROOT};
use crate::state::scheduler::Scheduler;
use crate::usage::{Bound, QueueUsage, Side};
use crate::user_limits::bounds_of;
use model::{AppId, AppState, Priority, Resource};

/// Invariants that a switch may suspend, because it reproduces a bug of a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Invariant {
    /// (11): the raw priority of a parent is the highest current priority of its children; suspended, the highest
    /// reported one.
    PriorityOfParents,
    /// (12): a queue counts the Starting and Running applications in its subtree.
    RunningApps,
    /// SCH-112: an application that counts against the maxima without running is in the subtree. A parent with leaked
    /// entries may be a leaf later.
    AllocatingAccepted,
    /// (10): the running applications of a user or group exist.
    RunningForLimits,
    /// (10): the sum over its applications.
    GroupUsage,
    /// (1), (6): the sum of pending requests, never negative.
    Pending,
    /// (7): no allocation exceeds a maximum that was not lowered. Suspended, resized placeholders are not counted
    /// separately either.
    Maximum,
    /// (10): the usage of a user is the sum over the applications; suspended, at least that sum.
    UserUsage,
}

impl Switches {
    /// The suspended invariants with the suspending switch.
    pub fn suspended(&self) -> Vec<(&'static str, Invariant)> {
        let all = [
            (self.priority_cache, "priority_cache", Invariant::PriorityOfParents),
            (self.running_count_cut, "running_count_cut", Invariant::RunningApps),
            (self.accepted_leak, "accepted_leak", Invariant::AllocatingAccepted),
            (self.running_leak, "running_leak", Invariant::RunningForLimits),
            (self.group_usage_lost, "group_limit_gone", Invariant::GroupUsage),
            (self.ask_again_pending == AskAgainPending::LeavesOld, "ask_again_pending", Invariant::Pending),
            (self.ask_again_allocated == AskAgainAllocated::Resizes, "ask_again_allocated", Invariant::Maximum),
            (self.gang_failed_leak, "gang_failed_leak", Invariant::UserUsage),
        ];
        all.into_iter().filter(|(on, ..)| *on).map(|(_, switch, invariant)| (switch, invariant)).collect()
    }
}

/// The violated invariants, one line each.
pub fn violations(scheduler: &Scheduler) -> Vec<String> {
    let mut found = Vec::new();
    for partition in scheduler.partitions() {
        let suspended = scheduler.switches().suspended().into_iter().map(|(_, invariant)| invariant).collect();
        let mut check = Check { partition, suspended, found: Vec::new() };
        check.queues();
        check.nodes();
        check.apps();
        check.reservations();
        check.gangs();
        check.usage();
        found.extend(check.found.into_iter().map(|line| format!("{}: {line}", partition.name)));
    }
    found
}

/// Up to this number of objects, a debug build asserts after every command.
#[cfg(debug_assertions)]
const SMALL: u64 = 200;
/// Above it, this number is checked per command on average.
#[cfg(debug_assertions)]
const EACH: u64 = 10;

#[cfg(debug_assertions)]
pub(crate) fn assert_due(scheduler: &mut Scheduler) {
    if scheduler.unasserted > 0 {
        scheduler.unasserted -= 1;
        return;
    }
    let wrong = violations(scheduler);
    assert!(wrong.is_empty(), "the scheduler's counters are inconsistent:\n{}", wrong.join("\n"));
    let asks = |partition: &Partition| partition.apps.iter().map(|(_, app)| 1 + app.asks.len() as u64).sum::<u64>();
    let size = |p: &Partition| p.queues.len() as u64 + p.nodes.len() as u64 + asks(p);
    let size = scheduler.partitions.iter().map(size).sum::<u64>();
    scheduler.unasserted = if size <= SMALL { 0 } else { size / EACH };
}

struct Check<'a> {
    partition: &'a Partition,
    suspended: Vec<Invariant>,
    found: Vec<String>,
}

impl Check<'_> {
    fn is_checked(&self, invariant: Invariant) -> bool {
        !self.suspended.contains(&invariant)
    }

    fn that(&mut self, totals: bool, what: impl FnOnce() -> String) {
        if !totals {
            self.found.push(what());
        }
    }

    fn queues(&mut self) {
        let partition = self.partition;
        for queue in partition.queues.iter() {
            self.queue_sums(queue);
            self.queue_counts(queue);
            self.queue_lists(queue);
        }
    }

    /// The amounts of one queue are the sums over its children and applications (1).
    fn queue_sums(&mut self, queue: &Queue) {
        let partition = self.partition;
        let sum = |parts: &mut dyn Iterator<Item = &Resource>| {
            parts.fold(Resource::new(), |mut sum, part| {
                sum.add_assign(part);
                sum
            })
        };
        let children = || queue.children.iter().map(|child| &partition.queues[*child]);
        let apps = || queue.apps.iter().map(|app| &partition.apps[*app]);
        let totals: Vec<Resource> = apps().map(Application::total_allocated).collect();
        let path = &queue.path;
        for (what, amount) in [("allocated", &queue.allocated), ("pending", &queue.pending)] {
            let may_be = what == "pending" && !self.is_checked(Invariant::Pending);
            self.that(may_be || !amount.has_negative() || partition.miscounted, || {
                format!("{path} has negative {what} {amount:?}")
            });
        }
        let exact = !partition.miscounted;
        let allocated = sum(&mut children().map(|c| &c.allocated).chain(totals.iter()));
        self.that(allocated == queue.allocated || !exact, || {
            format!("{path} has allocated {:?}, the sum of its children is {allocated:?}", queue.allocated)
        });
        let pending = sum(&mut children().map(|c| &c.pending).chain(apps().map(|app| &app.pending)));
        self.that(pending == queue.pending || !exact, || {
            format!("{path} has pending {:?}, the sum of its children is {pending:?}", queue.pending)
        });
        let victims: Vec<Resource> = apps().map(Application::preempting).collect();
        let preempting = sum(&mut children().map(|c| &c.preempting).chain(victims.iter()));
        self.that(preempting == queue.preempting, || {
            format!("{path} has preempting {:?}, the sum of its children is {preempting:?}", queue.preempting)
        });
        let within = queue.preempting.iter().all(|(name, amount)| amount <= queue.allocated.amount(name));
        self.that(within && !queue.preempting.has_negative() || !exact, || {
            format!("{path} has preempting {:?} of {:?}", queue.preempting, queue.allocated)
        });
    }

    /// The application counts of one queue, and its priority, agree with its children and applications (11, 12).
    fn queue_counts(&mut self, queue: &Queue) {
        let partition = self.partition;
        let tree = &partition.queues;
        let path = &queue.path;
        let children = || queue.children.iter().map(|child| &tree[*child]);
        let apps = || queue.apps.iter().map(|app| &partition.apps[*app]);
        let running =
            children().map(|c| c.running).sum::<u64>() + apps().filter(|app| app.counts_as_running()).count() as u64;
        let exact = self.is_checked(Invariant::RunningApps);
        self.that(running == queue.running || !exact, || {
            format!("{path} counts {} running of {running}", queue.running)
        });
        let count = children().map(|c| c.app_count).sum::<u64>() + queue.apps.len() as u64;
        self.that(count == queue.app_count, || format!("{path} counts {} applications of {count}", queue.app_count));
        let exact = self.is_checked(Invariant::PriorityOfParents);
        let priority = if !exact {
            tree.recounted_priority(queue.key, apps().map(Application::priority))
        } else {
            let inside = children().map(Queue::current_priority);
            inside.chain(apps().map(Application::priority)).max().unwrap_or(Priority::MIN)
        };
        self.that(priority == queue.raw_priority, || {
            format!("{path} has raw priority {}, counted {priority}", queue.raw_priority)
        });
        if self.is_checked(Invariant::AllocatingAccepted) {
            let waits = |id: &AppId| {
                let app = partition.app_key(id).map(|key| &partition.apps[key]);
                app.is_some_and(|app| {
                    !app.counts_as_running() && partition.queues.path_up(app.queue).contains(&queue.key)
                })
            };
            self.that(queue.allocating_accepted.iter().all(waits), || {
                format!("{path} has stale accepted applications {:?}", queue.allocating_accepted)
            });
        }
    }

    fn queue_lists(&mut self, queue: &Queue) {
        let partition = self.partition;
        let path = &queue.path;
        let apps = || queue.apps.iter().map(|app| &partition.apps[*app]);
        let candidates = apps().filter(|app| app.pending.strictly_greater_than_zero()).count();
        self.that(candidates == queue.candidates.len(), || format!("{path} has missing candidates"));
        let replacers = apps().filter(|app| app.rank.is_some() && may_replace(app)).count();
        let among = queue.replacers.iter().all(|rank| queue.candidates.contains(rank));
        self.that(among && replacers == queue.replacers.len(), || {
            format!("{path} has missing applications that may replace placeholders")
        });
        let asleep = apps().filter(|app| queue.candidates.has_asleep(app)).count();
        self.that(asleep == queue.candidates.asleep(), || format!("{path} skips applications that are not in backoff"));
    }

    fn nodes(&mut self) {
        let partition = self.partition;
        let (mut total, mut allocated, mut coming) = (Resource::new(), Resource::new(), Resource::new());
        for node in partition.nodes.iter() {
            total.add_assign(&node.total);
            allocated.add_assign(&node.allocated);
            let id = &node.id;
            let rest = node.total.sub(&node.allocated).sub(&node.occupied);
            self.that(rest == node.available, || format!("node {id} has {:?} left, not {rest:?}", node.available));
            let mut own = Resource::new();
            for (number, (app, ask)) in &node.allocations {
                let ask = partition.apps.get(*app).and_then(|app| app.asks.get(*ask));
                let allocated = ask.and_then(|ask| ask.allocation).map(|a| (a.number, a.node));
                let to_come = ask.and_then(|ask| ask.rare.takes_over).filter(|t| t.charged).map(|t| (t.number, t.node));
                self.that(allocated.or(to_come) == Some((*number, node.key)), || {
                    format!("node {id} has allocation {number}, which does not exist")
                });
                if let Some(ask) = ask {
                    own.add_assign(&ask.resource);
                    if to_come.is_some() {
                        coming.add_assign(&ask.resource);
                    }
                }
            }
            for left in &node.left_behind {
                own.add_assign(&left.resource);
                coming.add_assign(&left.resource);
            }
            self.that(own == node.allocated, || format!("node {id} has allocated {:?}, not {own:?}", node.allocated));
        }
        let Some(root) = partition.queues.get(ROOT) else { return };
        let max = root.max.clone().unwrap_or_default();
        self.that(total == max, || format!("the root's maximum is {max:?}, the nodes have {total:?}"));
        self.that(allocated == root.allocated.add(&coming) || partition.miscounted, || {
            format!("root has {:?}, nodes {allocated:?}", root.allocated)
        });
    }

    /// (1), and the sums within an application.
    fn apps(&mut self) {
        for (_, app) in self.partition.apps.iter() {
            let (mut pending, mut real, mut placeholders) = (Resource::new(), Resource::new(), Resource::new());
            for (_, ask) in app.asks.iter() {
                match (&ask.allocation, ask.placeholder) {
                    (None, _) if ask.rare.takes_over.is_some() || ask.superseded => {}
                    (None, _) => pending.add_assign(&ask.resource),
                    (Some(_), false) => real.add_assign(&ask.resource),
                    (Some(_), true) => placeholders.add_assign(&ask.resource),
                }
            }
            let seen = app.known_ids.counted.is_zero();
            let counted =
                pending == app.pending && (app.counts_by_priority() || !seen) || !self.is_checked(Invariant::Pending);
            let apart = real == app.allocated && placeholders == app.allocated_placeholder;
            let counts = real.add(&placeholders).add(&app.known_ids.counted);
            let resized =
                (!seen || !self.is_checked(Invariant::Maximum)) && counts.sub(&app.total_allocated()).is_zero();
            let same = counted && (apart || resized);
            self.that(same, || format!("application {} has wrong sums of its requests", app.id));
            let tied = app.asks.iter().filter(|(_, ask)| ask.rare.takes_over.is_some()).count();
            self.that(app.asks.len() == app.pending_order.len() + app.allocations.len() + tied, || {
                format!("application {} has a missing request", app.id)
            });
            self.that(self.partition.app_key(&app.id) == Some(app.key), || {
                format!("application {} is not found", app.id)
            });
        }
    }

    /// Placeholders are counted, ties are recorded on both sides, and a gang's timer runs only while it has
    /// placeholders.
    fn gangs(&mut self) {
        let partition = self.partition;
        let mut count = 0;
        for (_, app) in partition.apps.iter() {
            let reserved = app.asks.iter().filter(|(_, ask)| ask.placeholder && ask.allocation.is_some()).count();
            count += reserved as u64;
            let known: usize = app.task_groups.values().map(|group| group.placeholders.len()).sum();
            self.that(reserved == known, || {
                format!("task groups of {} list {known} of {reserved} placeholders", app.id)
            });
            for (name, group) in &app.task_groups {
                self.that(task_group_is_right(app, name, group, partition.switches.gang_timeout_real), || {
                    format!("task group {name} of {} is wrong: {group:?}", app.id)
                });
            }
            for (key, ask) in app.asks.iter() {
                let other = ask.rare.takes_over.and_then(|takeover| app.asks.get(takeover.placeholder));
                let ties =
                    ask.rare.takes_over.is_none() || other.is_some_and(|other| other.rare.gives_way == Some(key));
                let back = ask.rare.gives_way.and_then(|real| app.asks.get(real)?.rare.takes_over);
                let tied = ask.rare.gives_way.is_none() || back.is_some_and(|takeover| takeover.placeholder == key);
                self.that(ties && tied, || format!("request {} of {} has no owner", ask.id, app.id));
            }
            let timer = app.placeholder_timer;
            let may_stay = !self.is_checked(Invariant::Maximum) || !app.known_ids.counted.is_zero();
            let stays = may_stay && !app.allocated_placeholder.is_zero();
            let runs = timer.is_none_or(|timer| partition.timers.contains_key(&timer) && (reserved > 0 || stays));
            self.that(runs, || format!("application {} has a placeholder timer without placeholders", app.id));
        }
        self.that(count == partition.placeholders, || {
            format!("{count} placeholders exist, {} counted", partition.placeholders)
        });
    }

    /// (9): on both sides, and counted.
    fn reservations(&mut self) {
        let partition = self.partition;
        let mut count = 0;
        for (_, app) in partition.apps.iter() {
            count += app.reservations.len() as u64;
            for (ask, node) in &app.reservations {
                let retained =
                    partition.nodes.get(*node).is_some_and(|node| node.reservations.contains(&(app.key, *ask)));
                let pending = app.asks.get(*ask).is_some_and(|ask| ask.allocation.is_none());
                self.that(retained && pending, || {
                    format!("application {} has a reservation that is not active", app.id)
                });
            }
            let place = (app.submitted, app.id.clone(), app.key);
            let known = partition.queues[app.queue].reserved.contains(&place);
            self.that(known != app.reservations.is_empty(), || {
                format!("the leaf of {} has a wrong list of reservations", app.id)
            });
        }
        let on_nodes: usize = partition.nodes.iter().map(|node| node.reservations.len()).sum();
        self.that(count == on_nodes as u64 && count == partition.reservations, || {
            format!("{count} reservations of requests, {on_nodes} on nodes, {} counted", partition.reservations)
        });
    }

    /// (10). An application runs if it has had an allocation since it last had nothing left.
    fn usage(&mut self) {
        let partition = self.partition;
        let (lossy, leaks) = (!self.is_checked(Invariant::GroupUsage), !self.is_checked(Invariant::RunningForLimits));
        let left = !self.is_checked(Invariant::UserUsage);
        let mut counted: BTreeMap<(Side, &str, QueueKey), QueueUsage> = BTreeMap::new();
        for (_, app) in partition.apps.iter() {
            let (path, group) = (partition.queues.path_up(app.queue), partition.group_name(app));
            let user = app.account.user.and_then(|user| partition.usage.users.get(user)).map(|user| &*user.name);
            self.that(user == Some(&*app.who.user), || format!("{} counts under user {user:?}", app.id));
            // After Completing, an application with placeholders counts again only with its next allocation (LIM-013).
            let has_run = !app.allocated.is_zero() && app.state != AppState::Completing;
            self.that(app.account.running || !has_run, || format!("{} does not count as running", app.id));
            for queue in path.iter().copied() {
                for (side, name) in [(Side::User, Some(app.who.user.as_str())), (Side::Group, group)] {
                    let Some(name) = name else { continue };
                    let sum = counted.entry((side, name, queue)).or_default();
                    sum.apps += 1;
                    sum.allocated.add_assign(&app.total_allocated());
                    if app.account.running {
                        sum.running.insert(app.id.clone());
                    }
                }
            }
            if let Some(bounds) = &app.account.bounds {
                let want = bounds_of(&partition.queues, &path, &app.who.user, group);
                let same = |(a, b): (&Bound, &Bound)| {
                    (a.queue, a.side) == (b.queue, b.side) && Arc::ptr_eq(&a.limit, &b.limit)
                };
                let same = bounds.len() == want.len() && bounds.iter().zip(&want).all(same);
                self.that(same, || format!("{} is subject to limits that are not active", app.id));
            }
        }
        let users = partition.usage.users.iter().map(|(_, tracker)| (Side::User, tracker));
        let groups = partition.usage.groups.iter().map(|(_, tracker)| (Side::Group, tracker));
        for (side, tracker) in users.chain(groups) {
            for (queue, usage) in tracker.levels() {
                let want = counted.remove(&(side, &tracker.name, queue)).unwrap_or_default();
                let same = match side {
                    Side::Group if lossy => want.apps == usage.apps,
                    _ if left => want.apps == usage.apps && usage.allocated.at_least(&want.allocated),
                    _ if leaks => (want.apps, &want.allocated) == (usage.apps, &usage.allocated),
                    _ => want == *usage,
                };
                self.that(same, || {
                    format!("{side:?} {} has {usage:?} in queue {}, not {want:?}", tracker.name, queue.slot())
                });
            }
        }
        self.that(counted.is_empty(), || format!("usage is missing for {:?}", counted.keys().collect::<Vec<_>>()));
    }
}
