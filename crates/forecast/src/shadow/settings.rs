//! How decisions are compared.

use std::time::Duration;

/// How decisions are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Inputs that came so shortly before a decision may not have reached the other scheduler (W of K8S-303). Zero: all have.
    pub window: Duration,
    /// Times within the same multiple of it count as the same: what creation times are exact to.
    pub same_moment: Duration,
    /// How long after `window` a decision of kornsole must not have been made by the other one to count as missed.
    pub patience: Duration,
    /// Placeholders and victims of preemption go so long before the decision is seen that they go for.
    pub hold: Duration,
}

impl Settings {
    /// For a scheduler whose shim runs in this interval (`service.schedulingInterval`).
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
