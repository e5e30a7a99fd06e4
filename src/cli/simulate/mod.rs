//! `kornsole simulate`: runs workloads in virtual time with several configurations.

mod changed;
mod chart;
mod compare;
mod console;
mod form;
mod html;
mod journal;
mod memory;
mod never;
mod objects;
mod progress;
mod read;
mod saved;
mod search;
mod stored;
mod stream;
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
use super::node_groups::NodeGroupArgs;
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
    /// Workload files: scenarios, SWF, sacct, generators (.toml), or kubectl JSON
    ///
    /// sacct output can be a table or JSON. For Kubernetes, use `kubectl get nodes,pods -A -o json`.
    #[arg(value_name = "WORKLOAD", required_unless_present_any = ["state", "pods"])]
    pub workloads: Vec<PathBuf>,
    /// State directory of a scheduler; kornsole replays the journal on its nodes
    #[arg(long, value_name = "DIR")]
    pub state: Option<PathBuf>,
    /// Start in the journal: 24h before its end, or the scheduler time 1:02:03
    ///
    /// Default: the oldest time in the journal.
    #[arg(long, value_name = "TIME", requires = "state")]
    pub from: Option<String>,
    /// End in the journal, in the same form [default: its last time]
    #[arg(long, value_name = "TIME", requires = "state")]
    pub to: Option<String>,
    /// Only compare a forecast of the second half of the time range with the journal
    ///
    /// kornsole calculates the forecast from the first half.
    #[arg(long, requires = "state", conflicts_with_all = ["find", "workloads", "configs", "sets", "node_counts", "loads", "html"])]
    pub backtest: bool,
    /// Nodes in the CSV format of OpenB
    #[arg(long, value_name = "CSV", requires = "pods")]
    pub nodes: Option<PathBuf>,
    /// Pods in the CSV format of OpenB
    #[arg(long, value_name = "CSV", requires = "nodes")]
    pub pods: Option<PathBuf>,
    /// How to read requests for a fraction of a GPU in OpenB: round-up or thousandths
    #[arg(long, value_name = "HOW", default_value = "round-up")]
    pub gpu_fractions: String,
    /// Queue configuration; several are compared (repeatable)
    ///
    /// kornsole also compares them with the configuration of the journal. Default: the configuration of the workload, otherwise one queue
    /// for all users.
    #[arg(long = "config", value_name = "FILE")]
    pub configs: Vec<PathBuf>,
    /// Queue key to change, for example root.b.max.vcore=200, +8, or x2 (repeatable)
    ///
    /// kornsole compares each configuration with its changed copy.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub sets: Vec<String>,
    /// Entry of a ConfigMap to read: NAME.yaml
    #[arg(long, value_name = "NAME", default_value = DEFAULT_POLICY_GROUP)]
    pub policy_group: String,
    /// Release to decide like: kornsole, 1.5.1, 1.8.0, or 1.9.0; several are compared
    ///
    /// Default: the release of the journal, then `core` of your settings, then 1.9.0.
    #[arg(long = "core", value_name = "PROFILE", value_delimiter = ',')]
    pub cores: Vec<Profile>,
    /// Resources of each node, for example vcore=64,memory=256Gi; replaces the nodes
    #[arg(long = "node", value_name = "AMOUNTS", requires = "node_counts")]
    pub node: Option<String>,
    /// Number of nodes; several, for example 8,10,12, are compared
    #[arg(long = "node-count", value_name = "N", value_delimiter = ',', conflicts_with = "node_groups")]
    pub node_counts: Vec<usize>,
    /// Nodes of an autoscaler.
    #[command(flatten)]
    pub scaling: NodeGroupArgs,
    /// Load factor; 2 halves the time between arrivals; several, for example 1,1.3, are compared
    #[arg(long = "load", value_name = "X", value_delimiter = ',')]
    pub loads: Vec<f64>,
    /// Draw jobs that never finish, up to X times the capacity, for example nvidia.com/gpu=1.3
    #[arg(long, value_name = "RESOURCE=X", conflicts_with = "loads")]
    pub fill: Option<String>,
    /// Number of runs of generator files and --fill, each with a new seed
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub seeds: u32,
    /// Runtime of jobs without a recorded one: 10m, user:NAME=5m, queue:PATH=5m, or app:NAME*=5m
    #[arg(long = "runtime", value_name = "RULE")]
    pub runtimes: Vec<String>,
    /// Queue of jobs, with {user}, {group}, {app}, or {tag:NAME}; or a file as @FILE
    ///
    /// The form applies to all jobs, or to some: user:etl-*=root.etl. The file contains one form in each line.
    #[arg(long = "queue", value_name = "[WHO=]FORM|@FILE")]
    pub queues: Vec<String>,
    /// Stop each run at this scheduler time [default: when nothing changes]
    #[arg(long = "for", value_name = "TIME")]
    pub time: Option<String>,
    /// Do not request preempted allocations again
    #[arg(long)]
    pub lose_preempted: bool,
    /// Find the minimum number of nodes that meets --until
    #[arg(long, value_name = "WHAT", value_parser = ["nodes"], requires = "until", conflicts_with_all = ["node_counts", "loads", "node_groups"])]
    pub find: Option<String>,
    /// Target, for example 'p95(wait, root.prod) < 10m'
    #[arg(long, value_name = "TARGET", requires = "find")]
    pub until: Option<String>,
    /// Maximum number of nodes for --find
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = at_least_one)]
    pub most: usize,
    /// Skip and count invalid lines
    #[arg(long)]
    pub lenient: bool,
    /// Store finished runs in this file, and skip the runs in it
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// Number of parallel runs [default: number of cores]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub threads: Option<usize>,
    /// Write the trace of a scenario, as printed by `kornsole run`
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Print each run as a line of JSON
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,
    /// Print a table as CSV
    #[arg(long)]
    pub csv: bool,
    /// Write a self-contained HTML page
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// The cluster on a console's screen, whose configuration and nodes hold where a workload brings none.
    #[arg(skip)]
    pub(crate) cluster: Option<Cluster>,
    /// The past of a console's scheduler, instead of a directory.
    #[arg(skip)]
    pub(crate) past: Option<Past>,
    /// The directory that takes finished runs after an interruption where `resume` names no file; none in a console.
    #[arg(skip)]
    pub(crate) unfinished: Option<PathBuf>,
}

