//! The command `kornsole jobs`.

use std::io::{IsTerminal as _, stdout};
use std::process::ExitCode;
use std::thread::sleep;
use std::time::Duration;

use clap::Args;

use super::amounts::{self, JobNumbers, show_ms};
use super::jobs::{JobsArgs, notices, print_json};
use super::{Ended, ask, code, unexpected};
use crate::cli::remote::table::Table;
use crate::cli::settings::print;
use local::filter::{Filter, Kind};
use local::job::JobState;
use local::wall_ms;
use local::wire::{JobReport, Reply, Request};
use model::quantity::{show_memory, show_vcore};

const WATCH: Duration = Duration::from_secs(2);
const CLEAR: &str = "\x1b[H\x1b[2J\x1b[3J";

/// The arguments of `kornsole jobs`.
#[derive(Args, Clone, Debug)]
pub struct ListArgs {
    /// Job, array, or range, for example 17 or 17-116; an array is listed by its indices
    #[arg(value_name = "JOBS", value_parser = amounts::numbers)]
    pub numbers: Option<JobNumbers>,
    /// States: running, queued, waiting, held, pending, ok, failed, canceled, ended
    #[arg(long, value_name = "STATES", value_delimiter = ',', value_parser = kinds)]
    pub state: Vec<Kinds>,
    /// Only jobs of this user
    #[arg(long, value_name = "USER")]
    pub user: Option<String>,
    /// Only jobs in this queue and below it, by its path or the last part of its path
    #[arg(long, value_name = "QUEUE")]
    pub queue: Option<String>,
    /// Only jobs with this name; * matches any text
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Also jobs that ended in this time, for example 1d or 2h
    #[arg(long, value_name = "TIME", value_parser = amounts::seconds)]
    pub since: Option<u64>,
    /// Print the list again when it changes, until you press ctrl-c
    #[arg(long)]
    pub watch: bool,
    /// The output format and the daemon
    #[command(flatten)]
    pub shown: JobsArgs,
}

/// The states with one name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kinds(Vec<Kind>);

fn kinds(text: &str) -> Result<Kinds, String> {
    let all = |accepts: &dyn Fn(&Kind) -> bool| Kind::ALL.into_iter().filter(accepts).collect::<Vec<_>>();
    let found = match text {
        "ended" => all(&|kind| !kind.is_live()),
        "pending" => all(&|kind| kind.is_live() && *kind != Kind::Running),
        name => all(&|kind| kind.word() == name),
    };
    match found.is_empty() {
        false => Ok(Kinds(found)),
        true => Err(format!("expected pending, ended, {}", Kind::ALL.map(Kind::word).join(", "))),
    }
}

impl ListArgs {
    fn filter(&self) -> Filter {
        Filter {
            kinds: self.state.iter().flat_map(|kinds| kinds.0.iter().copied()).collect(),
            user: self.user.clone(),
            queue: self.queue.clone(),
            name: self.name.clone(),
            since: self.since.map(|seconds| wall_ms().saturating_sub(seconds.saturating_mul(1000))),
            numbers: self.numbers.map(|numbers| (numbers.first, numbers.last)),
            // JSON output lists each index.
            grouped: self.numbers.is_none() && !self.shown.json,
        }
    }

    fn none(&self) -> &'static str {
        let all = self.state.is_empty() && self.since.is_none() && self.numbers.is_none();
        if all && self.user.is_none() && self.queue.is_none() && self.name.is_none() {
            ""
        } else {
            "no matching jobs\n"
        }
    }
}

/// Lists jobs; without a filter, those that have not ended.
pub fn jobs(args: &ListArgs) -> ExitCode {
    code(if args.watch { watched(args) } else { once(args) })
}

fn once(args: &ListArgs) -> Result<ExitCode, Ended> {
    let (jobs, notices) = listed(args)?;
    if args.shown.json { print_json(&jobs) } else { Ok(print(&text(args, jobs, &notices))) }
}

