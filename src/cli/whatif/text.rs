//! Differences as text for a terminal.

use std::collections::BTreeSet;
use std::time::Duration;

use view::units::show_amount;
use wire::dto::ResourceMap;
use wire::dto::native as dto;

const MOST_LISTED: usize = 40;

pub(super) fn text(result: &dto::WhatIfResult) -> String {
    let mut lines = vec![result.verdict.clone(), result.runtimes.clone(), result.arrivals.clone()];
    if !result.core.is_empty() {
        lines.push(format!("core {}", result.core));
    }
    let refused = result.refused.iter().map(|step| format!("rejected: {}: {}", step.what, step.why));
    lines.extend(refused);
    lines.extend(result.unknown.iter().map(|one| format!("unknown: {one}")));
    if let Some(first) = &result.first {
        let words = |side: &Option<String>| side.clone().unwrap_or_else(|| "nothing".to_owned());
        lines.push(format!("first difference: {}, instead of: {}", words(&first.with), words(&first.without)));
        lines.extend(first.why_not_without.iter().map(|why| format!("  without the changes: {why}")));
        lines.extend(first.why_not_with.iter().map(|why| format!("  with the changes: {why}")));
    }
    lines.push(String::new());
    match &result.several {
        Some(all) => several(all, &mut lines),
        None => one(result, &mut lines),
    }
    lines.extend(result.node_groups.iter().map(node_group));
    lines.extend(result.never_fit.iter().map(|one| {
        let wants: Vec<String> =
            one.resource.iter().map(|(name, amount)| format!("{name} {}", show_amount(name, *amount))).collect();
        format!("application {} requests {}, which fits no node group", one.application_id, wants.join(", "))
    }));
    let text = lines.join("\n");
    text.lines().map(|line| format!("{}\n", console::present::text::escape(line))).collect()
}

fn one(result: &dto::WhatIfResult, lines: &mut Vec<String>) {
    let applications = &result.diff.applications;
    for app in applications.iter().take(MOST_LISTED) {
        let by = app.by.and_then(|by| u64::try_from(by).ok()).map(Duration::from_nanos);
        let by = by.map(|by| format!(" by {:.1} s", by.as_secs_f64())).unwrap_or_default();
        let course = app.with.as_ref().or(app.without.as_ref());
        let (queue, user) = course.map(|course| (course.queue.as_str(), course.user.as_str())).unwrap_or_default();
        lines.push(format!("{:<12} {:<40} {:<30} {user}{by}", app.effect, app.application_id, queue));
    }
    more(applications.len(), lines);
    shares("queue", &result.diff.queues, lines);
    shares("user", &result.diff.users, lines);
    for node in &result.diff.nodes {
        let parts = match (&node.without, &node.with) {
            (None, _) => vec!["only with the changes".to_owned()],
            (_, None) => vec!["missing with the changes".to_owned()],
            (Some(without), Some(with)) => amounts("in use at the end", without, with),
        };
        lines.push(format!("node {:<35} {}", node.node, parts.join(", ")));
    }
}

fn node_group(group: &dto::WhatIfNodeGroup) -> String {
    let dto::WhatIfNodeGroup { name, without, with } = group;
    let mut parts = vec![format!("node hours {:.2} -> {:.2}", without.node_hours, with.node_hours)];
    if without.cost.is_some() || with.cost.is_some() {
        let cost = |cost: Option<f64>| cost.map_or_else(|| "0.00".to_owned(), |cost| format!("{cost:.2}"));
        parts.push(format!("cost {} -> {}", cost(without.cost), cost(with.cost)));
    }
    parts.push(format!("added {} -> {}", without.added, with.added));
    parts.push(format!("at most {} -> {} nodes", without.peak, with.peak));
    format!("node group {name:<29} {}", parts.join(", "))
}

