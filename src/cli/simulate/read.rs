//! Inputs of a simulation: workloads and configurations, read once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::super::node_groups::Unread;
use super::super::{inputs as config_inputs, load, predicted};
use super::form::{self, Form};
use super::journal::{Journal, journal, of_dir};
use super::objects::Kind;
use super::progress::Watch;
use super::stream::{self, Streamed, digest};
use super::{Ended, SimulateArgs, changed, memory, objects};
use ::config::properties::parse_duration;
use ::config::{self, Config};
use forecast::simulate::backtest::Backtest;
use forecast::simulate::input::openb::Fractions;
use forecast::simulate::input::{self, Reading};
use forecast::simulate::node_groups::NodeGroup;
use forecast::simulate::queues::QueueRule;
use forecast::simulate::{Workload, arrange};
use forecast::whatif::RuntimeRule;
use model::quantity::parse_quantity;
use model::{Profile, Resource, Time};
use scenario::{Runner, Scenario};
use scheduler::NodeSpec;

/// Requested queues are created, and a job without a queue goes to a common one.
const OPEN: &str = "partitions:\n- name: default\n  placementrules:\n  - name: provided\n    create: true\n  - name: fixed\n    value: root.default\n    \
                    create: true\n  queues:\n  - name: root\n    submitacl: '*'\n";

pub(super) enum Source {
    /// Jobs that are the same in every run.
    Jobs(Box<Workload>),
    /// A scenario: its steps, and the same as jobs.
    Scenario(Box<Steps>),
    /// The text of a generator file, which creates jobs from a seed.
    Generated(String),
}

pub(super) struct Steps {
    pub scenario: Scenario,
    pub jobs: Workload,
}

pub(super) struct Named {
    pub name: String,
    pub source: Source,
    /// The number of its own configuration.
    own: Option<usize>,
    /// The digest of the input, which identifies finished runs.
    pub digest: String,
}

/// A named configuration, parsed for each release.
pub(super) struct NamedConfig {
    pub name: String,
    /// The text with the locations of its file.
    pub text: String,
    digest: String,
}

pub(super) struct Inputs {
    pub sources: Vec<Named>,
    pub configs: Vec<NamedConfig>,
    pub cores: Vec<Profile>,
    pub fill: Option<(String, f64)>,
    pub until: Option<Time>,
    /// Sentences about conversions and omissions.
    pub notes: Vec<String>,
    /// The accuracy of a forecast from the journal.
    pub backtest: Option<Backtest>,
    queues: Vec<QueueRule>,
    runtimes: Vec<RuntimeRule>,
    nodes: Option<Resource>,
    /// Node groups of an autoscaler.
    pub node_groups: Vec<NodeGroup>,
    /// The nodes of the console's cluster, for a workload without nodes.
    there: Vec<NodeSpec>,
    given: usize,
    /// The default configuration for workloads without one.
    open: Option<usize>,
    /// Maps a configuration to its changed copy.
    pub changed: BTreeMap<usize, usize>,
    /// Uses only the changed or the given configuration.
    only_last: bool,
}

impl Inputs {
    /// The workload's own configuration, the given ones, and their changed copies.
    pub fn configs_of(&self, workload: usize) -> Vec<usize> {
        let own = self.sources[workload].own;
        let own = own.filter(|_| self.given == 0 || !self.only_last);
        let mut all: Vec<usize> = own.into_iter().chain(0..self.given).collect();
        if all.is_empty() {
            all.extend(self.open);
        }
        let changed = all.iter().filter_map(|number| self.changed.get(number).copied());
        let changed: Vec<usize> = changed.collect();
        if self.only_last && !changed.is_empty() {
            return changed;
        }
        all.extend(changed);
        all
    }

    /// Adds a configuration and returns its number.
    pub fn add_config(&mut self, name: &str, text: String) -> usize {
        self.configs.push(NamedConfig { name: name.to_owned(), digest: digest(text.as_bytes()), text });
        self.configs.len() - 1
    }

    pub fn config(&self, number: usize, core: Profile) -> Result<Arc<Config>, String> {
        let NamedConfig { name, text, .. } = &self.configs[number];
        let config::Reading { config, faults } = config::read(text, core);
        config.map(Arc::new).ok_or_else(|| load::fault_report(Path::new(name), text.as_bytes(), &faults))
    }

