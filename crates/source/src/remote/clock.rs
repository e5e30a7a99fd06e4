//! Time as a remote source knows it.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tokio::sync::watch;

/// A clock that runs with the wall clock, or one that is moved by hand.
pub struct Clock(Kind);

enum Kind {
    Running(Instant),
    Stepped { began: Duration, now: watch::Sender<Duration> },
}

impl Clock {
    /// A clock that starts with this call.
    pub fn running() -> Self {
        Self(Kind::Running(Instant::now()))
    }

    /// Stands; what it shows, since 1970, is `began`.
    pub fn stepped(began: Duration) -> Self {
        Self(Kind::Stepped { began, now: watch::channel(Duration::ZERO).0 })
    }

    /// Whether it is moved by hand.
    pub const fn is_stepped(&self) -> bool {
        matches!(self.0, Kind::Stepped { .. })
    }

    /// Since it started.
    pub fn now(&self) -> Duration {
        match &self.0 {
            Kind::Running(began) => began.elapsed(),
            Kind::Stepped { now, .. } => *now.borrow(),
        }
    }

    /// What the machine's clock shows, since 1970.
    pub fn wall(&self) -> Duration {
        match &self.0 {
            Kind::Running(_) => SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default(),
            Kind::Stepped { began, now } => *began + *now.borrow(),
        }
    }

    /// Moves one that is moved by hand.
    pub fn pass(&self, by: Duration) {
        if let Kind::Stepped { now, .. } = &self.0 {
            now.send_modify(|now| *now += by);
        }
    }

    /// Waits until so much time has gone by from now on.
    pub async fn sleep(&self, time: Duration) {
        match &self.0 {
            Kind::Running(_) => tokio::time::sleep(time).await,
            Kind::Stepped { now, .. } => {
                let until = *now.borrow() + time;
                // The clock lives as long as who waits by it.
                let _ = now.subscribe().wait_for(|now| *now >= until).await;
            }
        }
    }
}
