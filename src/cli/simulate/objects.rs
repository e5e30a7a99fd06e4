//! Kubernetes objects as a workload, all submitted at the start.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::read::{Inputs, jobs, named};
use super::stream::digest;
use super::{Ended, SimulateArgs};
use crate::cli::manifests;
use config::input::unpacking;
use forecast::simulate::Workload;
use forecast::simulate::input::recorded::{self, Fate, Gangs};
use kubernetes::{Recovery, Settings, submitted};
use model::{Profile, Time};

/// How much of a file is examined.
const EXAMINED: u64 = 1 << 20;

struct Objects {
    workload: Workload,
    config: Option<String>,
    notes: Vec<String>,
}

/// YAML, a directory, or JSON with more than pods and nodes.
pub(super) fn is_manifests(file: &Path) -> bool {
    if file.is_dir() {
        return true;
    }
    // Standard input can be read only once.
    if file == Path::new("-") {
        return false;
    }
    let mut bytes = Vec::new();
    let unpacked = File::open(file).and_then(|file| unpacking(file, u64::MAX));
    if unpacked.and_then(|from| from.take(EXAMINED).read_to_end(&mut bytes)).is_err() {
        return false;
    }
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim_start_matches('\u{feff}');
    if text.trim_start().starts_with('{') {
        let of = |kind: &str| {
            text.contains(&format!("\"kind\": \"{kind}\"")) || text.contains(&format!("\"kind\":\"{kind}\""))
        };
        let is_list = ["List", "PodList", "NodeList"].into_iter().any(of) || !text.contains("\"kind\"");
        return !is_list && !of("Pod") && !of("Node");
    }
    let has = |key: &str| text.lines().any(|line| line.starts_with(key));
    has("kind:") && has("apiVersion:") && !has("steps:")
}

pub(super) fn add(args: &SimulateArgs, inputs: &mut Inputs, file: &Path) -> Result<(), Ended> {
    let Objects { workload, config, notes } = read(file, &args.policy_group, inputs.cores[0])?;
    let name = named(file);
    inputs.notes.extend(notes.into_iter().map(|note| format!("{name}: {note}")));
    let own = config.filter(|_| args.configs.is_empty()).map(|text| inputs.add_config("its own", text));
    let digest = digest(format!("{:?}{:?}", workload.nodes, workload.jobs).as_bytes());
    jobs(inputs, name, workload, own, digest)
}

/// Fails for an unreadable file, an invalid object, or no pods.
fn read(file: &Path, policy_group: &str, core: Profile) -> Result<Objects, Ended> {
    let settings = Settings { profile: core, ..Settings::default() };
    let paths = [PathBuf::from(file)];
    let (cluster, created, mut notes) =
        manifests::cluster(&[], &paths, &settings.scheduler_names).map_err(Ended::input)?;
    notes.extend(created);
    let config = cluster.configuration(policy_group).map_err(Ended::input)?.map(|(_, text)| text);
    let (commands, alone) = submitted::commands(&cluster, &settings);
    notes.extend(alone);
    let commands = commands.into_iter().map(|command| (Time::ZERO, command));
    let mut workload = recorded::read(commands, Some(Time::ZERO), |_| Gangs::Simulated, |_, _| Fate::default());
    if workload.jobs.is_empty() {
        return Err(Ended::input(format!("{}: no pod to schedule; {}", file.display(), notes.join("; "))));
    }
    notes
        .push("all pods are submitted at the start; node selectors, taints, and affinity are not evaluated".to_owned());
    workload.nodes = Recovery::of(&cluster, &settings).nodes;
    workload.nodes.iter_mut().for_each(|node| node.drained = false);
    Ok(Objects { workload, config, notes })
}
