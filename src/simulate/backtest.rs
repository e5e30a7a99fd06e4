//! What a forecast is worth: the second half of a recorded span, forecast from the first, beside what it was.

use std::collections::BTreeSet;

use super::arrange;
use super::figures::Figures;
use super::job::{Job, Workload};
use super::run::{Plan, Stopped, run};
use super::target::time;
use crate::model::{AppId, Time};

/// The queues that are named one by one, those with the most asks first.
const QUEUES: usize = 8;

/// The figures of one second half: of the asks that were made in it, and of what was in use in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Backtest {
    /// What the journal recorded.
    pub was: Figures,
    /// As the first half lets one expect it: what came in then comes in again.
    pub forecast: Figures,
    /// With the jobs that really came in, and the runtimes that they really had: what is left is the error of the simulation itself.
    pub replayed: Figures,
}

/// A recorded span.
pub struct Recorded<'r> {
    /// All that came in, with the runtimes that were seen in the whole span.
    pub whole: &'r Workload,
    /// The same with the runtimes that were known at the middle.
    pub half: &'r Workload,
    /// What was there at the beginning and does not come in again.
    pub there: &'r BTreeSet<AppId>,
    /// When the second half begins, from the beginning of the span on.
    pub middle: Time,
    /// When it ends.
    pub end: Time,
    /// What the second half was.
    pub was: Figures,
}

impl Recorded<'_> {
    /// Forecasts the second half and runs it again.
    ///
    /// # Errors
    /// The configuration is refused, or nobody wants it any more.
    pub fn backtest(self, plan: &Plan, go_on: &dyn Fn() -> bool) -> Result<Backtest, Stopped> {
        let plan = Plan { from: Some(self.middle), until: Some(self.end), ..plan.clone() };
        let forecast = run(&twice(self.half, self.there, self.middle), &plan, go_on)?;
        let replayed = run(self.whole, &plan, go_on)?;
        Ok(Backtest { was: self.was, forecast, replayed })
    }
}

/// What comes in before the middle, and the same again after it.
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

impl Backtest {
    /// In one sentence each: what the forecast is worth, and what the simulation is worth where all that came in is known.
    pub fn sentences(&self) -> Vec<String> {
        if self.was.total.waits.count == 0 {
            return vec!["backtest: nothing was asked for in the second half of the span".to_owned()];
        }
        let of = |figures: &Figures| {
            let waits = &figures.total.waits;
            let uses = figures.resources.iter().filter(|(name, _)| *name != "pods");
            let uses = uses.filter_map(|(name, used)| Some(format!("{name} {:.1} %", used.share()? * 100.0)));
            let mut parts = vec![
                format!("{} asks", waits.count),
                format!("wait p50 {}", time(waits.p50)),
                format!("p95 {}", time(waits.p95)),
            ];
            parts.extend(uses);
            parts.join(", ")
        };
        vec![
            format!(
                "backtest, the second half forecast from the first: {}; it was: {}",
                of(&self.forecast),
                of(&self.was)
            ),
            format!("the jobs of the second half that really came in, simulated: {}", of(&self.replayed)),
        ]
    }

    /// Rows of a table: what, the forecast, the jobs that came in simulated, as it was.
    pub fn rows(&self) -> Vec<[String; 4]> {
        let all = [&self.forecast, &self.replayed, &self.was];
        let row = |name: String, of: &dyn Fn(&Figures) -> Option<String>| {
            let [forecast, replayed, was] = all.map(|figures| of(figures).unwrap_or_else(|| "-".to_owned()));
            [name, forecast, replayed, was]
        };
        let mut rows = vec![
            row("asks".to_owned(), &|figures| Some(figures.total.waits.count.to_string())),
            row("wait p50".to_owned(), &|figures| Some(time(figures.total.waits.p50))),
            row("wait p95".to_owned(), &|figures| Some(time(figures.total.waits.p95))),
            row("wait p99".to_owned(), &|figures| Some(time(figures.total.waits.p99))),
            row("waiting".to_owned(), &|figures| Some(figures.total.waits.waiting.to_string())),
            row("preempted".to_owned(), &|figures| Some(figures.total.preempted.to_string())),
        ];
        let names = self.was.resources.keys().filter(|name| *name != "pods");
        rows.extend(names.map(|name| {
            let share = |figures: &Figures| Some(format!("{:.1} %", figures.resources.get(name)?.share()? * 100.0));
            row(format!("{name} in use"), &share)
        }));
        let mut queues: Vec<_> = self.was.queues.iter().filter(|queue| queue.name != "root").collect();
        queues.sort_by_key(|queue| (std::cmp::Reverse(queue.waits.count), queue.name.clone()));
        rows.extend(queues.into_iter().take(QUEUES).map(|queue| {
            let p95 = |figures: &Figures| {
                let found = figures.queues.iter().find(|other| other.name == queue.name)?;
                Some(time(found.waits.p95))
            };
            row(format!("p95 of {}", queue.name), &p95)
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
    fn the_first_half_comes_in_again_and_what_was_there_does_not() {
        let mut late = job("b", 5, None);
        late.tasks.push(Task { after: Duration::from_secs(6), ..late.tasks[0].clone() });
        let jobs = vec![job("there", 0, Some(7)), job("a", 0, Some(9)), late, job("c", 10, Some(1))];
        let there = BTreeSet::from([AppId::from("there")]);
        let both = twice(&Workload { jobs, ..Workload::default() }, &there, Time::from_millis(10_000));
        let came: Vec<(&str, u64)> =
            both.jobs.iter().map(|job| (job.app.as_str(), job.at.as_millis() / 1000)).collect();
        assert_eq!(came, [("there", 0), ("a", 0), ("b", 5), ("a+again", 10), ("b+again", 15)]);
        // What had not ended runs as long as most; what would have come after the middle is not known yet.
        let b = &both.jobs[2].tasks;
        assert_eq!((b.len(), b[0].runs), (1, Some(Duration::from_secs(9))));
    }
}
