//! Placements in words: the reason of a rejection, and the walk line by line.

use std::fmt;

use crate::config::RuleKind;
use crate::model::QueuePath;

use super::access::{AclKind, Grant, GrantedBy};
use super::decide::{Outcome, Placement};
use super::filter::{FilterVerdict, Match, MatchedBy};
use super::refusal::Refusal;
use super::rules::{Link, RuleFault, RuleFaultKind, Rules};
use super::trace::{Asked, End, Next, RuleRef, RuleTrace, Step, StepEnd, Trace};
use super::tree::QueueState;

/// One line of a walk. Drawn as columns: what, indented by depth; subject; note; mark.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// 0 for a rule and its results, 1 for its parent rule, and so on.
    pub depth: usize,
    /// The rule, on its first line.
    pub head: String,
    /// The input or the path that the line tells about.
    pub subject: String,
    /// What was found.
    pub note: String,
    /// What came of the rule, on its last line.
    pub mark: Mark,
}

/// What came of a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mark {
    /// Nothing yet.
    #[default]
    None,
    /// The application is placed.
    Placed,
    /// The next rule runs.
    Next,
    /// The application is rejected.
    Rejected,
    /// An earlier rule decided.
    NotReached,
}

/// The reason of a rejection in one line, without application and user.
#[derive(Clone, Copy, Debug)]
pub struct Reason<'a> {
    refusal: &'a Refusal,
    trace: &'a Trace,
}

impl Placement {
    /// Why the application is rejected, with the step at which each rule dropped out (section 8).
    pub fn reason(&self) -> Option<Reason<'_>> {
        self.refused().map(|refused| Reason { refusal: &refused.refusal, trace: &self.trace })
    }

    /// The walk through `rules`, which are those that placed.
    pub fn lines(&self, rules: &Rules) -> Vec<Line> {
        let mut lines = Vec::new();
        for entry in &self.trace.rules {
            let first = lines.len();
            rule_lines(entry, &mut lines);
            if let Some(line) = lines.get_mut(first) {
                line.head = entry.head();
            }
            let (mark, words) = match &entry.end {
                End::Placed => (Mark::Placed, String::new()),
                End::Next(next) => (Mark::Next, next_words(next, entry)),
                End::Refused => (Mark::Rejected, self.refused().map(|r| r.refusal.to_string()).unwrap_or_default()),
            };
            if let Some(last) = lines.last_mut() {
                last.mark = mark;
                last.note = joined([std::mem::take(&mut last.note), words]);
            }
        }
        let reached = self.trace.rules.len();
        let rest = rules.list.iter().enumerate().skip(reached);
        let not_reached = |head| Line { head, mark: Mark::NotReached, ..Line::default() };
        lines.extend(rest.map(|(number, rule)| {
            let link = rule.links.first();
            not_reached(format!("{} {}", number + 1, link.map(Link::words).unwrap_or_default()))
        }));
        if rules.recovery && reached <= rules.list.len() {
            lines.push(not_reached(format!("{} recovery", rules.list.len() + 1)));
        }
        lines
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = format!("{:indent$}{}", "", self.head, indent = self.depth * 2);
        let line = format!("{head:<28} {:<32} {}", self.subject, joined([self.note.clone(), self.mark.to_string()]));
        f.write_str(line.trim_end())
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::None => "",
            Self::Placed => "placed",
            Self::Next => "next rule",
            Self::Rejected => "rejected",
            Self::NotReached => "not reached",
        })
    }
}

impl fmt::Display for Reason<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.refusal)?;
        if !matches!(self.refusal, Refusal::NoRuleMatched { .. }) {
            return Ok(());
        }
        let told = self.trace.rules.iter().filter_map(|entry| match &entry.end {
            End::Next(Next::NotForced) => None,
            End::Next(next) => Some((entry, next)),
            End::Placed | End::Refused => None,
        });
        for (number, (entry, next)) in told.enumerate() {
            let words = if *next == Next::NoResult { entry.no_result() } else { next_words(next, entry) };
            let path = entry.path.iter().map(|path| format!("{path}: ")).collect::<String>();
            write!(f, "{} {}: {path}{words}", if number == 0 { ":" } else { ";" }, entry.head())?;
        }
        Ok(())
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRuleMatched { queue } if queue.is_empty() => {
                f.write_str("no placement rule matched, no queue requested")
            }
            Self::NoRuleMatched { queue } => write!(f, "no placement rule matched for requested queue {queue:?}"),
            Self::ParentIsLeaf { rule, leaf } => write!(f, "the parent of {rule} is {leaf}, which is a leaf"),
            Self::CreateBelowLeaf { path, leaf } => write!(f, "{path} cannot be created: {leaf} is a leaf"),
            Self::CreateBelowDraining { path, draining } => {
                write!(f, "{path} cannot be created: {draining} is draining")
            }
            Self::IllegalName { path, part } => {
                write!(f, "{path:?} cannot be a queue: {part:?} is no legal name")
            }
            Self::CreateDenied { path, ancestor } => {
                write!(f, "{path} cannot be created: no submit access to {ancestor}")
            }
            Self::NoUser => f.write_str("no user name given"),
            Self::UnknownUser { user, reason } => write!(f, "the groups of user {user:?} are not known: {reason}"),
            Self::IllegalUser { user } => write!(f, "{user:?} is no legal user name"),
            Self::UnknownPartition { partition } => write!(f, "there is no partition {partition:?}"),
            Self::PartitionStopped { partition } => write!(f, "partition {partition:?} takes no applications"),
            Self::DuplicateId { app } => write!(f, "an application {app:?} is there already"),
        }
    }
}

