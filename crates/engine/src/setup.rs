//! The setup of an engine.

use std::sync::Arc;
use std::time::Duration;

use crate::journal::bounded::Bounds;
use config::settings::EventConfig;
use config::{AllowedRemoval, DEFAULT_POLICY_GROUP, SchedulerConfig};
use model::{Profile, Time};
use scheduler::Tuning;

/// How often the queue cleaner runs when no one says otherwise (SCH-182).
const CLEAN_EVERY: Duration = Duration::from_secs(10);

/// How many bytes of the disk a state directory may take when no one says otherwise.
pub const STATE_BYTES: u64 = 512 << 20;

/// How many events are kept when no one says otherwise (SCH-220).
const EVENTS_RETAINED: u32 = 100_000;
/// The run of a scheduler that was given no name: tests and tapes, where each is to be like the other.
const NO_INSTANCE: &str = "00000000-0000-0000-0000-000000000000";

/// How an engine and its scheduler are set up, once, at start.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Which core it decides as.
    pub profile: Profile,
    /// Which entry of a ConfigMap is the queue configuration.
    pub policy_group: String,
    /// How often the queue cleaner runs.
    pub clean_every: Duration,
    /// The scheduler's own settings.
    pub tuning: Tuning,
    /// It rests once the workload has given its last step, until someone resumes it.
    pub paused: bool,
    /// Another scheduler decides: no cycle is run, and allocations come by [`Adopt`](scheduler::PartitionCommand::Adopt).
    pub follows: bool,
    /// The configuration is kept there, in words, and changed nowhere else: an order to change it here is refused.
    pub configured_by: Option<Arc<str>>,
    /// How many bytes of the disk the journal may take.
    pub state_bytes: u64,
    /// How many events are kept, if any are.
    pub event: EventConfig,
    /// What a changed configuration file may take away of the active one (CFG-120).
    pub allowed_removal: AllowedRemoval,
    /// Which run of the scheduler this is, for those who follow its events: a UUID that no other run has.
    pub instance: Arc<str>,
    /// What the scheduler's time is at its start: zero, or the time since 1970 where others give times of day.
    pub begins: Time,
}

impl Setup {
    /// The defaults, with a profile.
    pub fn of(profile: Profile) -> Self {
        let policy_group = DEFAULT_POLICY_GROUP.to_owned();
        let event =
            EventConfig { tracking_enabled: true, ring_buffer_capacity: EVENTS_RETAINED, ..EventConfig::default() };
        let instance = Arc::from(NO_INSTANCE);
        let (clean_every, tuning) = (CLEAN_EVERY, Tuning::default());
        let (paused, follows, configured_by, allowed_removal) = Default::default();
        let begins = Time::ZERO;
        Self {
            profile,
            policy_group,
            clean_every,
            tuning,
            paused,
            follows,
            configured_by,
            state_bytes: STATE_BYTES,
            event,
            allowed_removal,
            instance,
            begins,
        }
    }

    /// What stays of each kind in the journal.
    pub(super) const fn bounds(&self) -> Bounds {
        Bounds::of(self.state_bytes)
    }

    /// What the scheduler's own configuration says.
    pub fn by(profile: Profile, config: &SchedulerConfig) -> Self {
        Self {
            profile,
            policy_group: config.policy_group.clone(),
            clean_every: config.cleaner_interval,
            tuning: Tuning {
                allocations_per_cycle: config.allocations_per_cycle,
                stuck_after: config.drain.stuck_after,
                preemption_interval: config.preemption_interval,
                preemption_min_load: config.preemption_min_load,
                ..Tuning::default()
            },
            paused: false,
            follows: false,
            configured_by: None,
            state_bytes: config.state_bytes,
            event: config.event.clone(),
            allowed_removal: AllowedRemoval::default(),
            instance: Arc::from(NO_INSTANCE),
            begins: Time::ZERO,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use config::Settings;

    #[test]
    fn the_settings_default_to_what_holds_without_them() {
        let by = Setup::by(Profile::Kornsole, Settings::default().config());
        let of = Setup::of(Profile::Kornsole);
        assert_eq!(by.state_bytes, of.state_bytes);
        assert_eq!((by.policy_group, by.clean_every, by.tuning), (of.policy_group, of.clean_every, of.tuning));
    }
}
