//! The writer thread: many changes with one wait for the disk.
//!
//! Executed work waits while the disk fails and is retried. An order that could not be written fails at once, and none
//! of it remains.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use super::last::LastFile;
use super::recorder::RecordBlock;
use super::store::{Store, StoreError};
use super::tables::Change;
pub use super::write_batch::AfterWrite;
use super::write_batch::WriteBatch;
use crate::audit_log::NewEntries;

const TOGETHER: usize = 4 << 20;
/// The shortest and longest pause between tries while the disk fails.
pub const RETRY_PAUSES: RetryPauses = (Duration::from_millis(100), Duration::from_secs(5));

/// The shortest and longest pause between tries.
pub type RetryPauses = (Duration, Duration);

enum JournalTask {
    /// What was carried out already.
    Write(WriteBatch),
    /// Executed work, and orders that wait for the write.
    Commit(WriteBatch, WriteBatch, SyncSender<Result<(), String>>),
    /// Changes apart from the scheduler's: one at a time, to keep waits short.
    Aside(Vec<Change>, SyncSender<bool>),
    Stop,
}

/// A journal that is being written. Clones share it.
#[derive(Clone)]
pub struct Journal(Arc<Shared>);

struct Shared {
    store: Arc<Store>,
    work: Sender<JournalTask>,
    state: Mutex<State>,
    news: Condvar,
    on_change: Mutex<Option<Box<dyn Fn() + Send + Sync>>>,
    views: AtomicUsize,
}

#[derive(Default)]
struct State {
    durable: u64,
    failing: Option<String>,
    over: bool,
}

impl Journal {
    /// The store behind it.
    pub fn store(&self) -> &Store {
        &self.0.store
    }

    pub(super) fn shared_store(&self) -> Arc<Store> {
        Arc::clone(&self.0.store)
    }

    /// The number of the last record on disk.
    pub fn durable(&self) -> u64 {
        self.state().durable
    }

    /// Why writes fail now.
    pub fn failing(&self) -> Option<String> {
        self.state().failing.clone()
    }

    /// Returns false if the journal ends first.
    pub fn wait_for(&self, record: u64) -> bool {
        let waits = |state: &mut State| state.durable < record && !state.over;
        let state = self.0.news.wait_while(self.state(), waits).unwrap_or_else(PoisonError::into_inner);
        state.durable >= record
    }

    /// As [`Self::wait_for`], but stops waiting if the disk fails.
    pub(crate) fn wait_while_well(&self, record: u64) -> bool {
        let waits = |state: &mut State| state.durable < record && !state.over && state.failing.is_none();
        let state = self.0.news.wait_while(self.state(), waits).unwrap_or_else(PoisonError::into_inner);
        state.durable >= record
    }

    /// Waits until writes succeed, or the journal has ended.
    pub fn wait_until_well(&self) {
        let waits = |state: &mut State| state.failing.is_some() && !state.over;
        drop(self.0.news.wait_while(self.state(), waits).unwrap_or_else(PoisonError::into_inner));
    }

    /// Calls `call` whenever the disk starts to fail or recovers.
    pub fn on_change(&self, call: Box<dyn Fn() + Send + Sync>) {
        *self.0.on_change.lock().unwrap_or_else(PoisonError::into_inner) = Some(call);
    }

    /// Writes executed work, then calls `then`.
    pub fn write(&self, block: Option<RecordBlock>, news: &NewEntries, then: Option<AfterWrite>) {
        let mut waiting = WriteBatch::of(block, news);
        waiting.then = then;
        // After the end there is no writer; nothing is reported then either.
        let _ = self.0.work.send(JournalTask::Write(waiting));
    }

    /// Replaces rows on disk, for orders that were rejected meanwhile.
    pub fn replace(&self, changes: Vec<Change>) {
        // After the end there is no writer; the data on disk is complete as well.
        let _ = self.0.work.send(JournalTask::Write(WriteBatch { changes, ..WriteBatch::default() }));
    }

