//! A list: titles, visible rows, cursor bar, scroll thumb. [`crate::present::table`] has the content.
//!
//! ```text
//!   QUEUE                  STATE    PRI  …      titles
//! ▌ etl                    ●          5  …   *  bar, cells, changed just now
//!   adhoc                  ●          0  …   ┃  the thumb is in the last column
//! ```

use std::ops::Range;

use ratatui::layout::Rect;

use crate::draw::pen::Pen;
use crate::present::layout::Regions;
use crate::present::table::Table;
use crate::present::text;
use crate::theme::Role;

/// Draws the titles and the visible rows.
pub fn draw(pen: &mut Pen<'_>, regions: &Regions, table: &Table<'_>) {
    let Regions { head, rows, .. } = *regions;
    titles(pen, head, table);
    let visible = table.visible(usize::from(rows.height));
    for (y, index) in (rows.top()..rows.bottom()).zip(visible.clone()) {
        for run in table.row(pen.symbols(), index, rows.x) {
            pen.text(run.x, y, run.max, &run.text, run.role);
        }
        if index == table.cursor {
            pen.style(Rect { y, height: 1, ..rows }, Role::Selection);
            pen.text(rows.x, y, 1, pen.symbols().bar, Role::SelectionBar);
        }
    }
    thumb(pen, rows, visible, table.len);
    if !table.empty.is_empty() {
        empty(pen, regions, &table.empty);
    }
}

fn titles(pen: &mut Pen<'_>, head: Rect, table: &Table<'_>) {
    for (column, slot) in table.slots(head.x) {
        let (title, role) = match column.sorted.symbol {
            Some(symbol) => {
                let word = column.title.trim_end();
                let rest = (column.title.len() - word.len()).saturating_sub(1);
                (format!("{word}{symbol}{}", " ".repeat(rest)), Role::Accent)
            }
            None => (column.title.to_owned(), Role::Dim),
        };
        let wide = u16::try_from(text::width(&title)).unwrap_or(u16::MAX);
        let at = if slot.right { slot.x + slot.width.saturating_sub(wide) } else { slot.x };
        pen.text(at, head.y, slot.width, &title, role);
    }
}

fn thumb(pen: &mut Pen<'_>, rows: Rect, visible: Range<usize>, len: usize) {
    let height = usize::from(rows.height);
    if len <= height || height == 0 {
        return;
    }
    let size = (height * height / len).max(1);
    let at = visible.start * (height - size) / (len - height);
    for y in at..(at + size).min(height) {
        let y = rows.y + u16::try_from(y).unwrap_or(0);
        pen.text(rows.right() - 1, y, 1, pen.symbols().scroll, Role::Border);
    }
}

fn empty(pen: &mut Pen<'_>, regions: &Regions, lines: &[String]) {
    let rows = regions.rows;
    let top = rows.y + (rows.height / 3).min(4);
    for (y, line) in (top..rows.bottom()).zip(lines) {
        pen.text(rows.x + 3, y, rows.width.saturating_sub(4), line, Role::Dim);
    }
}
