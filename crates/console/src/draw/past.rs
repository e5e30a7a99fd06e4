//! The line under the header in the past, in words and reversed, so also without colors.

use ratatui::layout::Rect;

use crate::draw::pen::Pen;
use crate::present::format;
use crate::present::text;
use crate::state::State;
use crate::theme::Role;

/// Draws the line; empty in the present.
pub fn draw(pen: &mut Pen<'_>, state: &State, area: Rect) {
    let Some(shown) = state.cluster.past.shown.as_ref().filter(|_| area.height > 0) else { return };
    let ago = format::duration(state.cluster.past.live.since(shown.at));
    let before = if shown.before.is_empty() { String::new() } else { format!(", just before: {}", shown.before) };
    let message = format!(" THE PAST, at {}, {ago} ago{before}", format::when(shown.at, state.cluster.past.live));
    let keys = "[ ] step   :live returns ";
    let width = usize::from(area.width);
    let space = width.saturating_sub(if width >= 100 { keys.len() + 2 } else { 0 });
    let message = text::cut(&text::escape(&message), space, pen.symbols().ellipsis).into_owned();
    let mut line = message;
    let gap = width.saturating_sub(text::width(&line));
    if gap > keys.len() {
        line.push_str(&" ".repeat(gap - keys.len()));
        line.push_str(keys);
    } else {
        line.push_str(&" ".repeat(gap));
    }
    pen.text(area.x, area.y, area.width, &line, Role::BadgeFrozen);
}
