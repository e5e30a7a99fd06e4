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

/// What Kubernetes objects are for a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Pods of a cluster, with their times.
    Recorded,
    /// Objects without pods that a cluster created.
    Manifests,
}

/// Examines the start of a file; `None` for other formats and for standard input, which can be read only once.
pub(super) fn kind_of(file: &Path) -> Option<Kind> {
    if file == Path::new("-") {
        return None;
    }
    let mut bytes = Vec::new();
    let unpacked = File::open(file).and_then(|file| unpacking(file, u64::MAX));
    unpacked.and_then(|from| from.take(EXAMINED).read_to_end(&mut bytes)).ok()?;
    kind(&String::from_utf8_lossy(&bytes))
}

/// Of a text, or of its start.
pub(super) fn kind(text: &str) -> Option<Kind> {
    let text = start_of(text.trim_start_matches('\u{feff}'));
    let is_object = after(text, "kind").next().is_some() && after(text, "apiVersion").next().is_some();
    let is_scenario = text.lines().any(|line| line.starts_with("steps:"));
    if is_scenario || !is_object {
        return None;
    }
    // A text that was cut off cannot be parsed.
    let objects = kubernetes::values("", text.as_bytes()).ok();
    let is_recorded = match objects {
        Some(objects) => {
            let mut pods = objects.iter().map(|(_, object)| object).filter(|object| object["kind"] == "Pod");
            pods.any(|pod| pod["metadata"]["creationTimestamp"].is_string())
        }
        None => {
            let has_time =
                after(text, "creationTimestamp").any(|value| value.starts_with(|first: char| first.is_ascii_digit()));
            let kinds = ["Pod", "PodList", "Node", "NodeList"];
            has_time && after(text, "kind").any(|value| kinds.contains(&word(value)))
        }
    };
    Some(if is_recorded { Kind::Recorded } else { Kind::Manifests })
}

/// The examined part: a dump can have a gigabyte.
fn start_of(text: &str) -> &str {
    &text[..text.floor_char_boundary(usize::try_from(EXAMINED).unwrap_or(usize::MAX))]
}

/// The text after each occurrence of a key, without quotes and blanks.
fn after<'t>(text: &'t str, key: &'t str) -> impl Iterator<Item = &'t str> {
    text.match_indices(key).filter_map(move |(at, _)| {
        let rest = text[at + key.len()..].trim_start_matches(['"', '\'']).trim_start();
        Some(rest.strip_prefix(':')?.trim_start_matches([' ', '"', '\'']))
    })
}

fn word(text: &str) -> &str {
    text.split(|char: char| !char.is_alphanumeric()).next().unwrap_or_default()
}

/// `text`: the content, if it was read already.
pub(super) fn add(args: &SimulateArgs, inputs: &mut Inputs, file: &Path, text: Option<&str>) -> Result<(), Ended> {
    let Objects { workload, config, notes } = read(file, text, &args.policy_group, inputs.cores[0])?;
    let name = named(file);
    inputs.notes.extend(notes.into_iter().map(|note| format!("{name}: {note}")));
    let own = config.filter(|_| args.configs.is_empty()).map(|text| inputs.add_config("its own", text));
    let digest = digest(format!("{:?}{:?}", workload.nodes, workload.jobs).as_bytes());
    jobs(inputs, name, workload, own, digest)
}

/// Fails for an unreadable file, an invalid object, or no pods.
fn read(file: &Path, text: Option<&str>, policy_group: &str, core: Profile) -> Result<Objects, Ended> {
    let settings = Settings { profile: core, ..Settings::default() };
    let names = &settings.scheduler_names;
    let (cluster, created, mut notes) = match text {
        Some(text) => manifests::submitted_text(&file.to_string_lossy(), text, names),
        None => manifests::cluster(&[], &[PathBuf::from(file)], names),
    }
    .map_err(Ended::input)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pods_with_times_are_a_record_in_json_and_yaml() {
        let json = r#"{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "Pod", "metadata": {"creationTimestamp": "2026-01-01T00:00:00Z"}}]}"#;
        let yaml = "apiVersion: v1\nkind: Pod\nmetadata:\n  creationTimestamp: \"2026-01-01T00:00:00Z\"\n";
        let made = json.replace("\"2026-01-01T00:00:00Z\"", "null");
        for (text, expected) in [
            (json, Some(Kind::Recorded)),
            (&json[..json.len() - 4], Some(Kind::Recorded)),
            (yaml, Some(Kind::Recorded)),
            (&made, Some(Kind::Manifests)),
            ("\"apiVersion\": batch/v1\n\"kind\": Job\n", Some(Kind::Manifests)),
            ("version: 1\nsteps:\n- kind: x\n  apiVersion: y\n", None),
            ("{\"jobs\": []}", None),
        ] {
            assert_eq!(kind(text), expected, "{text}");
        }
    }
}
