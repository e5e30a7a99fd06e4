//! `kornsole check --pods`: the applications of manifests next to the queue configurations that are checked.

use std::path::PathBuf;
use std::sync::Arc;

use super::manifests;
use config::Reading;
use config::lint::{self, Known, KnownPod};
use kubernetes::dry_run::{Submitted, submitted};
use kubernetes::{Cluster, Settings};
use model::Profile;

/// The pods that are checked with each configuration; empty where none are named.
#[derive(Default)]
pub struct Pods(Option<Cluster>);

impl Pods {
    /// Reads the manifests.
    ///
    /// # Errors
    /// One cannot be read, or is none.
    pub fn read(paths: &[PathBuf]) -> Result<Self, String> {
        if paths.is_empty() {
            return Ok(Self::default());
        }
        let names = Settings::default().scheduler_names;
        Ok(Self(Some(manifests::cluster(paths, &[], &names)?.0)))
    }

    /// What a valid configuration rejects of them, what of their gangs has no effect or requests less than a pod, and what the warnings
    /// about a cluster need.
    pub fn submitted(&self, reading: &Reading, core: Profile) -> (Vec<Note>, Known) {
        let (Some(cluster), Some(config)) = (&self.0, &reading.config) else { return Default::default() };
        let settings = Settings { profile: core, ..Settings::default() };
        let found = submitted(cluster, &settings, Arc::new(config.clone()));
        let found = found.unwrap_or_else(|why| Submitted { notices: vec![why], ..Submitted::default() });
        let pod = |(queue, name, resource)| KnownPod { queue, name, resource };
        // A guarantee above the nodes of now can be met by those that an autoscaler adds.
        let nodes = found.nodes.filter(|_| !cluster.is_scaled());
        let known = Known { nodes, pods: found.pods.into_iter().map(pod).collect() };
        (found.notices.into_iter().map(Note::of).collect(), known)
    }
}

/// Something about the pods.
pub struct Note {
    /// The id of the warning, if it has one.
    id: Option<&'static str>,
    /// The sentence, with the object that it is about.
    pub text: String,
    /// It is an error.
    pub is_error: bool,
}

impl Note {
    fn of(text: String) -> Self {
        let id = lint::IDS.into_iter().find(|id| text.ends_with(&format!("({id})")));
        Self { id, text, is_error: false }
    }

    /// The notes without those that are allowed; those that are denied are errors.
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
}
