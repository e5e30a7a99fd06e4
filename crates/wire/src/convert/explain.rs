//! Explanations in the native API.

use std::sync::Arc;

use super::Wall;
use crate::dto::native as dto;
use model::{AppId, AppState, AskId, Time};
use view::Failure;
use view::fairness::FairnessRow;
use view::limits_used::LimitUsed;
use view::rows::{FailureCount, FoundSince, TryResult};
use view::users::Side;
use view::waiting::AskWords;
use view::waiting::PlaceWords;
use view::waiting::RemedyWords;
use view::waiting::Sentence;
use view::waiting::Sentences;
use view::waiting::{
    Allocated, AskExplanation, AskStatus, BlockLevel, Blocker, Example, Explanation, NodeFailures, NodeReason,
    Overview, Place, PreemptionVerdict, Remedy, RemedyKind, WaitingGroup,
};

/// Converts the explanation of an application.
pub fn explained(found: &Explanation, wall: &Wall) -> dto::Explained {
    let asks: Vec<dto::ExplainedAsk> = found.asks.iter().map(|one| ask(one, found.at, wall)).collect();
    let first = found.first_waiting().map(|first| ask(first, found.at, wall)).unwrap_or_default();
    let ended = found.blockers.iter().map(|blocker| blocked_by(blocker, found.submitted, wall));
    dto::Explained {
        core: String::new(),
        notes: Vec::new(),
        application_id: found.app.to_string(),
        at: wall.nanos(found.at),
        queue_name: found.queue.to_string(),
        submitted: wall.nanos(found.submitted),
        state: if found.state == AppState::New { "New".to_owned() } else { found.state.to_string() },
        runnable: found.is_runnable(),
        waits: found.waits(),
        text: found.sentence(),
        cause: found.first_waiting().and_then(|first| first.blockers.first()).map(cause),
        blocked_by: ended.chain(first.blocked_by).collect(),
        submission: found.submission.iter().map(|one| blocked_by(one, found.submitted, wall)).collect(),
        nodes: first.nodes,
        position: first.position,
        preemption: first.preemption,
        remedies: first.remedies,
        asks,
        left_out: found.left_out,
        got: found.runs.iter().map(|allocated| got(allocated, wall)).collect(),
        unknown: Vec::new(),
    }
}

/// Adds unknown inputs, and the remote scheduler's own messages about requests.
pub fn explained_by_twin(
    found: &Explanation,
    unknown: &[String],
    reported: impl Fn(&AppId, &AskId) -> Option<Arc<str>>,
    wall: &Wall,
) -> dto::Explained {
    let mut explained = explained(found, wall);
    explained.unknown = unknown.to_vec();
    for ask in &mut explained.asks {
        ask.reported =
            reported(&found.app, &AskId::from(ask.allocation_key.as_str())).map(|reported| reported.to_string());
    }
    explained
}

fn got(allocated: &Allocated, wall: &Wall) -> dto::GotAllocation {
    dto::GotAllocation {
        allocation_key: allocated.id.to_string(),
        pod: allocated.pod.clone(),
        node_id: allocated.node.to_string(),
        since: wall.nanos(allocated.since),
        resource: (&allocated.resource).into(),
        placeholder: allocated.placeholder,
    }
}

/// Converts the causes of all pending requests.
pub fn waiting(found: &Overview, wall: &Wall) -> dto::Waiting {
    dto::Waiting {
        core: String::new(),
        at: wall.nanos(found.at),
        queue_name: found.below.as_ref().map(ToString::to_string).unwrap_or_default(),
        text: found.sentence(),
        applications: found.apps,
        asks: found.asks,
        groups: found.groups.iter().map(|one| group(one, wall)).collect(),
        left_out: found.left_out,
        unknown: Vec::new(),
    }
}

fn group(one: &WaitingGroup, wall: &Wall) -> dto::WaitingGroup {
    let example = |example: &Example| dto::WaitingExample {
        application_id: example.app.to_string(),
        queue_name: example.queue.to_string(),
        asks: example.asks,
    };
    dto::WaitingGroup {
        text: one.sentence(),
        cause: one.blocker.as_ref().map(cause),
        blocked_by: one.blocker.as_ref().map(|blocker| blocked_by(blocker, one.since, wall)),
        applications: one.apps,
        asks: one.asks,
        wanted: (&one.wanted).into(),
        since: wall.nanos(one.since),
        examples: one.examples.iter().map(example).collect(),
    }
}

/// Like [`waiting`], by a simulation copy with unknown inputs.
pub fn waiting_by_twin(found: &Overview, unknown: &[String], wall: &Wall) -> dto::Waiting {
    dto::Waiting { unknown: unknown.to_vec(), ..waiting(found, wall) }
}

