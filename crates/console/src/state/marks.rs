//! Highlights of changed cells in the visible rows.

use std::time::Duration;

use rustc_hash::FxHashMap;

use model::{AppId, AskId, NodeId, QueuePath};

/// The duration of a highlight.
pub const MARKED: Duration = Duration::from_secs(1);

/// The object of a changed row.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is a row's identity")]
pub enum Marked {
    Queue(QueuePath),
    App(AppId),
    Ask(AppId, AskId),
    Node(NodeId),
}

/// The cells of a row that are tracked separately.
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

/// The end of each cell's highlight.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mark([Duration; 6]);

impl Mark {
    /// Whether a cell is highlighted at `now`.
    pub fn is_active(&self, facet: Facet, now: Duration) -> bool {
        self.0[facet as usize] > now
    }

    /// Whether any cell is highlighted.
    pub fn any(&self, now: Duration) -> bool {
        self.0.iter().any(|until| *until > now)
    }
}

/// The highlights of all rows.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    rows: FxHashMap<Marked, Mark>,
}

impl Marks {
    /// Highlights cells of a row from `now` on.
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

    /// The highlights of a row.
    pub fn of(&self, row: &Marked) -> Mark {
        self.rows.get(row).copied().unwrap_or_default()
    }

    /// Removes expired highlights. Returns whether any was removed.
    pub fn expire(&mut self, now: Duration) -> bool {
        let before = self.rows.len();
        self.rows.retain(|_, mark| mark.any(now));
        self.rows.len() != before
    }

    /// When the next highlight ends.
    pub fn next_end(&self, now: Duration) -> Option<Duration> {
        self.rows.values().flat_map(|mark| mark.0).filter(|until| *until > now).min()
    }

    /// Removes all highlights, for example for another partition.
    pub fn clear(&mut self) {
        self.rows.clear();
    }
}
