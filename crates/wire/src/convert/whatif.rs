//! What-if in the native API (E7).

use std::time::Duration;

use serde_json::Value;

use super::Wall;
use crate::dto::native as dto;
use config::properties::parse_duration;
use forecast::simulate::node_groups::{GroupReport, GroupsReport, NodeGroup};
use forecast::whatif::runtimes::RuntimeRule;
use forecast::whatif::several::together;
use forecast::whatif::{
    AppDifference, AppTally, Arrivals, Change, Comparison, LONG_WAIT, Metrics, MoreBy, NodeTally, Pair, Plan, Several,
    Span, Spread, Step, Stopped, steps,
};

const MOST_RUNS: u32 = 100;

const COMPARED: [&str; 4] = ["queues", "applications", "nodes", "users"];

/// Converts a request to a plan.
///
/// # Errors
/// The location in the body, and the reason.
pub fn plan(asked: &dto::WhatIf) -> Result<Plan, String> {
    if let Some(other) = asked.compare.iter().find(|what| !COMPARED.contains(&what.as_str())) {
        return Err(format!("compare: {other:?} is not one of {}", COMPARED.join(", ")));
    }
    let mut all: Vec<Step> = asked.config.iter().map(|text| Step::Config(text.as_str().into())).collect();
    for (number, text) in asked.changes.iter().enumerate() {
        let change: Change = text.parse().map_err(|why| format!("changes[{number}]: {why}"))?;
        all.push(Step::Change(change));
    }
    if !asked.steps.is_empty() {
        all.extend(steps::read(&Value::from(asked.steps.clone()).to_string())?);
    }
    let span = match (&asked.run.advance, &asked.run.cycles) {
        (Some(_), Some(_)) => return Err("run: use `cycles` or `advance`, not both".to_owned()),
        (Some(time), None) => {
            Span::For(parse_duration(time).ok_or_else(|| format!("run.advance: {time:?} is not a time such as 30m"))?)
        }
        (None, Some(Value::Number(cycles))) if cycles.is_u64() => Span::Cycles(cycles.as_u64().unwrap_or_default()),
        (None, None) => Span::Idle,
        (None, Some(Value::String(idle))) if idle == "idle" => Span::Idle,
        (None, Some(other)) => return Err(format!("run.cycles: {other} is invalid; use a number or \"idle\"")),
    };
    let rules = asked.runtimes.iter().enumerate();
    let runtimes = rules.map(|(number, text)| text.parse().map_err(|why| format!("runtimes[{number}]: {why}")));
    let runtimes: Vec<RuntimeRule> = runtimes.collect::<Result<_, String>>()?;
    let draws = runtimes.iter().any(|rule| matches!(rule, RuntimeRule::History(_)));
    match asked.runs {
        Some(runs) if !(2..=MOST_RUNS).contains(&runs) => {
            return Err(format!("runs: {runs} is not from 2 to {MOST_RUNS}"));
        }
        Some(_) if !draws => {
            return Err("runs: all runs would be identical because no value is random; add the runtime history:user, \
                    history:queue or history:name"
                .to_owned());
        }
        _ => {}
    }
    let seed = asked.seed.or(asked.runs.map(|_| 0));
    let long_wait = match &asked.long_wait {
        None => LONG_WAIT,
        Some(time) => parse_duration(time).ok_or_else(|| format!("longWait: {time:?} is not a time such as 10m"))?,
    };
    let groups = asked.node_groups.iter().enumerate();
    let groups = groups.map(|(number, text)| text.parse().map_err(|why| format!("nodeGroups[{number}]: {why}")));
    let node_groups: Vec<NodeGroup> = groups.collect::<Result<_, String>>()?;
    Ok(Plan { steps: all, span, runtimes, seed, arrivals: Arrivals::default(), long_wait, node_groups })
}

/// The seeds of the pairs of runs; empty if one pair is enough.
pub fn seeds(asked: &dto::WhatIf) -> Vec<u64> {
    let first = asked.seed.unwrap_or_default();
    (0..u64::from(asked.runs.unwrap_or_default())).map(|run| first.wrapping_add(run)).collect()
}

/// Converts the first pair of runs, and all together.
pub fn several(pairs: &[Pair], wall: &Wall, compare: &[String]) -> dto::WhatIfResult {
    let Some(first) = pairs.first() else { return dto::WhatIfResult::default() };
    let mut result = self::result(first, wall, compare);
    if pairs.len() > 1 {
        let comparisons: Vec<&Comparison> = pairs.iter().map(|pair| &pair.comparison).collect();
        result.several = Some(spread(&together(&comparisons)));
    }
    result
}

fn spread(several: &Several) -> dto::WhatIfSeveral {
    let of = |spread: Spread| dto::WhatIfSpread { p10: spread.p10, median: spread.median, p90: spread.p90 };
    let more_by = |queue: Option<String>, by: &MoreBy| dto::WhatIfMoreBy {
        queue,
        started: of(by.started),
        ended: of(by.ended),
        preempted: of(by.preempted),
        waiting: of(by.waiting),
        mean_wait_seconds: of(by.mean_wait),
        long_waits: of(by.long_waits),
        below_guarantee_seconds: of(by.below_guarantee),
    };
    let apps = several.apps.iter().map(|app| dto::WhatIfAppSpread {
        application_id: app.app.to_string(),
        effects: app.effects.iter().map(|(effect, runs)| ((*effect).to_owned(), *runs as u64)).collect(),
        later_by_seconds: app.later_by.map(of),
    });
    dto::WhatIfSeveral {
        runs: several.runs as u64,
        differing: several.differing as u64,
        total: more_by(None, &several.total),
        queues: several.queues.iter().map(|(queue, by)| more_by(Some(queue.to_string()), by)).collect(),
        applications: apps.collect(),
    }
}

