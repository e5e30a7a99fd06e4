//! The head of a tape while it is read.

use std::time::Duration;

use super::file::{Against, Head, Pace};
use crate::theme::{Depth, ThemeName};
use config::Place;
use model::{Identity, Profile};

const DEFAULT_USER: &str = "you";

#[derive(Default)]
pub(super) struct HeadSettings {
    pub against: Option<(Against, Place)>,
    pub identity: Option<Identity>,
    pub core: Profile,
    pub theme: ThemeName,
    pub depth: Depth,
    pub ascii: bool,
    pub scheduler_admin: bool,
    pub read_only: bool,
    pub dashboard: bool,
    pub served: bool,
    pub jobs: Option<String>,
    pub alerts: Option<String>,
    pub pace: Pace,
    pub wait: Option<Duration>,
    pub width: Option<u16>,
    pub height: Option<u16>,
}

impl HeadSettings {
    /// The head with defaults; `None` without a source.
    pub fn into_head(self) -> Option<Head> {
        let (against, at) = self.against?;
        Some(Head {
            against,
            at,
            scheduler_admin: self.scheduler_admin || self.identity.is_none(),
            identity: self.identity.unwrap_or_else(|| Identity::new(DEFAULT_USER, [DEFAULT_USER])),
            read_only: self.read_only,
            dashboard: self.dashboard,
            core: self.core,
            served: self.served,
            jobs: self.jobs,
            alerts: self.alerts,
            theme: self.theme,
            depth: self.depth,
            ascii: self.ascii,
            pace: self.pace,
            width: self.width.unwrap_or(80),
            height: self.height.unwrap_or(24),
        })
    }
}