impl fmt::Display for RuleRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rule(number) => write!(f, "rule {}", number + 1),
            Self::Recovery => f.write_str("the recovery rule"),
            Self::Fallback => f.write_str("the default queue"),
        }
    }
}

impl fmt::Display for RuleFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "placement rule {}", self.rule + 1)?;
        if self.depth > 0 {
            write!(f, ", parent {}", self.depth)?;
        }
        match &self.kind {
            RuleFaultKind::UnknownRule(kind) => {
                write!(f, ": there is no rule {:?}; there are provided, user, fixed and tag", kind_name(*kind))
            }
            RuleFaultKind::NoValue(kind) => write!(f, ": {} needs a value", kind_name(*kind)),
            RuleFaultKind::QualifiedWithParent(value) => {
                write!(f, ": {value:?} is a whole path, so no parent rule can apply")
            }
            RuleFaultKind::IllegalPart(part) => write!(f, ": {part:?} is no legal queue name"),
            RuleFaultKind::Expression(entry, fault) => write!(f, ": the filter {entry:?} does not compile: {fault}"),
        }
    }
}

impl std::error::Error for RuleFault {}

/// The name of a rule in a configuration.
fn kind_name(kind: RuleKind) -> &'static str {
    match kind {
        RuleKind::Provided => "provided",
        RuleKind::User => "user",
        RuleKind::Fixed => "fixed",
        RuleKind::Tag => "tag",
        RuleKind::PrimaryGroup => "primarygroup",
        RuleKind::SecondaryGroup => "secondarygroup",
        RuleKind::ApplicationType => "applicationtype",
    }
}

fn rule_words(kind: RuleKind, value: &str, create: bool) -> String {
    let value = if kind == RuleKind::Tag { value } else { "" };
    let create = if create { "create" } else { "" };
    joined([[kind_name(kind), value].join(" ").trim_end().to_owned(), create.to_owned()])
}

impl Link {
    fn words(&self) -> String {
        rule_words(self.kind, &self.value, self.create)
    }
}

impl Step {
    fn words(&self) -> String {
        rule_words(self.kind, &self.value, self.create)
    }

    /// Why the step has no path, or none that counts.
    fn stop(&self) -> String {
        match self.end {
            StepEnd::NoInput => match self.kind {
                RuleKind::Provided => "no queue requested".to_owned(),
                RuleKind::User => "no user name".to_owned(),
                RuleKind::Fixed => "no value".to_owned(),
                RuleKind::Tag => format!("no tag {}", self.value),
                RuleKind::PrimaryGroup => "no group".to_owned(),
                RuleKind::SecondaryGroup => "no other group fits".to_owned(),
                RuleKind::ApplicationType => "no application type".to_owned(),
            },
            StepEnd::Filtered => filter_words(&self.filter),
            StepEnd::NoParent => "its parent rule gives none".to_owned(),
            StepEnd::Missing => "does not exist, create is off".to_owned(),
            StepEnd::IllegalName => "illegal name".to_owned(),
            StepEnd::Yields | StepEnd::ParentFailed | StepEnd::ParentIsLeaf => String::new(),
        }
    }
}

impl RuleTrace {
    fn head(&self) -> String {
        match (self.rule, self.steps.first()) {
            (RuleRef::Rule(number), Some(step)) => format!("{} {}", number + 1, step.words()),
            (rule, _) => rule.to_string(),
        }
    }

    /// Why the rule has no result: where the innermost step that ran stopped.
    fn no_result(&self) -> String {
        let Some(step) = self.steps.iter().find(|step| step.end != StepEnd::NoParent) else { return String::new() };
        let path = step.path.iter().map(|path| format!("{path} ")).collect::<String>();
        format!("{path}{}", step.stop())
    }
}

