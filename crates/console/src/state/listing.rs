//! A list on a page: its rows, its cursor, its sort and filter, and the source of the rows.

use crate::state::column::{Column, Sort};
use crate::state::cursor::Cursor;
use model::Time;
use std::sync::Arc;
use std::time::Duration;

/// What every list has: its rows in order, a cursor, a sort, a filter.
#[derive(Clone, Debug)]
pub struct Listing<R, I, C> {
    /// The rows in the order of the screen. Shared with the threads that make or write long ones next to the draw loop.
    pub rows: Arc<Vec<R>>,
    /// Where one stands.
    pub cursor: Cursor<I>,
    /// By which column rows are sorted, and which way.
    pub sort: Sort<C>,
    /// The filter as written; empty lets everything through.
    pub filter: String,
    /// The filter is being written: the cursor shows what it finds, and goes back if it is given up.
    pub seeking: bool,
    /// How many rows there would be without a filter.
    pub total: usize,
    /// The width of the longest text of each column of names, in the order of the screen. Rows that the filter hides count,
    /// so that columns stay where they are while it is written.
    pub widest: [u16; 3],
    /// What the rows were made from; `None` when they must be rebuilt.
    pub built: Option<Stamp>,
    /// The rows are not yet those of the order, filter and scope that the person chose last: these are being made.
    pub awaited: bool,
    /// The scheduler's time when the rows were made, for ages.
    pub now: Time,
    /// The filter was taken before its rows were there: the cursor stays on what they hold at its height.
    pub adopts: bool,
}

/// What the rows of a list were made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The name of the partition that the rows are of.
    pub partition: Arc<str>,
    /// The generation of the listed data: of the tree, of the applications, of the view.
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
            now: Time::ZERO,
            adopts: false,
        }
    }
}

impl<R, I, C: Column> Listing<R, I, C> {
    /// How many rows the filter hides.
    pub fn hidden(&self) -> usize {
        self.total.saturating_sub(self.rows.len())
    }

    /// Whether the order or the filter examines figures that change by themselves.
    pub fn live(&self) -> bool {
        self.sort.column.live() || self.filter.contains([':', '<', '>'])
    }
}

/// A list of any rows and columns.
pub trait List {
    /// How many rows pass the filter.
    fn rows(&self) -> usize;
    /// How many rows there would be without a filter.
    fn total(&self) -> usize;
    /// The row under the cursor.
    fn index(&self) -> usize;
    /// The first row on the screen.
    fn top(&self) -> usize;
    /// Scrolls so that the cursor is among `height` rows on the screen.
    fn scroll(&mut self, height: usize);
    /// The filter as written.
    fn filter(&self) -> &str;
    /// Sets the filter. The rows are not rebuilt here.
    fn set_filter(&mut self, filter: &str);
    /// Whether the filter is being written.
    fn set_seeking(&mut self, seeking: bool);
    /// Whether the cursor stays on what the filter finds when its rows are there.
    fn set_adopts(&mut self, adopts: bool);
    /// Whether other rows are being made ([`Listing::awaited`]).
    fn awaited(&self) -> bool;
    /// The rows are not those that the person chose last.
    fn await_rows(&mut self);
    /// What the rows were made from.
    fn built(&self) -> Option<&Stamp>;
    /// At this time of the scheduler the rows are made.
    fn set_now(&mut self, now: Time);
    /// The rows were made from this, and are awaited no more.
    fn set_built(&mut self, stamp: Stamp);
    /// Whether the order follows the figures as they change ([`Listing::live`]).
    fn is_live(&self) -> bool;
    /// The name of the column that it is sorted by, and whether the largest comes first.
    fn sort(&self) -> (&'static str, bool);
    /// Sorts by the column of a name in a direction; an unknown name changes nothing.
    fn set_sort(&mut self, name: &str, descending: bool);
    /// Drops the rows; they are made again when the page is shown.
    fn forget_rows(&mut self);
    /// Sorts by the column that is `step` further.
    fn step_sort(&mut self, step: isize);
    /// Turns the order round.
    fn reverse_sort(&mut self);
    /// Sorts by the column of a name or its start; turns round if it is that one already.
    ///
    /// # Errors
    /// There is no such column; names the known ones.
    fn sort_by(&mut self, name: &str) -> Result<(), String>;
    /// The names of its columns.
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
