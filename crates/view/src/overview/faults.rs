//! Warnings about the active configuration: settings without an effect or with a risk.

use std::sync::Arc;

use super::{Concern, Given, Rank};
use crate::act::Configuration;
use crate::waiting::{SheetLine, Target, count};
use model::Profile;

/// The warnings of one configuration. Computing them is slow, so they are cached while it is active.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigFaults {
    /// The checksum of the configuration.
    pub checksum: String,
    /// The number of warnings.
    pub count: u64,
    /// The line (from 1) and the text of the first one.
    pub first: Option<(u32, String)>,
}

impl ConfigFaults {
    /// Checks a configuration with the rules of a profile.
    pub fn of(configuration: &Configuration, profile: Profile) -> Self {
        let read = config::read_file(configuration.queues.as_bytes(), &configuration.policy_group, profile);
        let first = read.faults.first().map(|fault| (fault.at.line, fault.message.clone()));
        Self { checksum: configuration.checksum.clone(), count: read.faults.len() as u64, first }
    }

    /// The warnings of the displayed configuration, cached or computed.
    pub fn of_moment(given: &Given) -> Option<Arc<Self>> {
        let configuration = given.view.configuration.as_deref()?;
        let known = given.faults.as_ref().filter(|known| known.checksum == configuration.checksum);
        let part = given.view.partitions.iter().find(|part| part.name == given.partition)?;
        Some(known.map_or_else(|| Arc::new(Self::of(configuration, part.rules.profile())), Arc::clone))
    }
}

pub(super) fn concern(given: &Given) -> Option<Concern> {
    let faults = given.faults.as_ref()?;
    let (line, first) = faults.first.as_ref()?;
    let text =
        format!("{} in the active configuration, the first on line {line}: {first}", count(faults.count, "fault"));
    Some((Rank::Known, SheetLine::new("config", text).to((*line > 0).then_some(Target::Line(*line)))))
}
