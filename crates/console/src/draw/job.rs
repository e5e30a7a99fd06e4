//! The page of a local job. [`crate::present::job`] has the content.

use ratatui::layout::Rect;

use crate::draw::details::two_columns;
use crate::draw::pen::Pen;
use crate::present::job;
use crate::state::State;
use crate::state::job::JobPage;
use crate::theme::Role;

/// Draws sheet and output.
pub fn draw(pen: &mut Pen<'_>, state: &State, page: &JobPage, area: Rect) {
    let parts = job::parts(state, page, area);
    let width = parts.sheet.width;
    let sheet = job::sheet(state, page, usize::from(job::column(width)));
    if job::in_two(width) {
        let lines = 1 + sheet.left.len().max(sheet.right.len());
        two_columns(pen, sheet, parts.sheet, 0);
        pen.more_below(parts.sheet, lines, 0);
    } else {
        let lines = job::in_one(sheet);
        pen.lines(parts.sheet, &lines, 0);
        pen.more_below(parts.sheet, lines.len(), 0);
    }
    if parts.rule.height > 0 {
        pen.line(parts.rule.x, parts.rule.y, parts.rule.width);
        let title = format!(" {} ", job::output_title(state, page));
        pen.over(parts.rule.x + 2, parts.rule.y, parts.rule.width.saturating_sub(4), &title, Role::Dim);
    }
    let shown = state.job.output.from(page.top);
    for (y, line) in (parts.output.top()..parts.output.bottom()).zip(shown) {
        pen.text(parts.output.x, y, parts.output.width, line, Role::Text);
    }
    pen.more_below(parts.output, state.job.output.len(), page.top);
}
