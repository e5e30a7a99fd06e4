//! The pods that controllers and operators create for an object, for example a Deployment.
//!
//! `kinds` is the table of kinds; `making` reads an object by its entry; `spark`, `ray`, `argo`, and `trainer` are code
//! for the rest.

mod argo;
mod argo_steps;
mod argo_text;
mod count;
pub(crate) mod field;
mod job;
mod kinds;
mod making;
mod notes;
mod patch;
mod ray;
mod spark;
mod spark_gang;
mod trainer;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use self::field::{Field, Lines, Rejected};
use self::kinds::Kind;
pub(crate) use self::making::Refused;
use self::making::{Library, Made, Making, Scope};
use crate::names::is_own;
use crate::objects::{Owner, Pod};
use crate::validity;

/// Maximum number of created pods in total.
pub(crate) const MOST_PODS: u64 = 250_000;

#[derive(Debug)]
pub(crate) struct Workload {
    pub file: Arc<str>,
    pub value: Value,
    pub lines: Option<Lines>,
    pub submitted: bool,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Owned {
    pub pods: u64,
    /// Of these, the ones that succeeded or failed.
    pub ended: u64,
    pub succeeded: u64,
    /// It has pods, for example a ReplicaSet.
    pub creates: bool,
}

/// Pods of one template, without names yet.
pub(crate) struct PodSet(Made);

#[derive(Default)]
pub(crate) struct Expansion {
    pub sets: Vec<PodSet>,
    pub refused: Vec<Refused>,
    pub notes: Vec<String>,
}

/// An object of an unknown kind has pods if it has a pod template.
pub(crate) fn role(value: &Value) -> Option<Role> {
    let (group, kind) = group_and_kind(value);
    if kinds::find(group, kind).is_some() {
        return Some(Role::Creates);
    }
    if kinds::TEMPLATES.iter().any(|(of, name)| *name == kind && group.is_none_or(|group| group == *of)) {
        return Some(Role::Template);
    }
    value["spec"]["template"]["spec"]["containers"].is_array().then_some(Role::Creates)
}

/// Returns the kind, with its group if it is the name of a known kind of another group.
pub(crate) fn kind_of(value: &Value) -> String {
    match group_and_kind(value) {
        (Some(group), kind) if !group.is_empty() && kinds::find(None, kind).is_some() => format!("{kind} of {group}"),
        (_, kind) => kind.to_owned(),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Creates,
    Template,
}

fn group_and_kind(value: &Value) -> (Option<&str>, &str) {
    let version = value["apiVersion"].as_str();
    let group = version.map(|version| version.rsplit_once('/').map_or("", |(group, _)| group));
    (group, value["kind"].as_str().unwrap_or_default())
}

pub(crate) struct Templates<'w>(Library<'w>);

impl<'w> Templates<'w> {
    pub fn of(objects: &'w [Workload]) -> Self {
        let mut library = Library::new();
        for Workload { value, lines, .. } in objects {
            let text = |key: &str| value["metadata"][key].as_str().unwrap_or_default();
            let (_, kind) = group_and_kind(value);
            let namespace = if kind.starts_with("Cluster") { "" } else { text("namespace") };
            library.insert((kind, namespace, text("name")), (value, lines.as_ref()));
        }
        Self(library)
    }
}

impl Workload {
    fn text(&self, key: &str) -> &str {
        self.value["metadata"][key].as_str().unwrap_or_default()
    }

    pub fn kind(&self) -> &str {
        group_and_kind(&self.value).1
    }

    /// Returns the names by which a ResourceQuota counts the object, and the object that it creates.
    pub fn counted_as(&self) -> impl Iterator<Item = String> {
        let (group, kind) = group_and_kind(&self.value);
        let group = group.filter(|group| !group.is_empty()).map_or_else(String::new, |group| format!(".{group}"));
        let child = match kind {
            "Deployment" => Some("replicasets.apps"),
            "CronJob" => Some("jobs.batch"),
            _ => None,
        };
        [format!("{}s{group}", kind.to_lowercase())].into_iter().chain(child.map(str::to_owned))
    }

    /// Returns false if the object has been in a cluster.
    pub fn is_new(&self) -> bool {
        self.text("creationTimestamp").is_empty()
    }

    /// Returns what the API server would say about its name.
    pub fn faulty_name(&self) -> Option<String> {
        let is_stored = !self.is_new() || !self.uid().is_empty();
        if is_stored { None } else { validity::of_name(self.kind(), self.text("name")) }
    }

    pub fn namespace(&self) -> &str {
        self.text("namespace")
    }

    pub fn uid(&self) -> &str {
        self.text("uid")
    }

