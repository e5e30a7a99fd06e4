//! Stacked columns of allocated resources by day or hour.

use std::collections::BTreeMap;

use super::{BAR, LABEL, WIDE};
use crate::cli::html::escaped;
use crate::cli::remote::usage::formats::{in_hours, unit, value};
use wire::dto::native::UsageReport;
use wire::dto::time::rfc3339;

const HOUR: i64 = 3_600_000_000_000;
const DAY: i64 = 24 * HOUR;
/// Maximum time for columns of an hour; longer times use days.
const BY_HOURS: i64 = 3 * DAY;
const NAMES: usize = 6;
/// Heights of the columns and of the area below them, in pixels.
const HIGH: usize = 200;
const BELOW: usize = 24;
const TIMES: usize = 8;
/// Width of the axis labels, in pixels.
const LEFT: usize = 70;

type Column = Vec<u64>;

struct Columns {
    /// Length of a column, in ns.
    long: i64,
    /// Number of the first column since 1970.
    first: i64,
    names: Vec<String>,
    columns: Vec<Column>,
}

/// One resource by hour, and optionally one more dimension; empty without allocations.
pub(super) fn chart(report: &UsageReport, name: &str) -> String {
    let Some(drawn) = columns(report, name) else { return String::new() };
    let most = drawn.columns.iter().map(|column| column.iter().sum::<u64>()).max().unwrap_or(0).max(1);
    let each = if drawn.long == DAY { "day" } else { "hour" };
    let title = escaped(&format!("Allocated by {each}, {}", unit(name)));
    let height = HIGH + BELOW + (drawn.names.len().div_ceil(3)) * BAR;
    let mut svg = format!(
        "<h2>{title}</h2>\n<svg viewBox=\"0 0 {WIDE} {height}\" width=\"{WIDE}\" height=\"{height}\" role=\"img\" aria-label=\"{title}\">\n",
    );
    for (share, y) in [(1.0, 12), (0.5, HIGH / 2 + 4), (0.0, HIGH)] {
        let line = HIGH as f64 - share * (HIGH - 12) as f64;
        svg.push_str(&format!(
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{WIDE}\" y1=\"{line:.1}\" y2=\"{line:.1}\"/>\
             <text class=\"label\" x=\"{}\" y=\"{y}\" text-anchor=\"end\">{:.1}</text>\n",
            LEFT - 8,
            in_hours(name, most) * share,
        ));
    }
    let wide = (WIDE - LEFT) as f64 / drawn.columns.len() as f64;
    gaps(report, &drawn, wide, &mut svg);
    for (at, column) in drawn.columns.iter().enumerate() {
        let x = LEFT as f64 + at as f64 * wide;
        let when = when(&drawn, at);
        let mut top = HIGH as f64;
        for (number, amount) in column.iter().enumerate().filter(|(_, amount)| **amount > 0) {
            let high = *amount as f64 / most as f64 * (HIGH - 12) as f64;
            top -= high;
            svg.push_str(&format!(
                "<rect class=\"s{number}\" x=\"{x:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{high:.1}\"><title>{when} {} {:.2}</title></rect>\n",
                (wide - 1.0).max(0.5),
                escaped(&drawn.names[number]),
                in_hours(name, *amount),
            ));
        }
        if at % drawn.columns.len().div_ceil(TIMES) == 0 {
            let y = HIGH + 16;
            svg.push_str(&format!("<text class=\"label\" x=\"{x:.1}\" y=\"{y}\">{when}</text>\n"));
        }
    }
    if drawn.names.len() > 1 {
        legend(&drawn.names, &mut svg);
    }
    svg + "</svg>\n"
}

/// Where the wall clock was set back, nothing is missing.
fn gaps(report: &UsageReport, drawn: &Columns, wide: f64, svg: &mut String) {
    let place = |nanos: i64| {
        let columns = (nanos as f64 / drawn.long as f64 - drawn.first as f64).clamp(0.0, drawn.columns.len() as f64);
        LEFT as f64 + columns * wide
    };
    for gap in report.gaps.iter().filter(|gap| gap.from < gap.to) {
        let (from, to) = (place(gap.from), place(gap.to));
        svg.push_str(&format!(
            "<rect class=\"gap\" x=\"{from:.1}\" y=\"12\" width=\"{:.1}\" height=\"{}\"><title>not counted</title></rect>\n",
            to - from,
            HIGH - 12,
        ));
    }
}

fn legend(names: &[String], svg: &mut String) {
    for (number, name) in names.iter().enumerate() {
        let (x, y) = (LEFT + number % 3 * (WIDE - LEFT) / 3, HIGH + BELOW + number / 3 * BAR);
        // Long names are cut; the table has them in full.
        let most = (LABEL - 40) / 8;
        let cut = if name.chars().count() > most {
            name.chars().take(most - 1).chain(['…']).collect()
        } else {
            name.clone()
        };
        svg.push_str(&format!(
            "<rect class=\"s{number}\" x=\"{x}\" y=\"{}\" width=\"14\" height=\"14\"/><text class=\"label\" x=\"{}\" y=\"{}\">{}</text>\n",
            y + 3,
            x + 20,
            y + 15,
            escaped(&cut),
        ));
    }
}

