//! A report of a ledger on the wire, as a person sees it.

use std::sync::Arc;
use std::time::Duration;

use crate::api::dto::native::{UsageReport, UsageReportRow};
use crate::view::used::{UsageBy, UsageGap, Used, UsedRow};

/// What was used over time, of a report that is split by one thing.
pub fn used(report: UsageReport, by: UsageBy) -> Used {
    let gaps = report.gaps.into_iter().map(|gap| UsageGap { from: gap.from, to: gap.to, why: gap.why });
    Used {
        from: report.from,
        to: report.to,
        counted: Duration::from_nanos(u64::try_from(report.counted).unwrap_or(0)),
        applications_from: report.applications_from,
        gaps: gaps.collect(),
        rows: report.rows.into_iter().map(|one| Arc::new(row(one, by))).collect(),
        total: row(report.total, by),
        only_allocated: report.only_allocated,
        notes: report.notes,
    }
}

fn row(row: UsageReportRow, by: UsageBy) -> UsedRow {
    let name = match by {
        UsageBy::Queue | UsageBy::Tree => row.queue,
        UsageBy::User => row.user,
        UsageBy::Group => row.group,
        UsageBy::Application => row.application,
        UsageBy::Priority => row.priority.map(|priority| priority.to_string()),
    };
    let UsageReportRow { allocated, waited, borrowed, guaranteed, .. } = row;
    UsedRow { name: Arc::from(name.unwrap_or_default()), allocated, waited, borrowed, guaranteed }
}
