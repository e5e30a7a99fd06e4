//! `kornsole submit`.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::{Ended, SocketArgs, absolute, amounts, ask, code, jobs, unexpected};
use crate::cli::settings::print;
use crate::local::job::{Dependency, JobSpec, WhenStopped};
use crate::local::wire::{Reply, Request};

/// The arguments of `kornsole submit`.
#[derive(Args, Clone, Debug)]
pub struct SubmitArgs {
    /// The queue; without it where the placement rules put it
    #[arg(long, short, value_name = "QUEUE", default_value = "")]
    pub queue: String,
    /// What the job is called; without it as its program
    #[arg(long, short, value_name = "NAME", default_value = "")]
    pub name: String,
    /// Cores, as 2, 0.5 or 500m
    #[arg(long, short, value_name = "CORES", default_value = "1", value_parser = amounts::cores)]
    pub cpu: i64,
    /// Memory, as 4G; without it the machine's share for each core
    #[arg(long, short, value_name = "AMOUNT", value_parser = amounts::memory)]
    pub mem: Option<i64>,
    /// GPUs, each for this job alone
    #[arg(long, short, value_name = "COUNT", default_value_t = 0, value_parser = clap::value_parser!(i64).range(0..=1024))]
    pub gpu: i64,
    /// End it after this time of running, as 2h or 1h30m
    #[arg(long, short, value_name = "TIME", value_parser = amounts::seconds)]
    pub time: Option<u64>,
    /// A higher priority is tried first
    #[arg(long, short, value_name = "NUMBER", default_value_t = 0, allow_negative_numbers = true)]
    pub priority: i32,
    /// Begin after this job has ended: JOB or JOB:ok with exit status 0, JOB:any however
    #[arg(long, value_name = "JOB[:ok|:any]", value_delimiter = ',', value_parser = amounts::dependency)]
    pub after: Vec<Dependency>,
    /// Try again so often after an attempt that failed
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    pub retry: u32,
    /// Fail, rather than begin again, when it had to make room or the machine was restarted
    #[arg(long)]
    pub no_requeue: bool,
    /// Keep it until `kornsole release`
    #[arg(long)]
    pub hold: bool,
    /// Set a variable of its environment, which else is that of this call
    #[arg(long, short, value_name = "NAME=VALUE", value_parser = variable)]
    pub env: Vec<(String, String)>,
    /// Where it runs; without it here
    #[arg(long, short, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// Wait until it has ended, with its exit status
    #[arg(long, short)]
    pub wait: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Which daemon is asked
    #[command(flatten)]
    pub daemon: SocketArgs,
    /// The command with its arguments, behind --
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

fn variable(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE")?;
    if name.is_empty() { Err("write NAME=VALUE".to_owned()) } else { Ok((name.to_owned(), value.to_owned())) }
}

/// Submits a job, and prints its number.
pub fn submit(args: &SubmitArgs) -> ExitCode {
    code(submitted(args))
}

fn submitted(args: &SubmitArgs) -> Result<ExitCode, Ended> {
    let spec = spec(args)?;
    let mut client = args.daemon.connect()?;
    let (Reply::Job(job), _) = ask(&mut client, &Request::Submit(Box::new(spec)))? else { return Err(unexpected()) };
    if args.json && !args.wait {
        return jobs::print_json(&job);
    }
    if !args.wait {
        return Ok(print(&format!("{}\n", job.number)));
    }
    let job = jobs::waited(&mut client, job.number)?;
    if args.json {
        jobs::print_json(&job)?;
    }
    Ok(ExitCode::from(job.status.unwrap_or(1)))
}

fn spec(args: &SubmitArgs) -> Result<JobSpec, Ended> {
    let here = || std::env::current_dir().map_err(|why| Ended::misused(format!("the current directory: {why}")));
    let dir = args.dir.as_deref().map_or_else(here, absolute)?;
    std::fs::read_dir(&dir).map(drop).or_else(|why| match why.kind() {
        // One may be in a directory that one may not list.
        std::io::ErrorKind::PermissionDenied if std::fs::metadata(dir.join(".")).is_ok() => Ok(()),
        _ => Err(Ended::misused(format!("{}: {why}", dir.display()))),
    })?;
    let mut env: Vec<(String, String)> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    env.retain(|(name, _)| args.env.iter().all(|(set, _)| set != name));
    env.extend(args.env.iter().cloned());
    let program = args.command.first().map(String::as_str).unwrap_or_default();
    let path = env.iter().find(|(name, _)| name == "PATH").map_or("", |(_, path)| path.as_str());
    if !can_start(program, path, &dir) {
        return Err(Ended::misused(format!("{program}: there is no such program, or it may not be started")));
    }
    // The only way to read it is to set it.
    let umask = rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
    rustix::process::umask(umask);
    let dir = dir.to_str().ok_or_else(|| Ended::misused(format!("{}: its name is no UTF-8", dir.display())))?;
    Ok(JobSpec {
        command: args.command.clone(),
        name: args.name.clone(),
        queue: args.queue.clone(),
        vcore: args.cpu,
        memory: args.mem.unwrap_or(0),
        gpu: args.gpu,
        time_limit: args.time,
        priority: args.priority,
        after: args.after.clone(),
        retry: args.retry,
        when_stopped: if args.no_requeue { WhenStopped::Fail } else { WhenStopped::Requeue },
        hold: args.hold,
        env,
        dir: dir.to_owned(),
        umask: umask.as_raw_mode(),
    })
}

/// Whether a program can be started, as the system looks for it: by `PATH` unless it has a slash.
fn can_start(program: &str, path: &str, dir: &Path) -> bool {
    let is_program = |file: &Path| {
        std::fs::metadata(file).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    };
    if program.contains('/') {
        return is_program(&dir.join(program));
    }
    !program.is_empty() && path.split(':').any(|folder| is_program(&dir.join(folder).join(program)))
}
