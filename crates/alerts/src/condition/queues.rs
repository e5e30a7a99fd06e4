//! Conditions of queues: the first waiting application would fit, guaranteed resources, waits, maxima, drains.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::Reading;
use crate::given::Given;
use crate::rule::{Rule, Unit};
use crate::state::Memory;
use crate::subject::{Subject, SubjectKind};
use model::{AppId, QueuePath, QueueState, Resource, Time};
use view::drain::span;
use view::overview::cause_words;
use view::units::show_amount;
use view::waiting::{amounts, count, resource_word};
use view::{AppRow, AskRow, AskState, NodeRow, PartitionView, PendingReason, QueueRow};

fn subject(part: &PartitionView, queue: &QueuePath) -> Subject {
    Subject::new(&part.name, SubjectKind::Queue, queue.as_str())
}

/// The application of a queue that has waited longest, if its oldest request would fit.
pub struct Head {
    queue: QueuePath,
    app: AppId,
    ask: Resource,
    since: Time,
}

/// The fitting heads of all leaves. Each size is looked up once.
pub fn heads(given: &Given, part: &PartitionView) -> Vec<Head> {
    let open: Vec<(&NodeRow, Resource)> =
        part.nodes.values().filter(|node| node.is_open()).map(|node| (&**node, node.available())).collect();
    let mut fitting: BTreeMap<String, bool> = BTreeMap::new();
    let mut heads = Vec::new();
    for leaf in part.walk().filter(|queue| queue.leaf && queue.state == QueueState::Active) {
        let Some((app, ask)) = oldest(part, leaf) else { continue };
        let AskState::Pending { reason, .. } = ask.state else { continue };
        let blocked = app.blocked_by_queue || app.blocked_by_limits;
        // User limits, Kubernetes conditions, and the order of a gang are not visible here: the scheduler's own try is
        // more precise.
        let tried = match reason {
            PendingReason::UserQuota | PendingReason::Placeholder | PendingReason::Turn => true,
            PendingReason::NoNode => ask.reported.is_some() || given.view.kubernetes.is_some(),
            PendingReason::NotTried | PendingReason::QueueQuota => false,
        };
        if blocked || tried || part.headroom(leaf).is_some_and(|space| !space.fit_in_max_undef(&ask.resource)) {
            continue;
        }
        let fits = |(node, free): &(&NodeRow, Resource)| node.reservations.is_empty() && free.fit_in(&ask.resource);
        let fits = match &ask.required_node {
            Some(required) => open.iter().any(|one| one.0.id == *required && fits(one)),
            None => *fitting.entry(ask.resource.to_string()).or_insert_with(|| open.iter().any(fits)),
        };
        if fits {
            let (queue, app, ask, since) = (leaf.path.clone(), app.id.clone(), ask.resource.clone(), ask.created);
            heads.push(Head { queue, app, ask, since });
        }
    }
    heads
}

fn oldest<'v>(part: &'v PartitionView, leaf: &QueueRow) -> Option<(&'v Arc<AppRow>, &'v Arc<AskRow>)> {
    let waiting = leaf.apps.iter().filter_map(|slot| part.app(*slot)).filter(|app| app.pending_asks > 0);
    let pending = |ask: &&'v Arc<AskRow>| matches!(ask.state, AskState::Pending { .. });
    // Requests are ordered by arrival.
    let first = waiting.filter_map(|app| Some((app, app.asks.values().find(pending)?)));
    first.min_by(|(one, one_ask), (other, other_ask)| {
        one_ask.created.cmp(&other_ask.created).then_with(|| one.id.cmp(&other.id))
    })
}

/// The first application of a queue would fit, but waits.
pub fn fits(rule: &Rule, given: &Given, heads: &[Vec<Head>]) -> Vec<Reading> {
    let of_partition = |(part, heads): (&PartitionView, &Vec<Head>)| {
        let covered = heads.iter().filter(|head| rule.covers(&head.queue));
        let reading = |head: &Head| {
            let waited = given.at.since(head.since);
            let metrics = format!(
                "{} requests {}, fits, and has been pending for {}",
                head.app,
                amounts(&head.ask),
                span(waited)
            );
            let which = head.app.to_string();
            Reading { value: waited.as_secs_f64(), which, ..Reading::so(subject(part, &head.queue), metrics) }
        };
        covered.map(reading).collect::<Vec<_>>()
    };
    given.view.partitions.iter().zip(heads).flat_map(of_partition).collect()
}

/// Nothing was allocated since the last step although a request fits.
pub fn no_scheduling(given: &Given, memory: &Memory, heads: &[Vec<Head>]) -> Vec<Reading> {
    // Without a previous value, nothing is known.
    if memory.made != Some(given.view.allocations_made) {
        return Vec::new();
    }
    let reading = |(part, heads): (&PartitionView, &Vec<Head>)| {
        let first = heads.iter().min_by_key(|head| head.since)?;
        let queues = count(heads.len() as u64, "queue");
        let why = if given.view.paused { "the scheduler is paused" } else { "no allocations" };
        let metrics = format!("{why}; {} of {} fits; {queues} have a request that fits", first.app, first.queue);
        Some(Reading::so(Subject::new(&part.name, SubjectKind::Cluster, ""), metrics))
    };
    given.view.partitions.iter().zip(heads).filter_map(reading).collect()
}

