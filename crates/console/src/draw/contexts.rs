//! Draws the contexts page. [`crate::present::contexts`] has the content.

use ratatui::layout::Rect;

use crate::draw::pen::Pen;
use crate::present::contexts;
use crate::present::contexts::TITLES;
use crate::state::State;
use crate::state::contexts::ContextsPage;
use crate::theme::Role;

/// Draws the contexts and their details.
pub fn draw(pen: &mut Pen<'_>, state: &State, page: &ContextsPage, area: Rect) {
    let inside = Rect { x: area.x + 2, width: area.width.saturating_sub(3), ..area };
    let below = u16::try_from(contexts::below(state, page.index)).unwrap_or(area.height).min(area.height);
    let list = Rect { height: area.height - below, ..inside };
    let rows = contexts::rows(state, usize::from(inside.width));
    for (y, (at, row)) in (list.top()..list.bottom()).zip(rows.iter().enumerate().skip(page.top)) {
        pen.pieces(inside.x, y, inside.width, row);
        if at == page.index + TITLES {
            pen.style(Rect { y, height: 1, ..area }, Role::Selection);
            pen.text(area.x, y, 1, pen.symbols().bar, Role::SelectionBar);
        }
    }
    pen.more_below(list, rows.len(), page.top);
    let sheet = contexts::sheet(state, page.index, usize::from(inside.width));
    if sheet.is_empty() {
        return;
    }
    pen.line(area.x + 1, list.bottom(), area.width.saturating_sub(2));
    pen.lines(Rect { y: list.bottom() + 1, height: below.saturating_sub(1), ..inside }, &sheet, 0);
}
