//! `kornsole run --from-manifests`: schedules a cluster from manifests.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use serde::Serialize;

use super::inputs::ConfigFile;
use super::{fail, inputs, load, manifest_files, predicted, printed};
use crate::cli::remote::table::Table;
use ::config::fault::escaped;
use ::config::{self, Config, DEFAULT_POLICY_GROUP};
use kubernetes::dry_run::{Plan, plan};
use kubernetes::{Cluster, ManifestReport, Manifests, Recovered, Settings, Users, submitted};
use model::Profile;
use scheduler::PartitionCommand;

/// The extensions of files that are read in a directory, possibly before `.gz` or `.zst`.
const ENDINGS: [&str; 3] = [".yaml", ".yml", ".json"];

/// The source of the user of a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum UserInfo {
    /// Trust the annotation `user.info`, like the shim of YuniKorn
    Trust,
    /// Use the user `nobody` for every pod
    Ignore,
}

/// The arguments for manifests.
#[derive(Args, Clone, Debug)]
#[group(id = "manifests")]
pub struct ManifestArgs {
    /// Kubernetes manifests (YAML, JSON, or directories) to schedule, instead of scenarios
    ///
    /// kornsole prints the nodes that it would bind the pods to. It also reads the output of `kubectl get pods,nodes,ns,pc,cm,pv,pvc,sc -A
    /// -o yaml`.
    #[arg(long, value_name = "PATH", num_args = 1.., conflicts_with_all = ["scenarios", "summary", "timings"])]
    pub from_manifests: Vec<PathBuf>,
    /// With manifests: schedule the pods with this schedulerName (repeatable)
    ///
    /// All other pods only use resources.
    #[arg(long, value_name = "NAME", conflicts_with = "scenarios", default_values = ["yunikorn", "kornsole"])]
    pub scheduler_name: Vec<String>,
    /// With manifests: whether to trust the user that a pod names
    #[arg(long, value_name = "WHOM", conflicts_with = "scenarios", value_enum, default_value_t = UserInfo::Trust)]
    pub user_info: UserInfo,
    /// With manifests: create one application for each pod without an application ID
    #[arg(long, conflicts_with = "scenarios")]
    pub unique_app_ids: bool,
    /// With manifests: print JSON
    #[arg(long, conflicts_with = "scenarios")]
    pub json: bool,
}

const BY_DEFAULT: &str = "no queue configuration found in the options and manifests: the built-in default is used";

/// Schedules manifests and prints the bindings. Exit code 0: simulated, even if pods are pending; 1: a file cannot be
/// read, and only the errors are printed.
pub fn run(args: &ManifestArgs, config: Option<&Path>, policy_group: &str, core: Profile) -> ExitCode {
    match planned(args, config, policy_group, core) {
        Ok(plan) => match print(&plan, core, args.json) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                fail(&format!("cannot write the result: {error}"), 1)
            }
            _ => ExitCode::SUCCESS,
        },
        Err(message) => fail(&message, 1),
    }
}

fn planned(args: &ManifestArgs, config: Option<&Path>, group: &str, core: Profile) -> Result<Plan, String> {
    let (cluster, mut created, mut notices) = cluster(&args.from_manifests, &[], &args.scheduler_name)?;
    let warnings = if config.is_none() { lint_notices(&cluster, &args.from_manifests, group) } else { None };
    let (config, by_default) = configuration((&cluster, &args.from_manifests), config, group, core)?;
    let users = if args.user_info == UserInfo::Trust { Users::Trusted } else { Users::Ignored };
    let scheduler_names = args.scheduler_name.clone();
    let settings =
        Settings { profile: core, scheduler_names, unique_ids: args.unique_app_ids, users, ..Settings::default() };
    let mut plan = plan(&cluster, &settings, config)?;
    plan.notices.append(&mut created);
    plan.notices.append(&mut notices);
    if by_default {
        plan.notices.insert(0, BY_DEFAULT.to_owned());
    }
    plan.notices.extend(warnings.unwrap_or_default());
    Ok(plan)
}