fn names(place: &Place) -> dto::Named {
    let mut names = dto::Named::default();
    match place {
        Place::Partition | Place::TaskGroup(_) => {}
        Place::Queue(queue) => names.queue = queue.to_string(),
        Place::User(user, queue) => (names.user, names.queue) = (user.to_string(), queue.to_string()),
        Place::Group(group, queue) => (names.group, names.queue) = (group.to_string(), queue.to_string()),
        Place::Node(node) => names.node_id = node.to_string(),
        Place::App(app, ask) => {
            names.application_id = app.to_string();
            names.allocation_key = ask.as_ref().map(ToString::to_string).unwrap_or_default();
        }
    }
    names
}

fn ask(one: &AskExplanation, now: Time, wall: &Wall) -> dto::ExplainedAsk {
    let (status, node) = match &one.status {
        AskStatus::Waits => ("waits", one.reserved.as_ref()),
        AskStatus::Runs { node, .. } => ("runs", Some(node)),
        AskStatus::TakesOver { node, .. } => ("replaces", Some(node)),
    };
    let closest = one.nodes.closest.iter().map(|close| dto::ClosestNode {
        node_id: close.node.to_string(),
        shortfall: (&close.shortfall).into(),
        too_small: (&close.too_small).into(),
    });
    let of_ask = |(number, blocker): (usize, &Blocker)| {
        blocked_by(blocker, if number == 0 { one.first_since() } else { one.created }, wall)
    };
    dto::ExplainedAsk {
        allocation_key: one.id.to_string(),
        pod: one.pod.clone(),
        identical: one.identical,
        status: status.to_owned(),
        resource: (&one.resource).into(),
        priority: one.priority.0,
        since: wall.nanos(one.created),
        text: one.sentence(),
        cause: one.blockers.first().map(cause),
        blocked_by: one.blockers.iter().enumerate().map(of_ask).collect(),
        nodes: one.nodes.failures.iter().map(failures).collect(),
        closest: closest.collect(),
        node: node.map(ToString::to_string),
        next: one.next_step(),
        waiting: one.waiting_lines(now),
        position: position(one),
        preemption: preemption(&one.preemption),
        remedies: one.remedies.iter().map(|one| remedy(one, now)).collect(),
        reported: None,
        causes: one.causes.iter().map(|cause| earlier(cause, wall)).collect(),
        changes: one.found.iter().filter_map(|found| change(found, wall)).collect(),
    }
}

fn change(found: &FoundSince, wall: &Wall) -> Option<dto::CauseChange> {
    let (level, text) = match found.found {
        TryResult::Never => return None,
        TryResult::UserQuota => ("limit", "a limit of its user or group had too little headroom"),
        TryResult::QueueQuota => ("queue", "a maximum of its queues had too little headroom"),
        TryResult::NoNode => ("node", "no node fitted it"),
        TryResult::Placeholder => ("gang", "it waited for a placeholder of its task group"),
        TryResult::Turn => ("priority", "a blocked request was scheduled first"),
    };
    Some(dto::CauseChange { since: wall.nanos(found.since), level: level.to_owned(), text: text.to_owned() })
}

fn earlier(cause: &FailureCount, wall: &Wall) -> dto::EarlierCause {
    let text = match cause.failure {
        Failure::UserQuota => "a limit of its user or group had too little headroom",
        Failure::QueueQuota => "a maximum of its queues had too little headroom",
        Failure::MayNotPreempt => "it could not preempt, or not yet",
        Failure::NoAttemptLeft => "other requests had used up the preemption attempts of the cycle",
        Failure::PreemptionHelpsNot => "no possible preemption would have helped",
    };
    dto::EarlierCause { text: text.to_owned(), count: cause.count.into(), last: wall.nanos(cause.last) }
}

fn cause(blocker: &Blocker) -> dto::Cause {
    dto::Cause {
        kind: blocker.resolution().name().to_owned(),
        permanent: blocker.is_permanent(),
        level: level(blocker.level).to_owned(),
        resource: blocker.resource.as_deref().map(str::to_owned),
        text: blocker.sentence(),
    }
}

fn blocked_by(blocker: &Blocker, since: Time, wall: &Wall) -> dto::BlockedBy {
    let holders = blocker.holders.iter().map(|holder| dto::HolderOf {
        application_id: holder.app.to_string(),
        queue_name: holder.queue.to_string(),
        amount: holder.amount,
    });
    dto::BlockedBy {
        level: level(blocker.level).to_owned(),
        place: blocker.place.words(),
        names: names(&blocker.place),
        line: blocker.line.map(|place| place.line).filter(|line| *line > 0),
        resource: blocker.resource.as_deref().map(str::to_owned),
        limit: blocker.limit,
        used: blocker.used,
        wanted: blocker.wanted,
        missing: blocker.missing,
        since: wall.nanos(blocker.since.unwrap_or(since)),
        until: blocker.until.map(|until| wall.nanos(until)),
        holders: holders.collect(),
        text: blocker.sentence(),
    }
}

