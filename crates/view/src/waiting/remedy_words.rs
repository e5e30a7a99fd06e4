//! Remedies in words: the action and its side effects.

use std::time::Duration;

use super::words::{amounts, count, name};
use super::{Place, PlaceWords, Remedy, RemedyEffect, RemedyKind};
use crate::drain::span;
use crate::units::show_amount;
use model::{AppId, Time};

const MOST_NAMED: usize = 3;
const HALF_A_SECOND: Duration = Duration::from_millis(500);

/// The words of a remedy.
pub trait RemedyWords {
    /// `now` is the time of the computation.
    fn sentence(&self, now: Time) -> String;

    /// The side effects, one line each. Empty if there are none or they were not tested.
    fn effect_lines(&self) -> Vec<String>;
}

impl RemedyWords for Remedy {
    fn sentence(&self, now: Time) -> String {
        let steps: Vec<String> = self.steps.iter().map(|step| words(step, now)).collect();
        let what = steps.join(", and ");
        if self.enough { what } else { format!("{what} (not enough alone)") }
    }

    fn effect_lines(&self) -> Vec<String> {
        let effects = self.effects.as_deref().unwrap_or_default();
        let of = |pick: fn(&RemedyEffect) -> Option<(&AppId, u64)>| effects.iter().filter_map(pick).collect::<Vec<_>>();
        let mut lines = Vec::new();
        let loses = of(|effect| if let RemedyEffect::Loses(app, count) = effect { Some((app, *count)) } else { None });
        let preempted =
            of(|effect| if let RemedyEffect::Preempted(app, count) = effect { Some((app, *count)) } else { None });
        let waits = of(|effect| if let RemedyEffect::Waits(app, count) = effect { Some((app, *count)) } else { None });
        let gets = of(|effect| if let RemedyEffect::Gets(app, count) = effect { Some((app, *count)) } else { None });
        lines.extend(listed(&loses, "loses", "lose", |number| count(number, "allocation")));
        lines.extend(listed(&preempted, "is preempted:", "are preempted:", |number| count(number, "allocation")));
        lines.extend(listed(&waits, "waits with", "wait with", |number| count(number, "request")));
        lines.extend(listed(&gets, "gets", "get", |number| count(number, "allocation")));
        lines
    }
}

fn listed(all: &[(&AppId, u64)], one: &str, many: &str, amount: impl Fn(u64) -> String) -> Option<String> {
    let sum = all.iter().map(|(_, count)| count).sum();
    let named: Vec<String> = all.iter().take(MOST_NAMED).map(|(app, _)| app.to_string()).collect();
    let more = all.len().saturating_sub(named.len());
    match all.len() {
        0 => None,
        1 => Some(format!("then {} {one} {}", named[0], amount(sum))),
        _ if more > 0 => Some(format!("then {} and {more} more {many} {} in all", named.join(", "), amount(sum))),
        _ => Some(format!("then {} {many} {} in all", named.join(", "), amount(sum))),
    }
}

fn words(kind: &RemedyKind, now: Time) -> String {
    match kind {
        RemedyKind::Raise { place, resource: Some(resource), by, to } => {
            let (by, to) = (show_amount(resource, *by), show_amount(resource, *to));
            format!("raise {} by {by} {} to {to}", raised(place), name(resource))
        }
        RemedyKind::Raise { place, resource: None, by, to } => {
            format!("raise {} by {} to {to}", raised(place), count(by.unsigned_abs(), "application"))
        }
        RemedyKind::End { app, .. } => format!("end {app}"),
        RemedyKind::Move { app, to } => format!("move {app} to {to}"),
        RemedyKind::Wait { app, at: None } => format!("wait until {app} ends; the time is unknown"),
        RemedyKind::Wait { app, at: Some(at) } => {
            let left = span(at.since(now).saturating_add(HALF_A_SECOND));
            format!("wait until {app} ends, in about {left} by the run times of its queue")
        }
        RemedyKind::Turn(0) => "no action: the next cycle allocates it".to_owned(),
        RemedyKind::Turn(before) => format!("no action: it is allocated after {}", count(*before, "other decision")),
        RemedyKind::AddNode { size, absent, nodes } => {
            let absent: Vec<&str> = absent.iter().map(|resource| name(resource)).collect();
            let why = match absent.as_slice() {
                [] => String::new(),
                [_] if size.iter().count() == 1 => format!(" (0 of {nodes} nodes have it)"),
                some => format!(" (0 of {nodes} nodes have {})", some.join(", ")),
            };
            format!("add a node with {}{why}", amounts(size))
        }
        RemedyKind::Priority { from, to, when: None } => format!("raise its priority from {from} to {to}"),
        RemedyKind::Priority { from, to, when: Some(app) } => {
            format!("raise its priority from {from} to {to}: then it is scheduled first when {app} ends")
        }
        RemedyKind::ChangeAsk(app, ask) => format!("cancel request {ask} of {app}, or reduce its size"),
    }
}

fn raised(place: &Place) -> String {
    match place {
        Place::Queue(queue) => format!("the maximum of {queue}"),
        other => other.words(),
    }
}