/// Queues below their guaranteed resources with pending requests: the deepest of nested queues.
pub fn below_guarantee(rule: &Rule, part: &PartitionView) -> Vec<Reading> {
    let mut found: Vec<Reading> = Vec::new();
    let mut above: BTreeSet<&QueuePath> = BTreeSet::new();
    // Parents precede their children.
    let all: Vec<&Arc<QueueRow>> = part.walk().skip(1).filter(|queue| rule.covers(&queue.path)).collect();
    for queue in all.into_iter().rev() {
        let Some((resource, guaranteed, used, pending)) = largest_shortage(queue) else { continue };
        if above.contains(&queue.path) {
            continue;
        }
        let deficit = guaranteed.min(used.saturating_add(pending)).saturating_sub(used);
        let percent = deficit as f64 * 100.0 / guaranteed.max(1) as f64;
        let show = |amount| show_amount(resource, amount);
        let (what, has, of, asks) = (resource_word(resource), show(used), show(guaranteed), show(pending));
        let metrics = format!("{has} of {of} guaranteed {what}, {asks} pending");
        if let Some(reading) = Reading::of_value(rule, subject(part, &queue.path), percent, metrics) {
            found.push(reading);
            let parent = |queue: &&'_ Arc<QueueRow>| queue.parent.and_then(|slot| part.queue(slot));
            let mut parents = std::iter::successors(parent(&queue), parent);
            // The ancestors of a known one are known.
            while parents.next().is_some_and(|queue| above.insert(&queue.path)) {}
        }
    }
    found
}

fn largest_shortage(queue: &QueueRow) -> Option<(&str, i64, i64, i64)> {
    let shortage = |(name, guaranteed): (&'_ str, i64)| {
        let (used, pending) = (queue.allocated.amount(name), queue.pending.amount(name));
        guaranteed.min(used.saturating_add(pending)).saturating_sub(used)
    };
    let missing = queue.guaranteed.as_ref()?.iter().filter(|of| of.1 > 0 && shortage(*of) > 0);
    let (name, guaranteed) = missing.max_by_key(|of| i128::from(shortage(*of)) * 1000 / i128::from(of.1))?;
    Some((name, guaranteed, queue.allocated.amount(name), queue.pending.amount(name)))
}

/// The oldest request of a leaf waits for long.
pub fn waits(rule: &Rule, given: &Given, part: &PartitionView) -> Vec<Reading> {
    let reading = |leaf: &Arc<QueueRow>| {
        let (app, ask) = oldest(part, leaf)?;
        let waited = given.at.since(ask.created);
        let waiting = leaf.apps.iter().filter_map(|slot| part.app(*slot)).filter(|app| app.pending_asks > 0).count();
        let cause = cause_words(part, app).unwrap_or_else(|| "unknown".to_owned());
        let (waits, waiting) = (span(waited), count(waiting as u64, "application"));
        let metrics = format!("{} waits for {waits}, cause: {cause}; {waiting} in all", app.id);
        Reading::of_value(rule, subject(part, &leaf.path), waited.as_secs_f64(), metrics)
    };
    part.walk().filter(|queue| queue.leaf && rule.covers(&queue.path)).filter_map(reading).collect()
}

/// A queue is near its maximum and requests more.
pub fn maximum(rule: &Rule, part: &PartitionView) -> Vec<Reading> {
    let reading = |queue: &Arc<QueueRow>| {
        let of = |(name, most): (&'_ str, i64)| {
            let (used, pending) = (queue.allocated.amount(name), queue.pending.amount(name));
            let percent = used as f64 * 100.0 / most.max(1) as f64;
            (most > 0 && pending > 0).then(|| (percent, name.to_owned(), used, most, pending))
        };
        let full = queue.max.as_ref()?.iter().filter_map(of).max_by(|one, other| one.0.total_cmp(&other.0));
        let (percent, name, used, most, pending) = full?;
        let show = |amount| show_amount(&name, amount);
        let (used, most, pending, what) = (show(used), show(most), show(pending), resource_word(&name));
        let metrics = format!("{used} of {most} {what} ({}), {pending} pending", Unit::Percent.show(percent.floor()));
        Reading::of_value(rule, subject(part, &queue.path), percent, metrics)
    };
    part.walk().skip(1).filter(|queue| rule.covers(&queue.path)).filter_map(reading).collect()
}

/// A queue drains for long: the highest of nested queues.
pub fn drains(rule: &Rule, given: &Given, part: &PartitionView) -> Vec<Reading> {
    let drains = |row: &QueueRow| row.state == QueueState::Draining;
    let below = |row: &QueueRow| row.parent.and_then(|slot| part.queue(slot)).is_some_and(|parent| drains(parent));
    let reading = |row: &Arc<QueueRow>| {
        let lasting = given.at.since(row.state_since);
        let blocked = count(part.draining(row).applications.len() as u64, "application");
        let least = if row.state_before { "at least " } else { "" };
        let metrics = format!("has been draining for {least}{}, blocked by {blocked}", span(lasting));
        Reading::of_value(rule, subject(part, &row.path), lasting.as_secs_f64(), metrics)
    };
    part.walk().filter(|row| drains(row) && !below(row) && rule.covers(&row.path)).filter_map(reading).collect()
}
