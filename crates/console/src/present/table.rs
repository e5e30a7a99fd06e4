//! A list as columns: titles, visible rows, the cursor's bar, a mark for rows that changed, a thumb when there is more.
//!
//! ```text
//!   QUEUE                  STATE    PRI  …      titles
//! ▌ etl                    ●          5  …   *  bar, cells, changed just now
//!   adhoc                  ●          0  …   ┃  the thumb is in the last column
//! ```

use ratatui::layout::{Position, Rect};

use crate::present::pieces;
use crate::present::pieces::{Piece, Slot};
use crate::present::text;
use crate::state::column::{Column, Sort};
use crate::state::cursor::Cursor;
use crate::theme::{Role, Signs};

/// A column on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Col<C> {
    /// What it shows.
    pub what: C,
    /// The heading over it, short enough for its width.
    pub title: &'static str,
    /// How wide it is.
    pub width: u16,
    /// Figures are at the right.
    pub right: bool,
    /// Free columns before it.
    pub gap: u16,
    /// How wide it may become where there is room left.
    pub most: u16,
    /// It is a bar or a mark, whose figure another column has.
    pub bar: bool,
}

impl<C> Col<C> {
    /// The column with leave to grow.
    pub fn up_to(self, most: u16) -> Self {
        Self { most: most.max(self.width), ..self }
    }

    /// The column as a bar: its figure is in another one.
    pub fn as_bar(self) -> Self {
        Self { bar: true, ..self }
    }

    /// Whether it says something that no other column says.
    pub(super) fn says_something(&self) -> bool {
        !self.bar && !self.title.is_empty()
    }
}

/// A column with text at its left.
pub const fn left<C>(what: C, title: &'static str, width: u16) -> Col<C> {
    Col { what, title, width, right: false, gap: 1, most: width, bar: false }
}

/// A column with figures at its right.
pub const fn right<C>(what: C, title: &'static str, width: u16) -> Col<C> {
    Col { what, title, width, right: true, gap: 1, most: width, bar: false }
}

/// The width of columns with the gaps between them.
pub fn total<C>(columns: &[Col<C>]) -> u16 {
    columns.iter().map(|column| column.width + column.gap).sum()
}

/// The columns of a list on the screen, and how many others there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen<C> {
    /// From the left.
    pub columns: Vec<Col<C>>,
    /// How many columns there is no room for.
    pub hidden: usize,
}

/// What is to be reported about the title of a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Title {
    /// The name of the column that lists are sorted by, for which it stands.
    pub by: Option<&'static str>,
    /// The direction, when the list is sorted by it.
    pub sign: Option<&'static str>,
}

/// The title of a column of the list that is sorted by `column`.
pub fn title<C: Column>(signs: &Signs, sort: Sort<C>, column: Option<C>) -> Title {
    let sign = if sort.descending { signs.descending } else { signs.ascending };
    Title { by: column.map(C::name), sign: (column == Some(sort.column)).then_some(sign) }
}

/// A text in a cell: where it starts, cut to the room that it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The first column.
    pub x: u16,
    /// The columns that it may take.
    pub max: u16,
    /// The text, escaped and cut.
    pub text: String,
    /// What it means; the theme makes a color of it.
    pub role: Role,
}

/// Takes what the cells of a row say.
#[derive(Debug)]
pub struct Writer {
    signs: &'static Signs,
    runs: Vec<Run>,
}

impl Writer {
    /// An empty row.
    pub fn new(signs: &'static Signs) -> Self {
        Self { signs, runs: Vec::new() }
    }

    /// What was written.
    pub fn runs(self) -> Vec<Run> {
        self.runs
    }

