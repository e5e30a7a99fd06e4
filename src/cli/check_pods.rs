//! `kornsole check --pods`: applications of manifests checked with the queue configurations.

use std::path::PathBuf;
use std::sync::Arc;

use super::manifests;
use config::Reading;
use config::lint::{self, Known, KnownPod};
use kubernetes::dry_run::{Submitted, submitted};
use kubernetes::{Cluster, Settings};
use model::Profile;

/// The pods that are checked with each configuration, if any.
#[derive(Default)]
pub struct Pods {
    cluster: Option<Cluster>,
    /// Pods that the API server would reject.
    rejected: Vec<String>,
}

impl Pods {
    /// Fails if a file is unreadable or not a manifest.
    pub fn read(paths: &[PathBuf]) -> Result<Self, String> {
        if paths.is_empty() {
            return Ok(Self::default());
        }
        let names = Settings::default().scheduler_names;
        let (cluster, report) = manifests::reported(paths, &[], &names)?;
        Ok(Self { cluster: Some(cluster), rejected: report.rejected })
    }

    /// Rejected pods, ineffective gang settings, and facts for the lint.
    pub fn submitted(&self, reading: &Reading, core: Profile) -> (Vec<Note>, Known) {
        let (Some(cluster), Some(config)) = (&self.cluster, &reading.config) else { return Default::default() };
        let settings = Settings { profile: core, ..Settings::default() };
        let found = submitted(cluster, &settings, Arc::new(config.clone()));
        let found = found.unwrap_or_else(|why| Submitted { notices: vec![why], ..Submitted::default() });
        let pod = |(queue, name, resource)| KnownPod { queue, name, resource };
        // An autoscaler can add nodes for a guarantee.
        let nodes = found.nodes.filter(|_| !cluster.is_scaled());
        let known = Known { nodes, pods: found.pods.into_iter().map(pod).collect() };
        (self.rejected.iter().cloned().chain(found.notices).map(Note::of).collect(), known)
    }
}

/// A finding about the pods.
pub struct Note {
    id: Option<&'static str>,
    /// The sentence, including the object.
    pub text: String,
    /// Whether it is an error.
    pub is_error: bool,
}

impl Note {
    fn of(text: String) -> Self {
        let id = lint::IDS.into_iter().find(|id| text.ends_with(&format!("({id})")));
        Self { id, text, is_error: false }
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
}
