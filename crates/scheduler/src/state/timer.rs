//! Timers of a partition.

use crate::index::AppKey;
use model::Time;

/// When a timer is due, and its sequence number among equal times.
pub type TimerKey = (Time, u64);

/// The effect of a timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Timer {
    /// The timeout of the present state (SCH-170).
    AppState(AppKey),
    /// The gang's timeout (SCH-146).
    Placeholder(AppKey),
    /// Forget applications that ended long ago (SCH-172).
    Forget,
    /// Enforce exceeded maxima (N-01).
    Quota,
}
