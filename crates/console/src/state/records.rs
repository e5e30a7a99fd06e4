//! The loaded audit and revisions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use config::diff::Line;
use source::Records;
use view::audit::Revision;

/// The loaded part of the audit and the revisions.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    /// The last answer of the source.
    pub latest: Option<Records>,
    texts: BTreeMap<u64, Result<Arc<str>, String>>,
    asked: BTreeSet<u64>,
    /// The last comparison.
    pub compared: Option<Compared>,
    /// The running comparison.
    pub comparing: Option<(u64, u64)>,
}

/// The differences of two revisions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    /// The numbers of the old and the new revision.
    pub of: (u64, u64),
    /// The tree diff, or why it failed.
    pub lines: Result<Vec<Line>, String>,
}

impl Ledger {
    const TEXTS: usize = 40;

    /// 0 before the first report.
    pub fn generation(&self) -> u64 {
        self.latest.as_ref().map_or(0, |message| message.generation)
    }

    /// The revisions, the newest first.
    pub fn revisions(&self) -> &[Arc<Revision>] {
        self.latest.as_ref().and_then(|message| message.revisions.as_deref().ok()).unwrap_or_default()
    }

    /// A revision by number.
    pub fn revision(&self, number: u64) -> Option<&Arc<Revision>> {
        self.revisions().iter().find(|revision| revision.number == number)
    }

    /// `None` until fetched.
    pub fn text(&self, number: u64) -> Option<Result<&Arc<str>, &str>> {
        if let Some(text) = self.revision(number).and_then(|revision| revision.text.as_ref()) {
            return Some(Ok(text));
        }
        self.texts.get(&number).map(|text| text.as_ref().map_err(String::as_str))
    }

    /// Returns whether to fetch it.
    pub fn start_fetch(&mut self, number: u64) -> bool {
        self.text(number).is_none() && self.asked.insert(number)
    }

    /// Stores a fetched text.
    pub fn take_text(&mut self, number: u64, text: Result<Arc<str>, String>) {
        self.asked.remove(&number);
        if self.texts.len() >= Self::TEXTS {
            self.texts.pop_first();
        }
        self.texts.insert(number, text);
    }
}
