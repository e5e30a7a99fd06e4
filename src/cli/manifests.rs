//! `kornsole run --from-manifests`: a cluster that stands still, scheduled; what would be bound where, and why the rest waits.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use serde::Serialize;

use super::{fail, load, predicted};
use crate::cli::remote::table::Table;
use ::config::fault::escaped;
use ::config::{self, Config, DEFAULT_POLICY_GROUP};
use kubernetes::dry_run::{Plan, plan};
use kubernetes::{Cluster, ManifestReport, Recovered, Settings, Users, read_manifests};
use model::Profile;

/// The endings of files that are read in a folder.
const ENDINGS: [&str; 3] = ["yaml", "yml", "json"];

/// Whose word counts for who a pod is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum UserInfo {
    /// The annotation `user.info` is believed, as YuniKorn's shim does
    Trust,
    /// Every pod is of the user `nobody`
    Ignore,
}

/// The arguments for manifests.
#[derive(Args, Clone, Debug)]
#[group(id = "manifests")]
pub struct ManifestArgs {
    /// Instead of scenarios: schedule the pods of Kubernetes manifests, files or folders of YAML or JSON, as `kubectl get
    /// pods,nodes,ns,pc,cm,pv,pvc,sc -A -o yaml` prints them, and say what would be bound where
    #[arg(long, value_name = "PATH", num_args = 1.., conflicts_with_all = ["scenarios", "summary", "timings"])]
    pub from_manifests: Vec<PathBuf>,
    /// With manifests: the pods of this schedulerName are scheduled, all others only use room; may be repeated
    #[arg(long, value_name = "NAME", conflicts_with = "scenarios", default_values = ["yunikorn", "kornsole"])]
    pub scheduler_name: Vec<String>,
    /// With manifests: whether the user that a pod names is believed
    #[arg(long, value_name = "WHOM", conflicts_with = "scenarios", value_enum, default_value_t = UserInfo::Trust)]
    pub user_info: UserInfo,
    /// With manifests: a pod that names no application is one of its own
    #[arg(long, conflicts_with = "scenarios")]
    pub unique_app_ids: bool,
    /// With manifests: print JSON
    #[arg(long, conflicts_with = "scenarios")]
    pub json: bool,
}

/// What is said where the manifests have no queue configuration.
const BY_DEFAULT: &str = "no queue configuration found in the options and manifests: the built-in default is used";

/// Schedules manifests and prints what would be bound. Exit code 0: it could be worked out, whether pods wait or not; 1: something
/// cannot be read, and nothing is printed but the faults.
pub fn run(args: &ManifestArgs, config: Option<&Path>, policy_group: &str, core: Profile) -> ExitCode {
    match planned(args, config, policy_group, core) {
        Ok(plan) => match print(&plan, core, args.json) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                fail(&format!("the result cannot be written: {error}"), 1)
            }
            _ => ExitCode::SUCCESS,
        },
        Err(message) => fail(&message, 1),
    }
}

fn planned(args: &ManifestArgs, config: Option<&Path>, group: &str, core: Profile) -> Result<Plan, String> {
    let (cluster, mut notices) = cluster(&args.from_manifests)?;
    let (config, by_default) = configuration(&cluster, config, group, core)?;
    let users = if args.user_info == UserInfo::Trust { Users::Trusted } else { Users::Ignored };
    let scheduler_names = args.scheduler_name.clone();
    let settings =
        Settings { profile: core, scheduler_names, unique_ids: args.unique_app_ids, users, ..Settings::default() };
    let mut plan = plan(&cluster, &settings, config)?;
    plan.notices.append(&mut notices);
    if by_default {
        plan.notices.insert(0, BY_DEFAULT.to_owned());
    }
    Ok(plan)
}

/// A cluster in files and folders, and what of them is not looked at.
fn cluster(paths: &[PathBuf]) -> Result<(Cluster, Vec<String>), String> {
    let (mut cluster, mut report) = (Cluster::default(), ManifestReport::default());
    for file in files(paths)? {
        let bytes = load::bytes(&file)?;
        read_manifests(&file.to_string_lossy(), &bytes, &mut cluster, &mut report);
    }
    if !report.faults.is_empty() {
        return Err(report.faults.iter().map(|fault| escaped(fault).to_string()).collect::<Vec<_>>().join("\n"));
    }
    let kinds: Vec<String> = report.skipped.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    let skipped =
        (!kinds.is_empty()).then(|| format!("objects of other kinds are not looked at: {}", kinds.join(", ")));
    Ok((cluster, skipped.into_iter().collect()))
}

