//! The layout of the configuration page.

use ratatui::layout::Rect;

pub use crate::present::config_state::{is_behind, is_unfolded, page_of};
use crate::present::layout;
use crate::present::text;
use crate::state::State;
use crate::state::config::ConfigPage;
use config::Fault;

/// The parts of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// The numbered lines.
    pub text: Rect,
    /// The error messages below; may be empty.
    pub faults: Rect,
    /// Line numbers with bar and fold symbol.
    pub gutter: u16,
}

/// Splits the area of the page.
pub fn parts(page: &ConfigPage, area: Rect) -> Parts {
    let tall = if page.checked.faults.is_empty() || area.height < 6 { 0 } else { 2 };
    let digits = page.buffer.lines().len().to_string().len();
    let gutter = u16::try_from(digits.max(3)).unwrap_or(3) + 3;
    Parts {
        text: Rect { height: area.height - tall, ..area },
        faults: Rect { y: area.bottom() - tall, height: tall, ..area },
        gutter,
    }
}

/// Keeps the cursor visible: first line, hidden columns.
pub fn scrolled(state: &State, page: &ConfigPage) -> (usize, usize) {
    let Some(regions) = layout::regions(state) else { return (page.top, page.left) };
    let Parts { text: area, gutter, .. } = parts(page, regions.rows);
    let height = usize::from(area.height.max(1));
    let (row, _) = page.buffer.cursor();
    let folds = &page.buffer.folds;
    let mut top = folds.hiding(page.top).unwrap_or(page.top).min(row);
    let first = std::iter::successors(Some(row), |row| folds.previous(*row)).take(height).last().unwrap_or(row);
    top = top.max(first);
    let wide = usize::from(area.width.saturating_sub(gutter + 1)).max(1);
    let column = text::width(&text::escape(page.buffer.before()));
    let left = match column {
        column if column < page.left => column.saturating_sub(wide / 3),
        column if column >= page.left + wide => column + wide / 3 + 1 - wide,
        _ => page.left,
    };
    (top, left)
}

/// The line and column of an error, from 0.
pub fn place_of(fault: &Fault) -> (usize, usize) {
    let from_zero = |number: u32| usize::try_from(number.saturating_sub(1)).unwrap_or(usize::MAX);
    (from_zero(fault.at.line), from_zero(fault.at.column))
}
