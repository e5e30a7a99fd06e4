//! The ledger of an Apache YuniKorn, which stores none: built from its events and lists, and stored in a file.
//!
//! Invariants:
//! - it starts with lists and all events since before them; later lists are compared only after the events of that
//!   time;
//! - missing events are a gap: the ledger restarts, and counts nothing twice;
//! - one process records and writes; others read the file, and take over when it exits;
//! - if the file cannot be written, storing stops with a message and is retried.

pub(crate) mod file;
mod read;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;

use crate::trends::Storage;
pub use file::read_retained;
use file::{File, Role};
use ledger::Followed;
use ledger::followed::Change;
use ledger::followed::saved::Moment;
use model::Time;
pub use read::{Before, Dialect, Rows, change, look};

const WRITE_EVERY: Duration = Duration::from_secs(60);
const READ_EVERY: Duration = Duration::from_secs(10);
/// How long events may lag behind lists.
const SETTLE: Duration = Duration::from_secs(1);
/// How long before the last poll events are complete: clock differences and the delay of the scheduler.
const LAG: Duration = Duration::from_secs(3);
const MOST_EVENTS: usize = 100_000;
/// The maximum fraction (1/n) of time for comparisons.
const SHARE: u32 = 100;
const NOT_RECORDED: &str = "no kornsole on this machine recorded the scheduler";

/// A change with the number and time of its event.
pub type Numbered = (u64, Time, Change);

/// A message to the ledger thread.
#[derive(Debug)]
pub enum Fed {
    /// The changes from events, and the number of the first examined event.
    Events(u64, Vec<Numbered>),
    /// Lists of all partitions.
    Lists(Lists),
    /// No more events at the last poll, by the clocks of connection and cluster.
    Received(Duration, Time),
    /// Events are missing, or another scheduler answers; with the reason.
    Lost(String),
}

/// Lists read at about the same time.
#[derive(Clone, Debug)]
pub struct Lists {
    /// The number of the first event that may not be in them.
    pub number: u64,
    /// The cluster time of the first request.
    pub at: Time,
    /// When the last one was read, by the clock of the connection.
    pub read: Duration,
    /// The rows of each partition.
    pub rows: Vec<Rows>,
    /// The format of the release.
    pub dialect: Dialect,
}

