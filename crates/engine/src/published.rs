//! The published state of an engine: the newest view, and whether the engine runs.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;

use view::View;

/// The published state.
pub struct Published {
    view: ArcSwap<View>,
    wake: Mutex<Option<Box<dyn Fn() + Send + Sync>>>,
    started: Instant,
    /// Milliseconds from `started` to the last time with nothing left to publish.
    current_at: AtomicU64,
    idle: AtomicBool,
    alive: AtomicBool,
}

impl Published {
    /// Starts with a view.
    pub fn new(view: Arc<View>) -> Self {
        Self {
            view: ArcSwap::new(view),
            wake: Mutex::new(None),
            started: Instant::now(),
            current_at: AtomicU64::new(0),
            idle: AtomicBool::new(true),
            alive: AtomicBool::new(true),
        }
    }

    /// The newest view.
    pub fn view(&self) -> Arc<View> {
        self.view.load_full()
    }

    /// Publishes a view and wakes its waiters.
    pub fn publish(&self, view: Arc<View>) {
        self.view.store(view);
        if let Some(wake) = &*self.wake.lock().unwrap_or_else(PoisonError::into_inner) {
            wake();
        }
    }

    /// Calls `wake` after each new view.
    pub fn on_change(&self, wake: Box<dyn Fn() + Send + Sync>) {
        *self.wake.lock().unwrap_or_else(PoisonError::into_inner) = Some(wake);
    }

    /// The age of the view: zero while the engine has nothing newer.
    pub fn age(&self) -> Duration {
        if self.idle.load(Ordering::Acquire) && self.is_alive() {
            return Duration::ZERO;
        }
        let current = Duration::from_millis(self.current_at.load(Ordering::Acquire));
        self.started.elapsed().saturating_sub(current)
    }

    /// Whether the engine runs.
    pub fn is_alive(&self) -> bool {
        self.alive.load(Ordering::Acquire)
    }

    pub(super) fn mark_current(&self, idle: bool) {
        let ms = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.current_at.store(ms, Ordering::Release);
        self.idle.store(idle, Ordering::Release);
    }
}

/// Marks the engine as stopped when its thread ends, also by a panic.
pub(super) struct AliveGuard<'a>(pub &'a Published);

impl Drop for AliveGuard<'_> {
    fn drop(&mut self) {
        self.0.alive.store(false, Ordering::Release);
        self.0.publish(self.0.view());
    }
}
