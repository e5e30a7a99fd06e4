//! Records of placements: the way of each application to its queue, and the decisions of each rule.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::FxHasher;

use crate::index::Index;

use super::decide::Placement;
use super::rules::Rules;
use super::text::Line;
use super::trace::{RuleEnd, RuleRef};

/// A placement and its rules: enough to describe it at any time.
#[derive(Clone, Debug)]
pub struct Record {
    /// The rules at that time.
    pub rules: Arc<Rules>,
    /// The result of these rules.
    pub placement: Placement,
}

impl Record {
    /// The walk through the rules, line by line.
    pub fn lines(&self) -> Vec<Line> {
        self.placement.lines(&self.rules)
    }
}

/// Shares records of equal placements: most applications have the same few.
#[derive(Clone, Debug, Default)]
pub struct Records {
    recent: Index<u64, Arc<Record>>,
}

impl Records {
    const REMEMBERED: usize = 4096;

    /// Returns the shared record of a placement.
    pub fn keep(&mut self, rules: &Arc<Rules>, mut placement: Placement) -> Arc<Record> {
        let mut hasher = FxHasher::default();
        placement.hash(&mut hasher);
        let key = hasher.finish();
        if let Some(known) = self.recent.get(&key)
            && Arc::ptr_eq(&known.rules, rules)
            && known.placement == placement
        {
            return Arc::clone(known);
        }
        // Capacity was reserved for every rule; most are never reached.
        placement.trace.rules.shrink_to_fit();
        placement.trace.rules.iter_mut().for_each(|entry| entry.steps.shrink_to_fit());
        let record = Arc::new(Record { rules: Arc::clone(rules), placement });
        if self.recent.len() >= Self::REMEMBERED {
            self.recent = Index::default();
        }
        self.recent.insert(key, Arc::clone(&record));
        record
    }
}

/// The number of times each rule was reached and placed an application.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Hits {
    /// By rule of the list, followed by the recovery rule and the default queue of 1.8.
    pub rules: Vec<Hit>,
    /// Applications that the rules rejected.
    pub refused: u64,
}

/// The counts of one rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Hit {
    /// The number of runs.
    pub reached: u64,
    /// The number of placements.
    pub placed: u64,
}

impl Hits {
    /// Creates zero counts for `rules`.
    pub fn of(rules: &Rules) -> Self {
        Self { rules: vec![Hit::default(); rules.len() + 2], refused: 0 }
    }

    /// The counts of a rule.
    pub fn get(&self, rule: RuleRef) -> Hit {
        self.index(rule).and_then(|index| self.rules.get(index)).copied().unwrap_or_default()
    }

    /// Counts a placement, unless no rule ran.
    pub fn count(&mut self, placement: &Placement) {
        for entry in &placement.trace.rules {
            if let Some(hit) = self.index(entry.rule).and_then(|index| self.rules.get_mut(index)) {
                hit.reached += 1;
                hit.placed += u64::from(entry.end == RuleEnd::Placed);
            }
        }
        self.refused += u64::from(placement.placed().is_none() && !placement.trace.rules.is_empty());
    }

    fn index(&self, rule: RuleRef) -> Option<usize> {
        match rule {
            RuleRef::Rule(number) => Some(number),
            RuleRef::Recovery => self.rules.len().checked_sub(2),
            RuleRef::Fallback => self.rules.len().checked_sub(1),
        }
    }
}
