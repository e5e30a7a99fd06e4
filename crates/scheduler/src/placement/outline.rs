//! The active rules as plain values, for programs that show them (`rest.md` section 5.6).

use std::sync::Arc;

use smallvec::SmallVec;

use super::filter::{Filter, Names};
use super::rules::{Link, Rules};
use super::words::kind_name;
use config::RuleKind;

/// An active rule with its chain of parents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleOutline {
    /// The name of the rule in a configuration.
    pub name: &'static str,
    /// The kind of the rule.
    pub kind: RuleKind,
    /// Whether it may create queues.
    pub create: bool,
    /// The queue of a fixed rule in lower case, or the name of a tag.
    pub value: Arc<str>,
    /// Whether the fixed queue is a whole path (PLC-021).
    pub qualified: bool,
    /// `None`: all users pass.
    pub filter: Option<FilterOutline>,
    /// The rule for the parent queue.
    pub parent: Option<Box<RuleOutline>>,
}

/// A filter as plain values (PLC-050 to PLC-053).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilterOutline {
    /// Whether matches are excluded.
    pub deny: bool,
    /// The filtered users.
    pub users: NamesOutline,
    /// The filtered groups.
    pub groups: NamesOutline,
}

/// The users or the groups of a filter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum NamesOutline {
    /// None were written.
    #[default]
    Absent,
    /// Exact names, sorted.
    List(Vec<Arc<str>>),
    /// A regular expression.
    Expression(Arc<str>),
}

impl Rules {
    /// The rules in their order, without the recovery rule ([`Rules::has_recovery`]).
    pub fn outlines(&self) -> Vec<RuleOutline> {
        self.list.iter().filter_map(|rule| outline(&rule.links)).collect()
    }

    /// Whether the recovery rule follows the list (PLC-003).
    pub fn has_recovery(&self) -> bool {
        self.recovery
    }
}

fn outline(links: &SmallVec<[Link; 1]>) -> Option<RuleOutline> {
    links.iter().rev().fold(None, |parent: Option<RuleOutline>, link| {
        Some(RuleOutline {
            name: kind_name(link.kind),
            kind: link.kind,
            create: link.create,
            value: Arc::clone(&link.value),
            qualified: link.qualified,
            filter: FilterOutline::of(&link.filter),
            parent: parent.map(Box::new),
        })
    })
}

impl FilterOutline {
    fn of(filter: &Filter) -> Option<Self> {
        let names = |names: &Names| match names {
            Names::Absent => NamesOutline::Absent,
            Names::List(names) => NamesOutline::List(names.to_vec()),
            Names::Expression(_, text) => NamesOutline::Expression(Arc::clone(text)),
        };
        let outline = Self { deny: filter.deny, users: names(&filter.users), groups: names(&filter.groups) };
        (!filter.is_empty() || filter.deny).then_some(outline)
    }
}
