//! Allows writes only while enough of the lease is left (K8S-254).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

const LEFT: Duration = Duration::from_secs(5);

/// Clones share the state.
#[derive(Clone, Debug)]
pub struct Fence {
    started_at: Instant,
    /// End of the lease, in milliseconds after `began`.
    ends: Arc<AtomicU64>,
}

impl Fence {
    /// Creates a closed fence.
    pub fn closed() -> Self {
        Self { started_at: Instant::now(), ends: Arc::new(AtomicU64::new(0)) }
    }

    /// Creates an open fence, for a single instance.
    pub fn open() -> Self {
        Self { started_at: Instant::now(), ends: Arc::new(AtomicU64::new(u64::MAX)) }
    }

    /// Extends the lease.
    pub fn extend(&self, until: Instant) {
        let ends = until.saturating_duration_since(self.started_at).as_millis();
        self.ends.store(u64::try_from(ends).unwrap_or(u64::MAX), Ordering::Release);
    }

    /// Closes the fence: the lease is lost.
    pub fn close(&self) {
        self.ends.store(0, Ordering::Release);
    }

    /// Returns true if a write may be sent now.
    pub fn lets(&self) -> bool {
        let needed = (self.started_at.elapsed() + LEFT).as_millis();
        u128::from(self.ends.load(Ordering::Acquire)) > needed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_needs_more_than_five_seconds_of_the_lease() {
        let fence = Fence::closed();
        assert!(!fence.lets() && Fence::open().lets());
        let shared = fence.clone();
        shared.extend(Instant::now() + Duration::from_secs(15));
        assert!(fence.lets());
        shared.extend(Instant::now() + Duration::from_secs(4));
        assert!(!fence.lets());
        shared.extend(Instant::now() + Duration::from_secs(15));
        shared.close();
        assert!(!fence.lets());
    }
}
