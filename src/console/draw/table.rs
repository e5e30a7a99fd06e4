//! A list as columns: titles, visible rows, the cursor's bar, a mark for rows that changed, a thumb when there is more.
//!
//! ```text
//!   QUEUE                  STATE    PRI  …      titles
//! ▌ etl                    ●          5  …   *  bar, cells, changed just now
//!   adhoc                  ●          0  …   ┃  the thumb stands in the last column
//! ```

use std::ops::Range;

use ratatui::layout::Rect;

use super::super::theme::Role;
use super::pen::{Pen, Slot};
use crate::console::present::layout::Regions;
use crate::console::state::column::{Column, Sort};
use crate::console::state::cursor::Cursor;

/// A column on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Col<C> {
    /// What it shows.
    pub what: C,
    /// Its title.
    pub title: &'static str,
    /// How wide it is.
    pub width: u16,
    /// Figures stand at the right.
    pub right: bool,
    /// Free columns before it.
    pub gap: u16,
    /// How wide it may become where there is room left.
    pub most: u16,
}

impl<C> Col<C> {
    /// The column with leave to grow.
    pub fn up_to(self, most: u16) -> Self {
        Self { most: most.max(self.width), ..self }
    }
}

/// A column with text at its left.
pub const fn left<C>(what: C, title: &'static str, width: u16) -> Col<C> {
    Col { what, title, width, right: false, gap: 1, most: width }
}

/// A column with figures at its right.
pub const fn right<C>(what: C, title: &'static str, width: u16) -> Col<C> {
    Col { what, title, width, right: true, gap: 1, most: width }
}

/// The width of columns with the gaps between them.
pub fn total<C>(columns: &[Col<C>]) -> u16 {
    columns.iter().map(|column| column.width + column.gap).sum()
}

/// How much room a list has for its first column, the names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Names {
    /// What the longest name needs.
    pub want: u16,
    /// What they need at least before other columns have to go.
    pub least: u16,
}

impl Names {
    /// Names of which the longest has `widest` columns, under a title; they may take a quarter of `width`, or `least` if that is more.
    pub fn new<C>(widest: u16, title: &Col<C>, width: u16, least: u16) -> Self {
        // The sign of the sort stands behind the title.
        let sorted = u16::try_from(title.title.len()).unwrap_or(0) + 1;
        let want = widest.max(sorted);
        Self { want, least: want.min(least.max(width / 4)) }
    }
}

/// Gives the first column what its names need, if the others leave that much of `width`, the two columns at the edges taken off. What
/// is left over goes to columns that may grow, evenly.
fn fit<C>(mut columns: Vec<Col<C>>, width: u16, names: Names) -> Vec<Col<C>> {
    let others = total(&columns) - columns.first().map_or(0, |first| first.width + first.gap);
    let room = width.saturating_sub(others + 2);
    let Some(first) = columns.first_mut() else { return columns };
    (first.gap, first.width) = (0, room.min(names.want));
    let mut spare = room - first.width;
    loop {
        let mut growing: Vec<&mut Col<C>> =
            columns.iter_mut().skip(1).filter(|column| column.width < column.most).collect();
        let step = u16::try_from(growing.len()).unwrap_or(u16::MAX);
        if step == 0 || step > spare {
            return columns;
        }
        growing.iter_mut().for_each(|column| column.width += 1);
        spare -= step;
    }
}

/// The first plan that leaves the names what they need at least; else the last plan.
pub fn choose<C>(plans: impl IntoIterator<Item = Vec<Col<C>>>, width: u16, widest: u16, least: u16) -> Vec<Col<C>> {
    let mut last = Vec::new();
    for plan in plans {
        let Some(first) = plan.first() else { continue };
        let names = Names::new(widest, first, width, least);
        last = fit(plan, width, names);
        if last.first().is_some_and(|first| first.width >= names.least) {
            break;
        }
    }
    last
}