    /// Writes executed work and then the records of orders, durably.
    ///
    /// # Errors
    /// Returns an error if the orders are not written; none of them remains. The executed work is written later.
    pub fn commit(&self, before: Option<RecordBlock>, news: &NewEntries, orders: RecordBlock) -> Result<(), String> {
        let (answer, answers) = sync_channel(1);
        let (before, orders) = (WriteBatch::of(before, news), WriteBatch::of(Some(orders), &NewEntries::default()));
        let _ = self.0.work.send(JournalTask::Commit(before, orders, answer));
        answers.recv().unwrap_or_else(|_| Err("the journal is closed".to_owned()))
    }

    /// Makes changes apart from the scheduler's and waits. Returns whether they were made.
    pub fn aside(&self, changes: Vec<Change>) -> bool {
        let (done, answers) = sync_channel(1);
        let _ = self.0.work.send(JournalTask::Aside(changes, done));
        answers.recv().unwrap_or(false)
    }

    pub(crate) fn view_waits(&self, waits: bool) {
        if waits {
            self.0.views.fetch_add(1, Ordering::AcqRel);
        } else {
            self.0.views.fetch_sub(1, Ordering::AcqRel);
        }
    }

    pub(crate) fn views_waiting(&self) -> usize {
        self.0.views.load(Ordering::Acquire)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        let (before, after) = {
            let mut state = self.state();
            let before = state.failing.is_some();
            change(&mut state);
            (before, state.failing.is_some())
        };
        self.0.news.notify_all();
        if before != after
            && let Some(call) = &*self.0.on_change.lock().unwrap_or_else(PoisonError::into_inner)
        {
            call();
        }
    }
}

/// Keeps the journal running. Dropping it writes everything, if the disk does not fail.
pub struct JournalThread {
    journal: Journal,
    thread: Option<JoinHandle<()>>,
}

impl JournalThread {
    /// Starts writing after the record with this number; `pauses` apply while the disk fails.
    ///
    /// # Errors
    /// Returns an error if the thread cannot be started.
    pub fn start(store: Store, durable: u64, pauses: RetryPauses, last: Option<LastFile>) -> std::io::Result<Self> {
        let (work, inbox) = channel();
        let state = Mutex::new(State { durable, ..State::default() });
        let shared = Shared {
            store: Arc::new(store),
            work,
            state,
            news: Condvar::new(),
            on_change: Mutex::default(),
            views: AtomicUsize::new(0),
        };
        let journal = Journal(Arc::new(shared));
        let owned = journal.clone();
        let thread = std::thread::Builder::new().name("journal".to_owned()).spawn(move || {
            let _over = EndGuard(owned.clone());
            Committer { journal: owned, inbox, waiting: Vec::new(), dirty: false, pauses, last }.run();
        })?;
        Ok(Self { journal, thread: Some(thread) })
    }

    /// The journal that it writes, for what is to be recorded.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }
}

impl Drop for JournalThread {
    fn drop(&mut self) {
        let _ = self.journal.0.work.send(JournalTask::Stop);
        if let Some(thread) = self.thread.take() {
            // The panic hook has reported a panic of the thread.
            let _ = thread.join();
        }
        // Others may still have the journal; the next owner of the directory must be the only writer.
        self.journal.store().close();
    }
}

/// Notifies all waiters when the thread ends, also by a panic.
struct EndGuard(Journal);

impl Drop for EndGuard {
    fn drop(&mut self) {
        self.0.change(|state| {
            state.over = true;
            if std::thread::panicking() {
                state.failing = Some("its writer has stopped; restart".to_owned());
            }
        });
    }
}

struct Committer {
    journal: Journal,
    inbox: Receiver<JournalTask>,
    waiting: Vec<WriteBatch>,
    /// The store may contain data of a failed commit.
    dirty: bool,
    pauses: RetryPauses,
    last: Option<LastFile>,
}

#[derive(Default)]
struct TaskBatch {
    orders: Option<(WriteBatch, SyncSender<Result<(), String>>)>,
    aside: Option<(Vec<Change>, SyncSender<bool>)>,
    stop: bool,
}

