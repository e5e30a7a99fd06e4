//! `kornsole check --pods`: the applications of manifests next to the queue configurations that are checked.

use std::path::PathBuf;
use std::sync::Arc;

use super::manifests;
use config::Reading;
use kubernetes::dry_run::submitted;
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

    /// What a valid configuration rejects of them, and what of their gangs has no effect, or requests less than a pod.
    pub fn notes(&self, reading: &Reading, core: Profile) -> Vec<String> {
        let (Some(cluster), Some(config)) = (&self.0, &reading.config) else { return Vec::new() };
        let settings = Settings { profile: core, ..Settings::default() };
        submitted(cluster, &settings, Arc::new(config.clone())).unwrap_or_else(|why| vec![why])
    }
}
