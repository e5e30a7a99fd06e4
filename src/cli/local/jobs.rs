//! Listing jobs and operating on them.

use std::io::Write as _;
use std::process::ExitCode;
use std::thread::sleep;
use std::time::Duration;

use clap::Args;
use serde::Serialize;

use super::acts::NumbersArgs;
use super::amounts::show_ms;
use super::{Ended, SocketArgs, ask, code, unexpected};
use crate::cli::printed::TerminalText;
use crate::cli::remote::escaped;
use crate::cli::remote::table::Table;
use crate::cli::settings::print;
use local::client::Client;
use local::job::JobState;
use local::machine::in_words;
use local::wall_ms;
use local::wire::{JobReport, Reply, Request};
use model::quantity::show_memory;

const FOLLOW: Duration = Duration::from_millis(250);

/// The output format and the daemon.
#[derive(Args, Clone, Debug)]
pub struct JobsArgs {
    /// Print the output as JSON
    #[arg(long)]
    pub json: bool,
    /// The socket of the daemon
    #[command(flatten)]
    pub daemon: SocketArgs,
}

/// The arguments of `kornsole history`.
#[derive(Args, Clone, Debug)]
pub struct HistoryArgs {
    /// Maximum number of jobs; kornsole shows the latest
    #[arg(long, value_name = "COUNT", default_value_t = 100)]
    pub limit: usize,
    /// The output format and the daemon
    #[command(flatten)]
    pub shown: JobsArgs,
}

/// The arguments of `kornsole job`.
#[derive(Args, Clone, Debug)]
pub struct JobArgs {
    /// ID of the job
    #[arg(value_name = "JOB")]
    pub number: u64,
    /// The output format and the daemon
    #[command(flatten)]
    pub shown: JobsArgs,
}

/// The arguments of `kornsole logs`.
#[derive(Args, Clone, Debug)]
pub struct LogsArgs {
    /// ID of the job
    #[arg(value_name = "JOB")]
    pub number: u64,
    /// Attempt, from 1 [default: the last attempt]
    #[arg(long, value_name = "NUMBER")]
    pub attempt: Option<u32>,
    /// Follow the output until the job finishes
    #[arg(long, short)]
    pub follow: bool,
    /// Write the output unchanged, including escape sequences, also to a terminal
    #[arg(long)]
    pub raw: bool,
    /// The socket of the daemon
    #[command(flatten)]
    pub daemon: SocketArgs,
}

pub(super) fn print_json(value: &impl Serialize) -> Result<ExitCode, Ended> {
    let text = serde_json::to_string_pretty(value).map_err(|why| Ended::refused(why.to_string()))?;
    Ok(print(&format!("{text}\n")))
}

fn listed(client: &mut Client, ended: bool) -> Result<Vec<JobReport>, Ended> {
    match ask(client, &Request::Jobs { ended })? {
        (Reply::Jobs(jobs), _) => Ok(jobs),
        _ => Err(unexpected()),
    }
}

pub(super) const fn state(state: JobState) -> &'static str {
    match state {
        JobState::Held => "held",
        JobState::Waiting => "waiting",
        JobState::Queued => "queued",
        JobState::Running => "running",
        JobState::Ended => "ended",
    }
}

pub(super) fn notices(client: &mut Client) -> Result<String, Ended> {
    let (Reply::Info(info), _) = ask(client, &Request::Info)? else { return Err(unexpected()) };
    Ok(info.notices.iter().map(|notice| format!("{}\n", escaped(notice))).collect())
}

/// Lists ended jobs with their usage.
pub fn history(args: &HistoryArgs) -> ExitCode {
    let listed = args.shown.daemon.connect().and_then(|mut client| listed(&mut client, true));
    code(listed.and_then(|mut jobs| {
        jobs.retain(|job| job.state == JobState::Ended);
        jobs.sort_by_key(|job| (job.ended, job.number));
        jobs.drain(..jobs.len().saturating_sub(args.limit));
        if args.shown.json {
            return print_json(&jobs);
        }
        let titles = [">JOB", "NAME", "USER", "ENDED", ">TRIES", ">WAITED", ">RAN", ">CPU TIME", ">MAX MEM", ">ASKED"];
        let mut table = Table::new(&titles);
        for job in jobs {
            let started = job.started.or(job.ended).unwrap_or(job.submitted);
            let used = used(&job);
            table.row(vec![
                job.number.to_string(),
                job.name,
                job.user,
                job.reason,
                job.attempts.to_string(),
                show_ms(started.saturating_sub(job.submitted)),
                show_ms(job.ran_ms),
                used.cpu,
                used.memory,
                show_memory(job.memory),
            ]);
        }
        Ok(print(&table.text()))
    }))
}

struct Used {
    cpu: String,
    memory: String,
}

/// The usage of the ended attempts of a job; `-` without an attempt.
fn used(job: &JobReport) -> Used {
    let bytes = |bytes: u64| show_memory(i64::try_from(bytes).unwrap_or(i64::MAX));
    let word = if job.use_unknown { "unknown" } else { "-" };
    let memory = match (job.max_memory, job.memory_at_most) {
        (Some(most), _) => bytes(most),
        (None, Some(bound)) => format!("<{}", bytes(bound)),
        (None, None) => word.to_owned(),
    };
    let is_known = job.cpu_ms > 0 || job.max_memory.or(job.memory_at_most).is_some();
    Used { cpu: if is_known { show_ms(job.cpu_ms) } else { word.to_owned() }, memory }
}

