//! `kornsole whatif`: tests changes on a fork of a state.

mod html;
pub(super) mod origin;
mod submission;
mod text;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::UNIX_EPOCH;

use clap::{ArgGroup, Args};

use super::node_groups::{NodeGroupArgs, Unread};
use super::predicted::PredictedCore;
use super::printed::safe;
use super::remote::{ClientArgs, ServerArgs, WhatIfOrigin};
use super::settings::print;
use super::{fail, inputs, load, manifests};
use ::forecast::twin::Twin;
use ::forecast::whatif::{Bounds, Fork, Plan, Unfinished};
use config::DEFAULT_POLICY_GROUP;
use engine::forecast;
use wire::convert::{Wall, whatif as convert};
use wire::dto::json::to_bytes;
use wire::dto::native as dto;

const BOUNDS: Bounds = Bounds { cycles: 10_000_000, trace_lines: 100_000 };

/// The arguments of `kornsole whatif`.
#[derive(Args, Clone, Debug)]
#[command(group(ArgGroup::new("origin").required(true).args(["workload", "state", "dump", "server", "from_manifests"])))]
pub struct WhatIfArgs {
    /// Scenario; both runs start from its final state
    #[arg(long, value_name = "FILE")]
    pub workload: Option<PathBuf>,
    /// State directory of a stopped scheduler; kornsole only reads it
    #[arg(long, value_name = "DIR")]
    pub state: Option<PathBuf>,
    /// State dump of kornsole or Apache YuniKorn; kornsole tests the changes on a copy
    #[arg(long, value_name = "FILE")]
    pub dump: Option<PathBuf>,
    /// Kubernetes manifests (YAML, JSON, or directories) with the queue configuration
    ///
    /// kornsole tests the changes on a scheduler in this state. It also reads the output of `kubectl get pods,nodes,ns,pc,cm,pv,pvc,sc -A
    /// -o yaml`.
    #[arg(long, value_name = "PATH", num_args = 1..)]
    pub from_manifests: Vec<PathBuf>,
    /// Address or context of a remote scheduler; kornsole tests the changes on a copy
    #[arg(long, value_name = "URL|CONTEXT")]
    pub server: Option<String>,
    /// Start earlier: 10m ago, or at the scheduler time 1:02:03 of the journal
    #[arg(long, value_name = "TIME", requires = "state")]
    pub at: Option<String>,
    /// Also submit the applications of this period before the start, from the journal
    #[arg(long, value_name = "TIME", requires = "state")]
    pub arrivals: Option<String>,
    /// Which core decides
    #[command(flatten)]
    pub core: PredictedCore,
    /// Partition [default: the first partition]
    #[arg(long, value_name = "NAME")]
    pub partition: Option<String>,
    /// New queue configuration
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Queue key to change, for example root.a.max.vcore=+8 or root.a.priority=5 (repeatable)
    ///
    /// Limits are written as root.a.limit.user.sue.memory=4Gi.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub sets: Vec<String>,
    /// Another change, for example 'node drain n1', or a file as @FILE (repeatable)
    ///
    /// Changes: 'node drain n1', 'kill app', 'move app root.b', 'submit app 3', 'submit @job.yaml' for Kubernetes manifests, and 'demand
    /// root.a x2'. The file contains one change in each line.
    #[arg(long = "change", value_name = "CHANGE|@FILE")]
    pub changes: Vec<String>,
    /// Runtime of allocations: 10m, never, user:NAME=5m, queue:PATH=5m, or app:NAME*=5m
    ///
    /// The values history:user, history:queue, and history:name use the runtimes of finished applications.
    #[arg(long = "runtime", value_name = "RULE")]
    pub runtimes: Vec<String>,
    /// Nodes of an autoscaler, in both runs.
    #[command(flatten)]
    pub scaling: NodeGroupArgs,
    /// Duration of both runs [default: until nothing changes]
    #[arg(long = "for", value_name = "TIME")]
    pub time: Option<String>,
    /// Minimum duration of a long wait [default: 10m]
    #[arg(long, value_name = "TIME")]
    pub long_wait: Option<String>,
    /// Seed that draws the runtimes from the history, instead of the median
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Number of runs, each with a new seed; prints the median and the 10th and 90th percentile
    #[arg(long, value_name = "N")]
    pub runs: Option<u32>,
    /// Write a self-contained HTML page
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// The connection options
    #[command(flatten)]
    pub client: ClientArgs,
}

/// The error and the exit code.
struct Ended {
    message: String,
    code: u8,
}

impl Ended {
    fn input(message: impl ToString) -> Self {
        Self { message: message.to_string(), code: 1 }
    }
}

/// Exit code 0: both completed; 1: unreadable or rejected; 2: invalid change; 3: no answer.
pub fn run(args: &WhatIfArgs) -> ExitCode {
    let done = tried(args).and_then(|(asked, result)| {
        if let Some(file) = &args.html {
            let page = html::page(&asked, &result);
            std::fs::write(file, page).map_err(|why| Ended::input(format!("{}: {why}", file.display())))?;
        }
        Ok(match args.client.json {
            true => format!("{}\n", safe(&String::from_utf8_lossy(&to_bytes(&result)))),
            false => safe(&text::text(&result)).into_owned(),
        })
    });
    match done {
        Ok(text) => print(&text),
        Err(ended) => fail(&ended.message, ended.code),
    }
}

