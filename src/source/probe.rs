//! What rules of alerts are judged by, taken from a source; and the thread that has them judged.

use std::path::PathBuf;
use std::sync::{Arc, Weak};
use std::thread::Builder;
use std::time::{Duration, SystemTime};

use super::{OwnHealth, Source};
use crate::alerting::board::Timing;
use crate::alerting::store;
use crate::alerts::Given;
use crate::model::Time;
use crate::view::health;

/// How often rules are judged, by the wall clock, where the scheduler's time runs with it.
pub const EVERY: Duration = Duration::from_secs(5);
/// The same where it runs faster.
const EVERY_FAST: Duration = Duration::from_secs(1);
/// How often the checks of a scheduler in this process are made, by the wall clock: they look at every allocation.
const HEALTH_EVERY: Duration = Duration::from_secs(60);
/// How many important events are looked at.
const EVENTS: usize = 5_000;

/// Takes moments of a source.
#[derive(Debug, Default)]
pub struct Probe {
    /// The folder whose disk is watched.
    pub state: Option<PathBuf>,
    /// What the checks of a scheduler in this process found last, and when by the clock of whoever takes the moments.
    health: Option<(Duration, Vec<String>)>,
}

impl Probe {
    /// A probe that also watches the disk of a folder.
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

/// Starts the thread that judges the rules of a source's board, until the source is gone. `speed`: how much faster than the wall clock the
/// scheduler's time runs.
///
/// # Errors
/// The operating system gives no thread.
pub fn watch(source: &Arc<dyn Source>, state: Option<PathBuf>, speed: f64) -> std::io::Result<()> {
    let source: Weak<dyn Source> = Arc::downgrade(source);
    let every = if speed > 2.0 { EVERY_FAST } else { EVERY };
    Builder::new().name("alerts".to_owned()).spawn(move || {
        let (mut probe, began) = (Probe::new(state), std::time::Instant::now());
        while let Some(source) = source.upgrade() {
            if let Some(board) = source.alerts() {
                let given = probe.given(&*source, began.elapsed());
                // Before the first answer of the other side there is nothing to judge but the connection.
                board.step(&given, Timing { wall: SystemTime::now(), speed });
            }
            drop(source);
            std::thread::sleep(every);
        }
    })?;
    Ok(())
}
