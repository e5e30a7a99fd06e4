//! The facts about an order before it is carried out.

use std::sync::Arc;

use super::active_config::ConfigText;
use super::journal::record::WallTime;
use config::store::{self, Disk};
use config::{Config, Diff};
use view::act::{Configured, Refusal};

/// What is carried with an order from its checks to its commit point: from the journal's record of it, or from the checks right
/// before. Empty for an order that needs none of it.
#[derive(Default)]
pub(super) struct Prepared {
    /// The recorded time of the order; `None` asks the clock.
    pub wall: Option<WallTime>,
    /// The order is refused already.
    pub refusal: Option<Box<Refusal>>,
    /// The checksum of the configuration's file before the change; `None` without a file, or when nothing changes.
    pub file_before: Option<String>,
    /// Of a change of the configuration.
    pub config: Option<PreparedConfig>,
}

impl Prepared {
    pub fn refused(refusal: Refusal) -> Self {
        Self { refusal: Some(Box::new(refusal)), ..Self::default() }
    }
}

/// A change of the configuration that waits for its commit point.
pub(super) struct PreparedConfig {
    /// The text that becomes active.
    pub text: Arc<str>,
    /// The outcome of the checks; `None` in a replay, which checks when it carries the order out.
    pub checked: Option<CheckedConfig>,
    /// The new text, written and synced next to its file.
    pub staged: Option<store::Prepared<'static, Disk>>,
}

/// A change of the configuration that has passed every check.
pub(super) struct CheckedConfig {
    pub config: Arc<Config>,
    pub text: ConfigText,
    pub diff: Diff,
    /// What the order answers if it is carried out.
    pub done: Configured,
}
