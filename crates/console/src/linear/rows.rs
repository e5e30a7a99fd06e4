//! A list in lines: row number, name, and values after column names.
//!
//! Zero and unset values are omitted except with `wide`, because the user listens to a list.

use crate::linear::plain;
use crate::present::page::Present;
use crate::present::trend_cells;
use crate::present::unreached;
use crate::present::value::{Fields, Unit, Value};
use crate::state::State;
use crate::state::page::{Page, each_page};
use crate::theme::SPOKEN;

/// The list of the page, and its printed columns.
pub struct Rows<'a> {
    fields: Fields<'a>,
    columns: Vec<usize>,
    all: bool,
}

/// The list of the page, if any.
pub fn of(state: &State) -> Option<Rows<'_>> {
    let fields = each_page!(state.page(), page => page.fields(state)).filter(|_| !unreached::is(state))?;
    let all = 0..fields.columns.len();
    let number =
        |name: &str| all.clone().find(|at| fields.columns[*at].name == name || fields.columns[*at].heading() == name);
    // Sparklines have no words: `trends` prints the values.
    let mut columns: Vec<usize> = all.clone().filter(|at| fields.columns[*at].name != trend_cells::COLUMN).collect();
    if let Some(chosen) = state.columns.get(state.page().name()).filter(|_| !state.wide) {
        columns = std::iter::once(0).chain(chosen.iter().filter_map(|choice| number(&choice.name))).collect();
        let mut seen = Vec::new();
        columns.retain(|column| !seen.contains(column) && (seen.push(*column), true).1);
    }
    if let Some(first) = columns.iter().position(|at| fields.columns[*at].unit == Unit::Words) {
        columns[..=first].rotate_right(1);
    }
    Some(Rows { fields, columns, all: state.wide })
}

impl Rows<'_> {
    /// The number of rows.
    pub fn len(&self) -> usize {
        self.fields.len
    }

    /// A row with its number, from 1.
    pub fn line(&self, row: usize) -> String {
        self.reported(row, false)
    }

    /// A row with its number; `all` includes empty columns.
    pub fn reported(&self, row: usize, all: bool) -> String {
        format!("{}. {}", row + 1, joined(self.cells_of(row, self.all || all))).trim_end().to_owned()
    }

    /// The cells as column name (not for the first value) and value.
    pub fn cells(&self, row: usize) -> Vec<(Option<String>, String)> {
        self.cells_of(row, self.all)
    }

    fn cells_of(&self, row: usize, all: bool) -> Vec<(Option<String>, String)> {
        let mut cells = Vec::with_capacity(self.columns.len());
        for at in &self.columns {
            let field = &self.fields.columns[*at];
            let value = self.fields.value(row, *at);
            if let Some(reported) = spoken(&value, self.fields.unit(row, *at), all) {
                let is_name = cells.is_empty() && field.unit == Unit::Words;
                let name = (!is_name).then(|| field.heading());
                cells.push((name, reported));
            }
        }
        cells
    }

    /// The first text column; for an event not its time.
    pub fn name(&self, row: usize) -> String {
        let words = self.columns.iter().find_map(|at| match self.fields.value(row, *at) {
            Value::Text(text) => Some(plain::text(&text)),
            _ => None,
        });
        words.unwrap_or_default()
    }

    /// Rows by exact name or id, otherwise by suffix, otherwise by substring.
    pub fn find(&self, text: &str) -> Vec<usize> {
        let matches_row = |test: &dyn Fn(&str) -> bool| {
            let shows =
                |row: usize, at: usize| matches!(self.fields.value(row, at), Value::Text(words) if test(&words));
            let rows = (0..self.fields.len).filter(|row| self.columns.iter().any(|at| shows(*row, *at)));
            rows.take(100).collect::<Vec<usize>>()
        };
        let whole = matches_row(&|words| words == text);
        if !whole.is_empty() {
            return whole;
        }
        let end = matches_row(&|words| words.strip_suffix(text).is_some_and(|rest| rest.ends_with(['.', '/', ' '])));
        if !end.is_empty() { end } else { matches_row(&|words| words.contains(text)) }
    }
}

fn joined(cells: Vec<(Option<String>, String)>) -> String {
    let one = |(name, reported): (Option<String>, String)| match name {
        None => reported,
        Some(name) => format!("{name} {reported}"),
    };
    cells.into_iter().map(one).collect::<Vec<_>>().join(", ")
}

/// `None` if empty or zero, unless `all`.
fn spoken(value: &Value<'_>, unit: Unit, all: bool) -> Option<String> {
    let reported = match (value, unit) {
        (Value::Nothing, _) | (Value::Metric(0), Unit::Count | Unit::Number | Unit::Vcore | Unit::Bytes) if !all => {
            return None;
        }
        (Value::Unbounded, _) if !all => return None,
        (Value::Unknown, _) => "unknown".to_owned(),
        (Value::Unbounded, _) => "no bound".to_owned(),
        (Value::Metric(0), Unit::Count | Unit::Vcore | Unit::Bytes) => "0".to_owned(),
        _ => value.shown(unit, &SPOKEN),
    };
    Some(plain::text(&reported)).filter(|reported| !reported.is_empty())
}
