//! Marks of new changes, cell by cell, for the rows on the screen.

use std::time::Duration;

use rustc_hash::FxHashMap;

use model::{AppId, AskId, NodeId, QueuePath};

/// How long a change stays marked.
pub const MARKED: Duration = Duration::from_secs(1);

/// The thing whose row changed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is a row's identity")]
pub enum Marked {
    Queue(QueuePath),
    App(AppId),
    Ask(AppId, AskId),
    Node(NodeId),
}

/// The cells of a row that are distinguished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is a cell")]
pub enum Facet {
    State,
    Priority,
    Apps,
    Pending,
    Cpu,
    Memory,
}

/// Until when each cell of a row is marked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mark([Duration; 6]);

impl Mark {
    /// Whether a cell is marked at `now`.
    pub fn holds(&self, facet: Facet, now: Duration) -> bool {
        self.0[facet as usize] > now
    }

    /// Whether any cell is.
    pub fn any(&self, now: Duration) -> bool {
        self.0.iter().any(|until| *until > now)
    }
}

/// The marks of all rows.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    rows: FxHashMap<Marked, Mark>,
}

impl Marks {
    /// Marks cells of a row from `now` on.
    pub fn add(&mut self, row: Marked, facets: impl IntoIterator<Item = Facet>, now: Duration) {
        let mut facets = facets.into_iter().peekable();
        if facets.peek().is_none() {
            return;
        }
        let mark = self.rows.entry(row).or_default();
        for facet in facets {
            mark.0[facet as usize] = now + MARKED;
        }
    }

    /// The mark of a row; an empty one if nothing changed.
    pub fn of(&self, row: &Marked) -> Mark {
        self.rows.get(row).copied().unwrap_or_default()
    }

    /// Forgets what is no longer marked. Whether anything was forgotten.
    pub fn expire(&mut self, now: Duration) -> bool {
        let before = self.rows.len();
        self.rows.retain(|_, mark| mark.any(now));
        self.rows.len() != before
    }

    /// When the next mark ends.
    pub fn next_end(&self, now: Duration) -> Option<Duration> {
        self.rows.values().flat_map(|mark| mark.0).filter(|until| *until > now).min()
    }

    /// Forgets what changed, as when another partition is shown.
    pub fn clear(&mut self) {
        self.rows.clear();
    }
}
