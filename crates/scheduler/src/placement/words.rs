//! Text for parts of a placement.

use super::filter::FilterVerdict;
use super::refusal::Refusal;
use super::trace::{LinkEnd, LinkTrace, RuleTrace, SkipReason};
use super::tree::QueueState;
use config::RuleKind;
use model::QueuePath;

pub(super) fn kind_name(kind: RuleKind) -> &'static str {
    kind.name()
}

pub(super) fn rule_words(kind: RuleKind, value: &str, create: bool) -> String {
    let value = if kind.value_is_tag() { value } else { "" };
    let create = if create { "create" } else { "" };
    joined([[kind_name(kind), value].join(" ").trim_end().to_owned(), create.to_owned()])
}

pub(super) fn joined(parts: impl IntoIterator<Item = String>) -> String {
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

impl LinkTrace {
    pub(super) fn words(&self) -> String {
        rule_words(self.kind, &self.value, self.create)
    }

    pub(super) fn stop(&self) -> String {
        match self.end {
            LinkEnd::NoInput => match self.kind {
                RuleKind::Provided => "no queue requested".to_owned(),
                RuleKind::User => "no user name".to_owned(),
                RuleKind::Fixed => "no value".to_owned(),
                RuleKind::Tag => format!("no tag {}", self.value),
                RuleKind::PrimaryGroup => "no group".to_owned(),
                RuleKind::SecondaryGroup => "no other group matches".to_owned(),
                RuleKind::ApplicationType => "no application type".to_owned(),
            },
            LinkEnd::Filtered => filter_words(&self.filter),
            LinkEnd::NoParent => "its parent rule selects no queue".to_owned(),
            LinkEnd::Missing => "does not exist, create is off".to_owned(),
            LinkEnd::Yields | LinkEnd::ParentFailed | LinkEnd::ParentIsLeaf | LinkEnd::IllegalName => String::new(),
        }
    }
}

impl RuleTrace {
    pub(super) fn words(&self) -> String {
        self.steps.first().map(LinkTrace::words).unwrap_or_default()
    }

    /// The reason of the innermost step that ran.
    pub(super) fn no_result(&self) -> String {
        let stopped = self.steps.iter().enumerate().find(|(_, step)| step.end != LinkEnd::NoParent);
        let Some((depth, step)) = stopped else { return String::new() };
        let parent = if depth > 0 { format!("parent {}: ", kind_name(step.kind)) } else { String::new() };
        let path = step.path.iter().map(|path| format!("{path} ")).collect::<String>();
        format!("{parent}{path}{}", step.stop())
    }
}

pub(super) fn input_words(step: &LinkTrace) -> String {
    match (&step.input, &step.replaced) {
        (Some(input), Some(replaced)) => format!("{input} = {replaced}"),
        (Some(input), None) => input.to_string(),
        (None, _) => String::new(),
    }
}

pub(super) fn path_words(step: &LinkTrace, entry: &RuleTrace) -> (String, String) {
    let Some(path) = &step.path else { return Default::default() };
    let note = match step.queue {
        _ if step.end == LinkEnd::Missing => step.stop(),
        Some(queue) => state_words(queue),
        None if entry.create.contains(path) => format!("does not exist, {}", created_words(path, entry)),
        None => "does not exist, create is on".to_owned(),
    };
    (path.to_string(), note)
}

pub(super) fn created_words(path: &QueuePath, entry: &RuleTrace) -> String {
    let kind = if entry.create.last() == Some(path) { "leaf" } else { "parent" };
    format!("would be a new dynamic {kind}")
}

pub(super) fn state_words(queue: QueueState) -> String {
    let words = [
        (true, if queue.leaf { "exists, leaf" } else { "exists, parent" }),
        (!queue.managed, "dynamic"),
        (queue.draining, "draining"),
    ];
    joined(words.into_iter().filter(|(reported, _)| *reported).map(|(_, word)| word.to_owned()))
}

pub(super) fn filter_words(verdict: &FilterVerdict) -> String {
    match verdict {
        FilterVerdict::NotAsked | FilterVerdict::Open => String::new(),
        FilterVerdict::Closed => "filter denies all users".to_owned(),
        FilterVerdict::Passes(Some(found)) => format!("filter allows {found}"),
        FilterVerdict::Passes(None) => "filter denies others only".to_owned(),
        FilterVerdict::Stops(Some(found)) => format!("filter denies {found}"),
        FilterVerdict::Stops(None) => "filter allows others only".to_owned(),
    }
}

pub(super) fn line_words(next: &SkipReason, entry: &RuleTrace) -> String {
    match next {
        SkipReason::NoResult | SkipReason::IsParent | SkipReason::NoAccess => String::new(),
        SkipReason::Draining(queue) if entry.path.as_ref() == Some(queue) => String::new(),
        _ => next_words(next, entry),
    }
}

pub(super) fn refused_words(refusal: &Refusal) -> String {
    match refusal {
        Refusal::ParentIsLeaf { .. } => "cannot be a parent".to_owned(),
        Refusal::CreateBelowLeaf { leaf, .. } => format!("{leaf} is a leaf"),
        Refusal::CreateBelowDraining { draining, .. } => format!("{draining} is draining"),
        Refusal::IllegalName { part, .. } => format!("{part:?} is not a valid name"),
        other => other.to_string(),
    }
}

pub(super) fn next_words(next: &SkipReason, entry: &RuleTrace) -> String {
    match next {
        SkipReason::NoResult => entry.no_result(),
        SkipReason::IsParent => "is a parent".to_owned(),
        SkipReason::NoAccess => "no submit access".to_owned(),
        SkipReason::Draining(queue) if entry.path.as_ref() == Some(queue) => "is draining".to_owned(),
        SkipReason::Draining(queue) => format!("{queue} is draining"),
        SkipReason::RecoveryClosed => "is for recovery".to_owned(),
        SkipReason::NotBelowRoot => "is not in root".to_owned(),
        SkipReason::NotForced => "not forced".to_owned(),
        SkipReason::NoFallback => format!("{} does not exist", super::well_known::FALLBACK_QUEUE),
    }
}