    /// A digest of a run's workload and configuration.
    pub fn digest(&self, workload: usize, config: usize) -> String {
        format!("{}-{}", self.sources[workload].digest, self.configs[config].digest)
    }

    /// Applies the options to a workload: queues, runtimes, nodes.
    pub fn finish(&self, workload: &mut Workload) -> Result<(), String> {
        for job in &mut workload.jobs {
            if let Some(rule) = self.queues.iter().find(|rule| rule.is_for(job)) {
                arrange::ask_for_queue(job, rule.form())?;
            }
        }
        arrange::runtimes(workload, &self.runtimes);
        if let Some(capacity) = &self.nodes {
            arrange::on_one_node(workload, capacity);
        }
        if workload.nodes.is_empty() {
            workload.nodes.clone_from(&self.there);
        }
        Ok(())
    }
}

pub(super) fn inputs(args: &SimulateArgs, watch: Watch<'_>) -> Result<Inputs, Ended> {
    // In a console, the embedded scheduler is simulated further.
    let by_default = || if args.cluster.is_some() { Profile::Kornsole } else { predicted::by_settings() };
    let cores = if args.cores.is_empty() { vec![by_default()] } else { args.cores.clone() };
    let (node_groups, notes) = args.scaling.read().map_err(|Unread { message, code }| Ended { message, code })?;
    let mut inputs = Inputs {
        sources: Vec::new(),
        configs: Vec::new(),
        cores,
        fill: args.fill.as_deref().map(fill).transpose().map_err(Ended::usage)?,
        until: args.time.as_deref().map(time).transpose().map_err(Ended::usage)?,
        notes,
        backtest: None,
        queues: queue_rules(&args.queues)?,
        runtimes: args.runtimes.iter().map(|rule| rule.parse()).collect::<Result<_, _>>().map_err(Ended::usage)?,
        nodes: args.node.as_deref().map(amounts).transpose().map_err(Ended::usage)?,
        node_groups,
        there: args.cluster.as_ref().map(|cluster| cluster.nodes.clone()).unwrap_or_default(),
        given: args.configs.len(),
        open: None,
        changed: BTreeMap::new(),
        only_last: args.find.is_some(),
    };
    if inputs.runtimes.iter().any(|rule| matches!(rule, RuntimeRule::History(_))) {
        return Err(Ended::usage(
            "--runtime: a workload has no history: write 10m, user:NAME=5m, queue:PATH=5m or app:NAME*=5m",
        ));
    }
    for file in &args.configs {
        let read = config_inputs::one(file, &args.policy_group).map_err(Ended::input)?;
        // Every release must accept it before any run.
        for core in &inputs.cores {
            read.parsed(*core).map_err(Ended::input)?;
        }
        inputs.add_config(&named(file), read.queues().to_owned());
    }
    if args.workloads.iter().chain(&args.configs).filter(|file| *file == Path::new("-")).count() > 1 {
        return Err(Ended::usage("cannot read standard input twice: duplicate `-`"));
    }
    for file in &config_inputs::matched(&args.workloads).map_err(Ended::input)? {
        workload(args, &mut inputs, file)?;
    }
    if let (Some(nodes), Some(pods)) = (&args.nodes, &args.pods) {
        openb(args, &mut inputs, nodes, pods)?;
    }
    span(args, &mut inputs, watch)?;
    if inputs.given == 0 && inputs.sources.iter().any(|source| source.own.is_none()) {
        let open = match &args.cluster {
            Some(cluster) => inputs.add_config("the configuration of this file", cluster.config.clone()),
            None => inputs.add_config("one open queue", OPEN.to_owned()),
        };
        inputs.open = Some(open);
    }
    changed::add(&mut inputs, &args.sets)?;
    Ok(inputs)
}

fn span(args: &SimulateArgs, inputs: &mut Inputs, watch: Watch<'_>) -> Result<(), Ended> {
    let (name, of, read) = match (&args.past, &args.state) {
        (Some(past), _) => {
            ("the past".to_owned(), "the past".to_owned(), journal(args, &past.journal.recording(past.until), watch))
        }
        (None, Some(dir)) => (named(dir), dir.display().to_string(), of_dir(args, dir, watch)),
        (None, None) => return Ok(()),
    };
    let Journal { config, profile, workload, notes, backtest } =
        read.map_err(|why| match why.code == 1 && !why.message.contains(&of) {
            true => Ended::input(format!("{of}: {}", why.message)),
            false => why,
        })?;
    inputs.notes.extend(notes);
    inputs.backtest = Some(backtest);
    if args.cores.is_empty() && inputs.sources.is_empty() {
        // Uses the profile of the recorded scheduler.
        inputs.cores = vec![profile];
    }
    let own = inputs.add_config("its configuration", config);
    let digest = digest(format!("{of}{:?}{:?}{}", args.from, args.to, workload.jobs.len()).as_bytes());
    jobs(inputs, name, workload, Some(own), digest)
}