    /// Returns kind, namespace, and name.
    pub fn label(&self) -> String {
        format!("{} {}/{}", self.kind(), self.namespace(), self.text("name"))
    }

    /// Returns the file, and the line if known.
    pub fn place(&self, line: u32) -> String {
        let line = if line > 0 { line } else { self.lines.as_ref().map_or(0, |lines| lines.line_at(&[])) };
        if line > 0 { format!("{}:{line}", self.file) } else { self.file.to_string() }
    }

    /// Creates pods, without the `owned` ones of the manifests. Fails for a missing or wrong field.
    pub fn expand(&self, templates: &Templates<'_>, owned: Owned) -> Result<Expansion, Rejected> {
        let (group, kind) = group_and_kind(&self.value);
        let known = kinds::find(group, kind);
        let kind: &Kind = known.unwrap_or(&kinds::ANY);
        if let Some(state) = notes::ended(&self.value) {
            return Ok(Expansion {
                notes: vec![format!("creates no pods: its status is {state}")],
                ..Expansion::default()
            });
        }
        let root = Field::root(&self.value, self.lines.as_ref());
        let labels = root.texts_at("metadata.labels")?;
        let scope = Scope::new(root.required("spec")?, self.text("name"), self.namespace(), labels);
        let mut making = Making::new(&templates.0);
        making::expand(kind, &scope, &mut making)?;
        let Making { mut made, refused, mut notes, suspended, .. } = making;
        if suspended && made.is_empty() {
            notes.push("creates no pods while it is suspended".to_owned());
        } else if made.is_empty() && refused.is_empty() && notes.is_empty() {
            notes.push("has no pod template that kornsole supports; no pods are created".to_owned());
        }
        if known.is_none() {
            notes.push("unknown kind; its pods are created from spec.template".to_owned());
        }
        notes.extend(notes::of_built_in(self.kind(), &root)?);
        let is_job = (kind.group, kind.kind) == ("batch", "Job");
        match made.as_mut_slice() {
            _ if owned.creates => made.clear(),
            _ if is_job => job::remaining(&root, owned, &mut made)?,
            [only] if !only.per_node && only.groups == 1 => only.count = only.count.saturating_sub(owned.pods),
            // The sets of the existing pods are unknown: the controller has created all pods.
            _ if owned.pods > 0 => made.clear(),
            _ => {}
        }
        // They exist: the operator could create them.
        let refused = if owned.pods > 0 { Vec::new() } else { refused };
        Ok(Expansion { sets: made.into_iter().map(PodSet).collect(), refused, notes })
    }

    fn owner(&self) -> Owner {
        let uid = if self.uid().is_empty() {
            format!("{}/{}", self.namespace(), self.text("name"))
        } else {
            self.uid().to_owned()
        };
        Owner { kind: self.kind().to_owned(), uid }
    }
}

impl PodSet {
    /// Returns the number of pods; 1 if per node.
    pub fn total(&self) -> u64 {
        self.0.total()
    }

    /// Returns true for one pod per matching node.
    pub fn is_per_node(&self) -> bool {
        self.0.per_node
    }

    /// Returns the prototype of the pods.
    pub fn prototype(&mut self, workload: &Workload) -> &mut Pod {
        let meta = &mut self.0.pod.metadata;
        // An object of a manifest in a Workflow may be in another namespace.
        if meta.namespace.is_empty() {
            workload.namespace().clone_into(&mut meta.namespace);
        }
        meta.creation_timestamp = workload.value["metadata"]["creationTimestamp"].as_str().map(str::to_owned);
        meta.owner_references = vec![workload.owner()].into();
        &mut self.0.pod
    }

    /// Returns the pods with names and labels.
    pub fn pods(&self) -> impl Iterator<Item = Pod> + '_ {
        let Made { first, count, groups, .. } = self.0;
        (0..groups).flat_map(move |group| (first..first.saturating_add(count)).map(move |index| self.pod(group, index)))
    }

    /// Returns one pod.
    pub fn pod(&self, group: u64, index: u64) -> Pod {
        let filled = |text: &str| text.replace("{group}", &group.to_string()).replace("{index}", &index.to_string());
        let mut pod = self.0.pod.clone();
        pod.metadata.name = filled(&self.0.name);
        let labels: BTreeMap<String, String> =
            self.0.labels.iter().map(|(key, value)| (key.clone(), filled(value))).collect();
        pod.metadata.labels.extend(labels);
        for (key, text) in self.0.annotations.iter().filter(|(key, _)| is_own(key)) {
            pod.metadata.annotations.insert(key.clone(), filled(text));
        }
        pod
    }
}
