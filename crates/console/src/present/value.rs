//! The value of a column for a row: for the screen, the sort, copies, and exports.
//!
//! Invariants:
//! - meters, symbols, and colors are drawn from the same value;
//! - values of one column compare; nothing is first, no limit is last.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::time::Duration;

use crate::present::format;
use crate::present::text;
use crate::theme::Symbols;
use model::{MEMORY, Resource, Time, VCORE};
use view::units::show_amount;

/// The unit of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Text without a unit.
    Words,
    /// A number of things.
    Count,
    /// Identifies something: a line, an arrival, a revision. Zero is none.
    Number,
    /// Thousandths of a core.
    Vcore,
    /// Bytes, scaled on the screen.
    Bytes,
    /// A duration in µs.
    Lasting,
    /// A time in µs.
    Moment,
    /// Thousandths of a whole.
    Share,
    /// Thousandths of a core-hour, GiB-hour, or unit-hour.
    Hours,
}

impl Unit {
    /// The unit of a resource.
    pub fn of_resource(name: &str) -> Self {
        match name {
            VCORE => Self::Vcore,
            MEMORY => Self::Bytes,
            _ => Self::Count,
        }
    }

    /// The suffix for values without a unit.
    pub const fn suffix(self) -> &'static str {
        match self {
            Self::Words | Self::Count | Self::Number => "",
            Self::Vcore => "_cores",
            Self::Bytes => "_bytes",
            Self::Lasting | Self::Moment => "_seconds",
            Self::Share => "_share",
            Self::Hours => "_hours",
        }
    }

    /// Formats thousandths of hours.
    pub fn hours(thousandths: i64) -> String {
        match thousandths {
            0 => "0".to_owned(),
            1..5 => "<0.01".to_owned(),
            _ => format!("{}.{:02}", (thousandths + 5) / 1_000, (thousandths + 5) % 1_000 / 10),
        }
    }

    /// Whether it is right-aligned.
    pub const fn is_metric(self) -> bool {
        !matches!(self, Self::Words)
    }
}

/// The value of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// Nothing to say.
    Nothing,
    /// A number in the unit of its column.
    Metric(i64),
    /// Text, not escaped.
    Text(Cow<'a, str>),
    /// No limit: more than any number.
    Unbounded,
    /// A remote value that could not be read.
    Unknown,
}

impl<'a> Value<'a> {
    /// A text; an empty one is `Nothing`.
    pub fn text(text: impl Into<Cow<'a, str>>) -> Self {
        let text = text.into();
        if text.is_empty() { Self::Nothing } else { Self::Text(text) }
    }

    /// A count, saturated to 64 bits.
    pub fn count(count: impl TryInto<i64>) -> Self {
        Self::Metric(count.try_into().unwrap_or(i64::MAX))
    }

    /// The quantity of one resource.
    pub fn amount(resource: &Resource, name: &str) -> Self {
        Self::Metric(resource.amount(name))
    }

    /// `None` is without limit.
    pub fn bound(bound: Option<i64>) -> Self {
        bound.map_or(Self::Unbounded, Self::Metric)
    }

    /// The duration up to `now`, which does not change the order.
    pub fn lasting(now: Time, since: Option<Time>) -> Self {
        let micros = |time: Time| i64::try_from(time.0).unwrap_or(i64::MAX);
        since.map_or(Self::Nothing, |since| Self::Metric(micros(now).saturating_sub(micros(since))))
    }

    /// A scheduler time.
    pub fn moment(at: Time) -> Self {
        Self::Metric(i64::try_from(at.0).unwrap_or(i64::MAX))
    }

    /// A copy that owns its text.
    pub fn into_owned(self) -> Value<'static> {
        match self {
            Self::Nothing => Value::Nothing,
            Self::Metric(metric) => Value::Metric(metric),
            Self::Text(text) => Value::Text(text.into_owned().into()),
            Self::Unbounded => Value::Unbounded,
            Self::Unknown => Value::Unknown,
        }
    }

    /// The text for people.
    pub fn shown(&self, unit: Unit, symbols: &Symbols) -> String {
        let micros = |metric: &i64| u64::try_from(*metric).unwrap_or(0);
        match (self, unit) {
            (Self::Nothing | Self::Unbounded, _) => symbols.nothing.to_owned(),
            (Self::Unknown, _) => symbols.none.to_owned(),
            (Self::Text(text), _) => text.to_string(),
            (Self::Metric(0), Unit::Count | Unit::Number | Unit::Vcore | Unit::Bytes) => symbols.nothing.to_owned(),
            (Self::Metric(metric), Unit::Words | Unit::Count) => show_amount("", *metric),
            (Self::Metric(metric), Unit::Number) => metric.to_string(),
            (Self::Metric(metric), Unit::Vcore) => show_amount(VCORE, *metric),
            (Self::Metric(metric), Unit::Bytes) => show_amount(MEMORY, *metric),
            (Self::Metric(metric), Unit::Lasting) => format::duration(Duration::from_micros(micros(metric))),
            (Self::Metric(metric), Unit::Moment) => format::when(Time(micros(metric)), Time::ZERO),
            (Self::Metric(metric), Unit::Share) => format!("{}%", metric / 10),
            (Self::Metric(metric), Unit::Hours) => Unit::hours(*metric),
        }
    }

    /// The value for programs: whole cores, bytes, and seconds. `None` for nothing and no limit.
    pub fn data(&self, unit: Unit) -> Option<String> {
        let decimal = |metric: i64, of: u64, places: usize| {
            let sign = if metric < 0 { "-" } else { "" };
            let (whole, rest) = (metric.unsigned_abs() / of, metric.unsigned_abs() % of);
            let text = format!("{sign}{whole}.{rest:0places$}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        };
        match (self, unit) {
            (Self::Nothing | Self::Unbounded, _) => None,
            (Self::Unknown, _) => Some("unknown".to_owned()),
            (Self::Text(text), _) => Some(text.to_string()),
            (Self::Metric(metric), Unit::Vcore | Unit::Share | Unit::Hours) => Some(decimal(*metric, 1_000, 3)),
            (Self::Metric(metric), Unit::Lasting | Unit::Moment) => Some(decimal(*metric, 1_000_000, 6)),
            (Self::Metric(metric), Unit::Words | Unit::Count | Unit::Number | Unit::Bytes) => Some(metric.to_string()),
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Nothing | Self::Unknown => 0,
            Self::Metric(_) => 1,
            Self::Text(_) => 2,
            Self::Unbounded => 3,
        }
    }
}

impl Ord for Value<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Metric(one), Self::Metric(two)) => one.cmp(two),
            (Self::Text(one), Self::Text(two)) => text::natural(one, two),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

