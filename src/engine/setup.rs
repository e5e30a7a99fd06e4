//! What an engine is made with.

use std::time::Duration;

use crate::config::{DEFAULT_POLICY_GROUP, SchedulerConfig};
use crate::model::Profile;
use crate::scheduler::Tuning;

/// How often the queue cleaner runs when nobody says otherwise (SCH-182).
const CLEAN_EVERY: Duration = Duration::from_secs(10);

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
    /// It rests once the workload has given its last step, until somebody resumes it.
    pub paused: bool,
}

impl Setup {
    /// The defaults, with a profile.
    pub fn of(profile: Profile) -> Self {
        let policy_group = DEFAULT_POLICY_GROUP.to_owned();
        Self { profile, policy_group, clean_every: CLEAN_EVERY, tuning: Tuning::default(), paused: false }
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
            },
            paused: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Settings;

    #[test]
    fn the_settings_default_to_what_holds_without_them() {
        let by = Setup::by(Profile::Kornsole, Settings::default().config());
        let of = Setup::of(Profile::Kornsole);
        assert_eq!((by.policy_group, by.clean_every, by.tuning), (of.policy_group, of.clean_every, of.tuning));
    }
}
