//! Reports of the ledger in the native API.

use std::collections::BTreeMap;

use crate::dto::native::{UsageGap, UsageReport, UsageReportRow};
use ledger::{Dimension, Gap, Integral, Report, ReportRow};
use model::Time;
use view::{ClockGap, ClockRuns};

/// Converts a usage report; its times are wall-clock times.
pub fn usage_report(report: &Report, runs: &ClockRuns) -> UsageReport {
    // A gap that the ledger knows is reported only once.
    let known = |gap: &ClockGap| report.gaps.iter().any(|one| one.to == Some(gap.at));
    let inside = |gap: &ClockGap| report.from < gap.at && gap.at <= report.to && !known(gap);
    let mut gaps: Vec<UsageGap> = runs.gaps().into_iter().filter(inside).map(gap).collect();
    gaps.extend(report.gaps.iter().map(|gap| own_gap(gap, report, runs)));
    gaps.sort_by_key(|gap| gap.from);
    let stopped = |gap: &Gap| gap.to.unwrap_or(report.to).min(report.to).since(gap.from.max(report.from));
    let counted = report.to.since(report.from).saturating_sub(report.gaps.iter().map(stopped).sum());
    UsageReport {
        by: report.by.iter().map(ToString::to_string).collect(),
        from: runs.wall(report.from),
        to: runs.wall(report.to),
        counted: i64::try_from(counted.as_nanos()).unwrap_or(i64::MAX),
        applications_from: report.folded.map(|folded| runs.wall(folded)),
        gaps,
        rows: report.rows.iter().map(|one| row(&report.by, one, runs)).collect(),
        total: row(&[], &report.total, runs),
        ..UsageReport::default()
    }
}

fn own_gap(gap: &Gap, report: &Report, runs: &ClockRuns) -> UsageGap {
    UsageGap { from: runs.wall(gap.from), to: runs.wall(gap.to.unwrap_or(report.to)), why: gap.why.clone() }
}

fn gap(gap: ClockGap) -> UsageGap {
    let why = if gap.moved_back() {
        "the wall clock was set back: some times appear twice, but usage counts once"
    } else {
        "the scheduler's clock was stopped: it was paused or did not run"
    };
    UsageGap { from: gap.stopped, to: gap.resumed, why: why.to_owned() }
}

fn row(by: &[Dimension], row: &ReportRow, runs: &ClockRuns) -> UsageReportRow {
    let mut out = UsageReportRow {
        allocated: seconds(&row.allocated),
        waited: seconds(&row.waited),
        guaranteed: seconds(&row.guaranteed),
        borrowed: seconds(&row.borrowed),
        ..UsageReportRow::default()
    };
    for (dimension, value) in by.iter().zip(&row.key) {
        let text = || Some(value.clone());
        match dimension {
            Dimension::Hour => out.hour = value.parse().ok().map(|micros| runs.wall(Time(micros))),
            Dimension::Partition => out.partition = text(),
            Dimension::Queue | Dimension::Tree => out.queue = text(),
            Dimension::User => out.user = text(),
            Dimension::Group => out.group = text(),
            Dimension::Application => out.application = text(),
            Dimension::Priority => out.priority = value.parse().ok(),
        }
    }
    out
}

pub(super) fn seconds(integral: &Integral) -> BTreeMap<String, u64> {
    integral.names().map(|name| (name.to_owned(), integral.seconds(name))).collect()
}