fn tried(args: &WhatIfArgs) -> Result<(dto::WhatIf, dto::WhatIfResult), Ended> {
    let mut asked = asked(args).map_err(Ended::input)?;
    let read = args.scaling.read().map_err(|Unread { message, code }| Ended { message, code })?;
    let (node_groups, mut notes) = read;
    asked.node_groups = node_groups.iter().map(ToString::to_string).collect();
    let (asked, mut result) = result(args, asked)?;
    result.unknown.append(&mut notes);
    Ok((asked, result))
}

fn result(args: &WhatIfArgs, mut asked: dto::WhatIf) -> Result<(dto::WhatIf, dto::WhatIfResult), Ended> {
    let all = asked.changes.clone();
    let submitted = submission::files(&mut asked.changes);
    let mut plan = convert::plan(&asked).map_err(|message| Ended { message, code: 2 })?;
    asked.changes = all;
    let (submits, profile) = (!submitted.is_empty(), args.core.profile());
    if !args.from_manifests.is_empty() {
        let (fork, unknown, later) = origin::of_manifests(args, &submitted).map_err(Ended::input)?;
        plan.steps.extend(submission::steps(later));
        let result = pairs(&fork, &asked, &plan)?;
        return Ok((asked, dto::WhatIfResult { unknown, ..result }));
    }
    if args.server.is_some() && submits {
        return Err(Ended::input(submission::NOT_REMOTE));
    }
    let mut unknown = Vec::new();
    if submits {
        let (commands, reported) = manifests::submissions(&submitted, profile).map_err(Ended::input)?;
        plan.steps.extend(submission::steps(commands));
        unknown = reported;
    }
    if let Some(server) = &args.server {
        let server = ServerArgs { server: server.clone(), client: args.client.clone() };
        let origin = server.what_if(&asked, args.partition.as_deref());
        match origin.map_err(|(message, code)| Ended { message, code })? {
            WhatIfOrigin::Tried(result) => return Ok((asked, *result)),
            WhatIfOrigin::Twin(twin) => return on_twin(&twin, asked, &plan),
        }
    }
    if let Some(dump) = &args.dump {
        let twin = origin::of_dump(dump, args.partition.as_deref()).map_err(Ended::input)?;
        let (asked, mut result) = on_twin(&twin, asked, &plan)?;
        result.unknown.append(&mut unknown);
        return Ok((asked, result));
    }
    let (fork, arrivals) = origin::fork(args).map_err(Ended::input)?;
    plan.arrivals = arrivals;
    let result = pairs(&fork, &asked, &plan)?;
    Ok((asked, dto::WhatIfResult { unknown, ..result }))
}

fn on_twin(twin: &Twin, asked: dto::WhatIf, plan: &Plan) -> Result<(dto::WhatIf, dto::WhatIfResult), Ended> {
    let fork = twin.trusted_fork(usize::MAX).map_err(Ended::input)?;
    let result = pairs(&fork, &asked, plan)?;
    let unknown = twin.unknown().to_vec();
    Ok((asked, dto::WhatIfResult { unknown, ..result }))
}

fn pairs(fork: &Fork, asked: &dto::WhatIf, plan: &Plan) -> Result<dto::WhatIfResult, Ended> {
    plan.check_names(fork).map_err(|why| Ended { message: format!("--node-group: {why}"), code: 2 })?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let pairs = forecast::pairs(fork, plan, &convert::seeds(asked), BOUNDS, threads, &|| true);
    let pairs = pairs.map_err(|why| {
        Ended::input(match why {
            Unfinished::Stopped => "it was stopped".to_owned(),
            Unfinished::Cycles(most) => format!("it needs more than {most} cycles: use a shorter --for"),
        })
    })?;
    let core = fork.scheduler().switches().profile.to_string();
    Ok(dto::WhatIfResult { core, ..convert::several(&pairs, &Wall::new(UNIX_EPOCH, 1.0), &[]) })
}

fn asked(args: &WhatIfArgs) -> Result<dto::WhatIf, String> {
    let config = args.config.as_deref().map(|file| inputs::one(file, DEFAULT_POLICY_GROUP)).transpose()?;
    let config = config.map(|file| file.queues().to_owned());
    let mut changes: Vec<String> = args.sets.iter().map(|set| format!("set {set}")).collect();
    for change in &args.changes {
        match change.strip_prefix('@') {
            None => changes.push(change.clone()),
            Some(file) => {
                let bytes = load::bytes(file.as_ref())?;
                let lines = String::from_utf8_lossy(&bytes).into_owned();
                let lines = lines.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
                changes.extend(lines.map(str::to_owned));
            }
        }
    }
    Ok(dto::WhatIf {
        partition: args.partition.clone(),
        config,
        changes,
        run: dto::WhatIfRun { advance: args.time.clone(), cycles: None },
        runtimes: args.runtimes.clone(),
        long_wait: args.long_wait.clone(),
        seed: args.seed,
        runs: args.runs,
        ..dto::WhatIf::default()
    })
}
