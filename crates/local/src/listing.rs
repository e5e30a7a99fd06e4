use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::daemon::Daemon;
use super::dialect::plain_name;
use super::filter::{Counts, Filter, Kind};
use super::job::{Job, Owner};
use super::pending::Reasons;
use super::table::Table;
use super::wire::Reply;
use model::AppId;
use view::AppRow;

/// A row: a job, or an array represented by its most important index.
struct Row<'t> {
    job: &'t Job,
    counts: Option<Counts>,
}

impl Daemon {
    pub(super) fn list(&self, who: &Owner, filter: &Filter) -> Reply {
        let starts = self.starts();
        let (table, view) = (self.table(), self.engine.published().view());
        let part = Self::partition(&view);
        let gone = part.into_iter().flat_map(|part| part.ended.iter());
        // An active application takes precedence over an old one with its ID.
        let apps: HashMap<&AppId, &Arc<AppRow>> = gone.map(|app| (&app.id, app)).chain(Self::apps(&view)).collect();
        let numbers = numbers(&table, filter);
        let found = table.jobs.range(numbers.0..=numbers.1).map(|(_, job)| job);
        let found = found.filter(|job| accepts(filter, job)).filter(|job| {
            let queue = || apps.get(&job.app()).map_or(job.queue(), |app| app.queue.as_str());
            filter.queue.is_none() || filter.accepts_queue(queue())
        });
        let rows = rows(found.filter(|job| self.may_see(who, job)), filter.grouped);
        let reasons = Reasons::new(part, self.drained(part));
        let report = |row: &Row<'_>| {
            let job = row.job;
            let mut report = starts.add_to(self.report_by(&reasons, apps.get(&job.app()).copied(), job)).listed();
            if row.counts.is_some() {
                (report.name, report.counts) = (plain_name(job), row.counts);
            }
            report
        };
        Reply::Jobs(rows.values().map(report).collect())
    }
}

fn numbers(table: &Table, filter: &Filter) -> (u64, u64) {
    let Some((first, last)) = filter.numbers else { return (0, u64::MAX) };
    let array = table.jobs.get(&first).filter(|_| first == last).and_then(|job| job.array);
    array.map_or((first, last.max(first)), |task| (task.first, task.last()))
}

fn accepts(filter: &Filter, job: &Job) -> bool {
    filter.accepts(kind(job))
        && filter.user.as_ref().is_none_or(|user| *user == job.owner.identity.user)
        && filter.since.is_none_or(|since| job.ended.is_none_or(|ended| ended >= since))
        && (filter.name.is_none() || filter.accepts_name(&plain_name(job)))
}

fn kind(job: &Job) -> Kind {
    Kind::of(job.state, job.outcome.as_ref())
}

fn rows<'t>(jobs: impl Iterator<Item = &'t Job>, grouped: bool) -> BTreeMap<u64, Row<'t>> {
    let mut rows: BTreeMap<u64, Row<'t>> = BTreeMap::new();
    for job in jobs {
        let Some(task) = job.array.filter(|_| grouped) else {
            rows.insert(job.number, Row { job, counts: None });
            continue;
        };
        let row = rows.entry(task.first).or_insert(Row { job, counts: None });
        row.counts.get_or_insert_default().add(kind(job));
        if (kind(job) as usize) < kind(row.job) as usize {
            row.job = job;
        }
    }
    rows
}