/// A scheduler in the state of the cluster in files and folders, with the text of its queue configuration.
///
/// # Errors
/// A file cannot be read, an object is none, the configuration has faults.
pub(super) fn recovered(paths: &[PathBuf], core: Profile) -> Result<(Recovered, String), String> {
    let (cluster, mut notices) = cluster(paths)?;
    let (config, by_default) = configuration(&cluster, None, DEFAULT_POLICY_GROUP, core)?;
    let text = cluster.configuration(DEFAULT_POLICY_GROUP)?.unwrap_or_else(|| config::DEFAULT_CONFIG.to_owned());
    let settings = Settings { profile: core, copies: true, ..Settings::default() };
    let mut recovered = Recovered::of(&cluster, &settings, config)?;
    recovered.unknown.append(&mut notices);
    if by_default {
        recovered.unknown.insert(0, BY_DEFAULT.to_owned());
    }
    Ok((recovered, text))
}

/// The files themselves, and those of folders by name.
fn files(named: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    for path in named {
        if !path.is_dir() {
            found.push(path.clone());
            continue;
        }
        let unreadable = |error: io::Error| format!("{}: cannot be read: {error}", path.display());
        let mut inside = Vec::new();
        for entry in std::fs::read_dir(path).map_err(unreadable)? {
            let file = entry.map_err(unreadable)?.path();
            let ending = file.extension().and_then(|ending| ending.to_str());
            if file.is_file() && ending.is_some_and(|ending| ENDINGS.contains(&ending)) {
                inside.push(file);
            }
        }
        if inside.is_empty() {
            return Err(format!("{}: the directory has no manifests (.yaml, .yml, or .json)", path.display()));
        }
        inside.sort();
        found.append(&mut inside);
    }
    Ok(found)
}

/// The queue configuration: the file's, else that of the manifests, else the built-in one, which is said.
fn configuration(
    cluster: &Cluster,
    file: Option<&Path>,
    group: &str,
    core: Profile,
) -> Result<(Arc<Config>, bool), String> {
    if let Some(file) = file {
        return Ok((load::parsed(file, &load::bytes(file)?, group, core)?, false));
    }
    let found = cluster.configuration(group)?;
    let text = found.as_deref().unwrap_or(config::DEFAULT_CONFIG);
    let config::Reading { config, faults } = config::read(text, core);
    let name = PathBuf::from(format!("{group}.yaml of the ConfigMap"));
    let config = config.ok_or_else(|| load::fault_report(&name, text.as_bytes(), &faults))?;
    Ok((Arc::new(config), found.is_none()))
}

/// A plan with the profile that it is made by.
#[derive(Serialize)]
struct Named<'p> {
    core: &'static str,
    #[serde(flatten)]
    plan: &'p Plan,
}

fn print(plan: &Plan, core: Profile, json: bool) -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    if json {
        serde_json::to_writer_pretty(&mut out, &Named { core: core.name(), plan })?;
        writeln!(out)?;
        return out.flush();
    }
    if !plan.bound.is_empty() {
        let mut table = Table::new(&["POD", "NODE", "QUEUE", "APPLICATION", ""]);
        for bound in &plan.bound {
            let holds = if bound.placeholder { "placeholder" } else { "" };
            let cells = [&bound.pod, &bound.node, &bound.queue, &bound.app].map(String::clone);
            table.row(cells.into_iter().chain([holds.to_owned()]).collect());
        }
        writeln!(out, "{}", table.text())?;
    }
    let waiting = plan.waiting.iter().map(|pod| format!("{} {}", pod.pod, pod.reason));
    list(&mut out, "pending", waiting)?;
    list(&mut out, "ignored", plan.left_alone.iter().map(|pod| format!("{}: {}", pod.pod, pod.reason)))?;
    let evicted = plan.evicted.iter().map(|pod| format!("{} on {}, for {}", pod.pod, pod.node, pod.by));
    list(&mut out, "preempted", evicted)?;
    list(&mut out, "note", plan.notices.iter().cloned())?;
    let Plan { running, foreign, nodes, .. } = plan;
    let (bound, waiting, alone) = (plan.bound.len(), plan.waiting.len(), plan.left_alone.len());
    writeln!(
        out,
        "to be bound: {bound}; pending: {waiting}; ignored: {alone}; running already: {running}; of other schedulers: {foreign}; \
         nodes: {nodes} ({})",
        predicted::line(core)
    )?;
    out.flush()
}

fn list(out: &mut impl Write, title: &str, lines: impl Iterator<Item = String>) -> io::Result<()> {
    for line in lines {
        writeln!(out, "{title}: {}", escaped(&line))?;
    }
    Ok(())
}
