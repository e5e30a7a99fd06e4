//! The clock of a remote source.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tokio::sync::watch;

/// A clock that follows the wall clock, or one that is advanced manually.
pub struct Clock(Kind);

enum Kind {
    Running(Instant),
    Stepped { started_at: Duration, now: watch::Sender<Duration> },
}

impl Clock {
    /// A clock that starts with this call.
    pub fn running() -> Self {
        Self(Kind::Running(Instant::now()))
    }

    /// Stopped until it is advanced; `began` is the initial wall clock, since 1970.
    pub fn stepped(started_at: Duration) -> Self {
        Self(Kind::Stepped { started_at, now: watch::channel(Duration::ZERO).0 })
    }

    /// Whether it is advanced manually.
    pub const fn is_stepped(&self) -> bool {
        matches!(self.0, Kind::Stepped { .. })
    }

    /// The time since the start.
    pub fn now(&self) -> Duration {
        match &self.0 {
            Kind::Running(started_at) => started_at.elapsed(),
            Kind::Stepped { now, .. } => *now.borrow(),
        }
    }

    /// The wall clock, since 1970.
    pub fn wall(&self) -> Duration {
        match &self.0 {
            Kind::Running(_) => SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default(),
            Kind::Stepped { started_at, now } => *started_at + *now.borrow(),
        }
    }

    /// Advances a manual clock.
    pub fn pass(&self, by: Duration) {
        if let Kind::Stepped { now, .. } = &self.0 {
            now.send_modify(|now| *now += by);
        }
    }

    /// Waits for a duration.
    pub async fn sleep(&self, time: Duration) {
        match &self.0 {
            Kind::Running(_) => tokio::time::sleep(time).await,
            Kind::Stepped { now, .. } => {
                let until = *now.borrow() + time;
                // The clock outlives its waiters.
                let _ = now.subscribe().wait_for(|now| *now >= until).await;
            }
        }
    }
}