/// What is to be told about the title of a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Title {
    /// The name of the column that lists are sorted by, for which it stands.
    pub by: Option<&'static str>,
    /// The direction, when the list is sorted by it.
    pub sign: Option<&'static str>,
}

/// The title of a column of the list that is sorted by `column`.
pub fn title<C: Column>(pen: &Pen<'_>, sort: Sort<C>, column: Option<C>) -> Title {
    let sign = if sort.descending { pen.signs().descending } else { pen.signs().ascending };
    Title { by: column.map(C::name), sign: (column == Some(sort.column)).then_some(sign) }
}

/// Draws the titles and the visible rows. `titled` tells what the title of a column stands for; `cell` writes one cell and says
/// nothing of the row's selection.
pub fn draw<C: Copy, I: PartialEq>(
    pen: &mut Pen<'_>,
    regions: &Regions,
    columns: &[Col<C>],
    (cursor, len): (&Cursor<I>, usize),
    titled: impl Fn(&Pen<'_>, C) -> Title,
    mut cell: impl FnMut(&mut Pen<'_>, usize, C, Slot),
) {
    let Regions { head, rows, .. } = *regions;
    titles(pen, head, columns, titled);
    let visible = cursor.visible(len, usize::from(rows.height));
    for (y, index) in (rows.top()..rows.bottom()).zip(visible.clone()) {
        let mut x = rows.x + 1;
        for (number, column) in columns.iter().enumerate() {
            x += column.gap;
            let slot = Slot { x, y, width: column.width, right: column.right };
            cell(pen, index, column.what, slot);
            pen.record(index, number, column.title, slot);
            x += column.width;
        }
        if index == cursor.index {
            pen.style(Rect { y, height: 1, ..rows }, Role::Selection);
            pen.text(rows.x, y, 1, pen.signs().bar, Role::SelectionBar);
        }
    }
    thumb(pen, rows, visible, len);
}

fn titles<C: Copy>(pen: &mut Pen<'_>, head: Rect, columns: &[Col<C>], titled: impl Fn(&Pen<'_>, C) -> Title) {
    let mut x = head.x + 1;
    for column in columns {
        x += column.gap;
        let told = titled(pen, column.what);
        if let Some(by) = told.by {
            pen.tag(Rect { x, width: column.width, ..head }, by);
        }
        match told.sign {
            Some(sign) => {
                let word = column.title.trim_end();
                let rest = (column.title.len() - word.len()).saturating_sub(1);
                let title = format!("{word}{sign}{}", " ".repeat(rest));
                let wide = u16::try_from(crate::console::present::text::width(&title)).unwrap_or(u16::MAX);
                let at = if column.right { x + column.width.saturating_sub(wide) } else { x };
                pen.text(at, head.y, column.width, &title, Role::Accent);
            }
            None => {
                let wide = u16::try_from(column.title.len()).unwrap_or(u16::MAX);
                let at = if column.right { x + column.width.saturating_sub(wide) } else { x };
                pen.text(at, head.y, column.width, column.title, Role::Dim);
            }
        }
        x += column.width;
    }
}

/// The part of a long list that is on the screen, at its right edge.
fn thumb(pen: &mut Pen<'_>, rows: Rect, visible: Range<usize>, len: usize) {
    let height = usize::from(rows.height);
    if len <= height || height == 0 {
        return;
    }
    let size = (height * height / len).max(1);
    let at = visible.start * (height - size) / (len - height);
    for y in at..(at + size).min(height) {
        let y = rows.y + u16::try_from(y).unwrap_or(0);
        pen.text(rows.right() - 1, y, 1, pen.signs().scroll, Role::Border);
    }
}

/// What a list says instead of rows.
pub fn empty(pen: &mut Pen<'_>, regions: &Regions, lines: &[String]) {
    let rows = regions.rows;
    let top = rows.y + (rows.height / 3).min(4);
    for (y, line) in (top..rows.bottom()).zip(lines) {
        pen.text(rows.x + 3, y, rows.width.saturating_sub(4), line, Role::Dim);
    }
}
