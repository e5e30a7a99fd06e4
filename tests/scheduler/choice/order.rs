//! The order of siblings and applications by the specification, sorted with insertion sort.

use config::AppSortPolicy;
use model::{Profile, QueueState, Resource};
use scheduler::Partition;
use scheduler::index::QueueKey;
use scheduler::state::app::Application;
use scheduler::state::queue::Queue;
use std::cmp::Ordering;

/// Stable insertion sort, which accepts any comparison (SCH-002).
pub fn insertion_sort<T>(list: &mut [T], before: impl Fn(&T, &T) -> bool) {
    for i in 1..list.len() {
        let mut at = i;
        while at > 0 && before(&list[at], &list[at - 1]) {
            list.swap(at - 1, at);
            at -= 1;
        }
    }
}

/// The list of shares of SCH-054, largest first.
fn shares(allocated: &Resource, guaranteed: Option<&Resource>) -> Vec<f64> {
    let mut shares = Vec::new();
    for (name, used) in allocated.iter() {
        let guarantee = guaranteed.and_then(|g| g.get(name)).unwrap_or(0);
        shares.push(if guarantee == 0 { used as f64 } else { used as f64 / guarantee as f64 });
    }
    shares.sort_by(|a, b| b.partial_cmp(a).unwrap());
    shares
}

/// Compares two such lists by position; the shorter one is padded with zeros.
fn compare(left: &[f64], right: &[f64]) -> Ordering {
    for at in 0..left.len().max(right.len()) {
        let share = |list: &[f64]| list.get(at).copied().unwrap_or(0.0);
        let order = share(left).partial_cmp(&share(right)).unwrap();
        if order.is_ne() {
            return order;
        }
    }
    Ordering::Equal
}

/// `fairMax` of 1.8.0 (`profiles.md` 1.2).
fn fair_max(partition: &Partition, queue: &Queue) -> Resource {
    let own = queue.max.clone().unwrap_or_default();
    let Some(parent) = queue.parent else { return own };
    let mut max = fair_max(partition, &partition.queues[parent]);
    if !max.is_empty() {
        own.iter().for_each(|(name, amount)| max.set(name, amount));
    }
    max
}

/// The share of 1.8.0 (`profiles.md` 1.2).
fn one_share(partition: &Partition, queue: &Queue) -> f64 {
    let max = fair_max(partition, queue);
    let mut share: f64 = 0.0;
    for (name, used) in queue.allocated.iter() {
        let of = queue.guaranteed.as_ref().and_then(|g| g.get(name)).or_else(|| max.get(name));
        let own = match of {
            None => continue,
            Some(..=0) if used > 0 => 1.0,
            Some(..=0) => 0.0,
            Some(of) => used as f64 / of as f64,
        };
        share = share.max(own);
    }
    share
}

/// The children of a parent in scheduling order (SCH-050 to SCH-055).
pub fn children(partition: &Partition, profile: Profile, parent: QueueKey) -> Vec<QueueKey> {
    let tree = &partition.queues;
    let of = |key: &QueueKey| &tree[*key];
    let wants = |key: &&QueueKey| of(key).state != QueueState::Stopped && of(key).pending.strictly_greater_than_zero();
    let mut children: Vec<QueueKey> = tree[parent].children.iter().filter(wants).copied().collect();
    children.sort_by_key(|key| of(key).path.name().to_owned());
    let by_priority = tree[parent].settings.properties.sort_by_priority;
    let share = |left: &Queue, right: &Queue| {
        if profile.is_since_1_8() {
            one_share(partition, left).partial_cmp(&one_share(partition, right)).unwrap()
        } else {
            let list = |queue: &Queue| shares(&queue.allocated, queue.guaranteed.as_ref());
            compare(&list(left), &list(right))
        }
    };
    insertion_sort(&mut children, |left, right| {
        let (left, right) = (of(left), of(right));
        let (priority, share) = (right.current_priority().cmp(&left.current_priority()), share(left, right));
        let order = if by_priority { priority.then(share) } else { share.then(priority) };
        order.then_with(|| {
            let more = left.pending.sub(&right.pending).strictly_greater(&Resource::new());
            if more { Ordering::Less } else { Ordering::Equal }
        }) == Ordering::Less
    });
    children
}

/// The applications of a leaf in scheduling order (SCH-071 to SCH-073).
pub fn applications<'p>(partition: &'p Partition, profile: Profile, leaf: &Queue) -> Vec<&'p Application> {
    let all = || leaf.apps.iter().map(|key| &partition.apps[*key]);
    let mut apps: Vec<&Application> = all().filter(|app| app.pending.strictly_greater_than_zero()).collect();
    apps.sort_by_key(|app| (app.submitted, app.id.clone()));
    let properties = &leaf.settings.properties;
    if properties.app_sort == AppSortPolicy::StateAware && !profile.is_since_1_8() {
        use model::AppState::{Accepted, Starting};
        let starting = all().any(|app| app.state == Starting);
        let oldest = apps.iter().find(|app| app.state == Accepted).map(|app| app.key);
        apps.retain(|app| app.state != Accepted || (!starting && Some(app.key) == oldest));
    }
    let highest = |app: &Application| {
        let pending = app.asks.iter().filter(|(_, ask)| ask.allocation.is_none() && ask.rare.takes_over.is_none());
        pending.map(|(_, ask)| ask.priority).max().unwrap()
    };
    insertion_sort(&mut apps, |left, right| {
        let priority = highest(right).cmp(&highest(left));
        let main = if properties.app_sort == AppSortPolicy::Fair {
            let list = |app: &Application| shares(&app.allocated, leaf.guaranteed.as_ref());
            compare(&list(left), &list(right))
        } else {
            left.submitted.cmp(&right.submitted)
        };
        let order = if properties.sort_by_priority { priority.then(main) } else { main.then(priority) };
        order == Ordering::Less
    });
    apps
}
