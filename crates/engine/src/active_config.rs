//! The active configuration: its content, text, and file.

use std::path::PathBuf;
use std::sync::Arc;

use ::config::{self, Config};
use view::act::Configuration;

#[derive(Default)]
pub(super) struct ActiveConfig {
    pub config: Arc<Config>,
    /// Its text and who loaded it, if known.
    pub written: Option<Arc<Configuration>>,
    /// The file that receives changes, and its content at the last read or write.
    pub file: Option<(PathBuf, Vec<u8>)>,
    /// The last read of the file was rejected, and nothing was loaded from the file since.
    pub file_refused: bool,
    /// The revision number, from 1.
    pub revision: u64,
    /// The workload's version of the active configuration: the first one, or its last step.
    pub workload_base: Option<WorkloadBase>,
}

#[derive(Clone, serde::Serialize, serde::Deserialize)]
pub(super) struct WorkloadBase {
    pub checksum: String,
    #[serde(with = "model::saved::text")]
    pub text: Arc<str>,
}

#[derive(Clone)]
pub(super) struct ConfigText {
    /// The whole text: a queue configuration, or a ConfigMap manifest with one.
    pub text: Arc<str>,
    pub queues: Arc<str>,
}

impl ConfigText {
    /// Returns the text of a file, decompressed if needed.
    pub fn of_file(bytes: &[u8], policy_group: &str) -> Self {
        let unpacked = config::input::is_packed(bytes).then(|| config::input::text_of(bytes).ok()).flatten();
        Self::new(&unpacked.unwrap_or_else(|| String::from_utf8_lossy(bytes)), policy_group)
    }

    pub fn new(text: &str, policy_group: &str) -> Self {
        let text: Arc<str> = Arc::from(text);
        let queues = config::manifest::queues_of(&text, policy_group).map_or_else(|| Arc::clone(&text), Arc::from);
        Self { text, queues }
    }

    pub fn is_manifest(&self) -> bool {
        self.text != self.queues
    }
}