/// The ledger of a remote scheduler.
#[derive(Debug, Default)]
pub struct Book {
    followed: Mutex<Followed>,
    storage: ArcSwap<Storage>,
    feed: Mutex<Option<Sender<Fed>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Book {
    /// Starts the thread; stores the ledger in a file of a directory, or only in memory.
    pub fn start(dir: Option<&Path>) -> Arc<Self> {
        let (feed, fed) = channel();
        let book = Arc::new(Self { feed: Mutex::new(Some(feed)), ..Self::default() });
        let keeper = Keeper { file: dir.map(File::new), ..Keeper::default() };
        // The thread ends when the book is dropped and its channel closes.
        let weak = Arc::downgrade(&book);
        let work = move || keeper.work(&weak, &fed);
        let thread = std::thread::Builder::new().name("usage".to_owned()).spawn(work).ok();
        *book.thread.lock().unwrap_or_else(PoisonError::into_inner) = thread;
        book
    }

    /// Sends a message without blocking.
    pub fn feed(&self, fed: Fed) {
        if let Some(feed) = &*self.feed.lock().unwrap_or_else(PoisonError::into_inner) {
            // The thread ends only with the book.
            let _ = feed.send(fed);
        }
    }

    /// The current ledger; cheap.
    pub fn followed(&self) -> Followed {
        self.followed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether the ledger is stored.
    pub fn storage(&self) -> Arc<Storage> {
        self.storage.load_full()
    }

    /// Writes the rest and stops.
    pub fn finish(&self) {
        drop(self.feed.lock().unwrap_or_else(PoisonError::into_inner).take());
        if let Some(thread) = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take() {
            let _ = thread.join();
        }
    }
}

#[derive(Debug, Default)]
struct Keeper {
    file: Option<File>,
    reads: bool,
    /// Events since a number, before the ledger starts.
    events: VecDeque<Numbered>,
    from: Option<u64>,
    lists: Option<Lists>,
    before: Before,
    /// Lists are not compared before this time.
    rests: Option<Instant>,
    touched: Option<Instant>,
    written: Option<Moment>,
}

impl Keeper {
    fn work(mut self, book: &std::sync::Weak<Book>, fed: &Receiver<Fed>) {
        let mut opened = false;
        loop {
            let got = fed.recv_timeout(Duration::from_secs(1));
            // Without a book, only the file remains to be written.
            let Some(book) = book.upgrade() else { return };
            if got.is_ok() && !std::mem::replace(&mut opened, true) {
                // A scheduler with its own ledger sends nothing, and no file is created.
                self.open(&book);
            }
            match got {
                Ok(fed) if !self.reads => self.take(&book, fed),
                Ok(_) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return self.save(&book),
            }
            let every = if self.reads { READ_EVERY } else { WRITE_EVERY };
            if self.touched.is_none_or(|touched| touched.elapsed() >= every) {
                if self.reads { self.follow(&book) } else { self.save(&book) }
            }
        }
    }

    fn open(&mut self, book: &Book) {
        self.touched = Some(Instant::now());
        let Some(file) = &mut self.file else { return };
        let (opened, path) = (file.open(), file.path().to_owned());
        match opened {
            Ok((role, moment)) => {
                self.reads = role == Role::Reader;
                book.put(moment.clone());
                self.written = moment;
                let storage = match file.moved_aside().map(Path::to_owned) {
                    Some(aside) => Storage::Recreated { file: path, aside },
                    None if self.reads => Storage::Reads(path),
                    None => Storage::Writes(path),
                };
                book.storage.store(Arc::new(storage));
            }
            Err(why) => {
                tracing::warn!("cannot write the ledger: {why}");
                self.file = None;
                book.storage.store(Arc::new(Storage::Stopped(why)));
            }
        }
    }

    fn follow(&mut self, book: &Book) {
        self.touched = Some(Instant::now());
        let Some((role, moment)) = self.file.as_mut().and_then(File::follow) else { return };
        book.put(moment.clone());
        if role == Role::Writer {
            // The writer exited: this process takes over.
            self.reads = false;
            self.written = moment;
            let path = self.file.as_ref().map(|file| file.path().to_owned()).unwrap_or_default();
            book.storage.store(Arc::new(Storage::Writes(path)));
        }
    }

    fn save(&mut self, book: &Book) {
        self.touched = Some(Instant::now());
        let Some(file) = self.file.as_ref().filter(|_| !self.reads) else { return };
        let followed = {
            let followed = &mut *book.followed.lock().unwrap_or_else(PoisonError::into_inner);
            followed.settle();
            followed.clone()
        };
        if followed.since().is_none() {
            return;
        }
        let moment = followed.moment();
        let was = book.storage();
        match file.write(&moment, self.written.as_ref()) {
            Ok(()) => {
                self.written = Some(moment);
                if let Storage::Stopped(_) = &*was {
                    book.storage.store(Arc::new(Storage::Writes(file.path().to_owned())));
                }
            }
            Err(why) => {
                // The content of the file is unknown.
                self.written = None;
                if !matches!(&*was, Storage::Stopped(_)) {
                    tracing::warn!("cannot write the ledger: {why}");
                }
                book.storage.store(Arc::new(Storage::Stopped(why)));
            }
        }
    }

    fn take(&mut self, book: &Book, fed: Fed) {
        let followed = &mut *book.followed.lock().unwrap_or_else(PoisonError::into_inner);
        match fed {
            Fed::Events(first, events) => {
                self.from.get_or_insert(first);
                for (number, at, change) in events {
                    if followed.is_counting() {
                        followed.happened(number, at, change);
                    } else {
                        self.events.push_back((number, at, change));
                    }
                }
                while self.events.len() > MOST_EVENTS {
                    self.from = self.events.pop_front().map(|(number, ..)| number + 1);
                }
            }
            Fed::Lists(lists) => {
                let known = self.from.is_some_and(|from| from <= lists.number);
                if known && self.lists.is_none() && self.rests.is_none_or(|until| Instant::now() >= until) {
                    self.lists = Some(lists);
                }
            }
            Fed::Received(asked, at) => {
                followed.received_until(at - LAG);
                if let Some(lists) = self.lists.take_if(|lists| lists.read + SETTLE <= asked) {
                    self.compare(followed, &lists);
                }
            }
            Fed::Lost(why) => {
                followed.stop(why);
                (self.events, self.from, self.lists, self.before) = Default::default();
                self.rests = None;
            }
        }
    }

    fn compare(&mut self, followed: &mut Followed, lists: &Lists) {
        let started = Instant::now();
        let counting = followed.is_counting();
        let before = if counting { std::mem::take(&mut self.before) } else { Before::new() };
        let look = look(&lists.rows, (lists.number, lists.at), &before, followed, lists.dialect);
        if counting {
            followed.compare(&look);
        } else {
            let since = std::mem::take(&mut self.events).into_iter().filter(|(number, ..)| *number >= lists.number);
            followed.start(&look, since);
        }
        self.before = lists.rows.iter().map(|rows| (Arc::clone(&rows.name), rows.apps.clone())).collect();
        self.rests = Some(started + started.elapsed() * SHARE);
    }
}

impl Book {
    fn put(&self, moment: Option<Moment>) {
        if let Some(moment) = moment {
            let followed = Followed::restored(moment, NOT_RECORDED);
            *self.followed.lock().unwrap_or_else(PoisonError::into_inner) = followed;
        }
    }
}

/// The stored ledger in a directory; `None` without one.
///
/// # Errors
/// Returns an error if it cannot be read.
pub fn retained(dir: &Path) -> Result<Option<Followed>, String> {
    Ok(read_retained(dir)?.map(|moment| Followed::restored(moment, NOT_RECORDED)))
}
