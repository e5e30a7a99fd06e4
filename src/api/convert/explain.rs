//! An explanation, in the words of the native API.

use super::Wall;
use crate::api::dto::native as dto;
use crate::model::{AppState, Time};
use crate::view::fairness::FairnessRow;
use crate::view::waiting::{
    Ahead, AskExplanation, AskStatus, BlockLevel, Blocker, Explanation, NodeFailures, NodeReason, PreemptionVerdict,
    Remedy,
};

/// Why an application waits.
pub fn explained(found: &Explanation, wall: &Wall) -> dto::Explained {
    let asks: Vec<dto::ExplainedAsk> = found.asks.iter().map(|one| ask(one, wall)).collect();
    let first = asks.iter().find(|ask| ask.status == "waits").cloned().unwrap_or_default();
    let ended = found.blockers.iter().map(|blocker| blocked_by(blocker, found.submitted, wall));
    dto::Explained {
        application_id: found.app.to_string(),
        queue_name: found.queue.to_string(),
        state: if found.state == AppState::New { "New".to_owned() } else { found.state.to_string() },
        runnable: found.is_runnable(),
        waits: found.waits(),
        text: found.sentence(),
        blocked_by: ended.chain(first.blocked_by).collect(),
        nodes: first.nodes,
        position: first.position,
        preemption: first.preemption,
        remedies: first.remedies,
        asks,
        left_out: found.left_out,
        unknown: Vec::new(),
    }
}

fn ask(one: &AskExplanation, wall: &Wall) -> dto::ExplainedAsk {
    let (status, node) = match &one.status {
        AskStatus::Waits => ("waits", one.reserved.as_ref()),
        AskStatus::Runs { node, .. } => ("runs", Some(node)),
        AskStatus::TakesOver { node, .. } => ("replaces", Some(node)),
    };
    let closest = one.nodes.closest.iter().map(|close| dto::ClosestNode {
        node_id: close.node.to_string(),
        lacks: (&close.lacks).into(),
        too_small: (&close.too_small).into(),
    });
    dto::ExplainedAsk {
        allocation_key: one.id.to_string(),
        alike: one.alike,
        status: status.to_owned(),
        resource: (&one.resource).into(),
        priority: one.priority.0,
        since: wall.nanos(one.created),
        text: one.sentence(),
        blocked_by: one.blockers.iter().map(|blocker| blocked_by(blocker, one.created, wall)).collect(),
        nodes: one.nodes.failures.iter().map(failures).collect(),
        closest: closest.collect(),
        node: node.map(ToString::to_string),
        next: one.next_step(),
        position: position(&one.ahead),
        preemption: preemption(&one.preemption),
        remedies: one.remedies.iter().map(remedy).collect(),
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
        line: blocker.line.map(|place| place.line).filter(|line| *line > 0),
        resource: blocker.resource.as_deref().map(str::to_owned),
        limit: blocker.limit,
        used: blocker.used,
        wanted: blocker.wanted,
        missing: blocker.missing,
        since: wall.nanos(since),
        holders: holders.collect(),
        text: blocker.sentence(),
    }
}

const fn level(level: BlockLevel) -> &'static str {
    match level {
        BlockLevel::Ended => "ended",
        BlockLevel::Partition => "partition",
        BlockLevel::Draining => "draining",
        BlockLevel::Nothing => "nothing",
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

fn position(ahead: &Ahead) -> dto::Position {
    let queue = |turn: &crate::view::waiting::QueueTurn| dto::QueuePosition {
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
    }
}

fn preemption(verdict: &PreemptionVerdict) -> dto::PreemptionAnswer {
    dto::PreemptionAnswer { possible: verdict.is_possible(), why: verdict.sentence() }
}

fn remedy(remedy: &Remedy) -> dto::RemedyText {
    dto::RemedyText { enough: remedy.enough, text: remedy.sentence() }
}

/// How queues stand to their guarantees.
pub fn fairness(rows: &[FairnessRow]) -> dto::Fairness {
    let row = |row: &FairnessRow| dto::QueueFairness {
        queue: row.queue.to_string(),
        resource: row.resource.to_string(),
        guaranteed: row.guaranteed,
        used: row.used,
        pending: row.pending,
        deficit: row.deficit(),
        borrowed: row.borrowed(),
        idle: row.idle(),
        borrowers: row.borrowers.iter().map(ToString::to_string).collect(),
    };
    dto::Fairness { queues: rows.iter().map(row).collect() }
}
