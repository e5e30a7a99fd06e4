//! A page as a table of texts: a list with all columns and rows, or lines.
//!
//! Cells are the typed values ([`Fields`]) of drawing and sorting: displayed text for people, whole units for programs.

use crate::present::page::Present;
use crate::present::pieces::{Piece, symbol_set};
use crate::present::text::{ascii, escape};
use crate::present::unreached;
use crate::present::value::{Field, Fields, Value};
use crate::state::State;
use crate::state::page::{Page, each_page};
use crate::theme::Role;

const SHEET: usize = 120;

/// A list as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The titles of the columns.
    pub titles: Vec<String>,
    /// The cells, row by row.
    pub rows: Vec<Vec<String>>,
}

/// A list in columns, otherwise lines.
pub fn text(state: &State) -> String {
    let Some(lines) = sheet(state) else { return table(state).text() };
    let line = |line: &Vec<Piece>| line.iter().map(|piece| escape(&piece.text).into_owned()).collect::<String>();
    lines.iter().map(|pieces| format!("{}\n", line(pieces).trim_end())).collect()
}

fn sheet(state: &State) -> Option<Vec<Vec<Piece>>> {
    each_page!(state.page(), page => page.sheet(state, SHEET))
}

fn labeled(lines: &[Vec<Piece>]) -> Table {
    let row = |line: &Vec<Piece>| {
        let (first, rest) = line.split_first()?;
        let is_label = first.role == Role::Dim && first.text.ends_with(' ');
        let (label, rest) = if is_label { (first.text.trim(), rest) } else { ("", line.as_slice()) };
        let message: String = rest.iter().map(|piece| escape(&piece.text).into_owned()).collect();
        Some(vec![escape(label).into_owned(), message.split_whitespace().collect::<Vec<_>>().join(" ")])
    };
    Table { titles: vec!["label".to_owned(), "text".to_owned()], rows: lines.iter().filter_map(row).collect() }
}

fn fields(state: &State) -> Option<Fields<'_>> {
    each_page!(state.page(), page => page.fields(state)).filter(|_| !unreached::is(state))
}

fn shown(state: &State, fields: &Fields<'_>, row: usize) -> Vec<String> {
    let symbols = symbol_set(state);
    let cell = |(column, _): (usize, &Field)| {
        let shown = fields.value(row, column).shown(fields.unit(row, column), symbols);
        let shown = escape(&shown);
        if state.options.ascii { ascii(&shown).into_owned() } else { shown.into_owned() }
    };
    fields.columns.iter().enumerate().map(cell).collect()
}

/// Not in the draw loop.
pub fn table(state: &State) -> Table {
    if let Some(lines) = sheet(state) {
        return labeled(&lines);
    }
    let Some(fields) = fields(state) else { return Table::default() };
    let titles = fields.columns.iter().map(|field| field.heading()).collect();
    Table { titles, rows: (0..fields.len).map(|row| shown(state, &fields, row)).collect() }
}

/// All columns with values in whole units; otherwise lines.
pub fn data(state: &State) -> Data {
    if let Some(lines) = sheet(state) {
        let Table { titles, rows } = labeled(&lines);
        let text = |cell: String| Cell { text: Some(cell), metric: false };
        return Data { titles, rows: rows.into_iter().map(|row| row.into_iter().map(text).collect()).collect() };
    }
    let Some(fields) = fields(state) else { return Data::default() };
    let cell = |row: usize, (column, field): (usize, &Field)| {
        let value = fields.value(row, column);
        Cell { text: value.data(field.unit), metric: matches!(value, Value::Metric(_)) }
    };
    let row = |row: usize| fields.columns.iter().enumerate().map(|column| cell(row, column)).collect();
    Data { titles: fields.columns.iter().map(Field::title).collect(), rows: (0..fields.len).map(row).collect() }
}

/// A cell for programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The text; `None` for nothing and for no limit.
    pub text: Option<String>,
    /// It is a number.
    pub metric: bool,
}

/// A list as values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Data {
    /// The column names with units.
    pub titles: Vec<String>,
    /// The cells, row by row.
    pub rows: Vec<Vec<Cell>>,
}

/// A CSV line (RFC 4180) of texts and whether they are numbers; an apostrophe marks texts that look like formulas.
pub fn csv_line(cells: impl IntoIterator<Item = (impl AsRef<str>, bool)>) -> String {
    let quoted = |cell: &str, metric: bool| {
        let formula = !metric && cell.starts_with(['=', '+', '-', '@', '\t', '\r']);
        let cell = if formula { format!("'{cell}") } else { cell.to_owned() };
        if cell.contains(['"', ',', '\n', '\r']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell }
    };
    cells.into_iter().map(|(cell, metric)| quoted(cell.as_ref(), metric)).collect::<Vec<_>>().join(",") + "\r\n"
}

impl Data {
    /// As CSV (RFC 4180).
    pub fn csv(&self) -> String {
        let titles = csv_line(self.titles.iter().map(|title| (title.as_str(), false)));
        let cell = |cell: &Cell| (cell.text.clone().unwrap_or_default(), cell.metric);
        let rows = self.rows.iter().map(|row| csv_line(row.iter().map(cell)));
        std::iter::once(titles).chain(rows).collect()
    }

    /// A JSON list of objects; nothing is null.
    pub fn json(&self) -> String {
        let text = |text: &str| serde_json::Value::from(text).to_string();
        let cell = |cell: &Cell| match (&cell.text, cell.metric) {
            (None, _) => "null".to_owned(),
            (Some(metric), true) => metric.clone(),
            (Some(words), false) => text(words),
        };
        let object = |row: &Vec<Cell>| {
            let pairs = self.titles.iter().zip(row).map(|(title, one)| format!("{}: {}", text(title), cell(one)));
            format!("  {{{}}}", pairs.collect::<Vec<_>>().join(", "))
        };
        format!("[\n{}\n]\n", self.rows.iter().map(object).collect::<Vec<_>>().join(",\n"))
    }
}

/// The selected row with column names.
pub fn row(state: &State) -> Vec<(String, String)> {
    let cursor = state.page().list().map(|list| list.index());
    let Some((fields, cursor)) = fields(state).zip(cursor).filter(|(fields, cursor)| *cursor < fields.len) else {
        return Vec::new();
    };
    let cells = shown(state, &fields, cursor);
    fields.columns.iter().map(Field::heading).zip(cells).collect()
}

impl Table {
    /// As text in columns.
    pub fn text(&self) -> String {
        use crate::present::text::width;
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
    fn values_are_numbers_and_nothing_is_empty() {
        let cell = |text: Option<&str>, metric| Cell { text: text.map(str::to_owned), metric };
        let rows = vec![vec![cell(Some("a/\"b\""), false), cell(Some("9.5"), true), cell(None, false)]];
        let data = Data { titles: ["queue", "cpu_cores", "cpu_max_cores"].map(str::to_owned).to_vec(), rows };
        assert_eq!(data.csv(), "queue,cpu_cores,cpu_max_cores\r\n\"a/\"\"b\"\"\",9.5,\r\n");
        assert_eq!(csv_line([("=cmd|x", false), ("-1", true), ("a,b", false)]), "'=cmd|x,-1,\"a,b\"\r\n");
        assert!(data.json().contains(r#"{"queue": "a/\"b\"", "cpu_cores": 9.5, "cpu_max_cores": null}"#));
    }
}
