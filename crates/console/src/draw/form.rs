//! Pages with a form. [`crate::present::form`] has the positions.

use ratatui::layout::{Position, Rect};

use crate::draw::pen::Pen;
use crate::present::change;
use crate::present::form::{Entry, Fields, around};
use crate::present::pieces::{Lines, dim};
use crate::present::placement;
use crate::present::text;
use crate::state::State;
use crate::state::layer::Layer;
use crate::state::page::Page;
use crate::theme::{Role, Theme};

/// Draws the form and the text below it.
pub fn draw(pen: &mut Pen<'_>, state: &State, area: Rect) {
    let Some(shown) = fields_of(state, is_writing(state)) else { return };
    fields(&shown, pen, area);
    let below = shown.below(area);
    let Some((lines, top)) = content(state, usize::from(below.width)) else { return };
    pen.scrolled(below, &lines, top);
}

/// The position of the text cursor during editing.
pub fn cursor(state: &State, theme: &Theme, area: Rect) -> Option<Position> {
    let shown = fields_of(state, true).filter(|_| is_writing(state))?;
    cursor_in(&shown, area, theme.symbols.ellipsis)
}

fn is_writing(state: &State) -> bool {
    matches!(state.layers.last(), Some(Layer::Form))
}

fn fields_of(state: &State, writing: bool) -> Option<Fields<'_>> {
    match state.page() {
        Page::Change(page) => Some(change::fields(page, writing)),
        Page::Placement(page) => Some(placement::fields(page, writing)),
        _ => None,
    }
}

fn content(state: &State, width: usize) -> Option<(Lines, usize)> {
    match state.page() {
        Page::Change(page) => Some((change::content(page, width), page.top)),
        Page::Placement(page) => Some((placement::content(state, page, width), page.top)),
        _ => None,
    }
}

fn fields(fields: &Fields<'_>, pen: &mut Pen<'_>, area: Rect) {
    let label = fields.label();
    let shown = fields.places(area);
    let alone = shown.len() < fields.entries.len();
    for (at, rect) in shown {
        let here = at == fields.here;
        let entry = &fields.entries[at];
        if here {
            pen.text(rect.x, rect.y, 1, pen.symbols().bar, Role::SelectionBar);
        }
        pen.text(rect.x + 1, rect.y, label - 1, entry.label, if here { Role::Accent } else { Role::Dim });
        let (x, space) = (rect.x + 1 + label, fields.value_space(rect, alone));
        if entry.line.text().is_empty() && !(here && fields.writing) {
            pen.text(x, rect.y, space, entry.hint, Role::Ghost);
        } else if here && fields.writing {
            let (before, after) = around(entry.line, space, pen.symbols().ellipsis);
            let used = pen.text(x, rect.y, space, &before, Role::Strong);
            let used = used + pen.text(x + used, rect.y, space - used, &after, Role::Strong);
            if entry.line.is_fresh() {
                // Like selected text: the first input replaces it.
                pen.style(Rect { x, width: used, height: 1, ..rect }, Role::Selection);
            }
            let used = used + pen.text(x + used, rect.y, space - used, fields.suggestion, Role::Ghost);
            was(pen, entry, Rect { x: x + used + 1, width: space.saturating_sub(used + 1), ..rect });
        } else {
            let role = if entry.changed { Role::DiffChange } else { Role::Text };
            let used = pen.text(x, rect.y, space, entry.line.text(), role);
            was(pen, entry, Rect { x: x + used, width: space.saturating_sub(used), ..rect });
        }
        if alone {
            let place = format!("{} of {}", at + 1, fields.entries.len());
            pen.pieces_right(rect.x, rect.y, rect.width.saturating_sub(1), &[dim(place)]);
        }
    }
}

fn was(pen: &mut Pen<'_>, entry: &Entry<'_>, area: Rect) {
    if entry.changed && !entry.was.is_empty() {
        pen.text(area.x, area.y, area.width, &format!(" was {}", entry.was), Role::Dim);
    }
}

fn cursor_in(fields: &Fields<'_>, area: Rect, ellipsis: &str) -> Option<Position> {
    let shown = fields.places(area);
    let alone = shown.len() < fields.entries.len();
    let (at, rect) = shown.into_iter().find(|(at, _)| fields.writing && *at == fields.here)?;
    let (before, _) = around(fields.entries[at].line, fields.value_space(rect, alone), ellipsis);
    let x = rect.x + 1 + fields.label() + u16::try_from(text::width(&before)).unwrap_or(0);
    Some(Position { x: x.min(area.right().saturating_sub(1)), y: rect.y })
}