/// The cluster in files and directories, with the pods that the files of `submitted` submit, the created pods, and the
/// ignored objects. Schedules pods with one of `names` as their scheduler.
pub(super) fn cluster(
    paths: &[PathBuf],
    submitted: &[PathBuf],
    names: &[String],
) -> Result<(Cluster, Vec<String>, Vec<String>), String> {
    Ok(with_notes(reported(paths, submitted, names)?))
}

/// As `cluster`, with the pods of a text.
pub(super) fn submitted_text(
    name: &str,
    text: &str,
    names: &[String],
) -> Result<(Cluster, Vec<String>, Vec<String>), String> {
    let mut manifests = Manifests::default();
    manifests.submit(name, text.as_bytes());
    Ok(with_notes(finished(manifests, names)?))
}

fn with_notes((cluster, report): (Cluster, ManifestReport)) -> (Cluster, Vec<String>, Vec<String>) {
    let kinds: Vec<String> = report.skipped.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    let skipped = (!kinds.is_empty()).then(|| format!("objects of other kinds are ignored: {}", kinds.join(", ")));
    (cluster, report.created, report.notices.into_iter().chain(report.rejected).chain(skipped).collect())
}

/// The cluster in files and directories, with the pods that the files of `submitted` submit, and the report.
///
/// # Errors
/// A file cannot be read, or an object is invalid.
pub(super) fn reported(
    paths: &[PathBuf],
    submitted: &[PathBuf],
    names: &[String],
) -> Result<(Cluster, ManifestReport), String> {
    let mut manifests = Manifests::default();
    let (found, later) = (files(paths)?, files(submitted)?);
    // A directory may also have a kustomization or values of Helm.
    let unnamed = found.iter().chain(&later).filter(|file| !paths.contains(file) && !submitted.contains(file));
    manifests.skip_other_values(unnamed.map(|file| file.to_string_lossy().into_owned()));
    manifest_files::read(&mut manifests, &found)?;
    for file in later {
        manifests.submit(&file.to_string_lossy(), &load::unpacked(&file, load::LARGE)?);
    }
    finished(manifests, names)
}

fn finished(manifests: Manifests, names: &[String]) -> Result<(Cluster, ManifestReport), String> {
    let (cluster, report) = manifests.finish(names);
    if !report.faults.is_empty() {
        return Err(report.faults.iter().map(|fault| escaped(fault).to_string()).collect::<Vec<_>>().join("\n"));
    }
    Ok((cluster, report))
}

/// The submissions of the pods in files and directories, and the parts that are not evaluated.
///
/// # Errors
/// A file cannot be read, or an object is invalid.
pub(super) fn submissions(paths: &[PathBuf], core: Profile) -> Result<(Vec<PartitionCommand>, Vec<String>), String> {
    let settings = Settings { profile: core, ..Settings::default() };
    let (cluster, _, mut notices) = cluster(&[], paths, &settings.scheduler_names)?;
    let (commands, mut alone) = submitted::commands(&cluster, &settings);
    notices.append(&mut alone);
    notices.push("node selectors, taints, and affinity of submitted pods are not evaluated".to_owned());
    Ok((commands, notices))
}

/// A scheduler in the state of the cluster in files and directories, with its queue configuration. The pods of
/// `submitted` follow later.
///
/// # Errors
/// A file cannot be read, or an object or the configuration is invalid.
pub(super) fn recovered(
    paths: &[PathBuf],
    submitted: &[PathBuf],
    core: Profile,
) -> Result<(Recovered, String), String> {
    let settings = Settings { profile: core, copies: true, ..Settings::default() };
    let (cluster, _, mut notices) = cluster(paths, submitted, &settings.scheduler_names)?;
    let (config, by_default) = configuration((&cluster, paths), None, DEFAULT_POLICY_GROUP, core)?;
    let text = cluster.configuration(DEFAULT_POLICY_GROUP)?.map(|(_, text)| text);
    let text = text.unwrap_or_else(|| config::DEFAULT_CONFIG.to_owned());
    let mut recovered = Recovered::of(&cluster, &settings, config)?;
    recovered.unknown.append(&mut notices);
    if by_default {
        recovered.unknown.insert(0, BY_DEFAULT.to_owned());
    }
    Ok((recovered, text))
}

