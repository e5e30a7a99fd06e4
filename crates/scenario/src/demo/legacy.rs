//! A queue that is regularly removed from the configuration, drains, and returns.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::crowd::Due;
use ::config::{self, Config};
use model::Profile;
use scheduler::Command;

/// The configuration of the demo, with comments for new users.
pub fn demo_config() -> &'static str {
    include_str!("queues.yaml")
}

pub(super) const LEGACY: &str = "root.batch.legacy";
const ENTRY: &str = "- name: legacy\n";

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Legacy {
    profile: Profile,
    pub configured: bool,
    /// The last texts by checksum: two at most.
    given: BTreeMap<String, String>,
    #[serde(default)]
    awaited: bool,
    /// Another user removed it, and must restore it.
    #[serde(default)]
    pub taken_out: bool,
}

impl Legacy {
    /// Configurations are parsed for `profile`.
    pub fn new(profile: Profile) -> Self {
        Self { profile, configured: true, given: BTreeMap::new(), awaited: false, taken_out: false }
    }

    /// The reload that restores or removes the queue.
    pub fn reload(&mut self, configured: bool) -> Option<Command> {
        let text = if configured { demo_config().to_owned() } else { without_legacy() };
        let config = config::read(&text, self.profile).config?;
        (self.configured, self.awaited) = (configured, true);
        self.given.insert(config.checksum.clone(), text);
        Some(Command::Configure(Arc::new(config)))
    }

    /// Returns the action to retry, if it was the demo's last one and was rejected.
    pub fn answered(&mut self, taken: bool) -> Option<Due> {
        if !std::mem::take(&mut self.awaited) || taken {
            return None;
        }
        self.configured = !self.configured;
        Some(if self.configured { Due::Retire } else { Due::Restore })
    }

    /// It drains: because of the demo or another user.
    pub fn drains(&mut self) {
        self.taken_out |= self.configured;
        self.configured = false;
    }

    pub fn is_back(&mut self) {
        self.configured |= std::mem::take(&mut self.taken_out);
    }

    /// The text of a configuration from the demo.
    pub fn text_of(&self, config: &Config) -> Option<&str> {
        self.given.get(&config.checksum).map(String::as_str)
    }
}

/// The configuration without the queue, which is a paragraph.
pub(super) fn without_legacy() -> String {
    let retained: Vec<&str> = demo_config().split("\n\n").filter(|paragraph| !paragraph.contains(ENTRY)).collect();
    retained.join("\n\n")
}
