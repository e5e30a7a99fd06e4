//! Operations on jobs: `kornsole cancel`, `hold`, `release`, `requeue`, `local move`, `local priority`.

use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::process::ExitCode;

use clap::Args;

use super::amounts::{self, JobNumbers};
use super::{Ended, SocketArgs, ask, code, unexpected};
use crate::cli::remote::escaped;
use crate::cli::settings::print;
use local::client::Client;
use local::job::JobState;
use local::machine::in_words;
use local::wire::{Edit, JobReport, Reply, Request};

/// The numbers of jobs.
#[derive(Args, Clone, Debug)]
pub struct NumbersArgs {
    /// Job ID, or a range of job IDs, for example 17 or 17-116
    #[arg(value_name = "JOB", required = true, value_parser = amounts::numbers)]
    pub numbers: Vec<JobNumbers>,
    /// The socket of the daemon
    #[command(flatten)]
    pub daemon: SocketArgs,
}

/// The arguments of commands that may end the work of jobs.
#[derive(Args, Clone, Debug)]
pub struct EndingArgs {
    /// The jobs, by their numbers
    #[command(flatten)]
    pub jobs: NumbersArgs,
    /// Do not request confirmation
    #[arg(long, short)]
    pub yes: bool,
}

/// The arguments of `kornsole cancel`.
#[derive(Args, Clone, Debug)]
pub struct CancelArgs {
    /// Which jobs, and whether to ask
    #[command(flatten)]
    pub ending: EndingArgs,
    /// Why; stored with the job and shown to its owner
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
}

/// The arguments of `kornsole local drain`.
#[derive(Args, Clone, Debug)]
pub struct DrainArgs {
    /// Why; shown for every pending job. Required without a terminal
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
    /// The socket of the daemon
    #[command(flatten)]
    pub daemon: SocketArgs,
}

/// The arguments of `kornsole local move`.
#[derive(Args, Clone, Debug)]
pub struct MoveArgs {
    /// The jobs, by their numbers
    #[command(flatten)]
    pub jobs: NumbersArgs,
    /// Target queue of the jobs
    #[arg(long, value_name = "QUEUE")]
    pub to: String,
}

/// The arguments of `kornsole local priority`.
#[derive(Args, Clone, Debug)]
pub struct PriorityArgs {
    /// The jobs, by their numbers
    #[command(flatten)]
    pub jobs: NumbersArgs,
    /// New priority; kornsole schedules higher priorities first
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub to: i32,
}

/// The arguments of `kornsole local edit`.
#[derive(Args, Clone, Debug)]
#[group(id = "changes", required = true, multiple = true, args = ["cpu", "mem", "gpu", "time", "name"])]
pub struct EditArgs {
    /// Which jobs, by number or as `17-116`
    #[command(flatten)]
    pub jobs: NumbersArgs,
    /// Cores, for example 2 or 0.5
    #[arg(long, value_name = "CORES", value_parser = amounts::cores)]
    pub cpu: Option<i64>,
    /// Memory, for example 4G
    #[arg(long, value_name = "AMOUNT", value_parser = amounts::memory)]
    pub mem: Option<i64>,
    /// Number of GPUs
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(i64).range(0..=1024))]
    pub gpu: Option<i64>,
    /// Time limit, for example 90s, 30m, or 2h
    #[arg(long, value_name = "TIME", value_parser = amounts::seconds)]
    pub time: Option<u64>,
    /// New job name
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
}

impl NumbersArgs {
    pub(super) fn all(&self) -> impl Iterator<Item = u64> {
        self.numbers.iter().flat_map(|numbers| numbers.first..=numbers.last)
    }
}

/// Changes each job; a rejection does not stop the others. Returns the first rejection.
fn each(
    args: &NumbersArgs,
    request: impl Fn(u64) -> Request,
    reported: impl Fn(&JobReport) -> String,
) -> Result<ExitCode, Ended> {
    let mut client = args.daemon.connect()?;
    let (mut text, mut first) = (String::new(), None);
    for number in args.all() {
        match ask(&mut client, &request(number)) {
            Ok((Reply::Job(job), _)) => text.push_str(&format!("job {}: {}\n", job.number, reported(&job))),
            Ok(_) => return Err(unexpected()),
            Err(why) => first = first.or(Some(why)),
        }
    }
    print(&escaped(&text));
    first.map_or(Ok(ExitCode::SUCCESS), Err)
}

