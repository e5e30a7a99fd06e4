//! The headroom of an application, and when a node may be reserved for a request.

use std::time::Duration;

use crate::state::ask_log::TryResult;
use model::Resource;

/// How old an ask must be before a node is reserved for it (SCH-130).
pub(crate) const RESERVATION_DELAY: Duration = Duration::from_secs(2);

pub(crate) struct Headroom<'r> {
    /// Of the limits of its user and group; `None` if no limit names a resource.
    pub of_limits: Option<&'r Resource>,
    /// Of its queues.
    pub of_queue: &'r Resource,
    /// Every allocation fails despite the headroom (D-22).
    pub commit_fails: bool,
    /// A node may be reserved for what finds no room.
    pub reserves: bool,
}

impl<'r> Headroom<'r> {
    /// Returns that of limits and queues, if nothing else decides.
    pub const fn of(of_limits: Option<&'r Resource>, of_queue: &'r Resource) -> Self {
        Self { of_limits, of_queue, commit_fails: false, reserves: true }
    }

    /// Checks limits first, then queues (LIM-043).
    pub fn fits(&self, ask: &Resource) -> Result<(), TryResult> {
        if self.of_limits.is_some_and(|headroom| !headroom.fit_in_max_undef(ask)) {
            return Err(TryResult::UserQuota);
        }
        if self.of_queue.fit_in_max_undef(ask) { Ok(()) } else { Err(TryResult::QueueQuota) }
    }
}
