//! The quality of a forecast: the second half of a record, forecast from the first half.

use std::collections::BTreeSet;

use super::arrange;
use super::job::{Job, Workload};
use super::metrics::{Metrics, Waits};
use super::run::{Done, Plan, Stopped, run};
use super::target::time;
use model::{AppId, Time};

const QUEUES: usize = 8;

/// Values of the second half.
#[derive(Clone, Debug, PartialEq)]
pub struct Backtest {
    /// What the journal recorded.
    pub was: Metrics,
    /// Repeats the arrivals of the first half.
    pub forecast: Metrics,
    /// Real arrivals and run times: the remaining error is that of the simulation.
    pub replayed: Metrics,
}

/// A recorded time range.
pub struct Recorded<'r> {
    /// All arrivals, with run times from the whole range.
    pub whole: &'r Workload,
    /// With run times that were known at the middle.
    pub half: &'r Workload,
    /// Initial applications, which do not arrive again.
    pub there: &'r BTreeSet<AppId>,
    /// Relative to the start of the range.
    pub middle: Time,
    /// End of the range.
    pub end: Time,
    /// Recorded values of the second half.
    pub was: Metrics,
}

impl Recorded<'_> {
    /// Fails if canceled or the configuration is rejected.
    pub fn backtest(self, plan: &Plan, may_continue: &dyn Fn(Done) -> bool) -> Result<Backtest, Stopped> {
        let plan = Plan { from: Some(self.middle), until: Some(self.end), ..plan.clone() };
        let forecast = run(&twice(self.half, self.there, self.middle), &plan, may_continue)?;
        let replayed = run(self.whole, &plan, may_continue)?;
        Ok(Backtest { was: self.was, forecast, replayed })
    }
}

fn twice(workload: &Workload, there: &BTreeSet<AppId>, middle: Time) -> Workload {
    let mut first: Vec<Job> = workload.jobs.iter().filter(|job| job.at < middle).cloned().collect();
    for job in &mut first {
        let at = job.at;
        job.tasks.retain(|task| at + task.after < middle);
    }
    let again = first.iter().filter(|job| !there.contains(&job.app)).map(|job| Job {
        app: AppId::from(format!("{}+again", job.app)),
        at: Time(job.at.0 + middle.0),
        ..job.clone()
    });
    let again: Vec<Job> = again.collect();
    let mut both = Workload { nodes: workload.nodes.clone(), jobs: first, ..Workload::default() };
    both.jobs.extend(again);
    both.sort();
    arrange::likely_runtimes(&mut both);
    both
}

#[derive(Clone, Copy)]
enum Kind {
    Count,
    // In milliseconds.
    Time,
    /// From 0 to 1.
    Share,
}

impl Kind {
    fn shown(self, value: f64) -> String {
        match self {
            Self::Count => format!("{value:.0}"),
            Self::Time => time(value as u64),
            Self::Share => format!("{:.1} %", value * 100.0),
        }
    }

    fn off(self, value: f64, was: f64) -> String {
        let (by, sign) = ((value - was).abs(), if value < was { "-" } else { "+" });
        match self {
            Self::Share => format!("{sign}{:.1} points", by * 100.0),
            _ if by < 0.5 => "0".to_owned(),
            _ if was > 0.0 => format!("{sign}{} ({sign}{:.0} %)", self.shown(by), by / was * 100.0),
            _ => format!("{sign}{}", self.shown(by)),
        }
    }
}

struct Compared {
    name: String,
    kind: Kind,
    values: [Option<f64>; 3],
}

impl Compared {
    fn off(&self, which: usize) -> Option<String> {
        Some(self.kind.off(self.values[which]?, self.values[2]?))
    }
}

impl Backtest {
    /// Returns one sentence per value: the forecast, its error, and the error of the simulation.
    pub fn sentences(&self) -> Vec<String> {
        if self.was.total.waits.count == 0 {
            return vec!["backtest: no requests in the second half of the period".to_owned()];
        }
        let metrics = self.compared();
        let named = |of: &dyn Fn(&Compared) -> Option<String>| {
            let head = metrics.iter().filter(|one| {
                matches!(one.name.as_str(), "asks" | "wait p50" | "wait p95") || matches!(one.kind, Kind::Share)
            });
            head.filter_map(|one| Some(format!("{} {}", one.name, of(one)?))).collect::<Vec<_>>().join(", ")
        };
        let shown = |which: usize| named(&|one| Some(one.kind.shown(one.values[which]?)));
        let off = |which: usize| named(&|one| one.off(which));
        vec![
            format!(
                "backtest (forecast of the second half of the period from the first): {}; actual: {}; error: {}",
                shown(0),
                shown(2),
                off(0)
            ),
            format!("a simulation of the submitted jobs has the error: {}", off(1)),
        ]
    }

