//! Settings of the comparison.

use std::time::Duration;

/// Settings of the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// More recent inputs may not have reached the other scheduler (W of K8S-303). Zero: all have.
    pub window: Duration,
    /// Times within the same multiple count as equal: the precision of creation times.
    pub same_moment: Duration,
    /// Time after `window` until a decision counts as missed.
    pub patience: Duration,
    /// Maximum time between an end and the decision that needs its resources.
    pub hold: Duration,
}

impl Settings {
    /// Settings for a shim with this interval (`service.schedulingInterval`).
    pub fn of_interval(scheduling: Duration) -> Self {
        let window = (scheduling * 2).max(Duration::from_secs(1));
        let patience = Duration::from_secs(10);
        Self { window, same_moment: Duration::from_secs(1), patience, hold: Duration::from_secs(60) }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self::of_interval(Duration::from_secs(1))
    }
}
