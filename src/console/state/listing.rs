//! A list on a page: its rows, its cursor, its sort and filter, and what the rows were made from.

use crate::console::state::column::{Column, Sort};
use crate::console::state::cursor::Cursor;
use crate::model::Time;
use std::sync::Arc;
use std::time::Duration;

/// What every list has: its rows in order, a cursor, a sort, a filter.
#[derive(Clone, Debug)]
pub struct Listing<R, I, C> {
    /// The rows in the order of the screen. Shared with the threads that make or write long ones beside the draw loop.
    pub rows: Arc<Vec<R>>,
    /// Where one stands.
    pub cursor: Cursor<I>,
    /// The order.
    pub sort: Sort<C>,
    /// The filter as written; empty lets everything through.
    pub filter: String,
    /// The filter is being written: the cursor shows what it finds, and goes back if it is given up.
    pub seeking: bool,
    /// How many rows there would be without a filter.
    pub total: usize,
    /// The columns that the longest text of each column of names needs, in the order of the screen; whatever the filter hides
    /// counts, so that columns stay where they are while it is written.
    pub widest: [u16; 3],
    /// What the rows were made from; `None` when they must be rebuilt.
    pub built: Option<Stamp>,
    /// The rows are not yet those of the order, filter and scope that the person chose last: these are being made.
    pub awaited: bool,
    /// The filter was taken before its rows were there: the cursor stays on what they hold at its height.
    pub adopts: bool,
}

/// What the rows of a list were made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The partition.
    pub partition: Arc<str>,
    /// The generation of what the list shows: of the tree, of the applications, of the view.
    pub generation: u64,
    /// The moment of the past that was shown; `None` in the present.
    pub until: Option<Time>,
    /// When, on the console's clock.
    pub at: Duration,
}

impl<R, I, C: Column + Default> Default for Listing<R, I, C> {
    fn default() -> Self {
        Self {
            rows: Arc::default(),
            cursor: Cursor::default(),
            sort: Sort::default(),
            filter: String::new(),
            seeking: false,
            total: 0,
            widest: [0; 3],
            built: None,
            awaited: false,
            adopts: false,
        }
    }
}

impl<R, I, C: Column> Listing<R, I, C> {
    /// How many rows the filter hides.
    pub fn hidden(&self) -> usize {
        self.total.saturating_sub(self.rows.len())
    }

    /// Whether the order or the filter looks at figures that change by themselves.
    pub fn live(&self) -> bool {
        self.sort.column.live()
    }
}