    /// Returns name, forecast, its error, replayed, its error, recorded.
    pub fn rows(&self) -> Vec<[String; 6]> {
        let nothing = || "-".to_owned();
        let row = |one: Compared| {
            let shown = |which: usize| one.values[which].map_or_else(nothing, |value| one.kind.shown(value));
            let off = |which: usize| one.off(which).unwrap_or_else(nothing);
            [one.name.clone(), shown(0), off(0), shown(1), off(1), shown(2)]
        };
        self.compared().into_iter().map(row).collect()
    }

    fn compared(&self) -> Vec<Compared> {
        let all = [&self.forecast, &self.replayed, &self.was];
        let one = |name: String, kind: Kind, of: &dyn Fn(&Metrics) -> Option<f64>| Compared {
            name,
            kind,
            values: all.map(of),
        };
        let waits = |name: &str, kind: Kind, of: fn(&Waits) -> u64| {
            one(name.to_owned(), kind, &|metrics| Some(of(&metrics.total.waits) as f64))
        };
        let mut rows = vec![
            waits("asks", Kind::Count, |waits| waits.count),
            waits("wait p50", Kind::Time, |waits| waits.p50),
            waits("wait p95", Kind::Time, |waits| waits.p95),
            waits("wait p99", Kind::Time, |waits| waits.p99),
            waits("waiting", Kind::Count, |waits| waits.waiting),
            one("taken back".to_owned(), Kind::Count, &|metrics| Some(metrics.total.taken_back as f64)),
            one("preempted".to_owned(), Kind::Count, &|metrics| Some(metrics.total.preempted as f64)),
        ];
        let names = self.was.resources.keys().filter(|name| *name != "pods");
        rows.extend(
            names.map(|name| {
                one(format!("{name} in use"), Kind::Share, &|metrics| metrics.resources.get(name)?.share())
            }),
        );
        let mut queues: Vec<_> = self.was.queues.iter().filter(|queue| queue.name != "root").collect();
        queues.sort_by_key(|queue| (std::cmp::Reverse(queue.waits.count), queue.name.clone()));
        rows.extend(queues.into_iter().take(QUEUES).map(|queue| {
            let p95 = |metrics: &Metrics| {
                let found = metrics.queues.iter().find(|other| other.name == queue.name)?;
                Some(found.waits.p95 as f64)
            };
            one(format!("p95 of {}", queue.name), Kind::Time, &p95)
        }));
        rows
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::simulate::Task;

    fn job(app: &str, at: u64, runs: Option<u64>) -> Job {
        let task = Task { count: 1, runs: runs.map(Duration::from_secs), ..Task::default() };
        Job { app: AppId::from(app), at: Time::from_millis(at * 1000), tasks: vec![task], ..Job::default() }
    }

    #[test]
    fn the_first_half_is_read_again_without_duplicates() {
        let mut late = job("b", 5, None);
        late.tasks.push(Task { after: Duration::from_secs(6), ..late.tasks[0].clone() });
        let jobs = vec![job("there", 0, Some(7)), job("a", 0, Some(9)), late, job("c", 10, Some(1))];
        let there = BTreeSet::from([AppId::from("there")]);
        let both = twice(&Workload { jobs, ..Workload::default() }, &there, Time::from_millis(10_000));
        let arrived: Vec<(&str, u64)> =
            both.jobs.iter().map(|job| (job.app.as_str(), job.at.as_millis() / 1000)).collect();
        assert_eq!(arrived, [("there", 0), ("a", 0), ("b", 5), ("a+again", 10), ("b+again", 15)]);
        // An allocation without an end runs as long as most.
        let b = &both.jobs[2].tasks;
        assert_eq!((b.len(), b[0].runs), (1, Some(Duration::from_secs(9))));
    }
}
