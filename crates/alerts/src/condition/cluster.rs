//! Conditions of the cluster, its configuration, the connection, and the disk.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Reading;
use crate::given::Given;
use crate::rule::{Kind, Rule};
use crate::subject::{Subject, SubjectKind};
use model::AppId;
use view::PartitionView;
use view::drain::span;
use view::overview::asks_without_a_node;
use view::record::{ChangeDetail, ObjectType, Record};
use view::units::show_amount;
use view::waiting::count;

/// The connection and the disk, which need no view.
pub fn outside(rule: &Rule, given: &Given) -> Option<Vec<Reading>> {
    if rule.kind == Kind::ConnectionLost {
        let lost = given.connection.iter().map(|why| Reading::so(Subject::whole(SubjectKind::Connection), why.clone()));
        return Some(lost.collect());
    }
    let disk = given.disk.as_ref()?;
    let used = disk.used();
    let bytes = |amount: u64| show_amount("memory", i64::try_from(amount).unwrap_or(i64::MAX));
    let metrics = match &disk.failure {
        Some(why) => format!("cannot write: {why}"),
        None => format!("{used:.0}% of {} in use, {} free", bytes(disk.size), bytes(disk.free)),
    };
    let subject = Subject::new("", SubjectKind::Disk, disk.dir.as_str());
    Some(Reading::of_value(rule, subject, used, metrics).into_iter().collect())
}

/// The newest configuration was rejected.
pub fn config(given: &Given) -> Option<Vec<Reading>> {
    let kinds = [ChangeDetail::CONFIG_LOADED, ChangeDetail::CONFIG_REFUSED, ChangeDetail::CONFIG_ROLLED_BACK];
    let last = given.happened.as_ref()?.iter().rev().find(|record| kinds.contains(&record.detail));
    let refused = last.filter(|record| record.detail == ChangeDetail::CONFIG_REFUSED);
    let reading = |record: &Arc<Record>| {
        let first = record.message.lines().next().unwrap_or_default();
        let metrics = format!("latest configuration rejected; previous configuration still active: {first}");
        Reading::so(Subject::whole(SubjectKind::Configuration), metrics)
    };
    Some(refused.map(reading).into_iter().collect())
}

/// The health checks fail. If the health is unknown, nothing changes.
pub fn unhealthy(given: &Given) -> Option<Vec<Reading>> {
    let wrong = given.health.as_ref()?;
    let more = wrong.len().saturating_sub(1) as u64;
    let reading = |first: &String| {
        let more = if more > 0 { format!("; and {}", count(more, "other check")) } else { String::new() };
        Reading::so(Subject::whole(SubjectKind::Scheduler), format!("{first}{more}"))
    };
    Some(wrong.first().map(reading).into_iter().collect())
}

/// Recent preemptions, counted from event records by their own times, so that none counts twice.
pub fn preemptions(rule: &Rule, given: &Given, part: &PartitionView) -> Vec<Reading> {
    let lately = |record: &&Arc<Record>| record.at <= given.at && given.at.since(record.at) < rule.within;
    let victim = |record: &&Arc<Record>| record.kind == ObjectType::APP && record.detail == ChangeDetail::ALLOC_PREEMPT;
    let mut apps: BTreeMap<&str, u64> = BTreeMap::new();
    for record in given.happened.iter().flatten().filter(lately).filter(victim) {
        *apps.entry(&record.object).or_default() += 1;
    }
    // Records do not name their partition, but their application.
    if given.view.partitions.len() > 1 {
        apps.retain(|app, _| part.app_by_id(&AppId::from(*app)).is_some());
    }
    let all: u64 = apps.values().sum();
    let Some((most, times)) = apps.iter().max_by_key(|(_, times)| **times) else { return Vec::new() };
    let (lost, of) = (count(all, "allocation"), count(apps.len() as u64, "application"));
    let metrics = format!("{lost} of {of} preempted in the last {}, most of {most} ({times})", span(rule.within));
    Reading::of_value(rule, Subject::new(&part.name, SubjectKind::Cluster, ""), all as f64, metrics)
        .into_iter()
        .collect()
}

/// Requests that fit all nodes together but no single one.
pub fn fragmentation(rule: &Rule, part: &PartitionView) -> Vec<Reading> {
    let asks = asks_without_a_node(part);
    let metrics = format!(
        "{} fit the free capacity of all schedulable nodes together, but no single node",
        count(asks, "request")
    );
    let subject = Subject::new(&part.name, SubjectKind::Cluster, "");
    match asks {
        0 => Vec::new(),
        asks => Reading::of_value(rule, subject, asks as f64, metrics).into_iter().collect(),
    }
}
