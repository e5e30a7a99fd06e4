//! Makes snapshots on a separate thread from the previous snapshot and the records since, so that the scheduler never
//! waits for one.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::bounded::{self, Bounds};
use super::committer::Journal;
use super::record::WallTime;
use super::recorder::Volume;
use super::recording::core_at;
use super::tables::{Change, SnapshotIndex};
use crate::setup::Setup;
use model::Time;

const PART: usize = (512 << 10) - 4096;
/// A snapshot is due after this work (commands and individual cycles),
const WORK: u64 = 20_000;
/// or after this many bytes of records (or a quarter of the stored ones), because a start reads them all,
const BYTES: u64 = 16 << 20;
/// or after cycles of this duration, but not before [`LEAST_WORK`].
const BUSY: Duration = Duration::from_millis(500);
const LEAST_WORK: u64 = 500;
/// The shortest time between two snapshots, and a factor of the time to make one.
const APART: Duration = Duration::from_secs(2);
const APART_TIMES: u32 = 3;
/// The longest single wait of the scheduler for a snapshot: orders are handled in between.
const LONGEST_WAIT: Duration = Duration::from_millis(100);

/// The retained past: this much work,
pub const RETAINED_WORK: u64 = 1_000_000;
/// and all of the last day, within [`Bounds::records`].
const RETAINED_TIME: Duration = Duration::from_secs(24 * 60 * 60);
/// Retained snapshots are at most this much work and two times [`apart`] from each other, if the disk limit allows.
const SPREAD: u64 = 50_000;

/// The niceness of this thread. Not more: while it writes, the writer thread waits for it.
#[cfg(target_os = "linux")]
const NICE: i32 = 5;

/// Makes snapshots until it is dropped.
pub struct Snapshots {
    requests: Option<Sender<(u64, Volume)>>,
    done: Receiver<Duration>,
    thread: Option<JoinHandle<()>>,
    making: bool,
    bytes: u64,
    /// The scheduler waits when more bytes of records follow the newest snapshot.
    most: u64,
    volume: Volume,
    busy: Duration,
    last: Instant,
    apart: Duration,
}

impl Snapshots {
    /// Starts making snapshots of a journal.
    ///
    /// # Errors
    /// Returns an error if the thread cannot be started.
    pub fn start(journal: Journal, setup: Setup) -> std::io::Result<Self> {
        let (requests, inbox) = channel();
        let (sender, done) = channel();
        let (bytes, most) = (apart(setup.bounds()), setup.bounds().records);
        let thread = std::thread::Builder::new().name("journal-snapshot".to_owned()).spawn(move || {
            give_way();
            for (number, volume) in inbox {
                let started_at = Instant::now();
                // A failed snapshot is retried later; until then a start takes longer.
                if journal.wait_while_well(number) && make(&journal, &setup, number, volume).is_ok() {
                    trim(&journal, setup.bounds());
                }
                if sender.send(started_at.elapsed()).is_err() {
                    return;
                }
            }
        })?;
        let (volume, busy, last) = (Volume::default(), Duration::ZERO, Instant::now());
        let requests = Some(requests);
        Ok(Self { requests, done, thread: Some(thread), making: false, bytes, most, volume, busy, last, apart: APART })
    }

    /// Whether a snapshot is due; `volume` and `busy` count from the start of this run.
    pub fn is_due(&mut self, volume: Volume, busy: Duration) -> bool {
        if let Ok(took) = self.done.try_recv() {
            self.is_made(took);
        }
        let (more, longer) = (volume.work.saturating_sub(self.volume.work), busy.saturating_sub(self.busy));
        let bytes = volume.bytes.saturating_sub(self.volume.bytes);
        let enough = more >= WORK || bytes >= self.bytes || (more >= LEAST_WORK && longer >= BUSY);
        enough && !self.making && (self.last.elapsed() >= self.apart || bytes >= self.most)
    }

    fn is_made(&mut self, took: Duration) {
        self.making = false;
        self.last = Instant::now();
        self.apart = APART.max(took * APART_TIMES);
    }

    /// Waits briefly if records grow faster than snapshots: records after the newest snapshot cannot be dropped.
    pub fn hold_back(&mut self, volume: Volume) {
        let behind = volume.bytes.saturating_sub(self.volume.bytes);
        if self.making
            && behind > self.most
            && let Ok(took) = self.done.recv_timeout(LONGEST_WAIT)
        {
            self.is_made(took);
        }
    }

