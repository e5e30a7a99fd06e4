//! What a page shows, as a table of texts: of a list its columns, its order, its filter, all its rows; of anything else its lines.
//!
//! As text the cells are those of the list itself ([`lists::table`]), in a width that has room for all of its columns. For other programs
//! they are the typed values that the list is sorted by ([`Fields`](crate::console::present::value::Fields)).

use crate::console::present::lists;
use crate::console::present::page::Present;
use crate::console::present::pieces::{Piece, sign_set};
use crate::console::present::text::{ascii, escape};
use crate::console::present::unreached;
use crate::console::present::value::{Field, Value};
use crate::console::state::State;
use crate::console::state::page::{Page, each_page};
use crate::console::theme::Role;

/// How many columns a list has room for.
const WIDE: u16 = 400;
/// How wide the lines of a page are that is no list.
const SHEET: usize = 120;

/// A list as texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The titles of the columns.
    pub titles: Vec<String>,
    /// The cells, row by row.
    pub rows: Vec<Vec<String>>,
}

/// What the page shows, as text: a list in columns, anything else line by line.
pub fn text(state: &State) -> String {
    let Some(lines) = sheet(state) else { return table(state).text() };
    let line = |line: &Vec<Piece>| line.iter().map(|piece| escape(&piece.text).into_owned()).collect::<String>();
    lines.iter().map(|pieces| format!("{}\n", line(pieces).trim_end())).collect()
}

/// The lines of a page that is no list; `None` on a list.
fn sheet(state: &State) -> Option<Vec<Vec<Piece>>> {
    each_page!(state.page(), page => page.sheet(state, SHEET))
}

/// The lines of a page that is no list as a table: the label, and what stands behind it.
fn labelled(lines: &[Vec<Piece>]) -> Table {
    let row = |line: &Vec<Piece>| {
        let (first, rest) = line.split_first()?;
        let is_label = first.role == Role::Dim && first.text.ends_with(' ');
        let (label, rest) = if is_label { (first.text.trim(), rest) } else { ("", line.as_slice()) };
        let message: String = rest.iter().map(|piece| escape(&piece.text).into_owned()).collect();
        Some(vec![escape(label).into_owned(), message.split_whitespace().collect::<Vec<_>>().join(" ")])
    };
    Table { titles: vec!["label".to_owned(), "text".to_owned()], rows: lines.iter().filter_map(row).collect() }
}

/// What the page shows, as a table: the list, or label by label. Makes all rows: not to be called where frames are drawn.
pub fn table(state: &State) -> Table {
    if let Some(lines) = sheet(state) {
        return labelled(&lines);
    }
    let Some(list) = whole_list(state) else { return Table::default() };
    rows(state, &list, 0..list.len)
}

/// The list with all of its columns.
fn whole_list(state: &State) -> Option<crate::console::present::table::Table<'_>> {
    let width = each_page!(state.page(), page => page.table_width(WIDE));
    lists::table(state, width)
}

/// Some rows of a list.
fn rows(state: &State, list: &crate::console::present::table::Table<'_>, rows: std::ops::Range<usize>) -> Table {
    if unreached::is(state) {
        return Table { titles: Vec::new(), rows: vec![Vec::new(); rows.len()] };
    }
    let signs = sign_set(state);
    let cell = |row: usize, column: usize| {
        let text = list.text(signs, row, column);
        if state.options.ascii { ascii(&text).into_owned() } else { text }
    };
    let cells = rows.map(|row| (0..list.columns.len()).map(|column| cell(row, column)).collect()).collect();
    let meter = |text: &str| {
        let known = [signs.meter_full, signs.meter_empty, signs.meter_mark];
        !text.is_empty() && text.chars().all(|c| known.iter().any(|sign| sign.starts_with(c)))
    };
    assemble(&list.columns.iter().map(|column| column.title).collect::<Vec<_>>(), cells, meter)
}

/// What the page shows for other programs: every column of the list, whatever the screen has room for, each figure in a column of its own
/// and in whole units; of a page that is no list its lines.
pub fn data(state: &State) -> Data {
    if let Some(lines) = sheet(state) {
        let Table { titles, rows } = labelled(&lines);
        let text = |cell: String| Cell { text: Some(cell), figure: false };
        return Data { titles, rows: rows.into_iter().map(|row| row.into_iter().map(text).collect()).collect() };
    }
    let Some(fields) = each_page!(state.page(), page => page.fields(state)).filter(|_| !unreached::is(state)) else {
        return Data::default();
    };
    let cell = |row: usize, (column, field): (usize, &Field)| {
        let value = fields.value(row, column);
        Cell { text: value.data(field.unit), figure: matches!(value, Value::Figure(_)) }
    };
    let row = |row: usize| fields.columns.iter().enumerate().map(|column| cell(row, column)).collect();
    Data { titles: fields.columns.iter().map(Field::title).collect(), rows: (0..fields.len).map(row).collect() }
}

/// A cell for other programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// What it says; `None` for nothing, and for no bound.
    pub text: Option<String>,
    /// It is a figure.
    pub figure: bool,
}

/// A list as values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Data {
    /// The names of the columns, with their units.
    pub titles: Vec<String>,
    /// The cells, row by row.
    pub rows: Vec<Vec<Cell>>,
}

