//! Pages with a list, and its pane.

use ratatui::layout::Rect;

use crate::draw::heat;
use crate::draw::pen::Pen;
use crate::draw::table;
use crate::present::layout::Regions;
use crate::present::lists;
use crate::present::lists::nodes;
use crate::present::lists::queues;
use crate::present::subject::app_at;
use crate::present::text;
use crate::state::State;
use crate::state::page::{AppsPage, NodesPage, Page};
use crate::theme::Role;

/// Draws the page.
pub fn draw(pen: &mut Pen<'_>, state: &State, regions: &Regions) {
    let shown = lists::regions_of(state, regions);
    if let Page::Nodes(page) = state.page() {
        map(pen, state, page, regions);
    }
    if shown.rows.width == 0 {
        return;
    }
    let Some(list) = lists::table(state, shown.rows.width) else { return };
    table::draw(pen, &shown, &list);
    match state.page() {
        Page::Queues(_) if list.len > 0 => next_steps(pen, state, list.len, shown.rows),
        Page::Apps(page) => marks(pen, state, page, &shown),
        _ => {}
    }
}

fn map(pen: &mut Pen<'_>, state: &State, page: &NodesPage, regions: &Regions) {
    if let Some(area) = nodes::split(page, regions).1 {
        heat::draw(pen, state, page, area);
    }
}

fn next_steps(pen: &mut Pen<'_>, state: &State, len: usize, rows: Rect) {
    let space = usize::from(rows.width.saturating_sub(5));
    let lines = queues::next_steps(state).iter().flat_map(|line| text::wrap(line, space));
    let top = rows.y.saturating_add(u16::try_from(len + 1).unwrap_or(u16::MAX));
    for (y, line) in (top..rows.bottom()).zip(lines) {
        pen.text(rows.x + 3, y, rows.width.saturating_sub(4), &line, Role::Dim);
    }
}

fn marks(pen: &mut Pen<'_>, state: &State, page: &AppsPage, regions: &Regions) {
    let Some(part) = state.cluster.part().filter(|_| !page.marked.is_empty()) else { return };
    let rows = regions.rows;
    let visible = page.list.cursor.visible(page.list.rows.len(), usize::from(rows.height));
    for (y, index) in (rows.top()..rows.bottom()).zip(visible) {
        let row = page.list.rows.get(index).and_then(|line| app_at(part, line));
        if row.is_some_and(|row| page.marked.contains_key(&row.id)) {
            pen.text(rows.x, y, 1, pen.symbols().marked, Role::Accent);
        }
    }
}
