//! The text in place of a list before the first response: the state, and the next step.
//!
//! ```text
//!    No response yet: localhost:9080 refuses the connection.
//!    It is tried again by itself. Does a scheduler listen there? …
//! ```

use crate::draw::pen::Pen;
use crate::present::layout::Regions;
use crate::present::text;
use crate::present::unreached;
use crate::state::State;
use crate::theme::Role;

/// Draws duration, reason, and remedy.
pub fn draw(pen: &mut Pen<'_>, state: &State, regions: &Regions) {
    let space = usize::from(regions.rows.width.saturating_sub(5));
    let top = regions.head.y + 1 + (regions.rows.height / 3).min(4);
    let lines = unreached::lines(state);
    let lines = lines.iter().flat_map(|line| text::wrap(&text::escape(line), space));
    for (y, line) in (top..regions.bottom.y).zip(lines) {
        pen.text(regions.rows.x + 3, y, regions.rows.width.saturating_sub(4), &line, Role::Text);
    }
}
