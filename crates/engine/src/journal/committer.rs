//! The thread that writes: many changes with one wait for the disk.
//!
//! What was carried out already waits here for as long as the disk fails, and is tried again; an order that could not be written is
//! given back at once, and nothing of it stays.

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

/// How many bytes one commit takes together.
const TOGETHER: usize = 4 << 20;
/// The shortest and the longest pause between two tries while the disk fails.
pub const RETRY_PAUSES: RetryPauses = (Duration::from_millis(100), Duration::from_secs(5));

/// The shortest and the longest pause between two tries.
pub type RetryPauses = (Duration, Duration);

enum JournalTask {
    /// What was carried out already.
    Write(WriteBatch),
    /// What was carried out already, and orders that wait for being written.
    Commit(WriteBatch, WriteBatch, SyncSender<Result<(), String>>),
    /// What is none of the scheduler's business: one at a time, so that no one waits long for it.
    Aside(Vec<Change>, SyncSender<bool>),
    Stop,
}

/// A journal that is being written, for everyone who has to do with it. All copies are the same one.
#[derive(Clone)]
pub struct Journal(Arc<Shared>);

struct Shared {
    store: Arc<Store>,
    work: Sender<JournalTask>,
    state: Mutex<State>,
    /// Something in the state is another than before.
    news: Condvar,
    on_change: Mutex<Option<Box<dyn Fn() + Send + Sync>>>,
    /// How many views wait to be shown.
    views: AtomicUsize,
}

#[derive(Default)]
struct State {
    /// The number of the last record that is on the disk.
    durable: u64,
    /// Why nothing can be written.
    failing: Option<String>,
    over: bool,
}

impl Journal {
    /// The store behind it.
    pub fn store(&self) -> &Store {
        &self.0.store
    }

    /// The same, to hold on to.
    pub(super) fn shared_store(&self) -> Arc<Store> {
        Arc::clone(&self.0.store)
    }

    /// The number of the last record that is on the disk.
    pub fn durable(&self) -> u64 {
        self.state().durable
    }

    /// Why nothing can be written at present.
    pub fn failing(&self) -> Option<String> {
        self.state().failing.clone()
    }

    /// Waits until a record is on the disk. Returns whether it is; it is not if the journal ends before.
    pub fn wait_for(&self, record: u64) -> bool {
        let waits = |state: &mut State| state.durable < record && !state.over;
        let state = self.0.news.wait_while(self.state(), waits).unwrap_or_else(PoisonError::into_inner);
        state.durable >= record
    }

    /// The same, but no longer than the disk is well.
    pub(crate) fn wait_while_well(&self, record: u64) -> bool {
        let waits = |state: &mut State| state.durable < record && !state.over && state.failing.is_none();
        let state = self.0.news.wait_while(self.state(), waits).unwrap_or_else(PoisonError::into_inner);
        state.durable >= record
    }

    /// Waits until something can be written, or the journal has ended.
    pub fn wait_until_well(&self) {
        let waits = |state: &mut State| state.failing.is_some() && !state.over;
        drop(self.0.news.wait_while(self.state(), waits).unwrap_or_else(PoisonError::into_inner));
    }

    /// Has `call` called whenever the disk starts to fail, or is back.
    pub fn on_change(&self, call: Box<dyn Fn() + Send + Sync>) {
        *self.0.on_change.lock().unwrap_or_else(PoisonError::into_inner) = Some(call);
    }

    /// Has something written that was carried out already, and then something done.
    pub fn write(&self, block: Option<RecordBlock>, news: &NewEntries, then: Option<AfterWrite>) {
        let mut waiting = WriteBatch::of(block, news);
        waiting.then = then;
        // After its end there is no one to write; nothing is reported then either.
        let _ = self.0.work.send(JournalTask::Write(waiting));
    }

    /// Has rows replaced that are on the disk: orders that were refused meanwhile.
    pub fn replace(&self, changes: Vec<Change>) {
        // After its end no one writes; the data there are whole as well.
        let _ = self.0.work.send(JournalTask::Write(WriteBatch { changes, ..WriteBatch::default() }));
    }

    /// Writes what was carried out before and then the records of orders, and waits until they outlast a power cut.
    ///
    /// # Errors
    /// Why the orders are not written; nothing of them stays. What was carried out before is written as soon as that can be.
    pub fn commit(&self, before: Option<RecordBlock>, news: &NewEntries, orders: RecordBlock) -> Result<(), String> {
        let (answer, answers) = sync_channel(1);
        let (before, orders) = (WriteBatch::of(before, news), WriteBatch::of(Some(orders), &NewEntries::default()));
        let _ = self.0.work.send(JournalTask::Commit(before, orders, answer));
        answers.recv().unwrap_or_else(|_| Err("the journal is closed".to_owned()))
    }

    /// Makes changes that are none of the scheduler's business, and waits for that. Returns whether they were made.
    pub fn aside(&self, changes: Vec<Change>) -> bool {
        let (done, answers) = sync_channel(1);
        let _ = self.0.work.send(JournalTask::Aside(changes, done));
        answers.recv().unwrap_or(false)
    }

    /// Counts a view that waits to be shown, or does no more.
    pub(crate) fn view_waits(&self, waits: bool) {
        if waits {
            self.0.views.fetch_add(1, Ordering::AcqRel);
        } else {
            self.0.views.fetch_sub(1, Ordering::AcqRel);
        }
    }

    /// How many views wait to be shown.
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

/// The one who has this keeps the journal going. When it is dropped, everything is written, if the disk does not fail.
pub struct JournalThread {
    journal: Journal,
    thread: Option<JoinHandle<()>>,
}

impl JournalThread {
    /// Starts to write behind the record of this number; `pauses` are made while the disk fails.
    ///
    /// # Errors
    /// The operating system gives no thread.
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
            // A panic of the thread has been reported by the panic hook already.
            let _ = thread.join();
        }
        // Others may still hold the journal; the next owner of the directory must be the only writer.
        self.journal.store().close();
    }
}

/// Notifies everyone when the thread ends, also by a panic.
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
    /// What was carried out and is not on the disk yet.
    waiting: Vec<WriteBatch>,
    /// Something may be in the store that is not meant to be.
    dirty: bool,
    pauses: RetryPauses,
    /// Where it is reported which record is the last.
    last: Option<LastFile>,
}

/// What was received at once.
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
            let received = self.hear(failing.is_some().then_some(pause));
            let stop = received.stop;
            self.attempt(received, failing);
            pause = if self.dirty { (pause * 2).min(self.pauses.1) } else { self.pauses.0 };
            if stop {
                return;
            }
        }
    }

    /// Waits for something to do, at most for `pause`, and takes what else is there.
    fn hear(&mut self, pause: Option<Duration>) -> TaskBatch {
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
            // The sender of orders waits, and a record apart is large by itself.
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
                    // The engine may have stopped meanwhile; its orders are on the disk.
                    let _ = answer.send(Ok(()));
                }
                message.map(|done| done.send(true));
            }
            Err(error) => {
                self.dirty = true;
                // What the failed try may have left must go before the order is answered as not carried out.
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

    /// What has to be written in any case.
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

    /// Everything, and orders up to `last`, is on the disk.
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
