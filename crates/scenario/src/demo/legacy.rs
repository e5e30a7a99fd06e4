//! A queue that is taken out of the configuration from time to time, drains, goes, and returns.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::crowd::Due;
use ::config::{self, Config};
use model::Profile;
use scheduler::Command;

/// The queue configuration of the demo, with comments for newcomers.
pub fn demo_config() -> &'static str {
    include_str!("queues.yaml")
}

/// The queue that the demo drains.
pub(super) const LEGACY: &str = "root.batch.legacy";
/// The line by which its part of the configuration is known.
const ENTRY: &str = "- name: legacy\n";

/// What is active of it.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Legacy {
    profile: Profile,
    /// Whether the active configuration has the queue.
    pub configured: bool,
    /// The texts that were given out, by checksum: two at most.
    given: BTreeMap<String, String>,
    /// A reload was given out, and whether it is active is unknown yet.
    #[serde(default)]
    awaited: bool,
    /// Someone else took it out: it is theirs to bring back.
    #[serde(default)]
    pub taken_out: bool,
}

impl Legacy {
    /// It is there. Configurations are read by the rules of `profile`.
    pub fn new(profile: Profile) -> Self {
        Self { profile, configured: true, given: BTreeMap::new(), awaited: false, taken_out: false }
    }

    /// The reload that brings the queue in, or takes it out.
    pub fn reload(&mut self, configured: bool) -> Option<Command> {
        let text = if configured { demo_config().to_owned() } else { without_legacy() };
        let config = config::read(&text, self.profile).config?;
        (self.configured, self.awaited) = (configured, true);
        self.given.insert(config.checksum.clone(), text);
        Some(Command::Configure(Arc::new(config)))
    }

    /// Some reload was taken or refused. Returns what is to be tried again, if it was the one given out last and was refused.
    pub fn answered(&mut self, taken: bool) -> Option<Due> {
        if !std::mem::take(&mut self.awaited) || taken {
            return None;
        }
        self.configured = !self.configured;
        Some(if self.configured { Due::Retire } else { Due::Restore })
    }

    /// It starts to drain: by what was given out, or because someone else took it out.
    pub fn drains(&mut self) {
        self.taken_out |= self.configured;
        self.configured = false;
    }

    /// It is there, or there again.
    pub fn is_back(&mut self) {
        self.configured |= std::mem::take(&mut self.taken_out);
    }

    /// The text of a configuration that was given out.
    pub fn text_of(&self, config: &Config) -> Option<&str> {
        self.given.get(&config.checksum).map(String::as_str)
    }
}

/// The configuration without the queue, which is a paragraph of its own there.
pub(super) fn without_legacy() -> String {
    let retained: Vec<&str> = demo_config().split("\n\n").filter(|paragraph| !paragraph.contains(ENTRY)).collect();
    retained.join("\n\n")
}
