//! A table that is printed incrementally: the first rows determine the column widths.

use std::io::{self, Write};

use unicode_width::UnicodeWidthStr;

use super::people::pad;

const BUFFERED: usize = 200;

/// A table of `N` columns.
pub struct Table<const N: usize> {
    widest: [usize; N],
    widths: [usize; N],
    buffered: Option<Vec<[String; N]>>,
}

impl<const N: usize> Table<N> {
    /// No column except the last exceeds its `widest`. Longer cells shift the following ones.
    pub fn new(titles: [&str; N], widest: [usize; N]) -> Self {
        let titles = titles.map(str::to_owned);
        let widths = std::array::from_fn(|column| titles[column].width());
        Self { widest, widths, buffered: Some(vec![titles]) }
    }

    /// Adds a row and prints it when the widths are known.
    pub fn row(&mut self, cells: [String; N], out: &mut impl Write) -> io::Result<()> {
        let Some(buffered) = &mut self.buffered else { return print(&cells, &self.widths, out) };
        for (column, cell) in cells.iter().enumerate() {
            self.widths[column] = self.widths[column].max(cell.width().min(self.widest[column]));
        }
        buffered.push(cells);
        if buffered.len() > BUFFERED { self.flush(out) } else { Ok(()) }
    }

    /// Prints the buffered rows.
    pub fn flush(&mut self, out: &mut impl Write) -> io::Result<()> {
        self.buffered.take().unwrap_or_default().iter().try_for_each(|cells| print(cells, &self.widths, out))
    }
}

fn print<const N: usize>(cells: &[String; N], widths: &[usize; N], out: &mut impl Write) -> io::Result<()> {
    let last = cells.iter().rposition(|cell| !cell.is_empty()).unwrap_or(0);
    for (cell, width) in cells[..last].iter().zip(widths) {
        write!(out, "{}  ", pad(cell, *width))?;
    }
    writeln!(out, "{}", cells[last])
}
