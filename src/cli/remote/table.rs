//! A small table with minimal widths and right-aligned numbers.

use unicode_width::UnicodeWidthStr;

use console::present::text::escape;

/// A title that starts with `>` is right-aligned.
pub struct Table {
    titles: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    pub fn new(titles: &[&'static str]) -> Self {
        Self::titled(titles.iter().map(|title| (*title).to_owned()).collect())
    }

    /// A table with computed titles.
    pub fn titled(titles: Vec<String>) -> Self {
        Self { titles, rows: Vec::new() }
    }

    /// Adds a row with escaped cells.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells.iter().map(|cell| escape(cell).into_owned()).collect());
    }

    /// The table as text, one line per row.
    pub fn text(&self) -> String {
        let name = |title: &String| escape(title.trim_start_matches('>')).into_owned();
        let titles: Vec<String> = self.titles.iter().map(name).collect();
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.width());
            cells.chain([titles[column].width()]).max().unwrap_or_default()
        };
        let widths: Vec<usize> = (0..titles.len()).map(width).collect();
        let mut text = String::new();
        for row in std::iter::once(&titles).chain(&self.rows) {
            let mut line = String::new();
            for (column, cell) in row.iter().enumerate() {
                let pad = " ".repeat(widths[column].saturating_sub(cell.width()));
                let metrics = self.titles[column].starts_with('>');
                line.push_str(&if metrics { format!("{pad}{cell}  ") } else { format!("{cell}{pad}  ") });
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_texts_are_safe() {
        let mut table = Table::new(&["NAME", ">CPU", "WHY"]);
        table.row(vec!["a\x1b[2J".to_owned(), "1.5".to_owned(), String::new()]);
        table.row(vec!["日本".to_owned(), "12".to_owned(), "full".to_owned()]);
        assert_eq!(table.text(), "NAME      CPU  WHY\na\\x1b[2J  1.5\n日本       12  full\n");
    }
}
