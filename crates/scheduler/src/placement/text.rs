//! Placements as text: the reason of a rejection, and the walk line by line.

use super::access::{AclKind, Grant, GrantedBy};
use super::decide::{Placement, PlacementOutcome};
use super::filter::{FilterVerdict, Match, MatchedBy};
use super::refusal::Refusal;
use super::rules::{RuleFault, RuleFaultKind, Rules};
use super::trace::{AccessCheck, LinkEnd, LinkTrace, RuleEnd, RuleRef, RuleTrace, SkipReason, Trace};
use super::words::{
    created_words, filter_words, input_words, joined, kind_name, line_words, next_words, path_words, refused_words,
    rule_words, state_words,
};
use model::QueuePath;
use std::fmt;

/// One line of a walk, in columns. The texts are not escaped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// 0 for a rule, 1 for its parent, and so on.
    pub depth: usize,
    /// The rule, on its first line.
    pub head: String,
    /// The input or the path of the line.
    pub subject: String,
    /// What was found.
    pub note: String,
    /// The result of the rule, on the line of its path or on its last.
    pub mark: Mark,
}

/// The result of a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mark {
    /// No result yet.
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
    /// The reason of a rejection, with the step at which each rule failed (section 8).
    pub fn reason(&self) -> Option<Reason<'_>> {
        self.refused().map(|refused| Reason { refusal: &refused.refusal, trace: &self.trace })
    }

    /// The walk through `rules`, which must be those of the placement.
    pub fn lines(&self, rules: &Rules) -> Vec<Line> {
        let mut lines = Vec::new();
        let behind = rules.list.len() + 1;
        for entry in &self.trace.rules {
            let mut own = rule_lines(entry);
            own[0].head = match entry.rule {
                RuleRef::Rule(number) => format!("{} {}", number + 1, entry.words()),
                RuleRef::Recovery => format!("{behind} recovery"),
                RuleRef::Fallback => format!("{} default queue", behind + 1),
            };
            let (mark, words) = match &entry.end {
                RuleEnd::Placed => (Mark::Placed, String::new()),
                RuleEnd::Next(next) => (Mark::Next, line_words(next, entry)),
                RuleEnd::Refused => {
                    (Mark::Rejected, self.refused().map(|r| refused_words(&r.refusal)).unwrap_or_default())
                }
            };
            let path = entry.path.as_ref().map(ToString::to_string);
            let at = own.iter().rposition(|line| Some(&line.subject) == path.as_ref()).unwrap_or(own.len() - 1);
            own[at].mark = mark;
            own[at].note = joined([std::mem::take(&mut own[at].note), words]);
            lines.append(&mut own);
        }
        let reached = self.trace.rules.len();
        let not_reached = |head, subject| Line { head, subject, mark: Mark::NotReached, ..Line::default() };
        let rest = rules.list.iter().enumerate().skip(reached).filter_map(|(number, rule)| {
            let link = rule.links.first()?;
            let subject = if link.kind.value_is_queue() { link.value.to_string() } else { String::new() };
            Some(not_reached(format!("{} {}", number + 1, rule_words(link.kind, &link.value, link.create)), subject))
        });
        let recovery = || not_reached(format!("{behind} recovery"), String::new());
        lines.extend(rest.chain((rules.recovery && reached < behind).then(recovery)));
        lines
    }
}

impl RuleTrace {
    /// The result of the rule in one line, without its number and name.
    pub fn message(&self, placement: &Placement) -> String {
        let path = self.path.as_ref().map(|path| format!("{path}: ")).unwrap_or_default();
        match &self.end {
            RuleEnd::Placed if self.create.is_empty() => format!("{path}placed"),
            RuleEnd::Placed => {
                let new: Vec<&str> = self.create.iter().map(QueuePath::as_str).collect();
                format!("{path}placed, creates {}", new.join(", "))
            }
            RuleEnd::Next(next) => format!("{path}{}", next_words(next, self)),
            RuleEnd::Refused => placement.refused().map(|refused| refused.refusal.to_string()).unwrap_or_default(),
        }
    }

    /// The name of the rule with its settings: `user, create`, `tag ns`.
    pub fn name(&self) -> String {
        match self.rule {
            RuleRef::Rule(_) => self.words(),
            RuleRef::Recovery => "recovery".to_owned(),
            RuleRef::Fallback => "default queue".to_owned(),
        }
    }
}

