//! The filter of a list: conditions on columns, and a [`Filter`] for other words.
//!
//! ```text
//! state:run user:ann cpu>4     `run` in the state, the user `ann`, more than 4 cores
//! wait>=5m !queue:batch etl    waits 5 minutes or more, no `batch` in the queue path, found by `etl`
//! ```
//!
//! A word is a condition if the list has the column (`:sort` name or a prefix) and the value has its unit.

use std::cmp::Ordering;

use crate::present::filter::Filter;
use crate::present::value::{Unit, Value};
use crate::state::column::Column;
use config::parse_duration;
use model::{MEMORY, VCORE, parse_quantity};

#[derive(Clone, Debug, PartialEq, Eq)]
enum Bound {
    /// Contains this text (lower case).
    Has(String),
    /// Less than, equal to, or greater than a value.
    Is([bool; 3], i64),
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Condition<C> {
    column: C,
    bound: Bound,
    not: bool,
}

/// The filter of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnFilter<C> {
    text: Option<Filter>,
    conditions: Vec<Condition<C>>,
}

/// Longer operators first; accepted orderings.
const OPERATORS: [(&str, [bool; 3]); 5] = [
    (">=", [false, true, true]),
    ("<=", [true, true, false]),
    (">", [false, false, true]),
    ("<", [true, false, false]),
    (":", [false, true, false]),
];

impl<C: Column> ColumnFilter<C> {
    /// Parses a filter; `None` if it is empty.
    pub fn parse(text: &str, unit: impl Fn(C) -> Unit) -> Option<Self> {
        let read = |word: &&str| condition(word, &unit);
        let conditions: Vec<Condition<C>> = text.split_whitespace().filter_map(|word| read(&word)).collect();
        let text = match conditions.is_empty() {
            true => Filter::parse(text),
            false => {
                let rest: Vec<&str> = text.split_whitespace().filter(|word| read(word).is_none()).collect();
                Filter::parse(&rest.join(" "))
            }
        };
        (text.is_some() || !conditions.is_empty()).then_some(Self { text, conditions })
    }

    /// Whether each item passes. `texts`: its texts, name first; `value`: its value in a column.
    pub fn passed<T, const N: usize>(
        &self,
        items: &[T],
        texts: impl Fn(&T) -> [&str; N],
        value: impl Fn(&T, C) -> Value<'_>,
    ) -> Vec<bool> {
        let meets = |item: &T| self.conditions.iter().all(|one| one.meets(&value(item, one.column)));
        let meet: Vec<bool> = items.iter().map(meets).collect();
        let Some(filter) = &self.text else { return meet };
        let mut found = filter.select(items.iter().zip(&meet).filter(|(_, meets)| **meets), |(item, _)| texts(item));
        let mut found = found.drain(..);
        meet.into_iter().map(|meets| meets && found.next().unwrap_or(false)).collect()
    }

    /// Retains the items that pass ([`Self::passed`]).
    pub fn retain<T, const N: usize>(
        &self,
        items: &mut Vec<T>,
        texts: impl Fn(&T) -> [&str; N],
        value: impl Fn(&T, C) -> Value<'_>,
    ) {
        let mut passed = self.passed(items, texts, value).into_iter();
        items.retain(|_| passed.next().unwrap_or(false));
    }
}

fn condition<C: Column>(word: &str, unit: &impl Fn(C) -> Unit) -> Option<Condition<C>> {
    let (not, word) = word.strip_prefix('!').map_or((false, word), |rest| (true, rest));
    let at = word.find([':', '<', '>'])?;
    let (name, rest) = word.split_at(at);
    let (operator, sides) = OPERATORS.into_iter().find(|(operator, _)| rest.starts_with(operator))?;
    let wanted = &rest[operator.len()..];
    let named = |column: &&C| column.name() == name;
    // One letter is usually part of a name.
    let starts = |column: &&C| name.len() > 1 && column.name().starts_with(name);
    let column = *C::ALL.iter().find(named).or_else(|| C::ALL.iter().find(starts))?;
    if wanted.is_empty() {
        return None;
    }
    let bound = match metric(wanted, unit(column)) {
        Some(metric) => Bound::Is(sides, metric),
        None if operator == ":" => Bound::Has(wanted.to_lowercase()),
        None => return None,
    };
    Some(Condition { column, bound, not })
}

