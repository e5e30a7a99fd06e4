//! Slow priority and headroom (SCH-060 to SCH-066, SCH-100, SCH-123, SCH-125) without the scheduler's counters.

use std::collections::BTreeMap;

use model::{Priority, PriorityPolicy, Profile, Resource};
use scheduler::index::QueueKey;
use scheduler::state::app::Application;
use scheduler::state::ask::Ask;
use scheduler::state::queue::Queue;
use scheduler::usage::Side;
use scheduler::{Partition, Scheduler};

/// The priority that a queue passed up: at the last change of its raw priority, or the current one if it changed back
/// in between.
#[derive(Default)]
pub struct Model {
    seen: BTreeMap<String, (Priority, Vec<i64>)>,
}

fn pending_priorities(app: &Application) -> impl Iterator<Item = i64> {
    let waits = |ask: &Ask| ask.allocation.is_none() && ask.rare.takes_over.is_none() && !ask.superseded;
    let pending = app.asks.iter().filter(move |(_, ask)| waits(ask));
    pending.map(|(_, ask)| i64::from(ask.priority.0))
}

fn apps_in(partition: &Partition, queue: QueueKey) -> impl Iterator<Item = &Application> {
    partition.apps.iter().map(|(_, app)| app).filter(move |app| app.queue == queue)
}

fn children(partition: &Partition, queue: QueueKey) -> Vec<&Queue> {
    partition.queues.iter().filter(|child| child.parent == Some(queue)).collect()
}

/// A queue's current priority from its raw one (SCH-063).
fn current(queue: &Queue, raw: i64) -> i64 {
    let (min, max) = (i64::from(Priority::MIN.0), i64::from(i32::MAX));
    let offset = i64::from(queue.settings.properties.priority_offset);
    if raw == min {
        return min;
    }
    match queue.settings.properties.priority_policy {
        PriorityPolicy::Fence => offset,
        PriorityPolicy::Default => (raw + offset).clamp(min, max),
    }
}

/// The highest pending priority as it arrives at the queue (SCH-062).
fn raw(partition: &Partition, queue: &Queue) -> i64 {
    let below = children(partition, queue.key).into_iter().map(|child| current(child, raw(partition, child)));
    let own = apps_in(partition, queue.key).flat_map(pending_priorities);
    below.chain(own).max().unwrap_or(i64::from(Priority::MIN.0))
}

fn used_by(app: &Application) -> Resource {
    let allocated = app.asks.iter().filter(|(_, ask)| ask.allocation.is_some());
    allocated.fold(Resource::new(), |sum, (_, ask)| sum.add(&ask.resource))
}

fn allocated(partition: &Partition, queue: &Queue) -> Resource {
    let own = apps_in(partition, queue.key).fold(Resource::new(), |sum, app| sum.add(&used_by(app)));
    children(partition, queue.key).into_iter().fold(own, |sum, child| sum.add(&allocated(partition, child)))
}

/// The minimum of each resource; a missing one is unlimited.
fn smaller(one: Option<Resource>, other: Option<Resource>) -> Option<Resource> {
    let (Some(one), Some(other)) = (one.clone(), other.clone()) else { return one.or(other) };
    let mut both = one.clone();
    for (name, amount) in other.iter() {
        both.set(name, one.get(name).map_or(amount, |present| present.min(amount)));
    }
    Some(both)
}

fn rest(max: &Resource, used: &Resource) -> Resource {
    max.iter().map(|(name, amount)| (name, amount - used.amount(name))).collect()
}

fn headroom(partition: &Partition, queue: &Queue) -> Option<Resource> {
    let above = queue.parent.and_then(|parent| headroom(partition, &partition.queues[parent]));
    smaller(queue.max.as_ref().map(|max| rest(max, &allocated(partition, queue))), above)
}