/// What differs of each queue or user, in a line each.
fn shares(kind: &str, shares: &[dto::WhatIfShare], lines: &mut Vec<String>) {
    for share in shares {
        let (without, with) = (share.without.clone().unwrap_or_default(), share.with.clone().unwrap_or_default());
        lines.push(format!("{kind} {:<34} {}", share.name, differing(&without, &with).join(", ")));
    }
}

fn differing(without: &dto::WhatIfMetrics, with: &dto::WhatIfMetrics) -> Vec<String> {
    let mut parts = Vec::new();
    let mut count = |name: &str, without: u64, with: u64| {
        if without != with {
            parts.push(format!("{name} {without} -> {with}"));
        }
    };
    count("started", without.started, with.started);
    count("ended", without.ended, with.ended);
    count("preempted", without.preempted, with.preempted);
    count("pending requests", without.waiting, with.waiting);
    count("long waits", without.long_waits, with.long_waits);
    let seconds = |nanos: i64| format!("{:.1} s", nanos as f64 / 1e9);
    let mut time = |name: &str, without: i64, with: i64| {
        if without != with {
            parts.push(format!("{name} {} -> {}", seconds(without), seconds(with)));
        }
    };
    time("mean wait", without.mean_wait, with.mean_wait);
    time("below its guarantee", without.below_guarantee, with.below_guarantee);
    parts.extend(amounts("in use on average", &without.used, &with.used));
    parts.extend(amounts("in use at the end", &without.allocated, &with.allocated));
    parts.extend(amounts("requested at the end", &without.pending, &with.pending));
    parts
}

fn amounts(name: &str, without: &ResourceMap, with: &ResourceMap) -> Vec<String> {
    let both: BTreeSet<&str> = without.iter().chain(with.iter()).map(|(resource, _)| resource).collect();
    let each = both.into_iter().filter_map(|resource| {
        let [one, other] = [without, with].map(|map| map.get(resource).unwrap_or_default());
        let words = format!("{name}: {resource} {} -> {}", show_amount(resource, one), show_amount(resource, other));
        (one != other).then_some(words)
    });
    each.collect()
}

fn more(applications: usize, lines: &mut Vec<String>) {
    if applications > MOST_LISTED {
        lines.push(format!("and {} more applications; see --json", applications - MOST_LISTED));
    }
}

/// `+3 (+1 to +5)`.
fn signed(spread: dto::WhatIfSpread) -> String {
    let dto::WhatIfSpread { p10, median, p90 } = spread;
    // Quantities are whole, except times.
    let one = |value: f64| if value.fract() == 0.0 { format!("{value:+.0}") } else { format!("{value:+.1}") };
    if p10 == p90 { one(median) } else { format!("{} ({} to {})", one(median), one(p10), one(p90)) }
}

fn several(all: &dto::WhatIfSeveral, lines: &mut Vec<String>) {
    let dto::WhatIfSeveral { runs, differing, total, queues, applications } = all;
    lines.push(format!(
        "{runs} pairs of runs, something differs in {differing}; the median, and in brackets the 10th to the 90th percentile:"
    ));
    lines.push(
        "                                         started   ended   preempted   waiting   mean wait in s   long waits   \
         below its guarantee in s"
            .to_owned(),
    );
    for by in std::iter::once(total).chain(queues) {
        let name = by.queue.as_deref().unwrap_or("the whole partition");
        let counts = [by.started, by.ended, by.preempted, by.waiting];
        let times = [by.mean_wait_seconds, by.long_waits, by.below_guarantee_seconds];
        let metrics: Vec<String> = counts.into_iter().chain(times).map(signed).collect();
        lines.push(format!("{name:<40} {}", metrics.join("   ")));
    }
    for app in applications.iter().take(MOST_LISTED) {
        let effects: Vec<String> = app.effects.iter().map(|(effect, runs)| format!("{effect} in {runs}")).collect();
        let later = app.later_by_seconds.map(|by| format!("; starts by {} s", signed(by))).unwrap_or_default();
        lines.push(format!("{:<40} {}{later}", app.application_id, effects.join(", ")));
    }
    more(applications.len(), lines);
}