/// Asks for confirmation on a terminal before more than one job ends.
fn may(args: &EndingArgs, does: &str) -> Result<bool, Ended> {
    let numbers: Vec<u64> = args.jobs.all().collect();
    if args.yes || numbers.len() < 2 || !std::io::stdin().is_terminal() {
        return Ok(true);
    }
    let mut client: Client = args.jobs.daemon.connect()?;
    let (Reply::Jobs(jobs), _) = ask(&mut client, &Request::Jobs { ended: false })? else { return Err(unexpected()) };
    let meant: Vec<&JobReport> = jobs.iter().filter(|job| numbers.contains(&job.number)).collect();
    if meant.len() < 2 {
        return Ok(true);
    }
    let running = meant.iter().filter(|job| job.state == JobState::Running).count();
    print(&format!("{does} {} jobs, {running} of them running? [y/N] ", meant.len()));
    let mut answer = String::new();
    // Without an answer, nothing is done.
    let _ = std::io::stdout().flush();
    let _ = std::io::stdin().lock().read_line(&mut answer);
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

fn stopped(
    args: &EndingArgs,
    does: &str,
    request: impl Fn(u64) -> Request,
    reported: fn(&JobReport) -> String,
) -> ExitCode {
    code(may(args, does).and_then(|may| {
        if may { each(&args.jobs, request, reported) } else { Err(Ended::refused("no change was made")) }
    }))
}

/// Ends jobs, or removes them from the queue.
pub fn cancel(args: &CancelArgs) -> ExitCode {
    let request = |job| match &args.reason {
        Some(reason) => Request::CancelBecause { job, reason: reason.clone() },
        None => Request::Cancel(job),
    };
    stopped(&args.ending, "cancel", request, |job| match job.state {
        JobState::Ended => "canceled".to_owned(),
        _ => "is ending".to_owned(),
    })
}

/// Requeues running or finished jobs.
pub fn requeue(args: &EndingArgs) -> ExitCode {
    stopped(args, "requeue", Request::Requeue, |job| match job.state {
        JobState::Running => "is ending and will be requeued".to_owned(),
        _ => "queued again".to_owned(),
    })
}

/// Puts pending jobs on hold.
pub fn hold(args: &NumbersArgs) -> ExitCode {
    code(each(args, Request::Hold, |_| "held".to_owned()))
}

/// Releases jobs on hold.
pub fn release(args: &NumbersArgs) -> ExitCode {
    code(each(args, Request::Release, |_| "released".to_owned()))
}

/// Moves jobs to another queue.
pub fn move_to(args: &MoveArgs) -> ExitCode {
    let request = |job| Request::Move { job, queue: args.to.clone() };
    code(each(&args.jobs, request, |job| format!("in {}", job.queue)))
}

/// Changes the priority of jobs.
pub fn priority(args: &PriorityArgs) -> ExitCode {
    let request = |job| Request::Priority { job, priority: args.to };
    code(each(&args.jobs, request, |job| format!("priority {}", job.priority)))
}

/// Changes the requests of jobs.
pub fn edit(args: &EditArgs) -> ExitCode {
    let (vcore, memory, gpu, time) = (args.cpu, args.mem, args.gpu, args.time);
    let edit = Edit { vcore, memory, gpu, time, name: args.name.clone() };
    let request = |job| Request::Edit { job, edit: Box::new(edit.clone()) };
    code(each(&args.jobs, request, |job| format!("{} requests {}", job.name, in_words(job.vcore, job.memory, job.gpu))))
}

/// Starts no new jobs; asks for the reason on a terminal.
pub fn drain(args: &DrainArgs) -> ExitCode {
    let drained = || {
        let reason = match &args.reason {
            Some(reason) => reason.clone(),
            None if std::io::stdin().is_terminal() => asked("Reason: "),
            None => String::new(),
        };
        if reason.trim().is_empty() {
            return Err(Ended::misused("cannot drain this machine: missing reason; use --reason"));
        }
        in_words_of(ask(&mut args.daemon.connect()?, &Request::Drain { reason })?.0, "drained")
    };
    code(drained())
}

/// Starts jobs on this machine again.
pub fn undrain(args: &SocketArgs) -> ExitCode {
    code(args.connect().and_then(|mut client| in_words_of(ask(&mut client, &Request::Undrain)?.0, "resumed")))
}

fn in_words_of(reply: Reply, done: &str) -> Result<ExitCode, Ended> {
    let Reply::Info(info) = reply else { return Err(unexpected()) };
    Ok(print(&escaped(&format!("{done} {}\n", info.machine))))
}

pub(super) fn asked(question: &str) -> String {
    print(question);
    let mut answer = String::new();
    let _ = std::io::stdout().flush();
    let _ = std::io::stdin().lock().read_line(&mut answer);
    answer.trim().to_owned()
}
