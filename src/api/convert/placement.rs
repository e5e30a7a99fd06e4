//! A placement as the preview of the REST API tells it (`rest.md` E6).
//!
//! Rules count from 0 here; the recovery rule stands behind the list, and behind it the default queue of 1.8. `placed` as the
//! outcome of a parent rule means that it yields its candidate. Nothing runs, so no limit would hold anything back.

use serde_json::{Map, Value, json};

use crate::view::PartitionView;
use crate::view::place::{Asked, End, Next, Outcome, Placement, Refusal, RuleRef, RuleTrace, Step, StepEnd};

/// The answer of the preview.
pub fn answer(part: &PartitionView, placement: &Placement) -> Value {
    let mut answer = Map::new();
    answer.insert("placed".to_owned(), placement.placed().is_some().into());
    match &placement.outcome {
        Outcome::Placed(placed) => {
            let creates: Vec<&str> = placed.create.iter().map(|path| path.as_str()).collect();
            answer.insert("queue".to_owned(), placed.path.as_str().into());
            answer.insert("exists".to_owned(), placed.create.is_empty().into());
            answer.insert("creates".to_owned(), creates.into());
            answer.insert("via".to_owned(), index(part, placed.rule).into());
        }
        Outcome::Refused(refused) => {
            answer.insert("exists".to_owned(), false.into());
            answer.insert("creates".to_owned(), json!([]));
            answer.insert("rejected".to_owned(), refused.refusal.code().into());
        }
    }
    let steps: Vec<Value> = placement.trace.rules.iter().map(|entry| rule(part, placement, entry)).collect();
    answer.insert("steps".to_owned(), steps.into());
    answer.insert("limits".to_owned(), json!([]));
    Value::Object(answer)
}

fn index(part: &PartitionView, rule: RuleRef) -> usize {
    match rule {
        RuleRef::Rule(number) => number,
        RuleRef::Recovery => part.rules.len(),
        RuleRef::Fallback => part.rules.len() + 1,
    }
}

fn rule(part: &PartitionView, placement: &Placement, entry: &RuleTrace) -> Value {
    let name = match entry.rule {
        RuleRef::Rule(_) => entry.steps.first().map_or("", Step::kind_name),
        RuleRef::Recovery => "recovery",
        RuleRef::Fallback => "default-queue",
    };
    let mut told = Map::new();
    told.insert("index".to_owned(), index(part, entry.rule).into());
    told.insert("rule".to_owned(), name.into());
    told.insert("outcome".to_owned(), outcome(placement, entry).into());
    let path = entry.path.as_ref().map(|path| path.as_str());
    if let Some(candidate) = path.or_else(|| entry.steps.first().and_then(candidate)) {
        told.insert("candidate".to_owned(), candidate.into());
    }
    if let Some(parent) = entry.steps.get(1..).and_then(chain) {
        told.insert("parent".to_owned(), parent);
    }
    if let Some(Asked { queue, grant }) = &entry.asked {
        let mut acl = json!({ "queue": queue.as_str(), "allowed": grant.is_some() });
        if let Some(grant) = grant {
            acl["via"] = grant.queue.as_str().into();
        }
        told.insert("acl".to_owned(), acl);
    }
    told.insert("text".to_owned(), entry.told(placement).into());
    Value::Object(told)
}

fn outcome(placement: &Placement, entry: &RuleTrace) -> &'static str {
    match &entry.end {
        End::Placed => "placed",
        End::Next(Next::NoResult) => entry.steps.first().map_or("no-value", step_outcome),
        End::Next(Next::NotForced) => "no-value",
        End::Next(Next::IsParent) => "not-leaf",
        End::Next(Next::NoAccess) => "denied",
        End::Next(Next::Draining(_)) => "draining",
        End::Next(Next::RecoveryClosed | Next::NotBelowRoot | Next::NoFallback) => "missing",
        End::Refused => match placement.refused().map(|refused| &refused.refusal) {
            // In the rule it is an error, when the queue would be created it is not (PLC-005, PLC-071).
            Some(Refusal::IllegalName { .. }) if entry.path.is_some() => "bad-name",
            Some(Refusal::CreateBelowDraining { .. }) => "draining",
            Some(Refusal::CreateDenied { .. }) => "denied",
            _ => "error",
        },
    }
}

/// The parents of a rule, each inside the one below it.
fn chain(steps: &[Step]) -> Option<Value> {
    let inside_out = steps.iter().rev();
    inside_out.fold(None, |parent, step| {
        let mut told =
            json!({ "index": 0, "rule": step.kind_name(), "outcome": step_outcome(step), "text": step.told() });
        if let Some(candidate) = candidate(step) {
            told["candidate"] = candidate.into();
        }
        if let Some(parent) = parent {
            told["parent"] = parent;
        }
        Some(json!({ "steps": [told] }))
    })
}

/// The path of a step, else the name that would go into it.
fn candidate(step: &Step) -> Option<&str> {
    let name = Some(step.name()).filter(|name| !name.is_empty());
    step.path.as_ref().map(|path| path.as_str()).or(name)
}

fn step_outcome(step: &Step) -> &'static str {
    match step.end {
        StepEnd::Yields => "placed",
        StepEnd::NoInput | StepEnd::NoParent => "no-value",
        StepEnd::Filtered => "filtered",
        StepEnd::Missing => "missing",
        StepEnd::ParentFailed | StepEnd::ParentIsLeaf | StepEnd::IllegalName => "error",
    }
}