impl Committer {
    fn run(&mut self) {
        let mut pause = self.pauses.0;
        loop {
            let failing = self.journal.failing();
            let received = self.handle(failing.is_some().then_some(pause));
            let stop = received.stop;
            self.attempt(received, failing);
            pause = if self.dirty { (pause * 2).min(self.pauses.1) } else { self.pauses.0 };
            if stop {
                return;
            }
        }
    }

    /// Waits for tasks, at most for `pause`, and takes all that are queued.
    fn handle(&mut self, pause: Option<Duration>) -> TaskBatch {
        let mut received = TaskBatch::default();
        let first = match pause {
            None => self.inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(pause) => self.inbox.recv_timeout(pause),
        };
        let mut next = match first {
            Ok(work) => Some(work),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(JournalTask::Stop),
        };
        let mut bytes = 0;
        while let Some(work) = next {
            match work {
                JournalTask::Write(waiting) => {
                    bytes += waiting.bytes;
                    self.waiting.push(waiting);
                }
                JournalTask::Commit(before, orders, answer) => {
                    self.waiting.push(before);
                    received.orders = Some((orders, answer));
                }
                JournalTask::Aside(changes, done) => received.aside = Some((changes, done)),
                JournalTask::Stop => received.stop = true,
            }
            // A sender of orders waits, and a separate change is large by itself.
            if received.stop || received.orders.is_some() || received.aside.is_some() || bytes > TOGETHER {
                break;
            }
            next = self.inbox.try_recv().ok();
        }
        received
    }

    fn attempt(&mut self, received: TaskBatch, failing: Option<String>) {
        let TaskBatch { mut orders, aside, .. } = received;
        if let Some(why) = &failing {
            refuse(orders.take(), why);
        }
        let mut changes = self.changes();
        changes.extend(orders.iter().flat_map(|(waiting, _)| waiting.changes.iter().cloned()));
        changes.extend(aside.iter().flat_map(|(changes, _)| changes.iter().cloned()));
        let outcome = self.commit(&changes, orders.is_some());
        let message = aside.map(|(_, done)| done);
        match outcome {
            Ok(()) => {
                let last = orders.as_ref().map(|(waiting, _)| waiting.last);
                self.written(last);
                if let Some((_, answer)) = orders {
                    // The engine may have stopped; its orders are on disk.
                    let _ = answer.send(Ok(()));
                }
                message.map(|done| done.send(true));
            }
            Err(error) => {
                self.dirty = true;
                // Remains of the failed try must be removed first.
                let changes = self.changes();
                match self.commit(&changes, false) {
                    Ok(()) => self.written(None),
                    Err(_) => self.journal.change(|state| state.failing = Some(error.to_string())),
                }
                refuse(orders, &error.to_string());
                message.map(|done| done.send(false));
            }
        }
    }

    fn changes(&self) -> Vec<Change> {
        let cut = self.dirty.then(|| Change::CutFrom(self.journal.durable() + 1));
        let waiting = self.waiting.iter().flat_map(|waiting| waiting.changes.iter().cloned());
        cut.into_iter().chain(waiting).collect()
    }

    fn commit(&mut self, changes: &[Change], orders: bool) -> Result<(), StoreError> {
        let store = self.journal.store();
        if self.dirty {
            store.reopen()?;
        }
        if !changes.is_empty() {
            store.commit(changes)?;
        }
        let wrote = self.last.as_mut().map_or(Ok(()), |last| last.wrote(changes, orders));
        wrote.map_err(|error| StoreError::from(redb::Error::Io(error)))
    }

    fn written(&mut self, last: Option<u64>) {
        self.dirty = false;
        let written = self.waiting.iter().map(|waiting| waiting.last).chain(last).max().unwrap_or(0);
        self.journal.change(|state| {
            state.durable = state.durable.max(written);
            state.failing = None;
        });
        for waiting in self.waiting.drain(..) {
            if let Some(then) = waiting.then {
                then();
            }
        }
    }
}

fn refuse(orders: Option<(WriteBatch, SyncSender<Result<(), String>>)>, why: &str) {
    if let Some((_, answer)) = orders {
        let _ = answer.send(Err(why.to_owned()));
    }
}