/// The named files, and the files of named directories sorted by name.
pub(super) fn files(named: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    for path in &inputs::matched(named)? {
        if !path.is_dir() {
            found.push(path.clone());
            continue;
        }
        let unreadable = |error: io::Error| format!("cannot read {}: {error}", path.display());
        let mut inside = Vec::new();
        for entry in std::fs::read_dir(path).map_err(unreadable)? {
            let file = entry.map_err(unreadable)?.path();
            let name = entry_name(&file);
            if file.is_file() && ENDINGS.iter().any(|ending| name.ends_with(ending)) {
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

/// The file name without the extension of a packed file.
fn entry_name(file: &Path) -> String {
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let plain = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst"));
    plain.unwrap_or(&name).to_owned()
}

/// The queue configuration: of the file, otherwise of the manifests, otherwise the built-in one, which is reported.
fn configuration(
    (cluster, paths): (&Cluster, &[PathBuf]),
    file: Option<&Path>,
    group: &str,
    core: Profile,
) -> Result<(Arc<Config>, bool), String> {
    if let Some(file) = file {
        return Ok((inputs::one(file, group)?.parsed(core)?, false));
    }
    let found = cluster.configuration(group)?;
    let text = found.as_ref().map_or(config::DEFAULT_CONFIG, |(_, text)| text);
    let config::Reading { config, faults } = config::read(text, core);
    let config = config.ok_or_else(|| match file_of(text, paths, group) {
        Some(file) => file.report(&file.read(core).faults),
        None => {
            let key = found.as_ref().map_or("queues.yaml", |(key, _)| key);
            load::fault_report(&PathBuf::from(format!("{key} of the ConfigMap")), text.as_bytes(), &faults)
        }
    })?;
    Ok((Arc::new(config), found.is_none()))
}

/// The file with this configuration. The files are searched again; standard input cannot be read twice.
fn file_of(text: &str, paths: &[PathBuf], group: &str) -> Option<ConfigFile> {
    let files = paths.iter().filter(|path| *path != Path::new("-")).flat_map(|path| inputs::each(path, group));
    files.flatten().find(|file| file.queues() == text)
}

/// The warnings about the configuration of the manifests, with their places in a file if it is there.
fn lint_notices(cluster: &Cluster, paths: &[PathBuf], group: &str) -> Option<Vec<String>> {
    let (key, text) = cluster.configuration(group).ok()??;
    let mut warnings = config::lint::lint(&text);
    let file = if warnings.is_empty() { None } else { file_of(&text, paths, group) };
    let name = match &file {
        Some(file) => {
            warnings = file.lint();
            file.name.display().to_string()
        }
        None => key,
    };
    Some(warnings.iter().map(|fault| format!("{name}:{fault}; {}", fault.hint)).collect())
}

#[derive(Serialize)]
struct Named<'p> {
    core: &'static str,
    #[serde(flatten)]
    plan: &'p Plan,
}

fn print(plan: &Plan, core: Profile, json: bool) -> io::Result<()> {
    let mut out = io::BufWriter::new(printed::out());
    if json {
        serde_json::to_writer_pretty(&mut out, &Named { core: core.name(), plan })?;
        writeln!(out)?;
        return out.flush();
    }
    if !plan.bound.is_empty() {
        let mut table = Table::new(&["POD", "NODE", "QUEUE", "APPLICATION", ""]);
        for bound in &plan.bound {
            let kind_word = if bound.placeholder { "placeholder" } else { "" };
            let cells = [&bound.pod, &bound.node, &bound.queue, &bound.app].map(String::clone);
            table.row(cells.into_iter().chain([kind_word.to_owned()]).collect());
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
        "to be bound: {bound}; pending: {waiting}; ignored: {alone}; already running: {running}; of other \
            schedulers: {foreign}; nodes: {nodes} ({})",
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
