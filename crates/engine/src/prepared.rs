//! Facts about an order before its execution.

use std::sync::Arc;

use super::active_config::ConfigText;
use super::journal::record::WallTime;
use config::store::{self, Disk};
use config::{Config, Diff};
use view::act::{Configured, Refusal};

/// Data that an order carries from its checks to its commit point: from the journal's record, or from the checks. Empty
/// for most orders.
#[derive(Default)]
pub(super) struct Prepared {
    /// `None` reads the clock.
    pub wall: Option<WallTime>,
    /// The order is already rejected.
    pub refusal: Option<Box<Refusal>>,
    /// `None` without a file or a change.
    pub file_before: Option<String>,
    pub config: Option<PreparedConfig>,
}

impl Prepared {
    pub fn refused(refusal: Refusal) -> Self {
        Self { refusal: Some(Box::new(refusal)), ..Self::default() }
    }
}

pub(super) struct PreparedConfig {
    pub text: Arc<str>,
    /// The result of the checks; `None` in a replay, which checks at the execution.
    pub checked: Option<CheckedConfig>,
    /// The new text, written and synced next to its file.
    pub staged: Option<store::Prepared<'static, Disk>>,
}

pub(super) struct CheckedConfig {
    pub config: Arc<Config>,
    pub text: ConfigText,
    pub diff: Diff,
    pub done: Configured,
}
