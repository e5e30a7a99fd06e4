//! A list as columns: titles, visible rows, cursor bar, change marks, scroll thumb.

use ratatui::layout::{Position, Rect};

use crate::present::pieces;
use crate::present::pieces::{Piece, Slot};
use crate::present::text;
use crate::state::column::{Column, Sort};
use crate::state::cursor::Cursor;
use crate::theme::{Role, Symbols};

/// A screen column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Col<C> {
    /// What it shows.
    pub what: C,
    /// The title; it fits the width.
    pub title: &'static str,
    /// How wide it is.
    pub width: u16,
    /// Right-aligned, for numbers.
    pub right: bool,
    /// Blank columns before it.
    pub gap: u16,
    /// The maximum width if space remains.
    pub most: u16,
    /// A bar or mark of another column's value.
    pub bar: bool,
}

impl<C> Col<C> {
    /// Allows the column to grow.
    pub fn up_to(self, most: u16) -> Self {
        Self { most: most.max(self.width), ..self }
    }

    /// Marks the column as a bar.
    pub fn as_bar(self) -> Self {
        Self { bar: true, ..self }
    }

    pub(super) fn has_text(&self) -> bool {
        !self.bar && !self.title.is_empty()
    }
}

/// A left-aligned column.
pub const fn left<C>(what: C, title: &'static str, width: u16) -> Col<C> {
    Col { what, title, width, right: false, gap: 1, most: width, bar: false }
}

/// A right-aligned column.
pub const fn right<C>(what: C, title: &'static str, width: u16) -> Col<C> {
    Col { what, title, width, right: true, gap: 1, most: width, bar: false }
}

/// The width of columns with gaps.
pub fn total<C>(columns: &[Col<C>]) -> u16 {
    columns.iter().map(|column| column.width + column.gap).sum()
}

/// The visible columns of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen<C> {
    /// The columns from the left.
    pub columns: Vec<Col<C>>,
    /// The number of columns that do not fit.
    pub hidden: usize,
}

/// The sort state of a column title.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Title {
    /// The name of its sort column.
    pub by: Option<&'static str>,
    /// The direction symbol, if it is the sort column.
    pub symbol: Option<&'static str>,
}

/// The sort state of a title.
pub fn title<C: Column>(symbols: &Symbols, sort: Sort<C>, column: Option<C>) -> Title {
    let symbol = if sort.descending { symbols.descending } else { symbols.ascending };
    Title { by: column.map(C::name), symbol: (column == Some(sort.column)).then_some(symbol) }
}

/// A text in a cell, cut to fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The first column.
    pub x: u16,
    /// The maximum width.
    pub max: u16,
    /// The text, escaped and cut.
    pub text: String,
    /// The role; the theme maps it to a color.
    pub role: Role,
}

/// Collects the texts of a row.
#[derive(Debug)]
pub struct Writer {
    symbols: &'static Symbols,
    runs: Vec<Run>,
}

impl Writer {
    /// An empty row.
    pub fn new(symbols: &'static Symbols) -> Self {
        Self { symbols, runs: Vec::new() }
    }

    /// The collected texts.
    pub fn runs(self) -> Vec<Run> {
        self.runs
    }

    /// The signs in use.
    pub fn symbols(&self) -> &'static Symbols {
        self.symbols
    }

    fn raw(&mut self, x: u16, max: u16, text: String, role: Role) -> u16 {
        let used = u16::try_from(text::width(&text)).unwrap_or(u16::MAX).min(max);
        self.runs.push(Run { x, max, text, role });
        used
    }

    /// Writes text, cut at the end. Returns its width.
    pub fn text(&mut self, x: u16, max: u16, text: &str, role: Role) -> u16 {
        let cut = text::cut(&text::escape(text), usize::from(max), self.symbols.ellipsis).into_owned();
        self.raw(x, max, cut, role)
    }

    /// Writes a path, cut at the start.
    pub fn path(&mut self, x: u16, max: u16, text: &str, role: Role) -> u16 {
        let cut = text::cut_start(&text::escape(text), usize::from(max), self.symbols.ellipsis).into_owned();
        self.raw(x, max, cut, role)
    }

    /// Writes a name, cut in the middle.
    pub fn name(&mut self, x: u16, max: u16, text: &str, role: Role) -> u16 {
        let cut = text::cut_name(&text::escape(text), usize::from(max), self.symbols.ellipsis).into_owned();
        self.raw(x, max, cut, role)
    }

    /// Writes pieces one after the other.
    pub fn pieces(&mut self, x: u16, max: u16, pieces: &[Piece]) {
        let mut used = 0;
        for piece in pieces {
            if used >= max {
                break;
            }
            used += self.text(x + used, max - used, &piece.text, piece.role);
        }
    }

    /// Writes pieces into a cell with its alignment.
    pub fn cell(&mut self, slot: Slot, pieces: &[Piece]) {
        let wide = u16::try_from(pieces::width(pieces)).unwrap_or(u16::MAX).min(slot.width);
        let free = if slot.right { slot.width - wide } else { 0 };
        self.pieces(slot.x + free, slot.width - free, pieces);
    }
}