/// Prints the list whenever it changes.
fn watched(args: &ListArgs) -> Result<ExitCode, Ended> {
    let (mut before, clear) = (None, if stdout().is_terminal() { CLEAR } else { "" });
    loop {
        let (jobs, notices) = listed(args)?;
        if before.as_ref() != Some(&(jobs.clone(), notices.clone())) {
            let code = match args.shown.json {
                true => print_json(&jobs)?,
                false => print(&format!("{clear}{}", text(args, jobs.clone(), &notices))),
            };
            if code != ExitCode::SUCCESS {
                return Ok(code);
            }
            before = Some((jobs, notices));
        }
        sleep(WATCH);
    }
}

fn listed(args: &ListArgs) -> Result<(Vec<JobReport>, String), Ended> {
    let mut client = args.shown.daemon.connect()?;
    match ask(&mut client, &Request::List(Box::new(args.filter())))? {
        (Reply::Jobs(jobs), _) => Ok((jobs, notices(&mut client)?)),
        _ => Err(unexpected()),
    }
}

fn text(args: &ListArgs, jobs: Vec<JobReport>, notices: &str) -> String {
    let titles = [">JOB", "NAME", "USER", "QUEUE", "STATE", ">CPU", ">MEM", ">GPU", ">FOR", "REASON"];
    let (mut table, totals) = (Table::new(&titles), totals(&jobs));
    let none = if jobs.is_empty() { args.none() } else { "" };
    for job in jobs {
        table.row(row(job));
    }
    format!("{}{none}{totals}{notices}", table.text())
}

fn row(job: JobReport) -> Vec<String> {
    let number = match (job.counts, job.array) {
        (Some(_), Some(task)) => format!("{}-{}", task.first, task.last()),
        _ => job.number.to_string(),
    };
    let state = match &job.counts {
        Some(counts) => in_words(counts.iter()),
        None => Kind::of(job.state, job.outcome.as_ref()).word().to_owned(),
    };
    let from = if job.state == JobState::Running { job.started } else { None };
    let until = job.ended.unwrap_or_else(wall_ms);
    let from = from.or(job.started.filter(|_| job.ended.is_some())).unwrap_or(job.submitted);
    vec![
        number,
        job.name,
        job.user,
        job.queue,
        state,
        show_vcore(job.vcore),
        show_memory(job.memory),
        job.gpu.to_string(),
        show_ms(until.saturating_sub(from)),
        job.reason,
    ]
}

/// `3 running, 1 queued`.
fn in_words(counts: impl Iterator<Item = (Kind, u32)>) -> String {
    counts.map(|(kind, count)| format!("{count} {}", kind.word())).collect::<Vec<_>>().join(", ")
}

/// The number of jobs in each state, in one line; includes jobs that wait for other indices of their array.
fn totals(jobs: &[JobReport]) -> String {
    let mut sums = Kind::ALL.map(|kind| (kind, 0));
    for job in jobs {
        match &job.counts {
            Some(counts) => counts.iter().for_each(|(kind, count)| sums[kind as usize].1 += count),
            None => sums[Kind::of(job.state, job.outcome.as_ref()) as usize].1 += 1,
        }
    }
    let all: u32 = sums.iter().map(|(_, count)| count).sum();
    let words = in_words(sums.into_iter().filter(|(_, count)| *count > 0));
    match all {
        0 => String::new(),
        1 => format!("1 job: {words}\n"),
        all => format!("{all} jobs: {words}\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_have_names_for_many() {
        let read = |text| kinds(text).map(|kinds| kinds.0);
        assert_eq!(read("failed"), Ok(vec![Kind::Failed]));
        assert_eq!(read("pending"), Ok(vec![Kind::Queued, Kind::Waiting, Kind::Held]));
        assert_eq!(read("ended"), Ok(vec![Kind::Failed, Kind::Canceled, Kind::Ok]));
        assert!(read("done").unwrap_err().contains("pending, ended, running"));
    }
}
