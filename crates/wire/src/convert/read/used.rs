//! Usage reports on the wire, for display.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::dto::native::{UsageCompared, UsageReport, UsageReportRow};
use model::VCORE;
use view::used::{UsageBy, UsageGap, Used, UsedRow};

/// Converts a usage report with one dimension.
pub fn used(report: UsageReport, by: UsageBy) -> Used {
    let gaps = report.gaps.into_iter().map(|gap| UsageGap { from: gap.from, to: gap.to, why: gap.why });
    let compared: BTreeMap<&str, &UsageCompared> =
        report.compared.iter().map(|one| (one.application.as_str(), one)).collect();
    let remark = |row: &UsageReportRow| {
        let one = compared.get(row.application.as_deref()?)?;
        Some(Arc::from(sentence(one)))
    };
    Used {
        from: report.from,
        to: report.to,
        counted: Duration::from_nanos(u64::try_from(report.counted).unwrap_or(0)),
        applications_from: report.applications_from,
        gaps: gaps.collect(),
        rows: report.rows.into_iter().map(|one| Arc::new(UsedRow { remark: remark(&one), ..row(one, by) })).collect(),
        total: row(report.total, by),
        only_allocated: report.only_allocated,
        notes: report.notes,
    }
}

fn sentence(one: &UsageCompared) -> String {
    let hours = |amounts: &BTreeMap<String, u64>| amounts.get(VCORE).copied().unwrap_or(0) as f64 / 3_600_000.0;
    format!(
        "ended allocations: the ledger has {:.2} core hours, resourceHistory has {:.2}: {}",
        hours(&one.local),
        hours(&one.remote),
        one.why
    )
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
    UsedRow { name: Arc::from(name.unwrap_or_default()), allocated, waited, borrowed, guaranteed, remark: None }
}
