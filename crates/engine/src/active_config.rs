//! The active configuration: its content, its text and its file.

use std::path::PathBuf;
use std::sync::Arc;

use ::config::{self, Config};
use view::act::Configuration;

/// The active configuration.
#[derive(Default)]
pub(super) struct ActiveConfig {
    pub config: Arc<Config>,
    /// Its text with who loaded it, where that is known.
    pub written: Option<Arc<Configuration>>,
    /// The file that changes are written to, with what the file held when it was last read or written.
    pub file: Option<(PathBuf, Vec<u8>)>,
    /// What the file held when it was last read was refused, and nothing was loaded from it since.
    pub file_refused: bool,
    /// Counts up with each configuration that becomes active; the first has 1.
    pub revision: u64,
    /// What the workload takes for the active configuration: the first one, or the last that it brought.
    pub workload_base: Option<WorkloadBase>,
}

/// A configuration as the workload knows it.
#[derive(Clone, serde::Serialize, serde::Deserialize)]
pub(super) struct WorkloadBase {
    pub checksum: String,
    /// The queue configuration.
    #[serde(with = "model::saved::text")]
    pub text: Arc<str>,
}

/// The text of a configuration that is about to be loaded.
#[derive(Clone)]
pub(super) struct ConfigText {
    /// All of it: a queue configuration, or a ConfigMap manifest with one.
    pub text: Arc<str>,
    /// The queue configuration in it.
    pub queues: Arc<str>,
}

impl ConfigText {
    /// The text of a file, unpacked if it is packed.
    pub fn of_file(bytes: &[u8], policy_group: &str) -> Self {
        let unpacked = config::input::is_packed(bytes).then(|| config::input::text_of(bytes).ok()).flatten();
        Self::new(&unpacked.unwrap_or_else(|| String::from_utf8_lossy(bytes)), policy_group)
    }

    /// Finds the queue configuration in a text: it may be the whole text, or be inside another one.
    pub fn new(text: &str, policy_group: &str) -> Self {
        let text: Arc<str> = Arc::from(text);
        let queues = config::manifest::queues_of(&text, policy_group).map_or_else(|| Arc::clone(&text), Arc::from);
        Self { text, queues }
    }

    pub fn is_manifest(&self) -> bool {
        self.text != self.queues
    }
}
