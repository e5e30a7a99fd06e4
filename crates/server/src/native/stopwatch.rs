//! How long something was worked on.

use std::time::Duration;

/// Counts the processor time of the thread that started it, where the system tells: on a busy machine a thread waits for others most of
/// the time, which is no fault of what it works on. Elsewhere it counts the time of the clock.
#[cfg(target_os = "linux")]
pub(super) struct Stopwatch(Duration);

#[cfg(target_os = "linux")]
impl Stopwatch {
    pub fn start() -> Self {
        Self(Self::now())
    }

    /// On the thread that started it.
    pub fn elapsed(&self) -> Duration {
        Self::now().saturating_sub(self.0)
    }

    fn now() -> Duration {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Duration::try_from(time).unwrap_or_default()
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) struct Stopwatch(std::time::Instant);

#[cfg(not(target_os = "linux"))]
impl Stopwatch {
    pub fn start() -> Self {
        Self(std::time::Instant::now())
    }

    /// On the thread that started it.
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}
