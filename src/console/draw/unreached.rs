//! What stands in the place of a list while nothing is known of the scheduler: what is, and what to do next.
//!
//! ```text
//!    No answer yet: localhost:9080 refuses the connection.
//!    It is tried again by itself. Does a scheduler listen there? …
//! ```

use super::super::theme::Role;
use super::pen::Pen;
use crate::console::present::layout::Regions;
use crate::console::present::text;
use crate::console::state::State;
use crate::source::Link;

/// Whether nothing came yet from a scheduler that has to be asked.
pub fn is(state: &State) -> bool {
    state.cluster.part().is_none() && !state.cluster.link.is_live()
}

/// Draws it.
pub fn draw(pen: &mut Pen<'_>, state: &State, regions: &Regions) {
    let again =
        "It is tried again by itself. Does a scheduler listen there, is the address right, is a proxy in between?";
    let leave = ":context looks at another one, :info says which this is, q leaves.";
    let lines: Vec<String> = match &state.cluster.link {
        Link::Connecting { cause: None, .. } => vec!["The first answer is awaited.".to_owned(), leave.to_owned()],
        Link::Connecting { cause: Some(cause), .. } | Link::Stale { cause, .. } => {
            vec![format!("No answer yet: {cause}."), again.to_owned(), leave.to_owned()]
        }
        Link::Refused { why, .. } => {
            let token = "--token-file FILE, or KORNSOLE_TOKEN, names a token; `kornsole token new` makes one there.";
            vec![format!("It does not let this console in: {why}."), token.to_owned(), leave.to_owned()]
        }
        Link::Live { .. } => return,
    };
    let room = usize::from(regions.rows.width.saturating_sub(5));
    let top = regions.head.y + 1 + (regions.rows.height / 3).min(4);
    let lines = lines.iter().flat_map(|line| text::wrap(&text::escape(line), room));
    for (y, line) in (top..regions.bottom.y).zip(lines) {
        pen.text(regions.rows.x + 3, y, regions.rows.width.saturating_sub(4), &line, Role::Text);
    }
}
