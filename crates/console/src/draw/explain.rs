//! The explain page. [`crate::present::explain`] has the content.

use ratatui::layout::Rect;

use crate::draw::pen::Pen;
use crate::present::explain;
use crate::state::State;
use crate::state::explain::ExplainPage;
use crate::theme::Role;

/// Draws the page.
pub fn draw(pen: &mut Pen<'_>, state: &State, page: &ExplainPage, area: Rect) {
    let inside = Rect { x: area.x + 2, width: area.width.saturating_sub(3), ..area };
    let rows = explain::rows(state, page, usize::from(inside.width));
    for (y, row) in (area.top()..area.bottom()).zip(rows.iter().skip(page.top)) {
        pen.pieces(inside.x, y, inside.width, &row.pieces);
        if row.of == Some(page.index) {
            pen.style(Rect { y, height: 1, ..area }, Role::Selection);
            pen.text(area.x, y, 1, pen.symbols().bar, Role::SelectionBar);
        }
    }
    pen.more_below(inside, rows.len(), page.top);
}