impl PartialOrd for Value<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// `cpu max` for `cpu-max`.
pub fn heading(name: &str) -> String {
    name.replace('-', " ")
}

/// A column with typed values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name for `:sort` and `:columns`.
    pub name: &'static str,
    /// What it counts in.
    pub unit: Unit,
}

impl Field {
    /// The displayed name.
    pub fn heading(&self) -> String {
        heading(self.name)
    }

    /// The displayed name with the unit.
    pub fn title(&self) -> String {
        format!("{}{}", self.name.replace('-', "_"), self.unit.suffix())
    }
}

type ValueAt<'a> = Box<dyn Fn(usize, usize) -> Value<'a> + 'a>;

type UnitAt<'a> = Box<dyn Fn(usize) -> Option<Unit> + 'a>;

/// A list as typed values, with all columns.
pub struct Fields<'a> {
    /// The columns, in the order of the page.
    pub columns: Vec<Field>,
    /// The number of rows.
    pub len: usize,
    value: ValueAt<'a>,
    units: Option<UnitAt<'a>>,
}

impl std::fmt::Debug for Fields<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fields").field("columns", &self.columns).field("len", &self.len).finish_non_exhaustive()
    }
}

impl<'a> Fields<'a> {
    /// A list from the unit of a column and the value of a cell.
    pub fn new<C: crate::state::column::Column>(
        len: usize,
        unit: impl Fn(C) -> Unit,
        value: impl Fn(usize, C) -> Value<'a> + 'a,
    ) -> Self {
        let columns = C::ALL.iter().map(|column| Field { name: column.name(), unit: unit(*column) }).collect();
        Self {
            columns,
            len,
            value: Box::new(move |row, column| C::ALL.get(column).map_or(Value::Nothing, |column| value(row, *column))),
            units: None,
        }
    }

    /// Sets the display unit of each row's value.
    #[must_use]
    pub fn in_units_of_rows(self, unit: impl Fn(usize) -> Option<Unit> + 'a) -> Self {
        Self { units: Some(Box::new(unit)), ..self }
    }

    /// The display unit of a row and a column.
    pub fn unit(&self, row: usize, column: usize) -> Unit {
        let own = self.columns.get(column).map_or(Unit::Words, |field| field.unit);
        match &self.units {
            Some(units) if own == Unit::Count => units(row).unwrap_or(own),
            _ => own,
        }
    }

    /// The value of a row and a column.
    pub fn value(&self, row: usize, column: usize) -> Value<'a> {
        (self.value)(row, column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_in_whole_units_without_unit_names() {
        for (value, unit, data) in [
            (Value::Metric(9_500), Unit::Vcore, Some("9.5")),
            (Value::Metric(-12_000), Unit::Vcore, Some("-12")),
            (Value::Metric(2_000_000_000), Unit::Bytes, Some("2000000000")),
            (Value::Metric(1_250_000), Unit::Lasting, Some("1.25")),
            (Value::Metric(0), Unit::Count, Some("0")),
            (Value::text("a/b"), Unit::Words, Some("a/b")),
            (Value::text(""), Unit::Words, None),
            (Value::Unbounded, Unit::Bytes, None),
        ] {
            assert_eq!(value.data(unit).as_deref(), data, "{value:?}");
        }
    }

    #[test]
    fn zero_is_first_and_unlimited_is_last() {
        let mut values = [Value::Unbounded, Value::Metric(3), Value::Nothing, Value::Metric(-1)];
        values.sort();
        assert_eq!(values, [Value::Nothing, Value::Metric(-1), Value::Metric(3), Value::Unbounded]);
        let mut names = ["q10", "q2", "q1"].map(Value::text);
        names.sort();
        assert_eq!(names, ["q1", "q2", "q10"].map(Value::text));
    }
}
