//! Measures the time of work.

use std::time::Duration;

/// Counts the processor time of the starting thread if available, because on a busy machine a thread waits for others.
/// Otherwise it counts wall-clock time.
#[cfg(target_os = "linux")]
pub(super) struct Stopwatch(Duration);

#[cfg(target_os = "linux")]
impl Stopwatch {
    pub fn start() -> Self {
        Self(Self::now())
    }

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

    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}
