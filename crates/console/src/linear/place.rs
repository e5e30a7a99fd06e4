//! The location: scheduler, user, page, row, and modes.

use crate::linear::{page, plain, rows};
use crate::present::{format, link, subject, trial, unknown};
use crate::state::State;
use alerts::Severity;
use model::{MEMORY, VCORE};
use source::SourcePlace;
use view::PartitionView;
use view::units::show_amount;

/// The lines of `where`.
pub fn lines(state: &State) -> Vec<String> {
    let mut lines = scheduler(state);
    lines.push(format!("Page: {}", page::head(state)));
    lines.extend(selected(state));
    lines
}

/// The lines about the scheduler, the user, and modes.
pub fn scheduler(state: &State) -> Vec<String> {
    let cluster = &state.cluster;
    let place = match cluster.about.place {
        SourcePlace::Embedded => "an embedded scheduler, in this process",
        SourcePlace::Remote => "a remote scheduler",
        SourcePlace::Machine { enforced: true } => "the jobs of this machine",
        SourcePlace::Machine { enforced: false } => "the jobs of this machine; cpu and memory are not enforced",
        SourcePlace::Saved => "a saved state",
        SourcePlace::WhatIf => "a what-if: changes do not affect the cluster",
    };
    let part =
        cluster.part().map_or_else(|| cluster.why_no_part().to_owned(), |part| format!("partition {}", part.name));
    let mut lines = vec![
        format!("Scheduler: {}, {place}, {part}", cluster.about.name),
        format!("You are: {}", cluster.identity),
        format!("Connection: {}", link::words(&cluster.link)),
    ];
    lines.extend(state.framed_part().map(|part| metrics(state, part)));
    lines.extend(modes(state));
    lines.extend(alerts(state));
    lines.iter().map(|line| plain::text(line)).collect()
}

fn metrics(state: &State, part: &PartitionView) -> String {
    let nodes = match state.cluster.unread.nodes && part.nodes.is_empty() {
        true => state.cluster.unread.no_nodes(),
        false => format::count(part.nodes.len() as u64, "node"),
    };
    let mut parts = vec![nodes];
    for name in [VCORE, MEMORY] {
        let (used, all) = (part.allocated.amount(name), part.capacity.get(name));
        let percent = all.filter(|all| *all > 0).map(|all| i128::from(used) * 100 / i128::from(all));
        let [lost_used, lost_all] = [true, false].map(|used| unknown::of_partition(part, used, name).is_some());
        let percent = percent.filter(|_| !lost_used && !lost_all);
        let known = |lost: bool, amount: String| if lost { "unknown".to_owned() } else { amount };
        let of = known(lost_all, all.map_or_else(|| "no bound".to_owned(), |all| show_amount(name, all)));
        let percent = percent.map_or_else(String::new, |percent| format!(", {percent}%"));
        parts.push(format!(
            "{} {} of {of} used{percent}",
            format::resource_name(name),
            known(lost_used, show_amount(name, used))
        ));
    }
    parts.push(format!("{} allocations per second", format::rate(state.framed().allocation_rate)));
    format!("Cluster: {}", parts.join("; "))
}

fn modes(state: &State) -> Vec<String> {
    let cluster = &state.cluster;
    let mut lines = Vec::new();
    if let Some(why) = cluster.read_only() {
        lines.push(format!("Read-only: {why}"));
    }
    if cluster.newest.paused {
        lines.push("Paused: the scheduler runs no cycles, its clock is stopped".to_owned());
    }
    if let Some(since) = cluster.frozen {
        lines.push(format!(
            "Frozen: the screen has been paused for {}",
            format::duration(state.now.saturating_sub(since))
        ));
    }
    for part in cluster.stale.iter().filter(|_| cluster.link.is_live()) {
        lines.push(format!("Outdated: {} are {} old", part.what, format::duration(part.age)));
    }
    if let Some(shown) = &cluster.past.shown {
        let at = format::when(shown.at, cluster.past.live);
        let before = if shown.before.is_empty() { String::new() } else { format!(", just before: {}", shown.before) };
        lines.push(format!("The past, at {at}{before}; live returns"));
    }
    lines.extend(cluster.trial.as_ref().map(|status| format!("What if, {}", trial::words(status))));
    lines
}

fn alerts(state: &State) -> Option<String> {
    let on: Vec<_> = state
        .cluster
        .alerts
        .iter()
        .flat_map(|snapshot| snapshot.on())
        .filter(|alert| alert.severity > Severity::Info)
        .collect();
    let each = on.iter().map(|alert| format!("{}: {} {}", alert.rule, alert.subject, alert.text));
    let count = format::count(on.len() as u64, "alert");
    (!on.is_empty()).then(|| format!("Alerts: {count}: {}; alerts lists them", each.collect::<Vec<_>>().join("; ")))
}

/// The selected line.
pub fn selected(state: &State) -> Option<String> {
    let name = subject::name(state).map(|name| plain::text(&name));
    let Some((list, rows)) = state.page().list().zip(rows::of(state)).filter(|(_, rows)| rows.len() > 0) else {
        return name.map(|name| format!("Selected: {name}"));
    };
    let index = list.index().min(rows.len() - 1);
    let name = name.unwrap_or_else(|| rows.name(index));
    Some(format!("Selected: row {} of {}, {name}", index + 1, rows.len()))
}