/// Converts the parts of a pair's differences in `compare`, by default all.
pub fn result(pair: &Pair, wall: &Wall, compare: &[String]) -> dto::WhatIfResult {
    let wanted = |what: &str| compare.is_empty() || compare.iter().any(|word| word == what);
    let Comparison { total: [without, with], queues, users, apps, nodes, first, long_wait, verdict } = &pair.comparison;
    let share = |name: String, both: &(Option<Metrics>, Option<Metrics>)| dto::WhatIfShare {
        name,
        without: both.0.as_ref().map(metrics),
        with: both.1.as_ref().map(metrics),
    };
    let mut diff = dto::WhatIfDiff::default();
    if wanted("queues") {
        diff.queues = queues.iter().map(|(queue, both)| share(queue.to_string(), both)).collect();
    }
    if wanted("users") {
        diff.users = users.iter().map(|(user, both)| share(user.to_string(), both)).collect();
    }
    if wanted("applications") {
        diff.applications = apps.iter().map(|app| application(app, wall)).collect();
    }
    if wanted("nodes") {
        let used = |node: &Option<NodeTally>| node.as_ref().map(|node| (&node.allocated).into());
        let each = nodes.iter().map(|(node, (without, with))| dto::WhatIfNode {
            node: node.to_string(),
            without: used(without),
            with: used(with),
        });
        diff.nodes = each.collect();
    }
    let refused = pair.refused.iter().map(|step| dto::WhatIfRefused {
        step: step.step as u64,
        what: step.what.clone(),
        why: step.why.clone(),
    });
    dto::WhatIfResult {
        core: String::new(),
        verdict: verdict.clone(),
        started_at: wall.nanos(pair.started_at),
        ended: wall.nanos(pair.ended),
        stopped: stopped(pair.stopped).to_owned(),
        cycles: pair.cycles,
        runtimes: pair.runtimes.clone(),
        arrivals: pair.arrivals.clone(),
        long_wait: nanos(*long_wait),
        several: None,
        refused: refused.collect(),
        before: metrics(&pair.before),
        without: metrics(without),
        after: metrics(with),
        first: first.as_ref().map(|first| dto::WhatIfFirst {
            at: wall.nanos(first.at),
            without: first.without.clone(),
            with: first.with.clone(),
            why_not_without: first.why_not_without.clone(),
            why_not_with: first.why_not_with.clone(),
        }),
        diff,
        node_groups: pair.node_groups.iter().flat_map(node_groups).collect(),
        never_fit: pair.node_groups.iter().flat_map(|[_, with]| never_fit(with)).collect(),
        trace: pair.trace.lines().filter_map(|line| serde_json::from_str(line).ok()).collect(),
        truncated: pair.truncated,
        unknown: Vec::new(),
    }
}

fn node_groups([without, with]: &[GroupsReport; 2]) -> Vec<dto::WhatIfNodeGroup> {
    let hours = |group: &GroupReport| {
        let GroupReport { node_hours, cost, peak, added, removed, .. } = *group;
        dto::WhatIfNodeHours { node_hours, cost, peak, added, removed }
    };
    let both = without.groups.iter().zip(&with.groups);
    both.map(|(without, with)| dto::WhatIfNodeGroup {
        name: with.name.clone(),
        without: hours(without),
        with: hours(with),
    })
    .collect()
}

fn never_fit(report: &GroupsReport) -> impl Iterator<Item = dto::WhatIfNeverFits> {
    let never = report.never.iter().cloned();
    never.map(|(application_id, resource)| dto::WhatIfNeverFits { application_id, resource })
}

const fn stopped(stopped: Stopped) -> &'static str {
    match stopped {
        Stopped::Idle => "idle",
        Stopped::Cycles => "cycles",
        Stopped::Time => "time",
    }
}

fn nanos(time: Duration) -> i64 {
    i64::try_from(time.as_nanos()).unwrap_or(i64::MAX)
}

fn metrics(metrics: &Metrics) -> dto::WhatIfMetrics {
    dto::WhatIfMetrics {
        allocated: (&metrics.allocated).into(),
        pending: (&metrics.pending).into(),
        used: (&metrics.used).into(),
        started: metrics.started,
        ended: metrics.ended,
        preempted: metrics.preempted,
        waiting: metrics.waiting,
        mean_wait: nanos(metrics.mean_wait()),
        long_waits: metrics.long_waits,
        below_guarantee: nanos(metrics.below_guarantee),
    }
}

fn application(app: &AppDifference, wall: &Wall) -> dto::WhatIfApplication {
    let course = |tally: &AppTally| dto::WhatIfCourse {
        queue: tally.queue.to_string(),
        user: tally.user.to_string(),
        started: tally.started.map(|at| wall.nanos(at)),
        ended: tally.ended.map(|at| wall.nanos(at)),
        rejected: tally.rejected.as_ref().map(ToString::to_string),
        allocations: tally.allocations,
        preempted: tally.preempted,
        running: tally.running,
        waiting: tally.waiting,
    };
    dto::WhatIfApplication {
        application_id: app.app.to_string(),
        effect: app.effect.name().to_owned(),
        by: app.effect.by().map(nanos),
        without: app.without.as_ref().map(course),
        with: app.with.as_ref().map(course),
    }
}