pub(super) fn named(file: &Path) -> String {
    file.file_name().map_or_else(|| file.display().to_string(), |name| name.to_string_lossy().into_owned())
}

fn workload(args: &SimulateArgs, inputs: &mut Inputs, file: &Path) -> Result<(), Ended> {
    memory::readable(file)?;
    let kind = objects::kind_of(file);
    if file.is_dir() || kind == Some(Kind::Manifests) {
        return objects::add(args, inputs, file, None);
    }
    let extension = file.extension().map(|end| end.to_string_lossy().to_lowercase()).unwrap_or_default();
    if kind.is_none() && matches!(extension.as_str(), "yaml" | "yml") {
        return scenario(args, inputs, file);
    }
    let name = named(file);
    let last = inputs.until.filter(|_| args.loads.is_empty());
    let read = stream::read(file, &extension, last);
    let Some(read) = read.map_err(|why| Ended::input(format!("cannot read {}: {why}", file.display())))? else {
        return Err(Ended::usage(format!("cannot read {}: unknown format; use {}", file.display(), form::FORMS)));
    };
    let Streamed { form, reading, text, digest: own_digest } = read;
    if form == Form::Manifests {
        return objects::add(args, inputs, file, Some(&text));
    }
    let mut workload = accepted(args, inputs, &file.display().to_string(), reading)?;
    if form == Form::Swf {
        // Named nodes replace those of the header.
        if args.node.is_some() || !inputs.there.is_empty() || !inputs.node_groups.is_empty() {
            workload.nodes.clear();
        }
        input::swf::on_its_own_nodes(&mut workload);
    }
    if form == Form::Generator {
        inputs.sources.push(Named { name, source: Source::Generated(text), own: None, digest: own_digest });
        return Ok(());
    }
    jobs(inputs, name, workload, None, own_digest)
}

/// Returns a workload without errors, or with invalid jobs skipped and counted.
fn accepted(args: &SimulateArgs, inputs: &mut Inputs, name: &str, reading: Reading) -> Result<Workload, Ended> {
    let Reading { workload, faults } = reading;
    if !faults.is_empty() {
        let shown: Vec<String> = faults.iter().take(20).map(|fault| format!("{name}:{fault}")).collect();
        let more = faults.len().saturating_sub(shown.len());
        let rest = if more > 0 { format!("\nand {more} more") } else { String::new() };
        if !args.lenient {
            let hint = "nothing was simulated; --lenient skips invalid lines";
            return Err(Ended::input(format!("{}{rest}\n{hint}", shown.join("\n"))));
        }
        inputs.notes.push(match faults.len() {
            1 => format!("{name}: 1 invalid line skipped: {}", shown[0]),
            count => format!("{name}: {count} invalid lines skipped, the first at {}", shown[0]),
        });
    }
    Ok(workload)
}

pub(super) fn jobs(
    inputs: &mut Inputs,
    name: String,
    mut workload: Workload,
    own: Option<usize>,
    digest: String,
) -> Result<(), Ended> {
    describe(inputs, &name, &workload);
    inputs.finish(&mut workload).map_err(Ended::usage)?;
    let forever: u64 = workload
        .jobs
        .iter()
        .flat_map(|job| &job.tasks)
        .filter(|task| task.never_ends())
        .map(|task| u64::from(task.count))
        .sum();
    if forever > 0 && inputs.fill.is_none() {
        inputs.notes.push(format!("{name}: {forever} requests have no runtime and never end: use --runtime"));
    }
    inputs.sources.push(Named { name, source: Source::Jobs(Box::new(workload)), own, digest });
    Ok(())
}

fn describe(inputs: &mut Inputs, name: &str, workload: &Workload) {
    inputs.notes.extend(workload.notes.iter().map(|note| format!("{name}: {note}")));
    for left in &workload.left_out {
        inputs.notes.push(format!("{name}: skipped: {} ({}, the first: {})", left.what, left.count, left.first));
    }
}

