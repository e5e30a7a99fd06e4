//! `kornsole simulate`: workloads run through the scheduler in virtual time, by one configuration or several, and what came of it.

mod changed;
mod chart;
mod compare;
mod console;
mod form;
mod html;
mod journal;
mod kept;
mod memory;
mod never;
mod progress;
mod read;
mod saved;
mod search;
mod sweep;
mod text;
mod variant;

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Args;
use signal_hook::consts::SIGINT;

use self::progress::Watch;
use super::fail;
use super::printed::csv;
use super::settings::{print, print_bytes};
use config::DEFAULT_POLICY_GROUP;
use engine::journal::JournalHistory;
use model::{Profile, Time};
use scheduler::NodeSpec;

pub use self::console::simulator;

/// The arguments of `kornsole simulate`.
#[derive(Args, Clone, Debug)]
pub struct SimulateArgs {
    /// Workloads: scenarios (.yaml), Standard Workload Format, sacct (table or JSON), generator files (.toml), `kubectl get nodes,pods -A -o json`
    #[arg(value_name = "WORKLOAD", required_unless_present_any = ["state", "pods"])]
    pub workloads: Vec<PathBuf>,
    /// The folder of a scheduler: what came in as its journal has it, on the nodes that it had
    #[arg(long, value_name = "DIR")]
    pub state: Option<PathBuf>,
    /// Begin that span of the journal here: 24h before its end, or 1:02:03 of the scheduler's time. Without it as far back as it reaches
    #[arg(long, value_name = "TIME", requires = "state")]
    pub from: Option<String>,
    /// End that span here, written as --from is. Without it at its last moment
    #[arg(long, value_name = "TIME", requires = "state")]
    pub to: Option<String>,
    /// Only say what a forecast from that span is worth: its second half, forecast from its first, beside what really happened
    #[arg(long, requires = "state", conflicts_with_all = ["find", "workloads", "configs", "sets", "node_counts", "loads", "html"])]
    pub backtest: bool,
    /// Nodes in the CSV form of OpenB
    #[arg(long, value_name = "CSV", requires = "pods")]
    pub nodes: Option<PathBuf>,
    /// Pods in the CSV form of OpenB
    #[arg(long, value_name = "CSV", requires = "nodes")]
    pub pods: Option<PathBuf>,
    /// What becomes of a request for a part of a GPU in OpenB: round-up or thousandths
    #[arg(long, value_name = "HOW", default_value = "round-up")]
    pub gpu_fractions: String,
    /// A queue configuration; several are compared, also with that of a journal. Without it the workload's own, or one queue for everybody
    #[arg(long = "config", value_name = "FILE")]
    pub configs: Vec<PathBuf>,
    /// A key of a queue, as root.b.max.vcore=200, +8 or x2: each configuration is compared with the same in which it is set
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub sets: Vec<String>,
    /// Which entry of a ConfigMap is the queue configuration: NAME.yaml
    #[arg(long, value_name = "NAME", default_value = DEFAULT_POLICY_GROUP)]
    pub policy_group: String,
    /// Which release to decide like: kornsole, 1.5.1, 1.8.0 or 1.9.0; several are compared. Without it that of the journal, else `core` of your settings, else 1.9.0
    #[arg(long = "core", value_name = "PROFILE", value_delimiter = ',')]
    pub cores: Vec<Profile>,
    /// What one node has, as vcore=64,memory=256Gi, in place of the workload's own nodes
    #[arg(long = "node", value_name = "AMOUNTS", requires = "node_counts")]
    pub node: Option<String>,
    /// How many nodes; several, as 8,10,12, are compared
    #[arg(long = "node-count", value_name = "N", value_delimiter = ',')]
    pub node_counts: Vec<usize>,
    /// The load: 2 lets everything come in in half the time; several, as 1,1.3, are compared
    #[arg(long = "load", value_name = "X", value_delimiter = ',')]
    pub loads: Vec<f64>,
    /// Instead: draw jobs, none of which ends, until they want X times what the nodes have, as nvidia.com/gpu=1.3
    #[arg(long, value_name = "RESOURCE=X", conflicts_with = "loads")]
    pub fill: Option<String>,
    /// How often, each time with another seed, what is drawn is drawn: generator files and --fill
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub seeds: u32,
    /// How long what has no runtime runs: 10m, user:NAME=5m, queue:PATH=5m, app:NAME*=5m
    #[arg(long = "runtime", value_name = "RULE")]
    pub runtimes: Vec<String>,
    /// The queue that a job asks for: a form with {user}, {group}, {app}, {tag:NAME}, for all jobs or for some, as user:etl-*=root.etl;
    /// a file with one in each line as @FILE
    #[arg(long = "queue", value_name = "[WHO=]FORM|@FILE")]
    pub queues: Vec<String>,
    /// End every run at this time of the scheduler. Without it, when nothing changes any more
    #[arg(long = "for", value_name = "TIME")]
    pub time: Option<String>,
    /// What was preempted is not asked for again
    #[arg(long)]
    pub lose_preempted: bool,
    /// Look for the fewest nodes that meet --until
    #[arg(long, value_name = "WHAT", value_parser = ["nodes"], requires = "until", conflicts_with_all = ["node_counts", "loads"])]
    pub find: Option<String>,
    /// A target, as 'p95(wait, root.prod) < 10m'
    #[arg(long, value_name = "TARGET", requires = "find")]
    pub until: Option<String>,
    /// The most nodes that --find tries
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = at_least_one)]
    pub most: usize,
    /// Leave out lines that do not read, and count them
    #[arg(long)]
    pub lenient: bool,
    /// Keep finished runs in this file, and take those that are in it
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// How many runs at a time. Without it as many as there are cores
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub threads: Option<usize>,
    /// The trace of a scenario's run, as `kornsole run` prints it
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Print each run as a line of JSON
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,
    /// Print a table as CSV
    #[arg(long)]
    pub csv: bool,
    /// Write a page for a browser, which needs no other file
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// The cluster on a console's screen, whose configuration and nodes hold where a workload brings none.
    #[arg(skip)]
    pub(crate) cluster: Option<Cluster>,
    /// The past of a console's scheduler, in the place of a folder.
    #[arg(skip)]
    pub(crate) past: Option<Past>,
    /// The folder that takes finished runs after an interruption where `resume` names no file; none in a console.
    #[arg(skip)]
    pub(crate) unfinished: Option<PathBuf>,
}

