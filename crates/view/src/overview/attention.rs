//! The lines that need attention.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use super::{Concern, Given, Rank};
use crate::fairness::FairnessRow;
use crate::limits_used::LimitUsed;
use crate::record::PreemptionRule;
use crate::record::{ChangeDetail, ChangeType, ObjectType, Record};
use crate::units::show_amount;
use crate::waiting::{SheetLine, Target, count, resource_word};
use crate::{PartitionView, QueueRow, Side};
use model::{AppState, QueueState};

const MOST: usize = 3;
/// The time range of preemptions and lost nodes.
const LATELY: Duration = Duration::from_secs(3600);

pub(super) fn of_scheduler(given: &Given) -> Vec<Concern> {
    let now = |label: &str, text: String| (Rank::Now, SheetLine::new(label, text));
    let mut found = Vec::new();
    found.extend(given.connection.iter().map(|why| now("connection", why.clone())));
    let alert = |(serious, line): &(bool, SheetLine)| (if *serious { Rank::Now } else { Rank::Known }, line.clone());
    found.extend(given.alerts.iter().map(alert));
    if given.view.paused {
        found.push(now("scheduler", "the scheduler is paused: no allocations are made".to_owned()));
    }
    match &given.health {
        Some(wrong) => found.extend(wrong.iter().map(|what| now("health", what.clone()))),
        None => {
            let line = SheetLine::new("health", "scheduler health unknown");
            found.push((Rank::Known, line));
        }
    }
    let configured = |record: &&Arc<Record>| {
        let kinds = [ChangeDetail::CONFIG_LOADED, ChangeDetail::CONFIG_REFUSED, ChangeDetail::CONFIG_ROLLED_BACK];
        kinds.contains(&record.detail)
    };
    if let Some(last) = given.happened.iter().rev().find(configured)
        && last.detail == ChangeDetail::CONFIG_REFUSED
    {
        let first = last.message.lines().next().unwrap_or_default();
        let text = format!("latest configuration rejected; previous configuration still active: {first}");
        found.push((Rank::Soon, SheetLine::new("config", text).since(Some(last.at))));
    }
    found
}

pub(super) fn of_queues(given: &Given, part: &PartitionView) -> Vec<Concern> {
    let mut found = starving(given, part);
    found.extend(limits(part));
    found.extend(maxima(part));
    found.extend(draining(given, part));
    found
}

fn most(rank: Rank, label: &str, lines: Vec<SheetLine>, rest: &str) -> Vec<Concern> {
    let more = lines.len().saturating_sub(MOST);
    let mut found: Vec<Concern> = lines.into_iter().take(MOST).map(|line| (rank, line)).collect();
    if more > 0 {
        found.push((rank, SheetLine::new(label, format!("and {more} more {rest}"))));
    }
    found
}

fn starving(given: &Given, part: &PartitionView) -> Vec<Concern> {
    let mut rows: Vec<FairnessRow> = part.fairness(&given.view.history, given.at);
    rows.retain(|row| row.deficit() > 0);
    let mut seen = BTreeSet::new();
    rows.retain(|row| seen.insert(row.queue.clone()));
    let line = |row: FairnessRow| {
        let show = |amount| show_amount(&row.resource, amount);
        let what = resource_word(&row.resource);
        let (used, guaranteed, pending) = (show(row.used), show(row.guaranteed), show(row.pending));
        let by = match row.borrowers.first() {
            Some(queue) => format!("; {} borrows", queue.name()),
            None => String::new(),
        };
        let text = format!("{}: {used} of {guaranteed} {what}, {pending} pending{by}", row.queue);
        SheetLine::new("starves", text).since(row.since).to(Some(Target::Queue(row.queue.clone())))
    };
    most(Rank::Soon, "starves", rows.into_iter().map(line).collect(), "queues are below their guarantee (:fairness)")
}

