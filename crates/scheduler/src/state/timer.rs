//! Timers of a partition.

use crate::index::AppKey;
use model::Time;

/// When a timer is due, and which of those due then was set first.
pub type TimerKey = (Time, u64);

/// What happens when time comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Timer {
    /// The time in its present state is over (SCH-170).
    AppState(AppKey),
    /// The gang has had its time to come together (SCH-146).
    Placeholder(AppKey),
    /// Applications that ended long ago are forgotten (SCH-172).
    Forget,
    /// Maxima that are exceeded are looked for (N-01).
    Quota,
}
