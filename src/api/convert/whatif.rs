//! What if, in the words of the native API (E7).

use std::time::Duration;

use serde_json::Value;

use super::Wall;
use crate::api::dto::native as dto;
use crate::config::properties::parse_duration;
use crate::whatif::{
    AppDifference, AppTally, Change, Comparison, Figures, NodeTally, Pair, Plan, Span, Step, Stopped, steps,
};

const COMPARED: [&str; 4] = ["queues", "applications", "nodes", "users"];

/// What is asked.
///
/// # Errors
/// Where in the body, and what is wrong there.
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
        (Some(_), Some(_)) => return Err("run: give `cycles` or `advance`, not both".to_owned()),
        (Some(time), None) => {
            Span::For(parse_duration(time).ok_or_else(|| format!("run.advance: {time:?} is no time such as 30m"))?)
        }
        (None, Some(Value::Number(cycles))) if cycles.is_u64() => Span::Cycles(cycles.as_u64().unwrap_or_default()),
        (None, None) => Span::Idle,
        (None, Some(Value::String(idle))) if idle == "idle" => Span::Idle,
        (None, Some(other)) => return Err(format!("run.cycles: {other} is neither a number nor \"idle\"")),
    };
    let rules = asked.runtimes.iter().enumerate();
    let runtimes = rules.map(|(number, text)| text.parse().map_err(|why| format!("runtimes[{number}]: {why}")));
    Ok(Plan { steps: all, span, runtimes: runtimes.collect::<Result<_, String>>()?, seed: asked.seed })
}

/// What differs, of what is asked for.
pub fn result(pair: &Pair, wall: &Wall, compare: &[String]) -> dto::WhatIfResult {
    let wanted = |what: &str| compare.is_empty() || compare.iter().any(|word| word == what);
    let Comparison { total: [without, with], queues, users, apps, nodes, first, verdict } = &pair.comparison;
    let share = |name: String, both: &(Option<Figures>, Option<Figures>)| dto::WhatIfShare {
        name,
        without: both.0.as_ref().map(figures),
        with: both.1.as_ref().map(figures),
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
        verdict: verdict.clone(),
        began: wall.nanos(pair.began),
        ended: wall.nanos(pair.ended),
        stopped: stopped(pair.stopped).to_owned(),
        cycles: pair.cycles,
        runtimes: pair.runtimes.clone(),
        refused: refused.collect(),
        before: figures(&pair.before),
        without: figures(without),
        after: figures(with),
        first: first.as_ref().map(|first| dto::WhatIfFirst {
            at: wall.nanos(first.at),
            without: first.without.clone(),
            with: first.with.clone(),
        }),
        diff,
        trace: pair.trace.lines().filter_map(|line| serde_json::from_str(line).ok()).collect(),
        truncated: pair.truncated,
    }
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

fn figures(figures: &Figures) -> dto::WhatIfFigures {
    dto::WhatIfFigures {
        allocated: (&figures.allocated).into(),
        pending: (&figures.pending).into(),
        used: (&figures.used).into(),
        started: figures.started,
        ended: figures.ended,
        preempted: figures.preempted,
        waiting: figures.waiting,
        mean_wait: nanos(figures.mean_wait()),
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