impl LinkTrace {
    /// The result of a rule of a chain in one line.
    pub fn message(&self) -> String {
        let path = self.path.as_ref().map(|path| format!("{path}: ")).unwrap_or_default();
        let words = match self.end {
            LinkEnd::Yields => self.queue.map_or_else(|| "does not exist, create is on".to_owned(), state_words),
            LinkEnd::ParentFailed => "its parent rule fails".to_owned(),
            LinkEnd::ParentIsLeaf => "its parent rule selects a leaf".to_owned(),
            LinkEnd::IllegalName => format!("{:?} is not a valid name", self.name()),
            _ => self.stop(),
        };
        format!("{path}{words}")
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
        let skipped = self.trace.rules.iter().filter_map(|entry| match &entry.end {
            RuleEnd::Next(SkipReason::NotForced) => None,
            RuleEnd::Next(next) => Some((entry, next)),
            RuleEnd::Placed | RuleEnd::Refused => None,
        });
        for (number, (entry, next)) in skipped.enumerate() {
            f.write_str(if number == 0 { ": " } else { "; " })?;
            match entry.rule {
                RuleRef::Rule(number) => write!(f, "rule {} ({})", number + 1, entry.words())?,
                rule => write!(f, "{rule}")?,
            }
            match &entry.path {
                Some(path) => write!(f, " {path}: {}", next_words(next, entry))?,
                None => write!(f, ": {}", next_words(next, entry))?,
            }
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
                write!(f, "{path:?} cannot be a queue: {part:?} is not a valid name")
            }
            Self::CreateDenied { path, ancestor } => {
                write!(f, "{path} cannot be created: no submit access to {ancestor}")
            }
            Self::NoUser => f.write_str("no user name given"),
            Self::UnknownUser { user, reason } => write!(f, "the groups of user {user:?} are unknown: {reason}"),
            Self::IllegalUser { user } => write!(f, "{user:?} is not a valid user name"),
            Self::UnknownPartition { partition } => write!(f, "partition {partition:?} not found"),
            Self::PartitionStopped { partition } => write!(f, "partition {partition:?} accepts no applications"),
            Self::DuplicateId { app } => write!(f, "application {app:?} already exists"),
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
                write!(f, ": unknown rule {:?}; valid rules: provided, user, fixed, tag", kind_name(*kind))
            }
            RuleFaultKind::NoValue(kind) => write!(f, ": {} needs a value", kind_name(*kind)),
            RuleFaultKind::QualifiedWithParent(value) => {
                write!(f, ": {value:?} is a full path, so a parent rule cannot apply")
            }
            RuleFaultKind::IllegalPart(part) => write!(f, ": {part:?} is not a valid queue name"),
            RuleFaultKind::Expression(entry, fault) => write!(f, ": the filter {entry:?} does not compile: {fault}"),
        }
    }
}

impl std::error::Error for RuleFault {}

/// Inputs from the rule to its last parent, then the paths in the opposite order.
fn rule_lines(entry: &RuleTrace) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for (depth, step) in entry.steps.iter().enumerate() {
        let head = if depth == 0 { String::new() } else { format!("parent: {}", step.words()) };
        let mut line = Line { depth, head, subject: input_words(step), ..Line::default() };
        let stop = if step.path.is_none() { step.stop() } else { String::new() };
        let filter = if step.end == LinkEnd::Filtered { String::new() } else { filter_words(&step.filter) };
        let entry_words = match &step.filter {
            FilterVerdict::Passes(Some(found)) | FilterVerdict::Stops(Some(found)) => format!("entry {}", found.entry),
            _ => String::new(),
        };
        line.note = joined([filter, stop, entry_words]);
        if step.qualified && line.note.is_empty() {
            (line.subject, line.note) = path_words(step, entry);
        }
        lines.push(line);
    }
    for path in entry.create.iter().filter(|path| entry.steps.iter().all(|step| step.path.as_ref() != Some(path))) {
        lines.push(Line { subject: path.to_string(), note: created_words(path, entry), ..Line::default() });
    }
    for step in entry.steps.iter().rev().filter(|step| step.path.is_some()) {
        let (subject, note) = path_words(step, entry);
        if !lines.iter().any(|line| line.subject == subject && line.note == note) {
            lines.push(Line { subject, note, ..Line::default() });
        }
    }
    if lines.is_empty() {
        let subject = entry.path.as_ref().map(ToString::to_string).unwrap_or_default();
        let note = entry.queue.map(state_words).unwrap_or_default();
        lines.push(Line { subject, note, ..Line::default() });
    }
    if let Some(AccessCheck { queue, grant }) = &entry.asked {
        let note = match grant {
            Some(grant) => format!("submit: allowed by {grant}"),
            None => format!("submit: not allowed by {queue} or its parents"),
        };
        lines.push(Line { note, ..Line::default() });
    }
    lines
}

impl fmt::Display for Match {
    /// Without the entry, which may contain other names.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.by {
            MatchedBy::User => f.write_str("the user"),
            MatchedBy::Group(group) => write!(f, "group {group}"),
        }
    }
}

impl fmt::Display for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (", self.queue)?;
        match &self.by {
            GrantedBy::AllUsers => f.write_str("*")?,
            GrantedBy::User => f.write_str("user")?,
            GrantedBy::Group(group) => write!(f, "group {group}")?,
        }
        f.write_str(if self.list == AclKind::Admin { ", admin)" } else { ")" })
    }
}

impl fmt::Display for PlacementOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Placed(placed) => write!(f, "{}", placed.path),
            Self::Refused(refused) => write!(f, "{}: {}", refused.refusal.code(), refused.refusal),
        }
    }
}
