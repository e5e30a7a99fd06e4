//! What rules of alerts are judged by, taken from a source; and the thread that has them judged.

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

/// How often rules are judged, by the wall clock, where the scheduler's time runs with it.
pub const EVERY: Duration = Duration::from_secs(5);
/// The same where it runs faster.
const EVERY_FAST: Duration = Duration::from_secs(1);
/// How often the checks of a scheduler in this process are made, by the wall clock: they look at every allocation.
const HEALTH_EVERY: Duration = Duration::from_secs(60);
/// How many important events are examined.
const EVENTS: usize = 5_000;

impl OwnHealth {
    /// The checks that failed, a sentence each; `None` where they are unknown. Those of a scheduler in this process are not made here.
    pub fn failed(&self) -> Option<Vec<String>> {
        match self {
            Self::Here => Some(Vec::new()),
            Self::Reported(health, _) => Some(health.failed()),
            Self::Unknown(_) => None,
        }
    }
}

/// Takes moments of a source.
#[derive(Debug, Default)]
pub struct Probe {
    /// The directory whose disk is watched.
    pub state: Option<PathBuf>,
    /// What the checks of a scheduler in this process found last, and when by the clock of the one that takes the moments.
    health: Option<(Duration, Vec<String>)>,
}

impl Probe {
    /// A probe that also watches the disk of a directory.
    pub fn new(state: Option<PathBuf>) -> Self {
        Self { state, health: None }
    }

    /// The moment of now; `clock` is any clock that runs with the wall's.
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
        let connection = source.link().trouble();
        let at = at.max(view.at);
        Given { view, at, happened, connection, health, disk, apps: source.apps_lag().is_some() }
    }
}

/// The thread that judges rules. Dropping this ends it and waits for it: after that it has no allocations of the source.
#[derive(Debug)]
pub struct Watching {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Watching {
    /// Lets it run until its source no longer exists.
    pub fn detach(mut self) {
        // It ends when the source no longer exists, and needs no word before.
        std::mem::forget(self.stop.take());
        self.thread.take();
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.stop.take();
        if let Some(thread) = self.thread.take() {
            // The panic hook has reported a panic of the thread already.
            let _ = thread.join();
        }
    }
}

/// Starts the thread that judges the rules of a source's board. `speed`: how much faster than the wall clock the scheduler's time runs.
///
/// # Errors
/// The operating system gives no thread.
pub fn watch(source: &Arc<dyn Source>, state: Option<PathBuf>, speed: f64) -> std::io::Result<Watching> {
    let source: Weak<dyn Source> = Arc::downgrade(source);
    let every = if speed > 2.0 { EVERY_FAST } else { EVERY };
    let (stop, stopped) = channel();
    let thread = Builder::new().name("alerts".to_owned()).spawn(move || {
        let (mut probe, began) = (Probe::new(state), Instant::now());
        while let Some(source) = source.upgrade() {
            if let Some(board) = source.alerts() {
                let given = probe.given(&*source, began.elapsed());
                board.step(&given, Timing { wall: SystemTime::now(), speed });
            }
            drop(source);
            if stopped.recv_timeout(every) == Err(RecvTimeoutError::Disconnected) {
                return;
            }
        }
    })?;
    Ok(Watching { stop: Some(stop), thread: Some(thread) })
}