fn scenario(args: &SimulateArgs, inputs: &mut Inputs, file: &Path) -> Result<(), Ended> {
    let config = args.configs.first().map(PathBuf::as_path);
    let core = inputs.cores[0];
    let input = load::scenario(file, config, &args.policy_group, core).map_err(Ended::input)?;
    let text = match &input.file {
        Some(file) => Some(file.queues().to_owned()),
        None => input.scenario.config_text().map(str::to_owned),
    };
    if input.config.config.is_none() {
        return Err(Ended::input(input.report));
    }
    let text = text.unwrap_or_default();
    let own = if inputs.given > 0 { None } else { Some(inputs.add_config("its own", text.clone())) };
    let mut runner = Runner::new(core);
    let mut recorded = super::saved::Recorded::default();
    let ran = recorded.run(&mut runner, &input.scenario, input.config);
    ran.map_err(|why| Ended::input(format!("{}: {why}", file.display())))?;
    let mut workload = recorded.workload();
    inputs.finish(&mut workload).map_err(Ended::usage)?;
    let bytes = load::bytes(file).map_err(Ended::input)?;
    let steps = Steps { scenario: input.scenario, jobs: workload };
    let source = Source::Scenario(Box::new(steps));
    inputs.sources.push(Named { name: named(file), source, own, digest: digest(&bytes) });
    Ok(())
}

fn openb(args: &SimulateArgs, inputs: &mut Inputs, nodes: &Path, pods: &Path) -> Result<(), Ended> {
    let fractions: Fractions =
        args.gpu_fractions.parse().map_err(|why| Ended::usage(format!("--gpu-fractions: {why}")))?;
    let text = |file: &Path| {
        load::unpacked(file, load::LARGE)
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .map_err(Ended::input)
    };
    let (nodes_text, pods_text) = (text(nodes)?, text(pods)?);
    let (nodes_name, pods_name) = (nodes.display().to_string(), pods.display().to_string());
    let [read_nodes, read_pods] = input::openb::read((&nodes_name, &nodes_text), (&pods_name, &pods_text), fractions);
    let all_nodes = accepted(args, inputs, &nodes_name, read_nodes)?.nodes;
    let mut workload = accepted(args, inputs, &pods_name, read_pods)?;
    workload.nodes = all_nodes;
    let digest = digest(format!("{nodes_text}{pods_text}{fractions:?}").as_bytes());
    jobs(inputs, named(pods), workload, None, digest)
}

fn fill(text: &str) -> Result<(String, f64), String> {
    let parts = text.rsplit_once('=').and_then(|(name, factor)| Some((name.to_owned(), factor.parse::<f64>().ok()?)));
    parts
        .filter(|(name, factor)| !name.is_empty() && *factor > 0.0 && factor.is_finite())
        .ok_or_else(|| format!("--fill: expected RESOURCE=X, for example vcore=1.3, found {text:?}"))
}

fn time(text: &str) -> Result<Time, String> {
    parse_duration(text)
        .map(|time| Time::ZERO + time)
        .ok_or_else(|| format!("--for: invalid time {text:?}; use for example 30m"))
}

fn amounts(text: &str) -> Result<Resource, String> {
    let mut amounts = Resource::new();
    for part in text.split(',') {
        let (name, quantity) = part
            .split_once('=')
            .ok_or_else(|| format!("--node: expected NAME=QUANTITY, for example vcore=64, found {part:?}"))?;
        let amount = parse_quantity(name.trim(), quantity).map_err(|fault| format!("--node: {name}: {fault}"))?;
        amounts.set(name.trim(), amount);
    }
    Ok(amounts)
}

fn queue_rules(written: &[String]) -> Result<Vec<QueueRule>, Ended> {
    let mut rules = Vec::new();
    for one in written {
        match one.strip_prefix('@') {
            None => rules.push(one.parse().map_err(|why| Ended::usage(format!("--queue: {why}")))?),
            Some(file) => {
                let bytes = load::bytes(file.as_ref()).map_err(Ended::input)?;
                for (number, line) in String::from_utf8_lossy(&bytes).lines().enumerate() {
                    let line = line.trim();
                    if !line.is_empty() && !line.starts_with('#') {
                        let rule = line.parse().map_err(|why| Ended::input(format!("{file}:{}: {why}", number + 1)))?;
                        rules.push(rule);
                    }
                }
            }
        }
    }
    Ok(rules)
}
