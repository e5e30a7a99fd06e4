//! Usage by Apache YuniKorn's own count (`resourceHistory`, `rest.md` 5.4) as a report.

use std::collections::BTreeMap;

use crate::dto::native::{UsageReport, UsageReportRow};
use ledger::{Dimension, Question};
use model::QueuePath;
use view::View;
use view::rows::{AppRow, TrackedResources};

/// Sums released allocations of active applications. Apache YuniKorn has no data of finished ones.
///
/// # Errors
/// A time or a dimension that is unknown there.
pub fn tracked_report(view: &View, question: &Question) -> Result<UsageReport, String> {
    use Dimension as D;
    const NO_LEDGER: &str = "Apache YuniKorn does not record usage history";
    if question.from.is_some() || question.to.is_some() {
        return Err(format!("{NO_LEDGER}: only the total is known"));
    }
    if let Some(unknown) = question.by.iter().find(|by| matches!(by, D::Hour | D::Group | D::Priority)) {
        return Err(format!("{NO_LEDGER}: usage by {unknown} is unknown; use queue, tree, user, or application"));
    }
    let mut rows: BTreeMap<Vec<String>, UsageReportRow> = BTreeMap::new();
    let (mut total, mut many, mut first) = (UsageReportRow::default(), 0_usize, view.at);
    for part in &view.partitions {
        for app in part.apps.iter().flatten().filter(|app| accepts(question, app)) {
            (many, first) = (many + 1, first.min(app.submitted));
            let used = ended_use(&app.past);
            if used.is_empty() {
                continue;
            }
            add(&mut total, &used);
            let up = std::iter::successors(Some(app.queue.clone()), QueuePath::parent);
            let tree = if question.by.contains(&D::Tree) { usize::MAX } else { 1 };
            let inside = |queue: &QueuePath| question.queue.as_ref().is_none_or(|of| queue.is_within(of));
            for queue in up.take(tree).take_while(inside) {
                let key = question.by.iter().map(|by| value(*by, &part.name, &queue, app)).collect();
                add(rows.entry(key).or_default(), &used);
            }
        }
    }
    let nanos = |micros: u64| i64::try_from(micros.saturating_mul(1_000)).unwrap_or(i64::MAX);
    let row = |(key, row): (Vec<String>, UsageReportRow)| keyed(&question.by, key, row);
    Ok(UsageReport {
        by: question.by.iter().map(ToString::to_string).collect(),
        from: nanos(first.0),
        to: nanos(view.at.0),
        counted: i64::try_from(view.at.since(first).as_nanos()).unwrap_or(i64::MAX),
        rows: rows.into_iter().map(row).collect(),
        total,
        only_allocated: true,
        notes: vec![
            format!(
                "{NO_LEDGER}; this is the usage of ended allocations of its {many} active applications, by its own \
                    count (resourceHistory)"
            ),
            "running allocations, usage of ended applications, waits, and borrowed resources are unknown".to_owned(),
        ],
        ..UsageReport::default()
    })
}

fn accepts(question: &Question, app: &AppRow) -> bool {
    !app.state.is_ended()
        && question.queue.as_ref().is_none_or(|of| app.queue.is_within(of))
        && question.user.as_ref().is_none_or(|user| *user == app.who.user)
}

fn value(by: Dimension, partition: &str, queue: &QueuePath, app: &AppRow) -> String {
    match by {
        Dimension::Partition => partition.to_owned(),
        Dimension::User => app.who.user.clone(),
        Dimension::Application => app.id.to_string(),
        _ => queue.to_string(),
    }
}

fn keyed(by: &[Dimension], key: Vec<String>, mut row: UsageReportRow) -> UsageReportRow {
    for (by, value) in by.iter().zip(key) {
        let place = match by {
            Dimension::Partition => &mut row.partition,
            Dimension::User => &mut row.user,
            Dimension::Application => &mut row.application,
            _ => &mut row.queue,
        };
        *place = Some(value);
    }
    row
}

/// Usage of released allocations in base units times seconds: each counts in one of the three parts.
pub fn ended_use(past: &TrackedResources) -> BTreeMap<Box<str>, u64> {
    let mut sum = BTreeMap::new();
    let all = [&past.used, &past.placeholders, &past.preempted];
    for (name, amount) in all.into_iter().flat_map(|by| by.values()).flat_map(|used| used.iter()) {
        if let Some(amount) = u64::try_from(amount).ok().filter(|amount| *amount > 0) {
            let entry: &mut u64 = sum.entry(Box::from(name)).or_default();
            *entry = entry.saturating_add(amount);
        }
    }
    sum
}

fn add(row: &mut UsageReportRow, used: &BTreeMap<Box<str>, u64>) {
    for (name, amount) in used {
        let entry = row.allocated.entry(name.to_string()).or_default();
        *entry = entry.saturating_add(*amount);
    }
}