/// A visible column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heading {
    /// The heading as it is on the screen.
    pub title: &'static str,
    /// The sort state.
    pub sorted: Title,
    /// Blank columns before it.
    pub gap: u16,
    /// How wide it is.
    pub width: u16,
    /// Right-aligned, for numbers.
    pub right: bool,
}

type Repeats<'a> = Box<dyn Fn(usize, usize) -> bool + 'a>;

type WriteCell<'a> = Box<dyn Fn(&mut Writer, usize, usize, Slot) + 'a>;

/// A list for drawing: its columns and cells.
pub struct Table<'a> {
    /// The columns, from the left.
    pub columns: Vec<Heading>,
    /// The number of rows.
    pub len: usize,
    /// The row under the cursor.
    pub cursor: usize,
    /// The first visible row.
    pub top: usize,
    /// The text for an empty list.
    pub empty: Vec<String>,
    /// The number of columns that do not fit.
    pub hidden: usize,
    cell: WriteCell<'a>,
    repeats: Option<Repeats<'a>>,
}

impl std::fmt::Debug for Table<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Table").field("columns", &self.columns).field("len", &self.len).finish_non_exhaustive()
    }
}

/// `titled`: the sort column of a title; `cell` writes one cell, regardless of the selection.
pub fn new<'a, C: Copy + 'a, I: PartialEq>(
    Chosen { columns, hidden }: Chosen<C>,
    (cursor, len): (&Cursor<I>, usize),
    titled: impl Fn(C) -> Title,
    cell: impl Fn(&mut Writer, usize, C, Slot) + 'a,
) -> Table<'a> {
    let heading = |column: &Col<C>| Heading {
        title: column.title,
        sorted: titled(column.what),
        gap: column.gap,
        width: column.width,
        right: column.right,
    };
    Table {
        columns: columns.iter().map(heading).collect(),
        len,
        cursor: cursor.index,
        top: cursor.top,
        empty: Vec::new(),
        hidden,
        repeats: None,
        cell: Box::new(move |writer, row, column, slot| {
            if let Some(column) = columns.get(column) {
                cell(writer, row, column.what, slot);
            }
        }),
    }
}

impl<'a> Table<'a> {
    /// Sets the text for an empty list.
    #[must_use]
    pub fn or_reported(self, empty: Vec<String>) -> Self {
        Self { empty, ..self }
    }

    /// Shortens cells that repeat the row before.
    #[must_use]
    pub fn with_repeats(self, repeats: impl Fn(usize, usize) -> bool + 'a) -> Self {
        Self { repeats: Some(Box::new(repeats)), ..self }
    }

    /// The visible rows.
    pub fn visible(&self, height: usize) -> std::ops::Range<usize> {
        let top = self.top.min(self.len);
        top..(top + height).min(self.len)
    }

    /// The columns in a line that starts at `x`.
    pub fn slots(&self, x: u16) -> impl Iterator<Item = (&Heading, Slot)> {
        let mut x = x + 1;
        self.columns.iter().map(move |column| {
            let slot = Slot { x: x + column.gap, width: column.width, right: column.right };
            x = slot.x + column.width;
            (column, slot)
        })
    }

    /// The texts of a row in a line that starts at `x`.
    pub fn row(&self, symbols: &'static Symbols, row: usize, x: u16) -> Vec<Run> {
        let mut writer = Writer::new(symbols);
        let first = row == self.top || row == self.cursor;
        for (number, (_, slot)) in self.slots(x).enumerate() {
            match &self.repeats {
                Some(repeats) if !first && repeats(row, number) => {
                    writer.text(slot.x, slot.width, "as above", Role::Dim);
                }
                _ => (self.cell)(&mut writer, row, number, slot),
            }
        }
        writer.runs()
    }

    /// The name of the column at a position of the titles.
    pub fn column_at(&self, head: Rect, at: Position) -> Option<&'static str> {
        let here = |(_, slot): &(&Heading, Slot)| Rect { x: slot.x, width: slot.width, ..head }.contains(at);
        // Several match only if one has no width.
        self.slots(head.x).filter(|(column, _)| column.sorted.by.is_some()).find(here)?.0.sorted.by
    }
}
