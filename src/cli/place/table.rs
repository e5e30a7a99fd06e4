//! A table that is printed while its rows come: the first rows decide how wide the columns are.

use std::io::{self, Write};

use unicode_width::UnicodeWidthStr;

use super::people::pad;

/// How many rows are blocked to see how wide the columns have to be.
const HELD: usize = 200;

/// A table of `N` columns.
pub struct Table<const N: usize> {
    widest: [usize; N],
    widths: [usize; N],
    held: Option<Vec<[String; N]>>,
}

impl<const N: usize> Table<N> {
    /// A table with titles; no column but the last gets wider than its `widest`. What does not fit moves what is behind it.
    pub fn new(titles: [&str; N], widest: [usize; N]) -> Self {
        let titles = titles.map(str::to_owned);
        let widths = std::array::from_fn(|column| titles[column].width());
        Self { widest, widths, held: Some(vec![titles]) }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: [String; N], out: &mut impl Write) -> io::Result<()> {
        let Some(held) = &mut self.held else { return print(&cells, &self.widths, out) };
        for (column, cell) in cells.iter().enumerate() {
            self.widths[column] = self.widths[column].max(cell.width().min(self.widest[column]));
        }
        held.push(cells);
        if held.len() > HELD { self.flush(out) } else { Ok(()) }
    }

    /// Prints what is blocked.
    pub fn flush(&mut self, out: &mut impl Write) -> io::Result<()> {
        self.held.take().unwrap_or_default().iter().try_for_each(|cells| print(cells, &self.widths, out))
    }
}

fn print<const N: usize>(cells: &[String; N], widths: &[usize; N], out: &mut impl Write) -> io::Result<()> {
    // The last cell that says something ends the line.
    let last = cells.iter().rposition(|cell| !cell.is_empty()).unwrap_or(0);
    for (cell, width) in cells[..last].iter().zip(widths) {
        write!(out, "{}  ", pad(cell, *width))?;
    }
    writeln!(out, "{}", cells[last])
}
