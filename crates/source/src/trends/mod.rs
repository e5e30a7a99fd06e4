//! Trends of a cluster, measured every ten seconds, in memory and optionally in a file.
//!
//! Invariants:
//! - a separate thread measures and writes; the console never waits;
//! - nothing is measured while disconnected or while the clock is stopped: that is a gap;
//! - if the file cannot be written, storing stops with a message and is retried.

mod collector;
mod file;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;

use super::Source;
pub use collector::Collector;
use file::{File, Role};
use model::Time;
use view::trends::{Change, Known, LOST_FOR, Mark, Moment, Recorder, Ring, Rings, measure, sampled};
use view::{Record, View};

const WRITE_EVERY: Duration = Duration::from_secs(60);
const MOST_EVENTS: usize = 2000;
/// From this number of unmeasured cells, view samples fill the gap.
const FILL_FROM: u64 = 6;

/// The rings by partition.
pub type Published = BTreeMap<Arc<str>, Rings>;

/// Whether data is stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Storage {
    /// Only in memory.
    #[default]
    Memory,
    /// This process writes the file.
    Writes(PathBuf),
    /// This process writes a new file, because the old one was damaged.
    Recreated {
        /// The new file.
        file: PathBuf,
        /// The damaged file.
        aside: PathBuf,
    },
    /// Another process writes the file; this one reads it.
    Reads(PathBuf),
    /// Storing fails, with the reason; the data in memory continues.
    Stopped(String),
}

impl Storage {
    /// The problem in words; `None` if there is none.
    pub fn problem(&self) -> Option<String> {
        match self {
            Self::Memory | Self::Writes(_) | Self::Reads(_) => None,
            Self::Recreated { aside, .. } => {
                Some(format!("the saved file was damaged and moved to {}; a new file was started", aside.display()))
            }
            Self::Stopped(why) => Some(format!("cannot save trends: {why}")),
        }
    }
}

/// The trends of a cluster.
#[derive(Debug, Default)]
pub struct Trends {
    published: ArcSwap<Published>,
    storage: ArcSwap<Storage>,
    keeper: Mutex<Keeper>,
    /// The user's last look before this process started, and since: in microseconds, 0 for never.
    visited: [AtomicU64; 2],
}

#[derive(Debug, Default)]
struct Keeper {
    recorders: BTreeMap<Arc<str>, Recorder>,
    /// The number after the last important event with a mark.
    marked: Option<u64>,
    /// The time of the last measurement, and the allocation counter.
    before: Option<(Time, u64)>,
    file: Option<File>,
    unsaved: Vec<(Arc<str>, Change)>,
    written: Option<Instant>,
    failed: bool,
}

impl Trends {
    /// Creates trends in memory.
    pub fn in_memory() -> Arc<Self> {
        Arc::default()
    }

    /// Creates trends in a file of a directory, which is created with the first measurement and not read yet, because
    /// that is slow.
    pub fn retained_in(dir: &Path) -> Arc<Self> {
        let keeper = Keeper { file: Some(File::new(dir)), ..Keeper::default() };
        Arc::new(Self { keeper: Mutex::new(keeper), ..Self::default() })
    }

    /// The rings of a partition.
    pub fn rings(&self, partition: &str) -> Option<Rings> {
        self.published.load().get(partition).cloned()
    }

    /// The rings of all partitions.
    pub fn published(&self) -> Arc<Published> {
        self.published.load_full()
    }

    /// Whether the trends are stored.
    pub fn storage(&self) -> Arc<Storage> {
        self.storage.load_full()
    }

    /// The user's last look at the overview before this process started, if stored.
    pub fn last_look(&self) -> Option<Time> {
        Some(Time(self.visited[0].load(Ordering::Acquire))).filter(|at| at.0 > 0)
    }

    /// Stores the cluster time of the user's look at the overview.
    pub fn look(&self, at: Time) {
        self.visited[1].store(at.0, Ordering::Release);
    }

    /// Reads the file once; not for the draw thread.
    fn open(&self) {
        let mut keeper = self.keeper.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(file) = &mut keeper.file else { return };
        let read = file.open();
        self.visited[0].store(file.visited().map_or(0, |at| at.0), Ordering::Release);
        let (path, aside) = (file.path().to_owned(), file.moved_aside().map(Path::to_owned));
        match read {
            Ok((Role::Writer, retained)) => {
                keeper.recorders =
                    retained.into_iter().map(|(name, rings)| (name, Recorder::open_retained(rings))).collect();
                self.storage.store(Arc::new(match aside {
                    Some(aside) => Storage::Recreated { file: path, aside },
                    None => Storage::Writes(path),
                }));
                self.publish(&keeper);
            }
            Ok((Role::Reader, retained)) => {
                self.storage.store(Arc::new(Storage::Reads(path)));
                self.published.store(Arc::new(retained));
            }
            Err(why) => {
                keeper.file = None;
                self.storage.store(Arc::new(Storage::Stopped(why)));
            }
        }
    }

