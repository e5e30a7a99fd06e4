//! Evaluates alert rules on the data of a source, on its own thread.

use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Weak};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant, SystemTime};

use super::{OwnHealth, Source};
use alerts::Given;
use alerts::alerting::board::Timing;
use alerts::alerting::store;
use model::Time;
use view::health;

/// The interval of evaluations at normal speed, by the wall clock.
pub const EVERY: Duration = Duration::from_secs(5);
const EVERY_FAST: Duration = Duration::from_secs(1);
/// The interval is at least this many times the duration of an evaluation: in a large cluster, evaluations take one
/// percent of a core.
const COST: u32 = 100;
const LONGEST: Duration = Duration::from_secs(20);
/// The interval of health checks of an embedded scheduler, by the wall clock: they read every allocation.
const HEALTH_EVERY: Duration = Duration::from_secs(60);
const EVENTS: usize = 5_000;

impl OwnHealth {
    /// The failed checks, one sentence each; `None` if unknown. Not for an embedded scheduler.
    pub fn failed(&self) -> Option<Vec<String>> {
        match self {
            Self::Here => Some(Vec::new()),
            Self::Reported(health, _) => Some(health.failed()),
            Self::Unknown(_) => None,
        }
    }
}

/// Collects the data of a source.
#[derive(Debug, Default)]
pub struct Probe {
    /// The directory with the monitored disk.
    pub state: Option<PathBuf>,
    /// The last health check of an embedded scheduler, with its time by the caller's clock.
    health: Option<(Duration, Vec<String>)>,
}

impl Probe {
    /// Returns a probe that also monitors the disk of a directory.
    pub fn new(state: Option<PathBuf>) -> Self {
        Self { state, health: None }
    }

    /// Returns the current data; `clock` is any clock at wall clock speed.
    pub fn given(&mut self, source: &dyn Source, clock: Duration) -> Given {
        let (view, at) = (source.view(), source.now());
        let tracking = source.events(u64::MAX, 0).tracking;
        let happened = tracking.then(|| {
            let records = source.important(Time(u64::MAX), EVENTS);
            records.into_iter().map(|(_, record)| record).collect()
        });
        let health = match source.health() {
            OwnHealth::Here => {
                if self.health.as_ref().is_none_or(|(made, _)| clock.saturating_sub(*made) >= HEALTH_EVERY) {
                    self.health = Some((clock, health(&view).failed()));
                }
                self.health.as_ref().map(|(_, failed)| failed.clone())
            }
            other => other.failed(),
        };
        let disk = self.state.as_deref().and_then(store::disk);
        let connection = source.link().problem();
        let at = at.max(view.at);
        Given { view, at, happened, connection, health, disk, apps: source.apps_lag().is_some() }
    }
}

/// The evaluation thread. Dropping it stops it and waits: afterwards it does not own the source.
#[derive(Debug)]
pub struct Watching {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Watching {
    /// Lets it run until its source is dropped.
    pub fn detach(mut self) {
        // It ends with its source, without a stop message.
        std::mem::forget(self.stop.take());
        self.thread.take();
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.stop.take();
        if let Some(thread) = self.thread.take() {
            // The panic hook has reported a panic of the thread.
            let _ = thread.join();
        }
    }
}

/// Starts the thread for the rules of a source's board. `speed` is the speed of the scheduler clock relative to the
/// wall clock.
///
/// # Errors
/// Returns an error if the thread cannot be started.
pub fn watch(source: &Arc<dyn Source>, state: Option<PathBuf>, speed: f64) -> std::io::Result<Watching> {
    let source: Weak<dyn Source> = Arc::downgrade(source);
    let every = if speed > 2.0 { EVERY_FAST } else { EVERY };
    let (stop, stopped) = channel();
    let thread = Builder::new().name("alerts".to_owned()).spawn(move || {
        let (mut probe, started_at) = (Probe::new(state), Instant::now());
        while let Some(source) = source.upgrade() {
            let begun = Instant::now();
            if let Some(board) = source.alerts() {
                let given = probe.given(&*source, started_at.elapsed());
                board.step(&given, Timing { wall: SystemTime::now(), speed });
            }
            drop(source);
            let pause = every.max((begun.elapsed() * COST).min(LONGEST));
            if stopped.recv_timeout(pause) == Err(RecvTimeoutError::Disconnected) {
                return;
            }
        }
    })?;
    Ok(Watching { stop: Some(stop), thread: Some(thread) })
}
