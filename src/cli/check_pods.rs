//! `kornsole check --pods`: applications of manifests checked with the queue configurations.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use super::{load, manifests};
use config::lint::{self, Known, KnownPod};
use config::{Fault, Place, Reading, Severity, without_allowed};
use kubernetes::dry_run::{Submitted, submitted};
use kubernetes::{Cluster, Settings};
use model::Profile;

/// The pods that are checked with each configuration, if any.
#[derive(Default)]
pub struct Pods {
    cluster: Option<Cluster>,
    /// Pods that the API server would reject.
    rejected: Vec<String>,
    origins: Origins,
}

impl Pods {
    /// Fails if a file is unreadable or not a manifest.
    pub fn read(paths: &[PathBuf]) -> Result<Self, String> {
        if paths.is_empty() {
            return Ok(Self::default());
        }
        let names = Settings::default().scheduler_names;
        let (cluster, report) = manifests::reported(paths, &[], &names)?;
        Ok(Self { cluster: Some(cluster), rejected: report.rejected, origins: Origins::read(paths) })
    }

    /// Returns rejected pods and ineffective gang settings, and the inputs for warnings about a cluster.
    pub fn submitted(&self, reading: &Reading, core: Profile) -> (Vec<Note>, Known) {
        let (Some(cluster), Some(config)) = (&self.cluster, &reading.config) else { return Default::default() };
        let settings = Settings { profile: core, ..Settings::default() };
        let found = submitted(cluster, &settings, Arc::new(config.clone()));
        let found = found.unwrap_or_else(|why| Submitted { notices: vec![why], ..Submitted::default() });
        let pod = |(queue, name, resource)| KnownPod { queue, name, resource };
        // A guarantee above the nodes of now can be met by those that an autoscaler adds.
        let nodes = found.nodes.filter(|_| !cluster.is_scaled());
        let known = Known { nodes, pods: found.pods.into_iter().map(pod).collect() };
        let notes = self.rejected.iter().cloned().chain(found.notices).map(|text| Note::of(text, &self.origins));
        (merged(notes.filter(|note| !self.origins.allows(note)).collect()), known)
    }
}

/// A finding about the pods.
#[derive(Clone)]
pub struct Note {
    id: Option<&'static str>,
    /// The sentence, including the object.
    pub text: String,
    /// File and line of the object; `None` for a finding about several objects.
    pub place: Option<(String, u32)>,
    /// Whether it is an error.
    pub is_error: bool,
}

impl Note {
    fn of(text: String, origins: &Origins) -> Self {
        let id = lint::IDS.into_iter().find(|id| text.ends_with(&format!("({id})")));
        let place = pod_of(&text).and_then(|pod| origins.of(pod)).map(|origin| (origin.file.clone(), origin.line));
        Self { id, text, place, is_error: false }
    }

    /// Removes allowed notes, and makes denied ones errors.
    pub fn judged(mut notes: Vec<Self>, allow: &[String], deny: &[String]) -> Vec<Self> {
        let is_in = |note: &Self, ids: &[String]| ids.iter().any(|id| note.id == Some(id));
        notes.retain(|note| !is_in(note, allow));
        for note in &mut notes {
            note.is_error = is_in(note, deny);
        }
        notes
    }

    /// `error` or `warning`.
    pub const fn severity(&self) -> &'static str {
        if self.is_error { "error" } else { "warning" }
    }

    /// Its file, and the note as a fault in it. A note without a place has no file.
    pub fn fault(&self) -> (&str, Fault) {
        let (file, line) = self.place.as_ref().map_or(("", 0), |(file, line)| (file.as_str(), *line));
        let fault = Fault {
            code: self.id.unwrap_or("pods"),
            severity: if self.is_error { Severity::Error } else { Severity::Warning },
            at: Place { line, column: u32::from(line > 0) },
            path: String::new(),
            message: self.text.clone(),
            hint: String::new(),
        };
        (file, fault)
    }
}