/// The lines of one rule: inputs from the outside in, then the paths from the inside out.
fn rule_lines(entry: &RuleTrace, lines: &mut Vec<Line>) {
    for (depth, step) in entry.steps.iter().enumerate() {
        let head = if depth == 0 { String::new() } else { format!("parent: {}", step.words()) };
        let mut line = Line { depth, head, subject: input_words(step), ..Line::default() };
        let stop = if step.path.is_none() { step.stop() } else { String::new() };
        let filter = if step.end == StepEnd::Filtered { String::new() } else { filter_words(&step.filter) };
        line.note = joined([filter, stop]);
        // A path that says no more than the input needs no line of its own.
        if step.qualified && line.note.is_empty() {
            (line.subject, line.note) = path_words(step);
        }
        lines.push(line);
    }
    for step in entry.steps.iter().rev().filter(|step| step.path.is_some()) {
        let (subject, note) = path_words(step);
        if !lines.iter().any(|line| line.subject == subject && line.note == note) {
            lines.push(Line { subject, note, ..Line::default() });
        }
    }
    if entry.steps.is_empty() {
        let subject = entry.path.as_ref().map(ToString::to_string).unwrap_or_default();
        let note = entry.queue.map(state_words).unwrap_or_default();
        lines.push(Line { subject, note, ..Line::default() });
    }
    if let Some(Asked { queue, grant }) = &entry.asked {
        let note = match grant {
            Some(grant) => format!("submit: allowed by {grant}"),
            None => format!("submit: not allowed by {queue} or above"),
        };
        lines.push(Line { note, ..Line::default() });
    }
    for path in &entry.create {
        let kind = if Some(path) == entry.create.last() { "leaf" } else { "parent" };
        lines.push(Line { subject: path.to_string(), note: format!("new dynamic {kind}"), ..Line::default() });
    }
}

fn input_words(step: &Step) -> String {
    match (&step.input, &step.replaced) {
        (Some(input), Some(replaced)) => format!("{input} = {replaced}"),
        (Some(input), None) => input.to_string(),
        (None, _) => String::new(),
    }
}

fn path_words(step: &Step) -> (String, String) {
    let path = step.path.as_ref().map(ToString::to_string).unwrap_or_default();
    let note = match (step.queue, step.end) {
        (_, StepEnd::Missing) => step.stop(),
        (Some(queue), _) => state_words(queue),
        (None, _) => "does not exist, create is on".to_owned(),
    };
    (path, note)
}

fn state_words(queue: QueueState) -> String {
    let words = [
        (true, if queue.leaf { "exists, leaf" } else { "exists, parent" }),
        (!queue.managed, "dynamic"),
        (queue.draining, "draining"),
    ];
    joined(words.into_iter().filter(|(said, _)| *said).map(|(_, word)| word.to_owned()))
}

fn filter_words(verdict: &FilterVerdict) -> String {
    match verdict {
        FilterVerdict::NotAsked | FilterVerdict::Open => String::new(),
        FilterVerdict::Closed => "filter denies everybody".to_owned(),
        FilterVerdict::Passes(Some(found)) => format!("filter allows {found}"),
        FilterVerdict::Passes(None) => "filter denies others only".to_owned(),
        FilterVerdict::Stops(Some(found)) => format!("filter denies {found}"),
        FilterVerdict::Stops(None) => "filter allows others only".to_owned(),
    }
}

fn next_words(next: &Next, entry: &RuleTrace) -> String {
    match next {
        Next::NoResult => String::new(),
        Next::IsParent => "is a parent, not a leaf".to_owned(),
        Next::NoAccess => "no submit access".to_owned(),
        Next::Draining(queue) if entry.path.as_ref() == Some(queue) => "takes no applications".to_owned(),
        Next::Draining(queue) => format!("takes no applications, {queue} is draining"),
        Next::RecoveryClosed => "is kept for recovery".to_owned(),
        Next::NotBelowRoot => "is not below root".to_owned(),
        Next::NotForced => "not forced".to_owned(),
        Next::NoFallback => format!("there is no {}", QueuePath::new(super::FALLBACK_QUEUE)),
    }
}

impl fmt::Display for Match {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.by {
            MatchedBy::User => write!(f, "the user (entry {})", self.entry),
            MatchedBy::Group(group) => write!(f, "group {group} (entry {})", self.entry),
        }
    }
}

impl fmt::Display for Grant {
    /// `root (*)`, `root.a (group dev, admin)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (", self.queue)?;
        match &self.by {
            GrantedBy::Everybody => f.write_str("*")?,
            GrantedBy::User => f.write_str("user")?,
            GrantedBy::Group(group) => write!(f, "group {group}")?,
        }
        f.write_str(if self.list == AclKind::Admin { ", admin)" } else { ")" })
    }
}

/// The parts that are not empty, with commas.
fn joined(parts: impl IntoIterator<Item = String>) -> String {
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Placed(placed) => write!(f, "{}", placed.path),
            Self::Refused(refused) => write!(f, "{}: {}", refused.refusal.code(), refused.refusal),
        }
    }
}