    /// Makes a snapshot up to a record; `before` is the volume before this run.
    pub fn make(&mut self, number: u64, before: Volume, volume: Volume, busy: Duration) {
        (self.making, self.volume, self.busy) = (true, volume, busy);
        if let Some(requests) = &self.requests {
            // Without the thread, no further snapshots.
            let _ = requests.send((number, before + volume));
        }
    }
}

impl Drop for Snapshots {
    fn drop(&mut self) {
        self.requests.take();
        if let Some(thread) = self.thread.take() {
            // The panic hook has reported a panic of the thread.
            let _ = thread.join();
        }
    }
}

/// Lowers the priority of this thread: a replay needs as much processor time as the decisions did.
fn give_way() {
    // Elsewhere the priority is per process. A failure is harmless.
    #[cfg(target_os = "linux")]
    let _nice = rustix::process::nice(NICE);
}

/// The changes that write a snapshot: its parts, then the index that completes it.
pub fn changes(number: u64, bytes: &[u8], at: Time, volume: Volume) -> Vec<Change> {
    let parts = (0..).zip(bytes.chunks(PART));
    let mut changes: Vec<Change> = parts.map(|(part, bytes)| Change::Part(number, part, Arc::from(bytes))).collect();
    let parts = u32::try_from(changes.len()).unwrap_or(u32::MAX);
    let Volume { work, bytes: record_bytes } = volume;
    let index = SnapshotIndex { at, wall: WallTime::now(), parts, bytes: bytes.len() as u64, work, record_bytes };
    changes.push(Change::Index(number, index));
    changes
}

/// Makes a snapshot up to a record.
///
/// # Errors
/// Returns an error if earlier data cannot be read, or the write fails.
pub fn make(journal: &Journal, setup: &Setup, number: u64, volume: Volume) -> Result<(), String> {
    let mut core = core_at(journal.store(), setup, Time(u64::MAX), number).map_err(|error| error.to_string())?;
    let (bytes, at) = (core.save(), core.now());
    drop(core);
    for change in changes(number, &bytes, at, volume) {
        if !journal.aside(vec![change]) {
            return Err("the disk has failed".to_owned());
        }
    }
    Ok(())
}

fn apart(bounds: Bounds) -> u64 {
    BYTES.min(bounds.records / 4)
}

fn trim(journal: &Journal, bounds: Bounds) {
    let Ok(snapshots) = journal.store().snapshots() else { return };
    let mut retained = snapshots.clone();
    keep(&mut retained, WallTime::now(), bounds);
    for (number, _) in snapshots.iter().filter(|(number, _)| retained.iter().all(|(retained, _)| retained != number)) {
        journal.aside(vec![Change::DropSnapshot(*number)]);
    }
    if let (Some((first, _)), Some((was, _))) = (retained.first(), snapshots.first())
        && first != was
    {
        journal.aside(vec![Change::DropBefore(first + 1)]);
    }
    // A failed read is retried next time.
    let _ = bounded::bound(journal.store(), bounds, |change| journal.aside(vec![change]));
}