const fn level(level: BlockLevel) -> &'static str {
    match level {
        BlockLevel::Pod => "pod",
        BlockLevel::Submission => "submission",
        BlockLevel::Ended => "ended",
        BlockLevel::Partition => "partition",
        BlockLevel::Draining => "draining",
        BlockLevel::Nothing => "nothing",
        BlockLevel::Backoff => "backoff",
        BlockLevel::State => "state",
        BlockLevel::QueueApps => "queue-apps",
        BlockLevel::UserApps => "user-apps",
        BlockLevel::GroupApps => "group-apps",
        BlockLevel::Stalled => "stalled",
        BlockLevel::Gang => "gang",
        BlockLevel::User => "user",
        BlockLevel::Group => "group",
        BlockLevel::Queue => "queue",
        BlockLevel::Node => "node",
        BlockLevel::Priority => "priority",
    }
}

fn failures(failed: &NodeFailures) -> dto::NodeFailure {
    let reason = match failed.reason {
        NodeReason::Required => "required",
        NodeReason::Unschedulable => "unschedulable",
        NodeReason::Reserved => "reserved",
        NodeReason::Capacity => "capacity",
        NodeReason::Free => "free",
        NodeReason::Predicate => "predicate",
    };
    let examples = failed.examples.iter().map(ToString::to_string).collect();
    dto::NodeFailure { reason: reason.to_owned(), count: failed.count, examples }
}

fn position(ask: &AskExplanation) -> dto::Position {
    let ahead = &ask.ahead;
    let queue = |turn: &view::waiting::QueueTurn| dto::QueuePosition {
        queue: turn.queue.to_string(),
        place: turn.place,
        of: turn.of,
        priority: turn.priority.0,
        share: turn.share.clone(),
    };
    dto::Position {
        queue_order: ahead.queues.iter().map(queue).collect(),
        applications: ahead.apps,
        asks: ahead.asks,
        ahead: (&ahead.pending).into(),
        first_applications: ahead.first_apps.iter().map(ToString::to_string).collect(),
        text: ask.turn().unwrap_or_default(),
    }
}

fn preemption(verdict: &PreemptionVerdict) -> dto::PreemptionAnswer {
    let named = |queue: String| dto::Named { queue, ..dto::Named::default() };
    let mut queues = verdict.retained.groups.iter().map(|retained| named(retained.leaf.queue.to_string()));
    let text = |text| dto::RetainedText { text, names: queues.next().unwrap_or_default() };
    let retained = verdict.retained.sentences().into_iter().map(text).collect();
    dto::PreemptionAnswer { possible: verdict.is_possible(), why: verdict.sentence(), retained }
}

fn remedy(remedy: &Remedy, now: Time) -> dto::RemedyText {
    let place = match remedy.steps.first() {
        Some(RemedyKind::Raise { place, .. }) => place.clone(),
        Some(RemedyKind::End { app, .. } | RemedyKind::Move { app, .. } | RemedyKind::Wait { app, .. }) => {
            Place::App(app.clone(), None)
        }
        Some(RemedyKind::ChangeAsk(app, ask)) => Place::App(app.clone(), Some(ask.clone())),
        Some(RemedyKind::AddNode { .. } | RemedyKind::Turn(_) | RemedyKind::Priority { .. }) | None => Place::Partition,
    };
    dto::RemedyText {
        enough: remedy.enough,
        text: remedy.sentence(now),
        names: names(&place),
        tried: remedy.effects.is_some(),
        effects: remedy.effect_lines(),
    }
}

/// Converts usage compared with guaranteed resources and limits.
pub fn fairness(rows: &[FairnessRow], limits: &[LimitUsed], wall: &Wall) -> dto::Fairness {
    let row = |row: &FairnessRow| dto::QueueFairness {
        queue: row.queue.to_string(),
        resource: row.resource.to_string(),
        guaranteed: row.guaranteed,
        used: row.used,
        pending: row.pending,
        deficit: row.deficit(),
        shortage: row.shortage(),
        fair: row.fair,
        since: row.since.map(|since| wall.nanos(since)),
        borrowed: row.borrowed(),
        idle: row.idle(),
        borrowers: row.borrowers.iter().map(ToString::to_string).collect(),
    };
    let limit = |one: &LimitUsed| {
        let (user, group) = match one.side {
            Side::User => (one.name.to_string(), String::new()),
            Side::Group => (String::new(), one.name.to_string()),
        };
        dto::LimitFairness {
            user,
            group,
            queue: one.queue.to_string(),
            line: Some(one.at.line).filter(|line| *line > 0),
            resource: one.resource.as_deref().map(str::to_owned),
            limit: one.limit,
            used: one.used,
            pending: one.pending,
            blocked: one.blocked(),
        }
    };
    dto::Fairness { queues: rows.iter().map(row).collect(), limits: limits.iter().map(limit).collect() }
}
