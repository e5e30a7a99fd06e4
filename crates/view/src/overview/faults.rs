//! What is wrong in the active configuration: it works, and it says something that has no effect or is risky.

use std::sync::Arc;

use super::{Concern, Given, Rank};
use crate::act::Configuration;
use crate::waiting::{SheetLine, Target, count};
use model::Profile;

/// The faults of one configuration. Reading it takes time, so they are kept as long as it is active.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigFaults {
    /// The checksum of the configuration that they are of.
    pub checksum: String,
    /// How many there are.
    pub count: u64,
    /// The first: its line, from 1 on, and its words.
    pub first: Option<(u32, String)>,
}

impl ConfigFaults {
    /// Reads a configuration by the rules of a profile.
    pub fn of(configuration: &Configuration, profile: Profile) -> Self {
        let read = config::read_file(configuration.queues.as_bytes(), &configuration.policy_group, profile);
        let first = read.faults.first().map(|fault| (fault.at.line, fault.message.clone()));
        Self { checksum: configuration.checksum.clone(), count: read.faults.len() as u64, first }
    }

    /// The faults of the configuration that a moment shows: those that are known, where they are of it, else read now.
    pub fn of_moment(given: &Given) -> Option<Arc<Self>> {
        let configuration = given.view.configuration.as_deref()?;
        let known = given.faults.as_ref().filter(|known| known.checksum == configuration.checksum);
        let part = given.view.partitions.iter().find(|part| part.name == given.partition)?;
        Some(known.map_or_else(|| Arc::new(Self::of(configuration, part.rules.profile())), Arc::clone))
    }
}

/// The faults as a line, where there are any.
pub(super) fn concern(given: &Given) -> Option<Concern> {
    let faults = given.faults.as_ref()?;
    let (line, first) = faults.first.as_ref()?;
    let text =
        format!("{} in the active configuration, the first on line {line}: {first}", count(faults.count, "fault"));
    Some((Rank::Known, SheetLine::new("config", text).to((*line > 0).then_some(Target::Line(*line)))))
}