fn limits(part: &PartitionView) -> Vec<Concern> {
    let mut rows: Vec<LimitUsed> = part.limits_used();
    rows.retain(|row| row.blocked() > 0);
    let mut seen = BTreeSet::new();
    rows.retain(|row| seen.insert((row.side, Arc::clone(&row.name), row.queue.clone())));
    let line = |row: LimitUsed| {
        let show =
            |amount: i64| row.resource.as_ref().map_or_else(|| amount.to_string(), |name| show_amount(name, amount));
        let what = resource_word(row.resource_name());
        let (side, to) = match row.side {
            Side::User => ("user", Target::User(row.name.to_string())),
            Side::Group => ("group", Target::Group(row.name.to_string())),
        };
        let (used, limit, blocked) = (show(row.used), show(row.limit), show(row.blocked()));
        let text = format!("{side} {}: {used} of {limit} {what} in {}, {blocked} blocked", row.name, row.queue);
        SheetLine::new("limit", text).to(Some(to))
    };
    most(Rank::Known, "limit", rows.into_iter().map(line).collect(), "limits block requests (:limits)")
}

struct Bound<'v> {
    queue: &'v QueueRow,
    resource: &'v str,
    used: i64,
    most: i64,
}

impl<'v> Bound<'v> {
    /// The maximum of the most used resource.
    fn of(queue: &'v QueueRow) -> Option<Self> {
        let full = |(resource, most): (&'v str, i64)| {
            let (used, pending) = (queue.allocated.amount(resource), queue.pending.amount(resource));
            let bound = most > 0 && pending > most.saturating_sub(used);
            bound.then_some(Self { queue, resource, used, most })
        };
        queue.max.as_ref()?.iter().filter_map(full).max_by_key(Self::part)
    }

    fn part(&self) -> i128 {
        i128::from(self.used) * 1000 / i128::from(self.most.max(1))
    }
}

fn maxima(part: &PartitionView) -> Vec<Concern> {
    let mut rows: Vec<Bound<'_>> = part.walk().skip(1).filter_map(|queue| Bound::of(queue)).collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.part()));
    let line = |Bound { queue, resource, used, most }: Bound<'_>| {
        let what = resource_word(resource);
        let (used, most) = (show_amount(resource, used), show_amount(resource, most));
        let asked = show_amount(resource, queue.pending.amount(resource));
        let text = format!("{}: {used} of {most} {what}, {asked} pending", queue.path);
        SheetLine::new("maximum", text).to(Some(Target::Queue(queue.path.clone())))
    };
    most(Rank::Known, "maximum", rows.into_iter().map(line).collect(), "queues request more than their maximum")
}

fn draining(given: &Given, part: &PartitionView) -> Vec<Concern> {
    let drains = |row: &QueueRow| row.state == QueueState::Draining;
    let below = |row: &QueueRow| row.parent.and_then(|slot| part.queue(slot)).is_some_and(|parent| drains(parent));
    let mut found = Vec::new();
    let mut rows: Vec<_> = part.walk().filter(|row| drains(row) && !below(row)).collect();
    rows.sort_by_key(|row| row.state_since);
    for row in rows.into_iter().take(MOST) {
        let apps = part.draining(row).applications;
        let completing = apps.iter().filter(|app| app.state == AppState::Completing).count();
        let completing = if completing > 0 { format!(", {completing} completing") } else { String::new() };
        let rank = if given.view.is_stuck(row, given.at) { Rank::Soon } else { Rank::Known };
        let text = format!("{}, blocked by {}{completing}", row.path, count(apps.len() as u64, "application"));
        let line = SheetLine::new("drains", text).since(Some(row.state_since));
        found.push((rank, line.to(Some(Target::Queue(row.path.clone())))));
    }
    found
}

