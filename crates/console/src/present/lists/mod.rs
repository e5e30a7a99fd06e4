//! The lists: typed columns, and cells for the screen.
//!
//! Invariants: a list depends on the state and the width only; cells are computed on demand.

pub mod account;
pub mod alerts;
pub mod apps;
pub mod asks;
pub mod audit;
mod board_columns;
pub mod clusters;
pub mod events;
pub mod fairness;
pub mod limits_used;
pub mod node;
pub mod nodes;
pub mod queue_cells;
pub mod queue_values;
pub mod queues;
pub mod revisions;
pub mod shadow;
pub mod simulate;
pub mod usage;
pub mod users;

use ratatui::layout::Position;

use crate::present::layout;
use crate::present::layout::Regions;
use crate::present::page::Present;
use crate::present::table::Table;
use crate::present::unreached;
use crate::state::State;
use crate::state::page::{Page, each_page};

/// The list on the screen.
pub fn table(state: &State, width: u16) -> Option<Table<'_>> {
    each_page!(state.page(), page => page.table(state, width))
}

/// The regions without the node map.
pub fn regions_of(state: &State, regions: &Regions) -> Regions {
    match state.page() {
        Page::Nodes(page) => nodes::split(page, regions).0,
        _ => *regions,
    }
}

/// The column whose title is at a position.
pub fn column_at(state: &State, at: Position) -> Option<&'static str> {
    if unreached::is(state) {
        return None;
    }
    let regions = regions_of(state, &layout::regions(state)?);
    table(state, regions.rows.width).filter(|_| regions.rows.width > 0)?.column_at(regions.head, at)
}

/// Whether the rows are outdated.
pub fn is_awaited(state: &State) -> bool {
    state.page().list().is_some_and(|list| list.awaited())
}

/// The number of rows.
pub fn len(state: &State) -> usize {
    state.page().list().map_or(0, |list| list.rows())
}