/// The pod of a note: `pod NAMESPACE/NAME: …`.
fn pod_of(text: &str) -> Option<&str> {
    text.strip_prefix("pod ")?.split_once(": ").map(|(pod, _)| pod)
}

/// Says once what is the same for all pods of an object.
fn merged(notes: Vec<Note>) -> Vec<Note> {
    let mut merged: Vec<(Note, usize)> = Vec::new();
    for note in notes {
        let said = |text: &str| pod_of(text).map(|pod| text["pod ".len() + pod.len()..].to_owned());
        let is_same =
            |other: &Note| note.place.is_some() && note.place == other.place && said(&note.text) == said(&other.text);
        match merged.iter_mut().find(|(other, _)| is_same(other)) {
            Some((_, more)) => *more += 1,
            None => merged.push((note, 0)),
        }
    }
    let with_count = |(mut note, more): (Note, usize)| {
        if let Some(pod) = pod_of(&note.text).filter(|_| more > 0) {
            let pods = if more == 1 { "1 more pod".to_owned() } else { format!("{more} more pods") };
            note.text.insert_str("pod ".len() + pod.len(), &format!(" and {pods}"));
        }
        note
    };
    merged.into_iter().map(with_count).collect()
}

/// An object in a file.
struct Origin {
    /// Namespace and name.
    path: String,
    file: String,
    line: u32,
    /// The ids that comments in it allow.
    allowed: Vec<&'static str>,
}

/// The objects of the manifests.
#[derive(Default)]
struct Origins(Vec<Origin>);

impl Origins {
    /// Files that cannot be read were reported before.
    fn read(paths: &[PathBuf]) -> Self {
        let mut all = Vec::new();
        for file in manifests::files(paths).unwrap_or_default() {
            let name = file.display().to_string();
            let bytes = load::unpacked(&file, load::LARGE).unwrap_or_default();
            let objects = kubernetes::values(&name, &bytes).unwrap_or_default();
            let lines: Vec<u32> = objects.iter().map(|(line, _)| *line).collect();
            let text = String::from_utf8_lossy(&bytes);
            for (number, (line, object)) in objects.into_iter().enumerate() {
                let of = |key: &str| object["metadata"][key].as_str().filter(|text| !text.is_empty());
                let Some(own) = of("name").or(of("generateName")) else { continue };
                let end = lines.get(number + 1).copied().unwrap_or(u32::MAX);
                let allowed = allowed(&text, line..end);
                let path = format!("{}/{}", of("namespace").unwrap_or("default"), own.trim_end_matches('-'));
                all.push(Origin { path, file: name.clone(), line, allowed });
            }
        }
        Self(all)
    }

    /// The pod itself, or the object with the longest name that its name starts with.
    fn of(&self, pod: &str) -> Option<&Origin> {
        let is_of = |origin: &&Origin| {
            pod.strip_prefix(origin.path.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        };
        self.0.iter().filter(is_of).max_by_key(|origin| origin.path.len())
    }

    fn allows(&self, note: &Note) -> bool {
        let origin = pod_of(&note.text).and_then(|pod| self.of(pod));
        origin.zip(note.id).is_some_and(|(origin, id)| origin.allowed.contains(&id))
    }
}

/// The ids that a comment in these lines allows.
fn allowed(text: &str, lines: Range<u32>) -> Vec<&'static str> {
    let is_allowed = |id: &&'static str| {
        let fault = |line| Fault {
            code: id,
            severity: Severity::Warning,
            at: Place { line, column: 1 },
            path: String::new(),
            message: String::new(),
            hint: String::new(),
        };
        let last = u32::try_from(text.lines().count()).unwrap_or(u32::MAX).saturating_add(1);
        let mut faults: Vec<Fault> = (lines.start..lines.end.min(last)).map(fault).collect();
        let all = faults.len();
        without_allowed(text, &mut faults);
        faults.len() < all
    };
    if text.contains("kornsole: allow") { lint::IDS.into_iter().filter(is_allowed).collect() } else { Vec::new() }
}