    /// Takes milliseconds in a large cluster: not for the draw thread.
    pub fn observe(&self, source: &dyn Source) {
        let mut keeper = self.keeper.lock().unwrap_or_else(PoisonError::into_inner);
        if let Storage::Reads(_) = &**self.storage.load() {
            self.follow(&mut keeper);
            return;
        }
        if !source.link().is_live() {
            return;
        }
        let (view, at) = (source.view(), source.now());
        let newest = keeper.recorders.values().filter_map(|recorder| recorder.rings().newest()).max();
        let cell = |at: Time| at.0 / Ring::Fine.cell().as_micros() as u64;
        if newest.is_none_or(|newest| cell(newest) != cell(at)) {
            let events = source.important(at, MOST_EVENTS);
            let tracked = !events.is_empty() || source.events(u64::MAX, 0).tracking;
            let seen = Seen { view: &view, at, apps: source.apps_lag().is_some(), events: tracked.then_some(&events) };
            keeper.record(&seen);
            self.publish(&keeper);
        }
        if keeper.written.is_none_or(|written| written.elapsed() >= WRITE_EVERY) {
            self.save(&mut keeper);
        }
    }

    fn finish(&self) {
        let mut keeper = self.keeper.lock().unwrap_or_else(PoisonError::into_inner);
        self.save(&mut keeper);
    }

    fn publish(&self, keeper: &Keeper) {
        let all = keeper.recorders.iter().map(|(name, recorder)| (Arc::clone(name), recorder.rings().clone()));
        self.published.store(Arc::new(all.collect()));
    }

    fn follow(&self, keeper: &mut Keeper) {
        if keeper.written.is_some_and(|read| read.elapsed() < WRITE_EVERY / 6) {
            return;
        }
        keeper.written = Some(Instant::now());
        let Some(file) = &mut keeper.file else { return };
        // If the writer exited, this process takes over.
        match file.follow() {
            Some((Role::Writer, retained)) => {
                self.storage.store(Arc::new(Storage::Writes(file.path().to_owned())));
                keeper.recorders =
                    retained.into_iter().map(|(name, rings)| (name, Recorder::open_retained(rings))).collect();
                self.publish(keeper);
            }
            Some((Role::Reader, retained)) => self.published.store(Arc::new(retained)),
            None => {}
        }
    }

    fn save(&self, keeper: &mut Keeper) {
        keeper.written = Some(Instant::now());
        let Keeper { file: Some(file), recorders, unsaved, failed, .. } = keeper else { return };
        if *failed {
            // The unwritten changes are unknown: write everything.
            *unsaved = recorders
                .iter()
                .flat_map(|(name, recorder)| {
                    recorder.rings().all_changes().into_iter().map(|one| (Arc::clone(name), one))
                })
                .collect();
        }
        let visited = Some(Time(self.visited[1].load(Ordering::Acquire))).filter(|at| at.0 > 0);
        match file.write(unsaved, visited, *failed) {
            Ok(()) => {
                if std::mem::take(failed) {
                    self.storage.store(Arc::new(Storage::Writes(file.path().to_owned())));
                }
            }
            Err(why) => {
                if !std::mem::replace(failed, true) {
                    tracing::warn!("cannot save trends: {why}");
                }
                self.storage.store(Arc::new(Storage::Stopped(why)));
            }
        }
        unsaved.clear();
    }
}

struct Seen<'s> {
    view: &'s View,
    at: Time,
    apps: bool,
    /// `None` if the cluster does not report events.
    events: Option<&'s Vec<(u64, Arc<Record>)>>,
}

impl Keeper {
    fn record(&mut self, seen: &Seen) {
        let (view, at) = (seen.view, seen.at);
        let happened: Option<Vec<Arc<Record>>> = seen.events.map(|events| {
            let lately = events.iter().filter(|(_, record)| at.since(record.at) <= LOST_FOR);
            lately.map(|(_, record)| Arc::clone(record)).collect()
        });
        let known = Known { happened: happened.as_deref(), apps: seen.apps, before: self.before };
        let (marks, next) = new_marks(seen.events.map_or(&[][..], Vec::as_slice), self.marked);
        for part in &view.partitions {
            let recorder = self.recorders.entry(Arc::clone(&part.name)).or_default();
            let moment = measure(view, part, at, &known);
            fill(recorder, view, &moment);
            recorder.add(&moment);
            marks.iter().for_each(|mark| recorder.mark(mark.clone()));
            let changes = recorder.take_changes();
            if self.file.is_some() && !self.failed {
                self.unsaved.extend(changes.into_iter().map(|change| (Arc::clone(&part.name), change)));
            }
        }
        self.marked = next.or(self.marked);
        self.before = Some((at, view.allocations_made));
    }
}

fn new_marks(events: &[(u64, Arc<Record>)], since: Option<u64>) -> (Vec<Mark>, Option<u64>) {
    let next = events.last().map(|(number, _)| number + 1);
    // A restarted scheduler numbers from zero.
    let since = since.filter(|since| next.is_none_or(|next| next >= *since)).unwrap_or_default();
    let new = events.iter().filter(|(number, _)| *number >= since);
    (new.filter_map(|(_, record)| Mark::of(record)).collect(), next)
}

fn fill(recorder: &mut Recorder, view: &View, moment: &Moment) {
    let newest = recorder.rings().newest();
    let enough = Ring::Fine.cell() * u32::try_from(FILL_FROM).unwrap_or(u32::MAX);
    if newest.is_some_and(|newest| moment.at.since(newest) < enough) {
        return;
    }
    let missing =
        view.history.iter().filter(|sample| newest.is_none_or(|newest| sample.at > newest) && sample.at < moment.at);
    for own in missing.filter_map(|sample| sampled(sample, &moment.partition, &moment.layout)) {
        recorder.add(&own);
    }
}

#[cfg(test)]
mod tests;