/// What a console lends to workloads that bring no configuration or no nodes of their own.
#[derive(Clone, Debug)]
pub(crate) struct Cluster {
    /// The text of its queue configuration.
    pub config: String,
    /// Its nodes, with what they have in all.
    pub nodes: Vec<NodeSpec>,
}

/// A journal that grows while it is read, up to a moment.
#[derive(Clone, Debug)]
pub(crate) struct Past {
    pub journal: JournalHistory,
    /// What came later is not looked at.
    pub until: Time,
}

/// Why there is no result, and the exit code.
#[derive(Debug)]
struct Ended {
    message: String,
    code: u8,
}

impl Ended {
    /// Something cannot be read, or is refused.
    fn input(message: impl ToString) -> Self {
        Self { message: message.to_string(), code: 1 }
    }

    /// The command line is wrong.
    fn usage(message: impl ToString) -> Self {
        Self { message: message.to_string(), code: 2 }
    }

    /// The user interrupted it.
    fn interrupted() -> Self {
        Self { message: "it was interrupted".to_owned(), code: 130 }
    }
}

fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|number| *number > 0).ok_or_else(|| "write an integer of 1 or more".to_owned())
}

/// Exit code 0: all runs came to their end, or the target is met; 1: something cannot be read, or the target cannot be met; 2: wrong use;
/// 130: it was interrupted.
pub fn run(args: &SimulateArgs) -> ExitCode {
    let args = SimulateArgs { unfinished: Some(PathBuf::from(".")), ..args.clone() };
    match simulated(&args) {
        Ok((output, code)) => {
            let printed = if args.csv { print_bytes(&csv(&output)) } else { print(&output) };
            if printed == ExitCode::SUCCESS { ExitCode::from(code) } else { printed }
        }
        Err(ended) => fail(&ended.message, ended.code),
    }
}

/// What is printed, and the exit code.
fn simulated(args: &SimulateArgs) -> Result<(String, u8), Ended> {
    let stop = interruption();
    let said = progress::on_stderr();
    let result = watched(args, (&stop, &said));
    said("");
    result
}

/// The same, with progress reported.
fn watched(args: &SimulateArgs, watch: Watch<'_>) -> Result<(String, u8), Ended> {
    variant::check(args)?;
    args.html.as_deref().map(writable).transpose()?;
    let inputs = read::inputs(args, watch)?;
    if let Some(backtest) = inputs.backtest.as_ref().filter(|_| args.backtest) {
        return Ok((text::backtest(args, &inputs.notes, backtest), 0));
    }
    if args.find.is_some() {
        return search::search(args, &inputs, watch);
    }
    let variants = variant::variants(args, &inputs);
    let report = sweep::sweep(args, &inputs, variants, watch)?;
    // The line of the progress makes room.
    watch.1("");
    if let Some(file) = &args.html {
        let page = html::page(&report);
        std::fs::write(file, page).map_err(|why| Ended::input(format!("{}: {why}", file.display())))?;
    }
    if args.json || args.csv {
        // What has to be known to read the figures; a closed standard error is no reason to stop.
        let _written = writeln!(std::io::stderr(), "{}", report.notes.join("\n"));
    }
    let output = if args.json {
        text::json_lines(&report)
    } else if args.csv {
        text::csv(&report)
    } else {
        text::text(&report)
    };
    Ok((output, 0))
}

/// Finds out before the runs whether a page can be written after them. A file that is there keeps what is in it.
fn writable(file: &Path) -> Result<(), Ended> {
    let there = file.exists();
    let opened = OpenOptions::new().append(true).create(true).open(file);
    opened.map_err(|why| Ended::input(format!("--html {}: {why}; nothing was simulated", file.display())))?;
    if !there {
        // What is not finished leaves no empty page behind.
        let _removed = std::fs::remove_file(file);
    }
    Ok(())
}

/// Set once the user interrupts. The second time ends the process at once, for what does not ask whether to continue: reading.
fn interruption() -> Arc<AtomicBool> {
    let stop = Arc::default();
    // Without a handler an interruption ends the process at once. The first handler acts only where the flag is set already.
    let _registered = signal_hook::flag::register_conditional_shutdown(SIGINT, 130, Arc::clone(&stop));
    let _registered = signal_hook::flag::register(SIGINT, Arc::clone(&stop));
    stop
}