fn keep(snapshots: &mut Vec<(u64, SnapshotIndex)>, now: WallTime, bounds: Bounds) {
    let Some((_, newest)) = snapshots.last().cloned() else { return };
    // A second one is always kept for a start.
    while snapshots.len() > 2 && newest.record_bytes.saturating_sub(snapshots[0].1.record_bytes) > bounds.records {
        snapshots.remove(0);
    }
    let day = u64::try_from(RETAINED_TIME.as_micros()).unwrap_or(u64::MAX);
    // The first is not needed if the second reaches back far enough.
    while let Some((_, second)) = snapshots.get(1)
        && second.work.saturating_add(RETAINED_WORK) <= newest.work
        && second.wall.0.saturating_add(day) <= now.0
    {
        snapshots.remove(0);
    }
    let mut at = 1;
    while at + 1 < snapshots.len() {
        let (before, after) = (snapshots[at - 1].1.volume(), snapshots[at + 1].1.volume());
        let near = after.work.saturating_sub(before.work) <= SPREAD;
        if near && after.bytes.saturating_sub(before.bytes) <= 2 * apart(bounds) {
            snapshots.remove(at);
        } else {
            at += 1;
        }
    }
    while snapshots.len() > 2
        && snapshots[..snapshots.len() - 1].iter().map(|(_, index)| index.bytes).sum::<u64>() > bounds.snapshots
    {
        let gap = |at: &usize| snapshots[at + 1].1.work.saturating_sub(snapshots[at - 1].1.work);
        let closest = (1..snapshots.len() - 1).min_by_key(gap).unwrap_or(1);
        snapshots.remove(closest);
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::journal::committer::JournalThread;
    use crate::journal::disk::{Disk, MemoryDisk};
    use crate::journal::store::Store;
    use model::Profile;

    fn snapshot(work: u64, wall: u64, bytes: u64) -> (u64, SnapshotIndex) {
        (work, SnapshotIndex { at: Time(work), wall: WallTime(wall), parts: 1, bytes, work, record_bytes: 0 })
    }

    const WIDE: Bounds = Bounds::of(1 << 30);

    fn retained(mut snapshots: Vec<(u64, SnapshotIndex)>, now: u64) -> Vec<u64> {
        keep(&mut snapshots, WallTime(now), WIDE);
        snapshots.iter().map(|(number, _)| *number).collect()
    }

    #[test]
    fn the_last_million_stays_and_the_last_day() {
        let all = |wall: u64| (0..100).map(|at| snapshot(at * 20_000, wall, 1)).collect::<Vec<_>>();
        let day = 24 * 60 * 60 * 1_000_000;
        let young = retained(all(day), day);
        assert_eq!((young[0], young[young.len() - 1]), (0, 1_980_000));
        assert!(young.windows(2).all(|pair| pair[1] - pair[0] <= SPREAD), "{young:?}");
        let old = retained(all(0), 2 * day);
        assert_eq!((old[0], old[old.len() - 1]), (980_000, 1_980_000));
    }

    #[test]
    fn neither_a_day_nor_a_million_is_stored_beyond_the_bytes() {
        let heavy = |from: u64| {
            let all = (from..from + 40).map(|at| snapshot(at * 100, 1, 1));
            all.map(|(number, index)| (number, SnapshotIndex { record_bytes: number / 100 * BYTES, ..index }))
        };
        let retained = retained(heavy(1).collect(), 2);
        let [first, last] = [retained[0], retained[retained.len() - 1]];
        assert_eq!(last, 4000);
        let bytes = (last - first) / 100 * BYTES;
        assert!(bytes <= WIDE.records && bytes + 3 * BYTES > WIDE.records, "{bytes} of {WIDE:?}: {retained:?}");
        // Those of an older version have no byte counts.
        let all = [snapshot(50, 1, 1)].into_iter().chain(heavy(10)).collect();
        assert!(self::retained(all, 2)[0] > 50);
    }

    #[test]
    fn large_ones_are_farther_apart_and_the_ends_stay() {
        let all = (0..50).map(|at| snapshot(at * 60_000, 1, WIDE.snapshots / 8)).collect();
        let retained = retained(all, 2);
        assert_eq!((retained.len(), retained[0], retained[retained.len() - 1]), (9, retained[0], 49 * 60_000));
        assert!(retained[0] <= 49 * 60_000 - RETAINED_WORK);
    }

    #[derive(Debug, Default)]
    struct FailingDisk {
        memory: MemoryDisk,
        fails: AtomicBool,
    }

    impl FailingDisk {
        fn check(&self) -> io::Result<()> {
            if self.fails.load(Ordering::Relaxed) { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
        }
    }

    impl Disk for FailingDisk {
        fn len(&self) -> io::Result<u64> {
            self.memory.len()
        }

        fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
            self.memory.read(offset, out)
        }

        fn set_len(&self, len: u64) -> io::Result<()> {
            self.check().and_then(|()| self.memory.set_len(len))
        }

        fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
            self.check().and_then(|()| self.memory.write(offset, data))
        }

        fn sync(&self) -> io::Result<()> {
            self.check()
        }
    }

    #[test]
    fn a_snapshot_that_waits_for_a_failing_disk_does_not_keep_the_process_from_ending() {
        let disk = Arc::new(FailingDisk::default());
        let store = Store::open(Arc::clone(&disk) as _).unwrap();
        let pauses = (Duration::from_millis(1), Duration::from_millis(5));
        let thread = JournalThread::start(store, 0, pauses, None).unwrap();
        let journal = thread.journal().clone();
        let mut snapshots = Snapshots::start(journal.clone(), Setup::of(Profile::Kornsole)).unwrap();
        disk.fails.store(true, Ordering::Relaxed);
        journal.replace(changes(1, b"a snapshot", Time::ZERO, Volume::default()));
        // The record that the snapshot is made of never reaches the disk.
        snapshots.make(1, Volume::default(), Volume::default(), Duration::ZERO);
        let (ended, end) = channel();
        std::thread::spawn(move || {
            drop(snapshots);
            drop(thread);
            let _ = ended.send(());
        });
        end.recv_timeout(Duration::from_secs(30)).expect("it ends");
    }
}