    /// The signs in use.
    pub fn signs(&self) -> &'static Signs {
        self.signs
    }

    fn raw(&mut self, x: u16, max: u16, text: String, role: Role) -> u16 {
        let used = u16::try_from(text::width(&text)).unwrap_or(u16::MAX).min(max);
        self.runs.push(Run { x, max, text, role });
        used
    }

    /// Writes text, its end cut. Returns the columns used.
    pub fn text(&mut self, x: u16, max: u16, text: &str, role: Role) -> u16 {
        let cut = text::cut(&text::escape(text), usize::from(max), self.signs.ellipsis).into_owned();
        self.raw(x, max, cut, role)
    }

    /// The same for paths: the end is kept.
    pub fn path(&mut self, x: u16, max: u16, text: &str, role: Role) -> u16 {
        let cut = text::cut_start(&text::escape(text), usize::from(max), self.signs.ellipsis).into_owned();
        self.raw(x, max, cut, role)
    }

    /// The same for names: start and end are kept.
    pub fn name(&mut self, x: u16, max: u16, text: &str, role: Role) -> u16 {
        let cut = text::cut_name(&text::escape(text), usize::from(max), self.signs.ellipsis).into_owned();
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

    /// Writes pieces into a cell, figures at its right.
    pub fn cell(&mut self, slot: Slot, pieces: &[Piece]) {
        let wide = u16::try_from(pieces::width(pieces)).unwrap_or(u16::MAX).min(slot.width);
        let free = if slot.right { slot.width - wide } else { 0 };
        self.pieces(slot.x + free, slot.width - free, pieces);
    }
}

/// A column of a list as it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heading {
    /// The heading as it is on the screen.
    pub title: &'static str,
    /// The text behind the title, and the sort.
    pub sorted: Title,
    /// Free columns before it.
    pub gap: u16,
    /// How wide it is.
    pub width: u16,
    /// Figures are at the right.
    pub right: bool,
}

/// Whether the cell of a row and a column says the same as the one above.
type Repeats<'a> = Box<dyn Fn(usize, usize) -> bool + 'a>;

/// Writes the cell of a row and a column, by their numbers, into its room.
type WriteCell<'a> = Box<dyn Fn(&mut Writer, usize, usize, Slot) + 'a>;

/// A list as it is shown: its columns, and what each cell of a row says.
pub struct Table<'a> {
    /// The columns, from the left.
    pub columns: Vec<Heading>,
    /// How many rows there are.
    pub len: usize,
    /// The row under the cursor.
    pub cursor: usize,
    /// The first row on the screen.
    pub top: usize,
    /// What is reported in place of rows.
    pub empty: Vec<String>,
    /// How many columns there is no room for.
    pub hidden: usize,
    cell: WriteCell<'a>,
    repeats: Option<Repeats<'a>>,
}

impl std::fmt::Debug for Table<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Table").field("columns", &self.columns).field("len", &self.len).finish_non_exhaustive()
    }
}

/// A list: `titled` says what the title of a column represents; `cell` writes one cell and says nothing of the row's selection.
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
    /// The same, which says this where it has no rows.
    #[must_use]
    pub fn or_says(self, empty: Vec<String>) -> Self {
        Self { empty, ..self }
    }

    /// The same, where on the screen a cell that says what the one above says is short.
    #[must_use]
    pub fn with_repeats(self, repeats: impl Fn(usize, usize) -> bool + 'a) -> Self {
        Self { repeats: Some(Box::new(repeats)), ..self }
    }

    /// The rows on the screen.
    pub fn visible(&self, height: usize) -> std::ops::Range<usize> {
        let top = self.top.min(self.len);
        top..(top + height).min(self.len)
    }

    /// The room of each column in a line whose first column is `x`.
    pub fn slots(&self, x: u16) -> impl Iterator<Item = (&Heading, Slot)> {
        let mut x = x + 1;
        self.columns.iter().map(move |column| {
            let slot = Slot { x: x + column.gap, width: column.width, right: column.right };
            x = slot.x + column.width;
            (column, slot)
        })
    }

    /// What a row says, in a line whose first column is `x`.
    pub fn row(&self, signs: &'static Signs, row: usize, x: u16) -> Vec<Run> {
        let mut writer = Writer::new(signs);
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

    /// The name of the column whose title is at a place of the line of titles.
    pub fn column_at(&self, head: Rect, at: Position) -> Option<&'static str> {
        let here = |(_, slot): &(&Heading, Slot)| Rect { x: slot.x, width: slot.width, ..head }.contains(at);
        // Several can belong to one place only where one has no columns.
        self.slots(head.x).filter(|(column, _)| column.sorted.by.is_some()).find(here)?.0.sorted.by
    }
}
