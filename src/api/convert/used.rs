//! A report of the ledger, in the words of the native API.

use std::collections::BTreeMap;

use super::Wall;
use crate::api::dto::native::{UsageReport, UsageReportRow};
use crate::ledger::{Dimension, Integral, Report, ReportRow};
use crate::model::Time;

/// What was used over time.
pub fn usage_report(report: &Report, wall: &Wall) -> UsageReport {
    UsageReport {
        by: report.by.iter().map(ToString::to_string).collect(),
        from: wall.nanos(report.from),
        to: wall.nanos(report.to),
        applications_from: report.folded.map(|folded| wall.nanos(folded)),
        rows: report.rows.iter().map(|one| row(&report.by, one, wall)).collect(),
        total: row(&[], &report.total, wall),
    }
}

fn row(by: &[Dimension], row: &ReportRow, wall: &Wall) -> UsageReportRow {
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
            Dimension::Hour => out.hour = value.parse().ok().map(|micros| wall.nanos(Time(micros))),
            Dimension::Partition => out.partition = text(),
            Dimension::Queue | Dimension::Tree => out.queue = text(),
            Dimension::User => out.user = text(),
            Dimension::Group => out.group = text(),
            Dimension::Application => out.application = text(),
        }
    }
    out
}

fn seconds(integral: &Integral) -> BTreeMap<String, u64> {
    integral.names().map(|name| (name.to_owned(), integral.seconds(name))).collect()
}