/// The limits of the user, or of `*`, and of the group on every level.
fn limit_headroom(partition: &Partition, app: &Application) -> Option<Resource> {
    let path = partition.queues.path_up(app.queue);
    // The group is determined once and kept through reloads (SCH-124).
    let group = partition.group_name(app);
    let mut left = None;
    for level in path {
        let within = |other: &&Application| partition.queues.path_up(other.queue).contains(&level);
        let there = || partition.apps.iter().map(|(_, other)| other).filter(within);
        let sum = |who: &dyn Fn(&&Application) -> bool| {
            there().filter(who).fold(Resource::new(), |sum, other| sum.add(&used_by(other)))
        };
        let limits = partition.queues[level].settings.limits.list();
        let named = |list: fn(&config::LimitConfig) -> &Vec<String>, name: &str| {
            limits.iter().rev().find(|limit| list(limit).iter().any(|known| known == name))
        };
        let of_user = named(|limit| &limit.users, &app.who.user).or_else(|| named(|limit| &limit.users, "*"));
        let of_group = group.and_then(|group| named(|limit| &limit.groups, group));
        for (side, limit) in [(Side::User, of_user), (Side::Group, of_group)] {
            let max = limit.and_then(|limit| limit.max_resources.as_ref()).filter(|max| !max.is_zero());
            let used = match side {
                Side::User => sum(&|other| other.who.user == app.who.user),
                Side::Group => sum(&|other| partition.group_name(other) == group),
            };
            left = smaller(left, max.map(|max| rest(max, &used)));
        }
    }
    left
}

impl Model {
    /// Compares a scheduler with the model after a command.
    pub fn compare(&mut self, profile: Profile, scheduler: &Scheduler) {
        for partition in scheduler.partitions() {
            for queue in partition.queues.bottom_up().into_iter().map(|key| &partition.queues[key]) {
                if profile == Profile::Kornsole {
                    let want = raw(partition, queue);
                    assert_eq!(i64::from(queue.raw_priority.0), want, "raw priority of {}", queue.path);
                    let want = current(queue, want);
                    assert_eq!(i64::from(queue.current_priority().0), want, "priority of {}", queue.path);
                } else {
                    self.compare_cached(partition, queue);
                }
                let same = match (partition.queues.headroom(queue.key), headroom(partition, queue)) {
                    (None, None) => true,
                    (Some(local), Some(want)) => local.iter().eq(want.iter()),
                    _ => false,
                };
                // Applications do not contain what a release miscounts (D-23).
                assert!(same || partition.miscounted, "headroom of {}", queue.path);
            }
            // A release may lose the usage of a group with its applications (`group_limit_gone`).
            let known = |app: &&Application| app.account.bounds.is_some() && profile == Profile::Kornsole;
            for app in partition.apps.iter().map(|(_, app)| app).filter(known) {
                let (local, want) = (partition.usage.headroom(&app.account), limit_headroom(partition, app));
                assert_eq!(local, want, "limits of {}", app.id);
            }
        }
    }

    /// In the releases, a parent's raw priority is the maximum of the values that its children last passed up (P-02).
    fn compare_cached(&mut self, partition: &Partition, queue: &Queue) {
        let min = i64::from(Priority::MIN.0);
        let local = i64::from(queue.raw_priority.0);
        let own = apps_in(partition, queue.key).flat_map(pending_priorities).max().unwrap_or(min);
        // 1.5.1 retains the priority of a repeated request (D-23).
        let retained = apps_in(partition, queue.key).map(|app| i64::from(app.priority().0)).max().unwrap_or(min);
        let handed = children(partition, queue.key).into_iter().map(|child| self.handed(child).to_vec());
        let choices = handed.fold(vec![own, retained.max(own)], |choices, handed| {
            choices.iter().flat_map(|highest| handed.iter().map(|one| *highest.max(one)).collect::<Vec<_>>()).collect()
        });
        assert!(choices.contains(&local), "raw priority of {} is {local}, not of {choices:?}", queue.path);
        let now = current(queue, local);
        let (raw, handed) = self.seen.entry(queue.path.to_string()).or_insert((queue.raw_priority, vec![now]));
        if *raw != queue.raw_priority {
            *raw = queue.raw_priority;
            *handed = vec![now];
        } else if !handed.contains(&now) {
            handed.push(now);
        }
    }

    fn handed(&self, queue: &Queue) -> &[i64] {
        self.seen.get(queue.path.as_str()).map_or(&[], |(_, handed)| handed)
    }
}
