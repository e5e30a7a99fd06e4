//! The messages of records, for people (SCH-222 to SCH-224).

use std::sync::Arc;

use super::types::LONGEST_MESSAGE;
use super::weight::{DOES_NOT_FIT, LIMITS, PREEMPTED_BY};
use crate::drain::{admins, span};
use model::{AskId, Resource};
use scheduler::Event;
use scheduler::EventKind;

pub(super) fn message(event: &Event) -> Arc<str> {
    let text = match &event.kind {
        EventKind::ConfigRejected { message }
        | EventKind::AppRejected { message, .. }
        | EventKind::ConfigRolledBack { message } => message.clone(),
        EventKind::AppState { message: Some(message), .. } => return cut(message),
        EventKind::AskFitsQueue { ask, fits, queue, resource, headroom, .. } => match fits {
            false => misfit(ask, &format!("queue {queue}"), resource, headroom),
            true => format!("request {ask} fits queue {queue} again"),
        },
        EventKind::AskFitsLimits { ask, fits, resource, headroom, .. } => match fits {
            false => misfit(ask, LIMITS, resource, headroom),
            true => format!("request {ask} fits {LIMITS} again"),
        },
        EventKind::PredicatesFailed { ask, nodes, .. } => {
            format!(
                "request {ask}: conditions of the resource manager exclude {nodes} nodes with enough free resources"
            )
        }
        EventKind::NoVictim { ask, node, .. } => {
            format!("request {ask}: no allocation on its required node {node} can be preempted")
        }
        EventKind::PlaceholderTooSmall { ask, placeholder, resource, .. } => {
            format!(
                "placeholder {placeholder} is smaller than request {ask} of its task group, which requests {resource}"
            )
        }
        EventKind::Preempted { by_app, by_ask, by_queue, .. } => {
            format!("{PREEMPTED_BY}request {by_ask} of application {by_app} in {by_queue}")
        }
        EventKind::QuotaPreempted { queue, .. } => format!("{PREEMPTED_BY}the maximum of {queue}"),
        EventKind::QuotaEnforced { excess, preempted, victims, .. } => {
            format!("above the maximum by {excess}; preempted: {victims}, together {}", or_nothing(preempted))
        }
        EventKind::NodeAdded { .. } => "node added".to_owned(),
        EventKind::NodeRemoved { .. } => "node removed".to_owned(),
        EventKind::NodeSchedulable { schedulable, .. } => format!("schedulable: {schedulable}"),
        EventKind::QueueType { leaf, .. } => format!("leaf queue: {leaf}"),
        EventKind::QueueState { from, to, .. } => format!("from {from} to {to}"),
        EventKind::QueueDrainAlert { draining_for, admins: who, .. } => {
            format!("draining for {}; admins: {}", span(*draining_for), admins(who))
        }
        EventKind::Killed { by, reason, .. } if reason.is_empty() => format!("by {by}"),
        EventKind::Killed { by, reason, .. } => format!("by {by}: {reason}"),
        EventKind::Moved { from, queue, by, .. } => format!("from {from} to {queue} by {by}"),
        EventKind::AppQueueDraining { queue, .. } => format!("{queue} drains"),
        _ => return Arc::default(),
    };
    cut(&text)
}

fn misfit(ask: &AskId, what: &str, wanted: &Resource, space: &Resource) -> String {
    let space: Resource = space.iter().filter(|(name, _)| wanted.get(name).is_some()).collect();
    format!("request {ask} {DOES_NOT_FIT} {what}: it requests {wanted}, available: {}", or_nothing(&space))
}

fn or_nothing(resource: &Resource) -> String {
    if resource.is_empty() { "nothing".to_owned() } else { resource.to_string() }
}

pub(super) fn cut(text: &str) -> Arc<str> {
    if text.len() <= LONGEST_MESSAGE {
        return Arc::from(text);
    }
    let end = text.floor_char_boundary(LONGEST_MESSAGE - 3);
    Arc::from(format!("{}...", &text[..end]))
}
