//! Rows, cursor, sort, and filter of a list.

use crate::state::column::{Column, Sort};
use crate::state::cursor::Cursor;
use model::Time;
use std::sync::Arc;
use std::time::Duration;

/// The rows, cursor, sort, and filter of a list.
#[derive(Clone, Debug)]
pub struct Listing<R, I, C> {
    /// Rows, shared with the threads that make or export lists.
    pub rows: Arc<Vec<R>>,
    /// Where one stands.
    pub cursor: Cursor<I>,
    /// By which column rows are sorted, and which way.
    pub sort: Sort<C>,
    /// The filter text; may be empty.
    pub filter: String,
    /// The filter is being typed: the cursor previews the match.
    pub seeking: bool,
    /// The number of rows without the filter.
    pub total: usize,
    /// Of each name column. Hidden rows count, so that columns do not move while the user types a filter.
    pub widest: [u16; 3],
    /// `None` if they must be rebuilt.
    pub built: Option<Stamp>,
    /// Newer rows are being made.
    pub awaited: bool,
    /// The scheduler's time when the rows were made, for ages.
    pub now: Time,
    /// The cursor stays at its index when the filtered rows arrive.
    pub adopts: bool,
}

/// The source of a list's rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The partition of the rows.
    pub partition: Arc<str>,
    /// The generation of the tree, the applications, or the view.
    pub generation: u64,
    /// `None` in the present.
    pub until: Option<Time>,
    /// The build time, on the console's clock.
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
            now: Time::ZERO,
            adopts: false,
        }
    }
}

impl<R, I, C: Column> Listing<R, I, C> {
    /// The number of rows that the filter hides.
    pub fn hidden(&self) -> usize {
        self.total.saturating_sub(self.rows.len())
    }

    /// The order or filter depends on changing values.
    pub fn live(&self) -> bool {
        self.sort.column.live() || self.filter.contains([':', '<', '>'])
    }
}

/// A list of any rows and columns.
pub trait List {
    /// Rows that pass the filter.
    fn rows(&self) -> usize;
    /// Rows without the filter.
    fn total(&self) -> usize;
    /// The row under the cursor.
    fn index(&self) -> usize;
    /// The first visible row.
    fn top(&self) -> usize;
    /// Makes the cursor visible in `height` rows.
    fn scroll(&mut self, height: usize);
    /// The filter text.
    fn filter(&self) -> &str;
    /// Sets the filter without rebuilding the rows.
    fn set_filter(&mut self, filter: &str);
    /// Sets whether the filter is being typed.
    fn set_seeking(&mut self, seeking: bool);
    /// Whether the cursor stays on the match when rows arrive.
    fn set_adopts(&mut self, adopts: bool);
    /// Whether newer rows are being made ([`Listing::awaited`]).
    fn awaited(&self) -> bool;
    /// Marks the rows as outdated.
    fn await_rows(&mut self);
    /// The source of the rows.
    fn built(&self) -> Option<&Stamp>;
    /// Sets the scheduler's time of the rows.
    fn set_now(&mut self, now: Time);
    /// Sets the source of the current rows.
    fn set_built(&mut self, stamp: Stamp);
    /// Whether the order depends on changing values ([`Listing::live`]).
    fn is_live(&self) -> bool;
    /// The sort column and direction.
    fn sort(&self) -> (&'static str, bool);
    /// Sets column and direction; ignores unknown names.
    fn set_sort(&mut self, name: &str, descending: bool);
    /// Drops the rows until the page is shown.
    fn forget_rows(&mut self);
    /// Sorts by the column `step` further.
    fn step_sort(&mut self, step: isize);
    /// Reverses the order.
    fn reverse_sort(&mut self);
    /// Sorts by name or prefix; the current column is reversed.
    ///
    /// # Errors
    /// Lists the known columns.
    fn sort_by(&mut self, name: &str) -> Result<(), String>;
    /// The column names.
    fn columns(&self) -> Vec<&'static str>;
}

impl<R, I: PartialEq, C: Column> List for Listing<R, I, C> {
    fn rows(&self) -> usize {
        self.rows.len()
    }

    fn total(&self) -> usize {
        self.total
    }

    fn index(&self) -> usize {
        self.cursor.index
    }

    fn top(&self) -> usize {
        self.cursor.top
    }

    fn scroll(&mut self, height: usize) {
        self.cursor.scroll(self.rows.len(), height);
    }

    fn filter(&self) -> &str {
        &self.filter
    }

    fn set_filter(&mut self, filter: &str) {
        filter.clone_into(&mut self.filter);
    }

    fn set_seeking(&mut self, seeking: bool) {
        self.seeking = seeking;
    }

    fn set_adopts(&mut self, adopts: bool) {
        self.adopts = adopts;
    }

    fn awaited(&self) -> bool {
        self.awaited
    }

    fn await_rows(&mut self) {
        self.awaited = true;
    }

    fn built(&self) -> Option<&Stamp> {
        self.built.as_ref()
    }

    fn set_now(&mut self, now: Time) {
        self.now = now;
    }

    fn set_built(&mut self, stamp: Stamp) {
        (self.built, self.awaited) = (Some(stamp), false);
    }

    fn is_live(&self) -> bool {
        self.live()
    }

    fn sort(&self) -> (&'static str, bool) {
        (self.sort.column.name(), self.sort.descending)
    }

    fn set_sort(&mut self, name: &str, descending: bool) {
        if let Some(column) = C::ALL.iter().find(|column| column.name() == name && column.sorts()) {
            self.sort = Sort { column: *column, descending };
        }
    }

    fn forget_rows(&mut self) {
        self.rows = Arc::default();
        self.built = None;
    }

    fn step_sort(&mut self, step: isize) {
        self.sort = self.sort.step(step);
    }

    fn reverse_sort(&mut self) {
        self.sort = self.sort.reversed();
    }

    fn sort_by(&mut self, name: &str) -> Result<(), String> {
        let named = C::ALL.iter().find(|column| column.name() == name);
        let Some(column) = named.or_else(|| C::ALL.iter().find(|column| column.name().starts_with(name))) else {
            return Err(format!("no column {name} here; available: {}", self.columns().join(", ")));
        };
        if !column.sorts() {
            return Err(format!("{} is a trend; lists cannot be sorted by it", column.name()));
        }
        self.sort = if self.sort.column == *column { self.sort.reversed() } else { Sort::by(*column) };
        Ok(())
    }

    fn columns(&self) -> Vec<&'static str> {
        C::ALL.iter().map(|column| column.name()).collect()
    }
}