/// Shows one job.
pub fn job(args: &JobArgs) -> ExitCode {
    let shown = || -> Result<ExitCode, Ended> {
        let (Reply::Job(job), _) = ask(&mut args.shown.daemon.connect()?, &Request::Job(args.number))? else {
            return Err(unexpected());
        };
        if args.shown.json {
            return print_json(&job);
        }
        let ago = |at: u64| format!("{} ago", show_ms(wall_ms().saturating_sub(at)));
        let mut lines = vec![
            ("job", format!("{} {}", job.number, job.name)),
            ("user", job.user.clone()),
            ("queue", job.queue.clone()),
            ("state", state(job.state).to_owned()),
            ("reason", job.reason.clone()),
            ("command", job.command.join(" ")),
            ("directory", job.dir.clone()),
            ("requests", in_words(job.vcore, job.memory, job.gpu)),
            ("priority", job.priority.to_string()),
            ("submitted", ago(job.submitted)),
            ("time", job.time_limit.map(|seconds| show_ms(seconds.saturating_mul(1000))).unwrap_or_default()),
            ("started", job.started.map(ago).unwrap_or_default()),
            ("ended", job.ended.map(ago).unwrap_or_default()),
            ("attempts", job.attempts.to_string()),
        ];
        if let Some(task) = job.array {
            lines.push(("array", format!("{}-{}, index {}", task.first, task.last(), task.index)));
        }
        if job.attempts > 0 && job.state != JobState::Running {
            let used = used(&job);
            lines.push(("used", format!("CPU time {}, memory {}, ran {}", used.cpu, used.memory, show_ms(job.ran_ms))));
        }
        lines.push(("output file", job.output.clone()));
        lines.push(("error file", job.error.clone()));
        lines.push(("note", job.note.clone()));
        if job.lost_output > 0 {
            lines.push(("lost output", format!("{} bytes were not written", job.lost_output)));
        }
        let lines = lines.into_iter().filter(|(_, text)| !text.is_empty());
        let text: String = lines.map(|(name, text)| format!("{name:<12}{text}\n")).collect();
        Ok(print(&escaped(&text)))
    };
    code(shown())
}

/// Prints the output of a job. On a terminal, control characters are escaped unless raw output is requested.
pub fn logs(args: &LogsArgs) -> ExitCode {
    let printed = || -> Result<ExitCode, Ended> {
        let mut client = args.daemon.connect()?;
        let (mut from, mut of) = (0, args.attempt);
        let mut terminal = TerminalText::unless(args.raw);
        loop {
            let request = Request::Logs { job: args.number, attempt: of, from, last: None };
            let (Reply::Output { first, attempt, ended, .. }, output) = ask(&mut client, &request)? else {
                return Err(unexpected());
            };
            let mut out = std::io::stdout().lock();
            let over = ended || (output.is_empty() && !args.follow);
            let escaped =
                terminal.as_mut().map(|text| text.next(&output) + &if over { text.end() } else { String::new() });
            let bytes = escaped.as_ref().map_or(output.as_slice(), |text| text.as_bytes());
            if out.write_all(bytes).and_then(|()| out.flush()).is_err() {
                return Ok(ExitCode::SUCCESS);
            }
            from = first + output.len() as u64;
            of = of.or((attempt > 0).then_some(attempt));
            if over {
                return Ok(ExitCode::SUCCESS);
            }
            if output.is_empty() {
                sleep(FOLLOW);
            }
        }
    };
    code(printed())
}

pub(super) fn waited(client: &mut Client, number: u64) -> Result<JobReport, Ended> {
    loop {
        match ask(client, &Request::Wait(number))? {
            (Reply::Job(job), _) if job.state == JobState::Ended => return Ok(*job),
            (Reply::Job(_), _) => {}
            _ => return Err(unexpected()),
        }
    }
}

/// Waits for jobs. Returns the exit status of the first job that did not end with 0.
pub fn wait(args: &NumbersArgs) -> ExitCode {
    let done = || -> Result<ExitCode, Ended> {
        let mut client = args.daemon.connect()?;
        let mut status = 0;
        for number in args.all() {
            let job = waited(&mut client, number)?;
            if status == 0 {
                status = job.status.unwrap_or(1);
            }
        }
        Ok(ExitCode::from(status))
    };
    code(done())
}

/// Prints the resources and limits of the machine.
pub fn info(args: &JobsArgs) -> ExitCode {
    let shown = || -> Result<ExitCode, Ended> {
        let (Reply::Info(info), _) = ask(&mut args.daemon.connect()?, &Request::Info)? else {
            return Err(unexpected());
        };
        if args.json {
            return print_json(&info);
        }
        let has = in_words(info.vcore, info.memory, info.gpu);
        let notices: String = info.notices.iter().map(|notice| format!("{notice}\n")).collect();
        let text = format!("{}: {has}\nserves {}\n{}\n{notices}", info.machine, info.serves, info.limits);
        Ok(print(&escaped(&text)))
    };
    code(shown())
}