fn metric(text: &str, unit: Unit) -> Option<i64> {
    match unit {
        Unit::Words | Unit::Moment => None,
        Unit::Count | Unit::Number => text.parse().ok(),
        Unit::Vcore => match text.split_once('.') {
            Some((whole, part)) => decimal(whole, part),
            None => parse_quantity(VCORE, text).ok(),
        },
        Unit::Bytes => parse_quantity(MEMORY, text).ok(),
        Unit::Lasting => i64::try_from(parse_duration(text)?.as_micros()).ok(),
        Unit::Share => text.trim_end_matches('%').parse::<i64>().ok()?.checked_mul(10),
        Unit::Hours => text.parse::<i64>().ok()?.checked_mul(1_000),
    }
}

fn decimal(whole: &str, part: &str) -> Option<i64> {
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let part: i64 = format!("{part:0<3}").get(..3).filter(|part| digits(part))?.parse().ok()?;
    whole.parse::<i64>().ok()?.checked_mul(1_000)?.checked_add(part)
}

impl<C> Condition<C> {
    fn meets(&self, value: &Value<'_>) -> bool {
        let meets = match (&self.bound, value) {
            (Bound::Has(text), Value::Text(here)) => here.to_lowercase().contains(text),
            (Bound::Is(sides, metric), Value::Metric(here)) => match here.cmp(metric) {
                Ordering::Less => sides[0],
                Ordering::Equal => sides[1],
                Ordering::Greater => sides[2],
            },
            (Bound::Is(sides, _), Value::Unbounded) => sides[2],
            _ => false,
        };
        meets != self.not
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::column::AppColumn;

    fn unit(column: AppColumn) -> Unit {
        crate::present::lists::apps::unit(column)
    }

    /// Name, user, millicores, pending seconds.
    const APPS: [(&str, &str, i64, i64); 4] =
        [("etl-1", "ann", 4_000, 0), ("etl-2", "bob", 4_500, 300), ("run-3", "ann", 0, 900), ("a:b", "eve", 1, 1)];

    fn passing(text: &str) -> Vec<&'static str> {
        let Some(filter) = ColumnFilter::parse(text, unit) else { return APPS.map(|app| app.0).to_vec() };
        let mut apps = APPS.to_vec();
        filter.retain(
            &mut apps,
            |app| [app.0],
            |app, column| match column {
                AppColumn::User => Value::text(app.1),
                AppColumn::Cpu => Value::Metric(app.2),
                AppColumn::Wait => Value::Metric(app.3 * 1_000_000),
                AppColumn::Queue => Value::Unbounded,
                _ => Value::Nothing,
            },
        );
        apps.into_iter().map(|app| app.0).collect()
    }

    #[test]
    fn words_are_conditions_if_their_column_and_value_match() {
        for (text, wanted) in [
            ("user:ann", &["etl-1", "run-3"][..]),
            ("user:AN cpu>0", &["etl-1"]),
            ("cpu>4", &["etl-2"]),
            ("cpu>=4", &["etl-1", "etl-2"]),
            ("cpu>4.4 etl", &["etl-2"]),
            ("cpu:4", &["etl-1"]),
            ("cpu<500m", &["run-3", "a:b"]),
            ("!user:ann", &["etl-2", "a:b"]),
            ("wait>5m", &["run-3"]),
            ("wa>=5m etl", &["etl-2"]),
            ("a:b", &["a:b"]),
            ("cpu>many", &[]),
            ("nothing:ann", &[]),
            ("etl user:eve", &[]),
        ] {
            assert_eq!(passing(text), wanted, "{text}");
        }
        assert_eq!(passing("  ").len(), APPS.len());
    }
}
