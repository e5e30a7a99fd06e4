//! The second line: breadcrumbs at the left; sort, filter, and length of the list at the right.

use ratatui::layout::Rect;

use crate::draw::pen::Pen;
use crate::present::crumbs::crumbs;
use crate::present::format;
use crate::present::layout;
use crate::present::lists;
use crate::present::page::Present;
use crate::present::pieces;
use crate::present::pieces::{Piece, dim, plain};
use crate::present::text;
use crate::state::State;
use crate::state::page::{Page, each_page};
use crate::theme::Role;

/// Draws the second line.
pub fn draw(pen: &mut Pen<'_>, state: &State, area: Rect) {
    let crumbs = crumbs(state);
    let crumb_width: usize = crumbs.iter().map(|crumb| text::width(&text::escape(crumb)) + 3).sum();
    let space = usize::from(area.width).saturating_sub(2);
    let mut facts: Vec<Vec<Piece>> = each_page!(state.page(), page => page.facts(state, pen.symbols()));
    facts.extend(hidden(state));
    let mut right: Vec<Piece> = Vec::new();
    for fact in facts.into_iter().rev() {
        let wide = pieces::width(&fact) + 3;
        if pieces::width(&right) + wide + crumb_width.min(space * 2 / 5) > space {
            break;
        }
        if !right.is_empty() {
            right.insert(0, plain("   "));
        }
        right.splice(0..0, fact);
    }
    let right_width = u16::try_from(pieces::width(&right)).unwrap_or(0);
    pen.pieces_right(area.right().saturating_sub(right_width + 1), area.y, right_width, &right);
    let left = area.width.saturating_sub(right_width + 4);
    trail(pen, Rect { x: area.x + 1, width: left, ..area }, &crumbs);
}

fn hidden(state: &State) -> Option<Vec<Piece>> {
    let regions = lists::regions_of(state, &layout::regions(state)?);
    if regions.rows.width == 0 {
        return None;
    }
    let hidden = lists::table(state, regions.rows.width)?.hidden;
    let words = match (hidden, state.wide) {
        (0, _) => return None,
        (hidden, true) => format!("> {}", format::count(hidden as u64, "more column")),
        (hidden, false) => format::count(hidden as u64, "more column"),
    };
    Some(vec![dim(words)])
}

/// The last crumb, then the end of the one before, or all if they fit.
fn trail(pen: &mut Pen<'_>, area: Rect, crumbs: &[String]) {
    let wide = |crumb: &String| text::width(&text::escape(crumb));
    let space = usize::from(area.width);
    let all: usize = crumbs.iter().map(|crumb| wide(crumb) + 3).sum();
    let last = crumbs.last().map_or(0, wide);
    let rest = space.saturating_sub(last + 3);
    let from = match crumbs.len() {
        len if all <= space + 3 || len < 2 => 0,
        len if rest >= 8 => len - 2,
        len => len - 1,
    };
    let shown = &crumbs[from..];
    let mut x = area.x;
    for (at, crumb) in shown.iter().enumerate() {
        if at > 0 {
            x += pen.pieces(x, area.y, 3, &[plain(" "), dim(pen.symbols().crumb), plain(" ")]);
        }
        let here = at + 1 == shown.len();
        let most =
            if here || all <= space + 3 { area.right().saturating_sub(x) } else { u16::try_from(rest).unwrap_or(0) };
        x += pen.path(x, area.y, most, crumb, if here { Role::Title } else { Role::Dim });
    }
}
