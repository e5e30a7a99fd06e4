//! The line under the header in a what-if, in words too, so also without colors.

use ratatui::layout::Rect;

use crate::draw::pen::Pen;
use crate::present::text;
use crate::present::trial;
use crate::state::State;
use crate::theme::Role;

/// Draws the line unless the past is shown.
pub fn draw(pen: &mut Pen<'_>, state: &State, area: Rect) {
    let Some(status) = &state.cluster.trial else { return };
    if area.height == 0 || state.cluster.past.shown.is_some() {
        return;
    }
    let other = if status.changed_side { "without" } else { "with" };
    let keys = format!("}} time  {{ {other}  tab both sides  :apply  esc leaves ");
    let width = usize::from(area.width);
    let space = width.saturating_sub(if width >= 100 { keys.len() + 2 } else { 0 });
    let mut line =
        text::cut(&text::escape(&format!(" WHAT IF, {}", trial::words(status))), space, pen.symbols().ellipsis)
            .into_owned();
    let gap = width.saturating_sub(text::width(&line));
    line.push_str(&" ".repeat(gap.saturating_sub(keys.len())));
    line.push_str(if gap > keys.len() { &keys } else { "" });
    let left = width.saturating_sub(text::width(&line));
    line.push_str(&" ".repeat(left));
    pen.text(area.x, area.y, area.width, &line, Role::BadgeWhatIf);
}