fn when(drawn: &Columns, at: usize) -> String {
    let nanos = (drawn.first.saturating_add(i64::try_from(at).unwrap_or(0))).saturating_mul(drawn.long);
    let text = rfc3339(nanos);
    let range = if drawn.long == DAY { 5..10 } else { 5..16 };
    text.get(range).unwrap_or_default().replace('T', " ")
}

fn columns(report: &UsageReport, name: &str) -> Option<Columns> {
    let by = report.by.iter().find(|by| *by != "hour");
    let of = |row: &wire::dto::native::UsageReportRow| match by {
        Some(by) => Some(value(row, by)).filter(|text| !text.is_empty()).unwrap_or_else(|| "-".to_owned()),
        None => "all".to_owned(),
    };
    let rows = || report.rows.iter().filter_map(|row| Some((row.hour?, of(row), *row.allocated.get(name)?)));
    let (first, last) = (rows().map(|(hour, ..)| hour).min()?, rows().map(|(hour, ..)| hour).max()?);
    let long = if last.saturating_sub(first) <= BY_HOURS { HOUR } else { DAY };
    let number = |nanos: i64| nanos.div_euclid(long);
    let mut sums: BTreeMap<String, u64> = BTreeMap::new();
    for (_, of, amount) in rows() {
        *sums.entry(of).or_default() += amount;
    }
    let mut names: Vec<(String, u64)> = sums.into_iter().filter(|(_, amount)| *amount > 0).collect();
    names.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    let others = names.len().saturating_sub(NAMES);
    let mut names: Vec<String> = names.into_iter().take(NAMES).map(|(name, _)| name).collect();
    let known: BTreeMap<String, usize> = names.iter().enumerate().map(|(at, name)| (name.clone(), at)).collect();
    names.extend((others > 0).then(|| format!("{others} more")));
    if names.is_empty() {
        return None;
    }
    let many = usize::try_from(number(last) - number(first) + 1).ok()?;
    let mut columns = vec![vec![0; names.len()]; many];
    for (hour, of, amount) in rows().filter(|(.., amount)| *amount > 0) {
        let at = usize::try_from(number(hour) - number(first)).ok()?;
        columns[at][known.get(&of).copied().unwrap_or(NAMES)] += amount;
    }
    Some(Columns { long, first: number(first), names, columns })
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::dto::native::{UsageGap, UsageReportRow};

    fn report(hours: &[(i64, &str, u64)]) -> UsageReport {
        let row = |(hour, queue, amount): &(i64, &str, u64)| UsageReportRow {
            hour: Some(hour * HOUR),
            queue: Some((*queue).to_owned()),
            allocated: BTreeMap::from([("vcore".to_owned(), *amount)]),
            ..UsageReportRow::default()
        };
        let by = vec!["hour".to_owned(), "queue".to_owned()];
        UsageReport { by, rows: hours.iter().map(row).collect(), ..UsageReport::default() }
    }

    #[test]
    fn a_long_time_is_drawn_by_day_and_a_short_one_by_hour() {
        let short = columns(&report(&[(1, "root.a", 3), (2, "root.b", 4), (4, "root.a", 5)]), "vcore").unwrap();
        assert_eq!((short.long, short.first, short.columns.len()), (HOUR, 1, 4));
        assert_eq!(short.names, ["root.a", "root.b"]);
        assert_eq!(short.columns, [[3, 0], [0, 4], [0, 0], [5, 0]], "an hour without use is an empty column");
        let long = columns(&report(&[(1, "root.a", 3), (23, "root.a", 4), (24 * 9, "root.b", 50)]), "vcore").unwrap();
        assert_eq!((long.long, long.first, long.columns.len()), (DAY, 0, 10));
        assert_eq!((&long.columns[0], &long.columns[9]), (&vec![0, 7], &vec![50, 0]), "the largest name first");
        assert_eq!(when(&long, 9), "01-10");
    }

    #[test]
    fn an_object_without_its_own_color_is_one_column() {
        let many: Vec<(i64, String, u64)> = (0..20).map(|at| (1, format!("root.q{at:02}"), 100 - at)).collect();
        let many: Vec<(i64, &str, u64)> =
            many.iter().map(|(hour, name, amount)| (*hour, name.as_str(), *amount)).collect();
        let drawn = columns(&report(&many), "vcore").unwrap();
        assert_eq!(drawn.names.len(), NAMES + 1);
        assert_eq!(drawn.names[NAMES], "14 more");
        assert_eq!(drawn.columns[0].iter().sum::<u64>(), (81..=100).sum::<u64>());
        let gap = UsageGap { from: HOUR, to: 2 * HOUR, why: String::new() };
        let back = UsageGap { from: 2 * HOUR, to: HOUR, why: String::new() };
        let hours = [(0, "root.a", 1), (3, "root.a", 1)];
        let svg = chart(&UsageReport { gaps: vec![gap, back], ..report(&hours) }, "vcore");
        assert_eq!(svg.matches("<title>not counted").count(), 1, "{svg}");
        assert!(columns(&report(&[]), "vcore").is_none());
        assert!(chart(&report(&many), "memory").is_empty());
    }
}
