//! The state of the cluster: usage, demand, fragmentation, and the allocation rate.

use std::time::Duration;

use super::{Given, pending_asks, percent};
use crate::trends::{Measure, Subject, SubjectKind, Value};
use crate::units::show_amount;
use crate::waiting::{SheetLine, Target, amounts, count, resource_word};
use crate::{AskState, NodeRow, PartitionView, PendingReason};
use model::{MEMORY, Resource, VCORE};

pub(super) const USE: &str = "use";
const MEASURED: Duration = Duration::from_secs(60);
/// The text width after the label on 80 columns.
const ROW: usize = 66;
const MOST_ASKS: usize = 10_000;

/// The lines; the first is about usage.
pub(super) fn lines(given: &Given, part: &PartitionView) -> Vec<SheetLine> {
    vec![in_use(given, part), demand(given, part), largest_free(given, part), rate(given, part)]
}

fn names(part: &PartitionView) -> Vec<&str> {
    let mut names: Vec<&str> = part.capacity.iter().filter(|(_, amount)| *amount > 0).map(|(name, _)| name).collect();
    names.sort_by_key(|name| match *name {
        VCORE => 0,
        MEMORY => 1,
        // No one requests pods.
        "pods" => 3,
        _ => 2,
    });
    names.truncate(4);
    names
}

fn in_use(given: &Given, part: &PartitionView) -> SheetLine {
    let one = |name: &str| {
        let (used, all) = (part.allocated.amount(name), part.capacity.amount(name));
        let share = percent(used, all).map(|share| format!(" ({share}%)")).unwrap_or_default();
        format!("{} {} of {}{share}", resource_word(name), show_amount(name, used), show_amount(name, all))
    };
    let all: Vec<String> = names(part).into_iter().map(one).collect();
    let text = match all.is_empty() {
        true if given.unread.nodes => given.unread.no_nodes(),
        true => "no nodes".to_owned(),
        false => all.join(", "),
    };
    SheetLine::new(USE, text)
}

fn demand(given: &Given, part: &PartitionView) -> SheetLine {
    if given.unread.apps {
        return SheetLine::new("demand", given.unread.no_apps());
    }
    let waiting = part.apps.iter().flatten().filter(|app| app.pending_asks > 0).count() as u64;
    let pending = part.root().map(|root| root.pending.clone()).unwrap_or_default();
    let text = match pending_asks(part) {
        0 => "nothing is pending".to_owned(),
        asks => {
            let (asks, apps) = (count(asks, "request"), count(waiting, "application"));
            format!("{} in {asks} of {apps}", amounts(&pending))
        }
    };
    SheetLine::new("demand", text)
}

/// The number of requests that fit the total free capacity of the schedulable nodes but no single node; counting stops
/// at `MOST_ASKS`.
pub fn asks_without_a_node(part: &PartitionView) -> u64 {
    let mut free = Resource::new();
    for node in part.nodes.values().filter(|node| node.is_open()) {
        free.add_assign(&node.available());
    }
    let pending = part.apps.iter().flatten().filter(|app| app.pending_asks > 0);
    let asks = pending.flat_map(|app| app.asks.values()).filter(|ask| {
        matches!(ask.state, AskState::Pending { reason: PendingReason::NoNode, .. }) && free.fit_in(&ask.resource)
    });
    asks.take(MOST_ASKS).count() as u64
}

pub(super) fn fragments(part: &PartitionView) -> Option<SheetLine> {
    let fits = asks_without_a_node(part);
    let symbol = if fits == MOST_ASKS as u64 { "at least " } else { "" };
    let text = format!("{symbol}{} fit all nodes together, but no single node", count(fits, "request"));
    (fits > 0).then(|| SheetLine::new("fragments", text))
}

fn largest_free(given: &Given, part: &PartitionView) -> SheetLine {
    if given.unread.nodes {
        return SheetLine::new("free", given.unread.no_nodes());
    }
    let open = || part.nodes.values().filter(|node| node.is_open());
    let largest = |name: &str| {
        let node: &NodeRow = open().max_by_key(|node| node.available().amount(name))?;
        Some((show_amount(name, node.available().amount(name)), node))
    };
    let names: Vec<&str> = names(part).into_iter().filter(|name| *name != "pods").collect();
    let one = |name: &&str| {
        let (amount, node) = largest(name)?;
        Some(format!("{amount} {} ({})", resource_word(name), node.id))
    };
    let free: Vec<String> = names.iter().filter_map(one).collect();
    let to = names.first().and_then(|name| largest(name)).map(|(_, node)| Target::Node(node.id.clone()));
    let text = match free.is_empty() {
        true => "no schedulable node with available resources".to_owned(),
        false => format!("on one node: {}", free.join(", ")),
    };
    SheetLine::new("free", text).to(to)
}

/// The wait of applications that started in the last 10 minutes; `None` without one or without measurements.
fn latency(given: &Given) -> Option<String> {
    let rings =
        given.trends.as_ref().filter(|rings| rings.newest().is_some_and(|at| given.at.since(at) <= MEASURED))?;
    let metric = |measure| {
        let value = Value::plain(SubjectKind::Cluster, measure);
        Some(value.show(rings.newest_metric(&Subject::Cluster, &value)?))
    };
    let (p50, p95) = (metric(Measure::StartedP50)?, metric(Measure::StartedP95)?);
    Some(format!(", start {p50}, p95 {p95}"))
}

fn cycle(mean: Option<Duration>) -> String {
    let Some(mean) = mean else { return "cycle unknown".to_owned() };
    match mean.as_secs_f64() {
        seconds if seconds < 0.000_1 => format!("cycle {:.3}ms", seconds * 1e3),
        seconds if seconds < 0.01 => format!("cycle {:.1}ms", seconds * 1e3),
        seconds if seconds < 1.0 => format!("cycle {:.0}ms", seconds * 1e3),
        seconds => format!("cycle {seconds:.1}s"),
    }
}

fn rate(given: &Given, part: &PartitionView) -> SheetLine {
    let running = part.root().map_or(0, |root| root.running);
    let mut text = format!("{running} run, {:.1} alloc/s, {}", given.view.allocation_rate, cycle(given.cycle));
    text += &latency(given).unwrap_or_default();
    let hour = given.view.history.iter().find(|sample| given.at.since(sample.at).as_secs() <= 3600);
    // The counters of a restarted scheduler start at zero, and less than a second is not a time range.
    if let Some(sample) =
        hour.filter(|sample| given.at.since(sample.at).as_secs() > 0 && sample.made <= given.view.allocations_made)
    {
        let made = given.view.allocations_made - sample.made;
        let span = crate::drain::span(given.at.since(sample.at));
        let made = format!(", {made} in {span}");
        // One row on the narrowest screen.
        if text.chars().count() + made.len() <= ROW {
            text += &made;
        }
    }
    SheetLine::new("rate", text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_a_cycle_is_shown_or_reported_as_unknown() {
        let reported = |nanos: u64| cycle(Some(Duration::from_nanos(nanos)));
        let times = [1_700, 340_000, 9_000_000, 250_000_000, 1_500_000_000];
        assert_eq!(times.map(reported), ["cycle 0.002ms", "cycle 0.3ms", "cycle 9.0ms", "cycle 250ms", "cycle 1.5s"]);
        assert_eq!(cycle(None), "cycle unknown");
    }
}