pub(super) fn of_nodes(given: &Given, part: &PartitionView) -> Vec<Concern> {
    let lately = |record: &&Arc<Record>| given.at.since(record.at) <= LATELY;
    let removed = |record: &&Arc<Record>| {
        record.kind == ObjectType::NODE
            && record.detail == ChangeDetail::NODE_DECOMMISSION
            && record.change == ChangeType::REMOVE
            && !part.nodes.keys().any(|id| *id.as_str() == *record.object)
    };
    let mut lost: Vec<SheetLine> = Vec::new();
    for record in given.happened.iter().rev().filter(lately).filter(removed) {
        let text = format!("node {} is missing", record.object);
        lost.push(SheetLine::new("node", text).since(Some(record.at)));
    }
    let mut found = most(Rank::Soon, "node", lost, "nodes are missing");
    let over = |node: &&Arc<crate::NodeRow>| node.available().has_negative();
    let line = |node: &Arc<crate::NodeRow>| {
        let text = format!("node {} is overcommitted", node.id);
        SheetLine::new("node", text).to(Some(Target::Node(node.id.clone())))
    };
    let full: Vec<SheetLine> = part.nodes.values().filter(over).map(line).collect();
    found.extend(most(Rank::Soon, "node", full, "nodes are overcommitted"));
    let closed: Vec<&Arc<crate::NodeRow>> = part.nodes.values().filter(|node| !node.is_open()).collect();
    if let Some(first) = closed.first() {
        let all = part.nodes.len();
        let text = match closed.len() {
            1 => format!("node {} is unschedulable (1 of {all})", first.id),
            more => format!("{more} of {all} nodes are unschedulable, for example {}", first.id),
        };
        found.push((Rank::Known, SheetLine::new("node", text).to(Some(Target::Node(first.id.clone())))));
    }
    found.extend(preemptions(given, part));
    found
}

fn preemptions(given: &Given, part: &PartitionView) -> Option<Concern> {
    let lately = |record: &&Arc<Record>| given.at.since(record.at) <= LATELY;
    let victim = |record: &&Arc<Record>| record.kind == ObjectType::APP && record.detail == ChangeDetail::ALLOC_PREEMPT;
    let all: Vec<&Arc<Record>> = given.happened.iter().filter(lately).filter(victim).collect();
    let last = all.last()?;
    let mut apps: BTreeMap<&str, u64> = BTreeMap::new();
    let mut pairs: BTreeMap<String, u64> = BTreeMap::new();
    for record in &all {
        *apps.entry(&record.object).or_default() += 1;
        if let Some(pair) = taken(record, part) {
            *pairs.entry(pair).or_default() += 1;
        }
    }
    let (app, times) = apps.iter().max_by_key(|(_, times)| **times)?;
    let most = match pairs.iter().max_by_key(|(_, times)| **times) {
        Some((pair, times)) => format!("{times} {pair}"),
        None => format!("most of {app} ({times})"),
    };
    let text = format!("{} in the last hour, {most}", count(all.len() as u64, "allocation"));
    let line = SheetLine::new("preempted", text).since(Some(last.at));
    Some((Rank::Known, line.to(Some(Target::App((*app).into(), None)))))
}

