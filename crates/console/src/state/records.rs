//! The known part of the ledger: the audit, and the configurations that were active.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use config::diff::Line;
use source::Records;
use view::audit::Revision;

/// The ledger as far as someone examined it.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    /// What the source answered last; `None` until it was asked.
    pub latest: Option<Records>,
    /// Texts of revisions that were fetched, or why they cannot be fetched.
    texts: BTreeMap<u64, Result<Arc<str>, String>>,
    /// Texts that are on their way.
    asked: BTreeSet<u64>,
    /// The last comparison.
    pub compared: Option<Compared>,
    /// The comparison that is being made.
    pub comparing: Option<(u64, u64)>,
}

/// What is different between two revisions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    /// The numbers of the old one and the new one.
    pub of: (u64, u64),
    /// The lines of the tree diff, or why there are none.
    pub lines: Result<Vec<Line>, String>,
}

impl Ledger {
    /// How many texts are kept.
    const TEXTS: usize = 40;

    /// The generation of the last report; 0 before the first.
    pub fn generation(&self) -> u64 {
        self.latest.as_ref().map_or(0, |message| message.generation)
    }

    /// The configurations that were active, the newest first.
    pub fn revisions(&self) -> &[Arc<Revision>] {
        self.latest.as_ref().and_then(|message| message.revisions.as_deref().ok()).unwrap_or_default()
    }

    /// A configuration that was active.
    pub fn revision(&self, number: u64) -> Option<&Arc<Revision>> {
        self.revisions().iter().find(|revision| revision.number == number)
    }

    /// The text of a revision, or why it cannot be fetched; `None` while it is not there yet.
    pub fn text(&self, number: u64) -> Option<Result<&Arc<str>, &str>> {
        if let Some(text) = self.revision(number).and_then(|revision| revision.text.as_ref()) {
            return Some(Ok(text));
        }
        self.texts.get(&number).map(|text| text.as_ref().map_err(String::as_str))
    }

    /// Whether the text of a revision is to be fetched: it is not there, and was not on its way until now.
    pub fn begin_fetch(&mut self, number: u64) -> bool {
        self.text(number).is_none() && self.asked.insert(number)
    }

    /// Takes a text that was fetched.
    pub fn take_text(&mut self, number: u64, text: Result<Arc<str>, String>) {
        self.asked.remove(&number);
        if self.texts.len() >= Self::TEXTS {
            self.texts.pop_first();
        }
        self.texts.insert(number, text);
    }
}