impl Data {
    /// As comma separated values (RFC 4180).
    pub fn csv(&self) -> String {
        let quoted = |cell: &str| {
            if cell.contains([',', '"', '\n', '\r']) {
                format!("\"{}\"", cell.replace('"', "\"\""))
            } else {
                cell.to_owned()
            }
        };
        let line = |cells: &mut dyn Iterator<Item = &str>| cells.map(quoted).collect::<Vec<_>>().join(",") + "\r\n";
        let titles = line(&mut self.titles.iter().map(String::as_str));
        let rows =
            self.rows.iter().map(|row| line(&mut row.iter().map(|cell| cell.text.as_deref().unwrap_or_default())));
        std::iter::once(titles).chain(rows).collect()
    }

    /// As a JSON list of objects: figures are numbers, nothing is null.
    pub fn json(&self) -> String {
        let text = |text: &str| serde_json::Value::from(text).to_string();
        let cell = |cell: &Cell| match (&cell.text, cell.figure) {
            (None, _) => "null".to_owned(),
            (Some(figure), true) => figure.clone(),
            (Some(words), false) => text(words),
        };
        let object = |row: &Vec<Cell>| {
            let pairs = self.titles.iter().zip(row).map(|(title, one)| format!("{}: {}", text(title), cell(one)));
            format!("  {{{}}}", pairs.collect::<Vec<_>>().join(", "))
        };
        format!("[\n{}\n]\n", self.rows.iter().map(object).collect::<Vec<_>>().join(",\n"))
    }
}

/// The row under the cursor, each cell under its title; bars are left out. Empty without a row.
pub fn row(state: &State) -> Vec<(String, String)> {
    let Some(list) = whole_list(state).filter(|list| list.cursor < list.len) else { return Vec::new() };
    let table = rows(state, &list, list.cursor..list.cursor + 1);
    let Some(row) = table.rows.into_iter().next() else { return Vec::new() };
    table.titles.into_iter().zip(row).collect()
}

/// Puts the cells into rows, under titles that stand for themselves: `mem` behind `PEND cpu` is `PEND mem`.
fn assemble(titles: &[&str], rows: Vec<Vec<String>>, meter: impl Fn(&str) -> bool) -> Table {
    let mut above = String::new();
    let mut kept = Vec::new();
    let mut named: Vec<String> = Vec::new();
    for (column, title) in titles.iter().enumerate() {
        let title: String = title.split_whitespace().collect::<Vec<_>>().join(" ").replace("/ ", "/");
        let full =
            if title.starts_with(|c: char| c.is_lowercase()) { format!("{above} {title}") } else { title.clone() };
        if title.starts_with(|c: char| c.is_uppercase()) {
            above = title.split(' ').next().unwrap_or_default().to_owned();
        }
        let bars = rows.iter().any(|row| meter(&row[column]))
            && rows.iter().all(|row| row[column].is_empty() || meter(&row[column]));
        if title.is_empty() || bars {
            continue;
        }
        kept.push(column);
        named.push(full.trim().to_owned());
    }
    let rows = rows.into_iter().map(|row| kept.iter().map(|column| row[*column].trim().to_owned()).collect()).collect();
    Table { titles: named, rows }
}

impl Table {
    /// As text in columns.
    pub fn text(&self) -> String {
        use crate::console::present::text::width;
        let all = || std::iter::once(&self.titles).chain(&self.rows);
        let widest: Vec<usize> =
            (0..self.titles.len()).map(|at| all().map(|row| width(&row[at])).max().unwrap_or(0)).collect();
        let line = |row: &Vec<String>| {
            let cells = row.iter().zip(&widest).map(|(cell, wide)| format!("{cell}{}", " ".repeat(wide - width(cell))));
            format!("{}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
        };
        all().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_stand_for_themselves_and_bars_are_left_out() {
        let titles = ["QUEUE", "PEND cpu", "mem", "CPU", "used/  max ", ""];
        let cells = ["root", "9.5", "31G", "▰▰▱", "2/, \"x\"", "*"].map(str::to_owned).to_vec();
        let table = assemble(&titles, vec![cells], |text| text.starts_with('▰'));
        assert_eq!(table.titles, ["QUEUE", "PEND cpu", "PEND mem", "CPU used/max"]);
        assert_eq!(table.text().lines().next(), Some("QUEUE  PEND cpu  PEND mem  CPU used/max"));
    }

    #[test]
    fn figures_are_numbers_and_nothing_is_empty() {
        let cell = |text: Option<&str>, figure| Cell { text: text.map(str::to_owned), figure };
        let rows = vec![vec![cell(Some("a/\"b\""), false), cell(Some("9.5"), true), cell(None, false)]];
        let data = Data { titles: ["queue", "cpu_cores", "cpu_max_cores"].map(str::to_owned).to_vec(), rows };
        assert_eq!(data.csv(), "queue,cpu_cores,cpu_max_cores\r\n\"a/\"\"b\"\"\",9.5,\r\n");
        assert!(data.json().contains(r#"{"queue": "a/\"b\"", "cpu_cores": 9.5, "cpu_max_cores": null}"#));
    }
}
