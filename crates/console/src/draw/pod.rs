//! The pod page. [`crate::present::pod`] has the content.

use ratatui::layout::Rect;

use crate::draw::pen::Pen;
use crate::present::pod;
use crate::state::State;
use crate::state::pod::PodPage;

/// Draws the visible lines.
pub fn draw(pen: &mut Pen<'_>, state: &State, page: &PodPage, area: Rect) {
    let area = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    pen.lines(area, &pod::visible(state, page, usize::from(area.height)), 0);
    pen.more_below(area, pod::height(state, page), page.top);
}
