//! Details as a page or as a pane. [`crate::present::details`] has the content.

use ratatui::layout::Rect;

use crate::draw::pen::Pen;
use crate::present::details::side_text;
use crate::present::details::{Sheet, column_width, in_one, in_two, sheet};
use crate::present::layout::Pane;
use crate::present::subject;
use crate::state::State;
use crate::state::page::{DetailsPage, Page};
use crate::theme::Role;

/// Draws the page of details.
pub fn draw_page(pen: &mut Pen<'_>, state: &State, page: &DetailsPage, area: Rect) {
    let area = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    let sheet = sheet(state, &page.subject, usize::from(column_width(&page.subject, area.width)));
    if !in_two(&page.subject, area.width) {
        pen.scrolled(area, &in_one(sheet, usize::from(area.width)), page.top);
        return;
    }
    let lines = 1 + sheet.left.len().max(sheet.right.len());
    two_columns(pen, sheet, area, page.top);
    pen.more_below(area, lines, page.top);
}

/// Draws the pane.
pub fn draw_pane(pen: &mut Pen<'_>, state: &State, pane: Pane) {
    if pane.side_pane {
        pen.wall(pane.border);
    } else {
        pen.line(pane.border.x, pane.border.y, pane.border.width);
    }
    let area = pane.area;
    let Some(subject) = subject::of(state) else {
        pen.text(area.x, area.y, area.width, "no row selected", Role::Dim);
        return;
    };
    let sheet = sheet(state, &subject, usize::from(column_width(&subject, area.width)));
    let space = usize::from(area.height);
    let lines = if in_two(&subject, area.width) {
        let lines = 1 + sheet.left.len().max(sheet.right.len());
        two_columns(pen, sheet, area, 0);
        lines
    } else {
        let mut lines = in_one(sheet, usize::from(area.width));
        if lines.len() > space {
            lines.retain(|line| !line.is_empty());
        } else if pane.side_pane && !matches!(state.page(), Page::App(_) | Page::Node(_) | Page::Account(_)) {
            lines.extend(side_text::lines(state, &subject, usize::from(area.width), space - lines.len()));
        }
        pen.lines(area, &lines, 0);
        lines.len()
    };
    if lines > space {
        let more = format!(" i: {} more ", lines - space);
        let wide = u16::try_from(more.len()).unwrap_or(0);
        let (x, y) =
            if pane.side_pane { (area.right(), area.bottom() - 1) } else { (pane.border.right(), pane.border.y) };
        pen.over(x.saturating_sub(wide + 1), y, wide, &more, Role::HintKey);
    }
}

pub(super) fn two_columns(pen: &mut Pen<'_>, sheet: Sheet, area: Rect, top: usize) {
    if top == 0 {
        let used = pen.pieces(area.x, area.y, area.width, &sheet.title) + 3;
        pen.pieces(area.x + used, area.y, area.width.saturating_sub(used), &sheet.what);
    }
    let column = (area.width - 3) / 2;
    let gone = u16::from(top == 0);
    let below = Rect { y: area.y + gone, height: area.height.saturating_sub(gone), width: column, ..area };
    pen.lines(below, &sheet.left, top.saturating_sub(1));
    pen.lines(Rect { x: area.right() - column, ..below }, &sheet.right, top.saturating_sub(1));
}
