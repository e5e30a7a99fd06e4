//! Marks: important events on a chart.

use std::sync::Arc;

use super::codec::{put, put_text, take, take_text};
use crate::record::{ChangeDetail, ChangeType, ObjectType, Record};
use model::{QueueState, Time};

/// The kind of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MarkKind {
    /// A configuration became active, was rejected, or was restored.
    Configuration,
    /// Allocations were preempted.
    Preemption,
    /// A queue started to drain.
    Drain,
    /// A node was added, removed, or changed its schedulable state.
    Node,
    /// The clock jumped back.
    Clock,
}

impl MarkKind {
    const ALL: [Self; 5] = [Self::Configuration, Self::Preemption, Self::Drain, Self::Node, Self::Clock];

    /// The letter on a chart.
    pub const fn letter(self) -> char {
        match self {
            Self::Configuration => 'c',
            Self::Preemption => 'p',
            Self::Drain => 'd',
            Self::Node => 'n',
            Self::Clock => 't',
        }
    }

    /// The word in the legend.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Configuration => "configuration",
            Self::Preemption => "preemption",
            Self::Drain => "drain",
            Self::Node => "node",
            Self::Clock => "clock",
        }
    }
}

/// An important event on a chart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The cluster time.
    pub at: Time,
    /// What it is about.
    pub kind: MarkKind,
    /// The event in words; the first of several.
    pub text: Arc<str>,
    /// The number of events of this kind in the same minute.
    pub count: u64,
}

impl Mark {
    /// The mark of an event, if it is important.
    pub fn of(record: &Record) -> Option<Self> {
        let (object, first) = (&record.object, record.message.lines().next().unwrap_or_default());
        let (kind, text) = match record.detail {
            ChangeDetail::CONFIG_LOADED => (MarkKind::Configuration, "configuration loaded".to_owned()),
            ChangeDetail::CONFIG_REFUSED => (MarkKind::Configuration, format!("configuration rejected: {first}")),
            ChangeDetail::CONFIG_ROLLED_BACK => (MarkKind::Configuration, "configuration rolled back".to_owned()),
            ChangeDetail::ALLOC_PREEMPT if record.kind == ObjectType::APP => {
                (MarkKind::Preemption, format!("{object} was preempted"))
            }
            ChangeDetail::QUEUE_STATE if first.ends_with(&format!("to {}", QueueState::Draining)) => {
                (MarkKind::Drain, format!("{object} drains"))
            }
            ChangeDetail::NODE_DECOMMISSION if record.change == ChangeType::REMOVE => {
                (MarkKind::Node, format!("node {object} is missing"))
            }
            ChangeDetail::NODE_SCHEDULABLE if first.ends_with("false") => {
                (MarkKind::Node, format!("node {object} is unschedulable"))
            }
            ChangeDetail::NODE_SCHEDULABLE if first.ends_with("true") => {
                (MarkKind::Node, format!("node {object} is schedulable again"))
            }
            ChangeDetail::NODE_SCHEDULABLE => (MarkKind::Node, format!("node {object}: schedulable or unschedulable")),
            ChangeDetail::NONE if record.kind == ObjectType::NODE && record.change == ChangeType::ADD => {
                (MarkKind::Node, format!("node {object} was added"))
            }
            _ => return None,
        };
        Some(Self { at: record.at, kind, text: Arc::from(text), count: 1 })
    }

    /// The text with the count.
    pub fn words(&self) -> String {
        match self.count {
            0 | 1 => self.text.to_string(),
            more => format!("{} and {} more of {}", self.text, more - 1, self.kind.word()),
        }
    }

    pub(super) fn write(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let kind = Self::kind_number(self.kind);
        put(&mut out, self.at.0);
        put(&mut out, kind as u64);
        put(&mut out, self.count);
        put_text(&mut out, &self.text);
        out
    }

    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let mut from = bytes;
        let at = Time(take(&mut from)?);
        let kind = *MarkKind::ALL.get(usize::try_from(take(&mut from)?).ok()?)?;
        let count = take(&mut from)?;
        Some(Self { at, kind, count, text: Arc::from(take_text(&mut from)?) })
    }

    fn kind_number(kind: MarkKind) -> usize {
        MarkKind::ALL.iter().position(|own| *own == kind).unwrap_or_default()
    }
}