/// Defaults of a console for workloads without a configuration or nodes.
#[derive(Clone, Debug)]
pub(crate) struct Cluster {
    pub config: String,
    pub nodes: Vec<NodeSpec>,
}

/// A journal up to a time; it can grow during the read.
#[derive(Clone, Debug)]
pub(crate) struct Past {
    pub journal: JournalHistory,
    /// Later records are ignored.
    pub until: Time,
}

#[derive(Debug)]
struct Ended {
    message: String,
    code: u8,
}

impl Ended {
    fn input(message: impl ToString) -> Self {
        Self { message: message.to_string(), code: 1 }
    }

    fn usage(message: impl ToString) -> Self {
        Self { message: message.to_string(), code: 2 }
    }

    fn interrupted() -> Self {
        Self { message: "it was interrupted".to_owned(), code: 130 }
    }
}

fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|number| *number > 0).ok_or_else(|| "expected an integer from 1".to_owned())
}

/// Exit code 0: finished, or target met; 1: unreadable input, or unmet target; 2: invalid usage; 130: interrupted.
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

fn simulated(args: &SimulateArgs) -> Result<(String, u8), Ended> {
    let stop = interruption();
    let reported = progress::on_stderr();
    let result = watched(args, (&stop, &reported));
    reported("");
    result
}

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
    watch.1("");
    if let Some(file) = &args.html {
        let page = html::page(&report);
        std::fs::write(file, page).map_err(|why| Ended::input(format!("{}: {why}", file.display())))?;
    }
    if args.json || args.csv {
        // Notes about the results; a closed stderr is not an error.
        let _written = writeln!(super::printed::err(), "{}", report.notes.join("\n"));
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

/// Checks before the runs that the page can be written. Does not change an existing file.
fn writable(file: &Path) -> Result<(), Ended> {
    let there = file.exists();
    let opened = OpenOptions::new().append(true).create(true).open(file);
    opened.map_err(|why| Ended::input(format!("--html {}: {why}; nothing was simulated", file.display())))?;
    if !there {
        // An unfinished run leaves no empty page.
        let _removed = std::fs::remove_file(file);
    }
    Ok(())
}

/// Set at the first interrupt. The second one exits immediately, also while a file is read.
fn interruption() -> Arc<AtomicBool> {
    let stop = Arc::default();
    // The first handler acts only if the flag is already set.
    let _registered = signal_hook::flag::register_conditional_shutdown(SIGINT, 130, Arc::clone(&stop));
    let _registered = signal_hook::flag::register(SIGINT, Arc::clone(&stop));
    stop
}
