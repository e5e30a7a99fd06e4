//! The settings of an engine.

use std::sync::Arc;
use std::time::Duration;

use crate::journal::bounded::Bounds;
use config::settings::EventConfig;
use config::{AllowedRemoval, DEFAULT_POLICY_GROUP, SchedulerConfig};
use ledger::MOST_ROWS;
use model::{Profile, Time};
use scheduler::Tuning;

/// The default interval of the queue cleaner (SCH-182).
const CLEAN_EVERY: Duration = Duration::from_secs(10);

/// The default for the shortest time between two published views under load.
pub const PUBLISH_EVERY: Duration = Duration::from_millis(33);

/// The default disk limit of a state directory, in bytes.
pub const STATE_BYTES: u64 = 512 << 20;

/// The default number of stored events (SCH-220).
const EVENTS_RETAINED: u32 = 100_000;
/// The instance without a name: for tests and tapes, which must be reproducible.
const NO_INSTANCE: &str = "00000000-0000-0000-0000-000000000000";

/// The settings of an engine and its scheduler, fixed at the start.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Which core it decides as.
    pub profile: Profile,
    /// The entry of a ConfigMap with the queue configuration.
    pub policy_group: String,
    /// The interval of the queue cleaner.
    pub clean_every: Duration,
    /// The scheduler's tuning.
    pub tuning: Tuning,
    /// Pauses after the last step of the workload, until it is resumed.
    pub paused: bool,
    /// Another scheduler decides: no cycles; allocations arrive with [`Adopt`](scheduler::PartitionCommand::Adopt).
    pub follows: bool,
    /// The only place that may change the configuration, in words: orders that change it are rejected.
    pub configured_by: Option<Arc<str>>,
    /// The disk limit of the journal, in bytes.
    pub state_bytes: u64,
    /// The shortest time between two published views under load. It is longer while a view takes more than a tenth of it,
    /// up to the default.
    pub publish_every: Duration,
    /// The maximum number of ledger rows of applications.
    pub ledger_rows: usize,
    /// The event settings.
    pub event: EventConfig,
    /// The allowed removal by a changed configuration file (CFG-120).
    pub allowed_removal: AllowedRemoval,
    /// The UUID of this run, for clients that follow events.
    pub instance: Arc<str>,
    /// The scheduler time at the start: zero, or the time since 1970 if others provide times of day.
    pub starts: Time,
}

impl Setup {
    /// The defaults for a profile.
    pub fn of(profile: Profile) -> Self {
        let policy_group = DEFAULT_POLICY_GROUP.to_owned();
        let event =
            EventConfig { tracking_enabled: true, ring_buffer_capacity: EVENTS_RETAINED, ..EventConfig::default() };
        let instance = Arc::from(NO_INSTANCE);
        let (clean_every, tuning) = (CLEAN_EVERY, Tuning::default());
        let (paused, follows, configured_by, allowed_removal) = Default::default();
        let starts = Time::ZERO;
        Self {
            profile,
            policy_group,
            clean_every,
            tuning,
            paused,
            follows,
            configured_by,
            state_bytes: STATE_BYTES,
            publish_every: PUBLISH_EVERY,
            ledger_rows: MOST_ROWS,
            event,
            allowed_removal,
            instance,
            starts,
        }
    }

    /// Limits the memory for ended objects: 1,000 applications, 10,000 ledger rows, and 20,000 events unless the
    /// settings have another number.
    #[must_use]
    pub fn retaining_little(mut self) -> Self {
        self.tuning.ended_applications = 1_000;
        if self.event.ring_buffer_capacity == EVENTS_RETAINED {
            self.event.ring_buffer_capacity = 20_000;
        }
        self.ledger_rows = 10_000;
        self
    }

    pub(super) const fn bounds(&self) -> Bounds {
        Bounds::of(self.state_bytes)
    }

    /// Returns the settings of a scheduler configuration.
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
            publish_every: PUBLISH_EVERY,
            ledger_rows: MOST_ROWS,
            event: config.event.clone(),
            allowed_removal: AllowedRemoval::default(),
            instance: Arc::from(NO_INSTANCE),
            starts: Time::ZERO,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use config::Settings;

    #[test]
    fn the_settings_have_defaults() {
        let by = Setup::by(Profile::Kornsole, Settings::default().config());
        let of = Setup::of(Profile::Kornsole);
        assert_eq!(by.state_bytes, of.state_bytes);
        assert_eq!((by.policy_group, by.clean_every, by.tuning), (of.policy_group, of.clean_every, of.tuning));
    }
}
