//! A report as a table and as CSV.

use std::collections::{BTreeMap, BTreeSet};

use super::super::table::Table;
use super::price::Prices;
use console::present::export::csv_line;
use model::{MEMORY, VCORE};
use wire::dto::native::{UsageCompared, UsageGap, UsageReport, UsageReportRow};
use wire::dto::time::rfc3339;

type Amounts = (&'static str, fn(&UsageReportRow) -> &BTreeMap<String, u64>);

pub(super) fn amounts(report: &UsageReport) -> Vec<Amounts> {
    if report.only_allocated {
        return vec![("allocated", |row| &row.allocated)];
    }
    let mut all: Vec<Amounts> =
        vec![("allocated", |row| &row.allocated), ("waited", |row| &row.waited), ("borrowed", |row| &row.borrowed)];
    if report.rows.iter().any(|row| !row.guaranteed.is_empty()) {
        all.push(("guaranteed", |row| &row.guaranteed));
    }
    all
}

/// The resources of a report: cpu, memory, then the others by name.
pub(super) fn resources(report: &UsageReport) -> Vec<String> {
    let mut names: BTreeSet<&String> = BTreeSet::new();
    for row in report.rows.iter().chain([&report.total]) {
        names.extend(amounts(report).iter().flat_map(|(_, of)| of(row).keys()));
    }
    let first = [VCORE, MEMORY].into_iter().filter(|name| names.iter().any(|known| known == name));
    let others = names.iter().filter(|name| ![VCORE, MEMORY].contains(&name.as_str()));
    first.map(str::to_owned).chain(others.map(|name| (*name).clone())).collect()
}

/// Converts base-unit seconds to core-hours, GiB-hours, or unit-hours.
pub(super) fn in_hours(name: &str, seconds: u64) -> f64 {
    let unit = match name {
        VCORE => 1_000.0,
        MEMORY => 1_073_741_824.0,
        _ => 1.0,
    };
    seconds as f64 / 3_600.0 / unit
}

pub(super) fn unit(name: &str) -> String {
    match name {
        VCORE => "core-h".to_owned(),
        MEMORY => "GiB-h".to_owned(),
        other => format!("{other}-h"),
    }
}

pub(super) fn value(row: &UsageReportRow, by: &str) -> String {
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    match by {
        "hour" => row.hour.map(rfc3339).unwrap_or_default(),
        "partition" => text(&row.partition),
        "queue" | "tree" => text(&row.queue),
        "user" => text(&row.user),
        "group" => text(&row.group),
        "application" => text(&row.application),
        "priority" => row.priority.map(|priority| priority.to_string()).unwrap_or_default(),
        _ => String::new(),
    }
}

pub(super) fn metric(name: &str, seconds: u64) -> String {
    if seconds == 0 { String::new() } else { format!("{:.2}", in_hours(name, seconds)) }
}

pub(super) fn shown(nanos: i64) -> String {
    const SECOND: i64 = 1_000_000_000;
    rfc3339(nanos.div_euclid(SECOND) * SECOND)
}

pub(super) fn table(report: &UsageReport, prices: Option<&Prices>) -> String {
    let (amounts, resources) = (amounts(report), resources(report));
    let mut titles: Vec<String> = report.by.iter().map(|by| by.to_uppercase()).collect();
    for (what, _) in &amounts {
        titles.extend(resources.iter().map(|name| format!(">{} {}", what.to_uppercase(), unit(name))));
    }
    titles.extend(prices.map(|prices| format!(">COST {}", prices.currency).trim_end().to_owned()));
    let mut table = Table::titled(titles);
    let mut total = UsageReportRow::default();
    total.clone_from(&report.total);
    let mut add = |row: &UsageReportRow, mut cells: Vec<String>| {
        for (_, of) in &amounts {
            cells.extend(resources.iter().map(|name| metric(name, of(row).get(name).copied().unwrap_or(0))));
        }
        cells.extend(prices.map(|prices| format!("{:.2}", prices.cost(&row.allocated))));
        table.row(cells);
    };
    for row in &report.rows {
        add(row, report.by.iter().map(|by| value(row, by)).collect());
    }
    if !report.by.is_empty() {
        let sum = (0..report.by.len()).map(|at| if at == 0 { "total".to_owned() } else { String::new() });
        add(&total, sum.collect());
    }
    let mut text = format!("from {} to {}\n\n", shown(report.from), shown(report.to));
    text.push_str(&table.text());
    if let Some(from) = report.applications_from {
        text.push_str(&format!("\napplications are listed one by one since {}\n", shown(from)));
    }
    gaps(report).iter().for_each(|line| text.push_str(&format!("\n{line}\n")));
    text.push_str(&compared(report));
    text
}

/// Maximum number of compared applications, largest differences first.
const COMPARED: usize = 20;

/// Usage of released allocations compared with the scheduler's own count; empty without data.
fn compared(report: &UsageReport) -> String {
    if report.compared.is_empty() {
        return String::new();
    }
    let mut all: Vec<&UsageCompared> = report.compared.iter().collect();
    let cpu = |amounts: &BTreeMap<String, u64>| amounts.get(VCORE).copied().unwrap_or(0);
    all.sort_by_key(|one| (one.agrees, std::cmp::Reverse(cpu(&one.local).abs_diff(cpu(&one.remote)))));
    let mut titles = vec!["APPLICATION".to_owned()];
    for name in [VCORE, MEMORY] {
        titles.extend(["OURS", "ITS OWN", "DIFFERENCE"].map(|what| format!(">{what} {}", unit(name))));
    }
    titles.push("WHY".to_owned());
    let mut table = Table::titled(titles);
    for one in all.iter().take(COMPARED) {
        let mut cells = vec![one.application.clone()];
        for name in [VCORE, MEMORY] {
            let of = |amounts: &BTreeMap<String, u64>| in_hours(name, amounts.get(name).copied().unwrap_or(0));
            let (local, remote) = (of(&one.local), of(&one.remote));
            cells.extend([format!("{local:.2}"), format!("{remote:.2}"), format!("{:+.2}", local - remote)]);
        }
        cells.push(one.why.clone());
        table.row(cells);
    }
    let left = all.len().saturating_sub(COMPARED);
    let left = if left > 0 { format!("{left} more in --json\n") } else { String::new() };
    format!(
        "\nended allocations of active applications, compared with its own count (resourceHistory), since the ledger started:\n\n{}{left}",
        table.text()
    )
}

fn inexact(report: &UsageReport) -> Option<String> {
    let last = report.inexact.len().saturating_sub(6);
    let hours: Vec<String> = report.inexact.iter().skip(last).map(|hour| shown(*hour)).collect();
    let more = if last > 0 { format!("{last} earlier, ") } else { String::new() };
    (!hours.is_empty()).then(|| format!("approximate hours, by start: {more}{}", hours.join(", ")))
}

pub(super) fn gaps(report: &UsageReport) -> Vec<String> {
    let gap = |gap: &UsageGap| {
        let (from, to) = (shown(gap.from), shown(gap.to));
        if gap.to < gap.from {
            return format!("from {from} back to {to}: {}", gap.why);
        }
        format!("no usage was counted from {from} to {to}: {}", gap.why)
    };
    report.gaps.iter().map(gap).chain(report.notes.iter().cloned()).chain(inexact(report)).collect()
}

/// The report as CSV: base units (millicores, bytes) times seconds.
pub(super) fn csv(report: &UsageReport, prices: Option<&Prices>) -> String {
    let (amounts, resources) = (amounts(report), resources(report));
    let mut titles: Vec<String> = report.by.clone();
    for (what, _) in &amounts {
        titles.extend(resources.iter().map(|name| format!("{what}_{name}_seconds")));
    }
    titles.extend(prices.map(|_| "cost".to_owned()));
    let mut text = csv_line(titles.iter().map(|title| (title, false)));
    for row in &report.rows {
        let mut cells: Vec<(String, bool)> = report.by.iter().map(|by| (value(row, by), false)).collect();
        for (_, of) in &amounts {
            cells.extend(resources.iter().map(|name| (of(row).get(name).copied().unwrap_or(0).to_string(), true)));
        }
        cells.extend(prices.map(|prices| (format!("{:.6}", prices.cost(&row.allocated)), true)));
        text.push_str(&csv_line(cells));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> UsageReport {
        let amounts = |all: &[(&str, u64)]| all.iter().map(|(name, amount)| ((*name).to_owned(), *amount)).collect();
        let row = |queue: &str, user: &str, vcore: u64| UsageReportRow {
            queue: Some(queue.to_owned()),
            user: Some(user.to_owned()),
            allocated: amounts(&[("vcore", vcore), ("memory", 3_600 << 30)]),
            waited: amounts(&[("vcore", 1_800_000)]),
            borrowed: amounts(&[("vcore", 3_600_000), ("memory", 1_800 << 30)]),
            ..UsageReportRow::default()
        };
        UsageReport {
            by: vec!["queue".to_owned(), "user".to_owned()],
            to: 3_600_000_000_000,
            rows: vec![row("root.a", "=cmd|x", 7_200_000), row("root.b", "bob, jr", 3_600_000)],
            total: UsageReportRow {
                allocated: amounts(&[("vcore", 10_800_000), ("memory", 7_200 << 30)]),
                waited: amounts(&[("vcore", 3_600_000)]),
                borrowed: amounts(&[("vcore", 7_200_000), ("memory", 3_600 << 30)]),
                ..UsageReportRow::default()
            },
            ..UsageReport::default()
        }
    }

    #[test]
    fn the_table_is_in_hours_with_a_total() {
        insta::assert_snapshot!(table(&report(), None), @r"
        from 1970-01-01T00:00:00Z to 1970-01-01T01:00:00Z

        QUEUE   USER     ALLOCATED core-h  ALLOCATED GiB-h  WAITED core-h  WAITED GiB-h  BORROWED core-h  BORROWED GiB-h
        root.a  =cmd|x               2.00             1.00           0.50                           1.00            0.50
        root.b  bob, jr              1.00             1.00           0.50                           1.00            0.50
        total                        3.00             2.00           1.00                           2.00            1.00
        ");
    }

    #[test]
    fn csv_is_exact_quoted_and_has_no_formula() {
        let lines: Vec<String> = csv(&report(), None).split("\r\n").map(str::to_owned).collect();
        assert_eq!(
            lines[0],
            "queue,user,allocated_vcore_seconds,allocated_memory_seconds,waited_vcore_seconds,waited_memory_seconds,\
             borrowed_vcore_seconds,borrowed_memory_seconds"
        );
        assert_eq!(
            lines[1],
            format!("root.a,'=cmd|x,7200000,{},1800000,0,3600000,{}", 3_600_u64 << 30, 1_800_u64 << 30)
        );
        assert_eq!(
            lines[2],
            format!("root.b,\"bob, jr\",3600000,{},1800000,0,3600000,{}", 3_600_u64 << 30, 1_800_u64 << 30)
        );
    }
}