/// The queues of a preemption: from and to; `None` if unknown.
fn taken(record: &Record, part: &PartitionView) -> Option<String> {
    let grounds = record.grounds.as_ref()?;
    let mut leaves = grounds.leaves.iter().filter(|leaf| leaf.victims > 0);
    let from = match (leaves.next(), leaves.next()) {
        (Some(only), None) => only.queue.clone(),
        _ => part.app_by_id(&(*record.object).into())?.queue.clone(),
    };
    Some(match grounds.rule {
        PreemptionRule::Guarantee => format!("from {from} for {}", grounds.own.queue),
        PreemptionRule::RequiredNode => format!("from {from} for a required node of {}", grounds.own.queue),
        PreemptionRule::Maximum => format!("from {from}, above the maximum of {}", grounds.own.queue),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{View, overview::overview};
    use model::{Resource, Time};

    fn record(at: u64, kind: ObjectType, object: &str, change: ChangeType, detail: ChangeDetail) -> Arc<Record> {
        let message = Arc::from("line 3: no such property\nmore");
        let (object, reference) = (Arc::from(object), Arc::from(""));
        Arc::new(Record {
            at: Time(at * 1_000_000),
            kind,
            object,
            reference,
            change,
            detail,
            resource: Resource::new(),
            message,
            grounds: None,
        })
    }

    fn given(happened: Vec<Arc<Record>>) -> Given {
        let part = PartitionView { name: Arc::from("default"), ..PartitionView::default() };
        Given {
            view: Arc::new(View { partitions: vec![part], ..View::default() }),
            partition: Arc::from("default"),
            at: Time(7_200_000_000),
            happened,
            cycle: None,
            unread: Default::default(),
            connection: None,
            health: Some(Vec::new()),
            faults: None,
            alerts: Vec::new(),
            rows: 40,
            trends: None,
            visited: None,
        }
    }

    fn reported(given: &Given) -> Vec<String> {
        let sheet = overview(given).unwrap();
        let lines = sheet.lines.iter().take_while(|line| line.label != "use");
        let lines = lines.map(|line| format!("{}: {}", line.label, line.text));
        std::iter::once(sheet.sentence.clone()).chain(lines).collect()
    }

    #[test]
    fn nothing_to_report_is_one_line() {
        assert_eq!(reported(&given(Vec::new())), ["No issues"]);
        let elsewhere = Given { partition: Arc::from("gpu"), ..given(Vec::new()) };
        assert!(overview(&elsewhere).is_none());
    }

    #[test]
    fn problems_of_the_scheduler_are_first() {
        let mut given = given(vec![
            record(5_000, ObjectType::NODE, "n-1", ChangeType::REMOVE, ChangeDetail::NODE_DECOMMISSION),
            record(1_000, ObjectType::NODE, "n-2", ChangeType::REMOVE, ChangeDetail::NODE_DECOMMISSION),
        ]);
        given.connection = Some("the connection is down".to_owned());
        given.health = Some(vec!["Negative resources: 1 node".to_owned()]);
        let expected = [
            "3 things need attention",
            "connection: the connection is down",
            "health: Negative resources: 1 node",
            "node: node n-1 is missing",
        ];
        assert_eq!(reported(&given), expected);
        Arc::make_mut(&mut given.view).paused = true;
        given.health = None;
        let reported = reported(&given);
        assert_eq!(reported[2], "scheduler: the scheduler is paused: no allocations are made");
        assert_eq!(reported.last().unwrap(), "health: scheduler health unknown");
    }

    #[test]
    fn a_refused_configuration_is_named_until_one_is_accepted() {
        let refused = record(7_000, ObjectType::QUEUE, "root", ChangeType::SET, ChangeDetail::CONFIG_REFUSED);
        let loaded = record(7_100, ObjectType::QUEUE, "root", ChangeType::SET, ChangeDetail::CONFIG_LOADED);
        let text =
            "config: latest configuration rejected; previous configuration still active: line 3: no such property";
        assert_eq!(reported(&given(vec![Arc::clone(&refused)]))[1], text);
        assert_eq!(reported(&given(vec![refused, loaded])), ["No issues"]);
    }

    #[test]
    fn preemptions_of_the_last_hour_are_counted() {
        let lost = |at, app| record(at, ObjectType::APP, app, ChangeType::REMOVE, ChangeDetail::ALLOC_PREEMPT);
        let reported = reported(&given(vec![lost(100, "a"), lost(6_900, "a"), lost(6_950, "b"), lost(7_000, "b")]));
        assert_eq!(reported[0], "No urgent issues, 1 notice");
        assert_eq!(reported[1..], ["preempted: 3 allocations in the last hour, most of b (2)"]);
    }

    #[test]
    fn omitted_items_are_counted() {
        let gone = |n: u64| {
            record(7_000, ObjectType::NODE, &format!("n-{n}"), ChangeType::REMOVE, ChangeDetail::NODE_DECOMMISSION)
        };
        let mut given = given((0..9).map(gone).collect());
        given.health = Some((0..5).map(|n| format!("check {n}")).collect());
        given.rows = 10;
        let reported = reported(&given);
        assert_eq!((reported[0].as_str(), reported.len()), ("9 things need attention", 1 + 5 + 1));
        assert_eq!(reported.last().unwrap(), ": 4 things more not shown");
    }
}
