//! The board: the alerts of one cluster, for all who read and change them.

use std::collections::{BTreeMap, VecDeque};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use arc_swap::ArcSwap;

use super::document::Notice;
use super::store::Store;
use crate::{Alert, Alerts, Change, ChangeKind, Ended, Given, Rules, Silence, SilenceOrder, Subject};
use model::Time;

/// How many changes wait for one receiver at most.
pub const MOST_WAITING: usize = 500;
/// How many changes the picture has, for those who notice what is new.
const RECENT: usize = 50;
/// How often the state is written though nothing was reported.
const WRITTEN_EVERY: Duration = Duration::from_secs(60);

/// How the scheduler's time and the wall clock go together at a step.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// What the wall clock shows.
    pub wall: SystemTime,
    /// How much faster the scheduler's time runs.
    pub speed: f64,
}

impl Timing {
    /// In milliseconds since 1970, `ago` of the scheduler's time before now.
    fn ms(self, ago: Duration) -> i64 {
        let ago = ago.div_f64(self.speed.max(0.001));
        let at = self.wall.checked_sub(ago).unwrap_or(UNIX_EPOCH);
        i64::try_from(at.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis()).unwrap_or(i64::MAX)
    }
}

/// How a receiver is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReceiverStatus {
    /// Its name in the rules.
    pub name: String,
    /// What it took, in all.
    pub taken: u64,
    /// Pending requests for it.
    pub waiting: usize,
    /// What was given up because too much waited.
    pub dropped: u64,
    /// Why the last try failed; `None` after one that did not.
    pub failure: Option<String>,
}

/// What the board shows at one time.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    /// When it was evaluated last, by the cluster's time; `None`: not yet.
    pub at: Option<Time>,
    /// The active rules.
    pub rules: Arc<Rules>,
    /// The alerts, the worst that fire first.
    pub alerts: Vec<Alert>,
    /// How many more there would be of a rule than are kept.
    pub beyond: BTreeMap<String, u64>,
    /// Those that have ended, the newest first.
    pub ended: Vec<Ended>,
    /// The silences, the newest first, those that are over among them.
    pub silences: Vec<Silence>,
    /// What was reported last, the oldest first.
    pub recent: Vec<Change>,
    /// The number that the next change has.
    pub next_change: u64,
    /// The receivers, by name.
    pub receivers: Vec<ReceiverStatus>,
    /// What is wrong with the alerts themselves, in words.
    pub trouble: Vec<String>,
}

impl Picture {
    /// The alerts that fire and that nothing blocks.
    pub fn on(&self) -> impl Iterator<Item = &Alert> {
        self.alerts.iter().filter(|alert| alert.is_on())
    }
}

pub(super) struct Inner {
    pub alerts: Alerts,
    /// Pending requests for each receiver, by its name.
    pub outbox: BTreeMap<String, VecDeque<Notice>>,
    /// When alerts started to fire by the wall clock, in ms since 1970.
    pub began: BTreeMap<(String, Subject), i64>,
    pub status: BTreeMap<String, ReceiverStatus>,
    recent: VecDeque<Change>,
    /// Why the file was not written last.
    unwritten: Option<String>,
    /// Why something else of the state directory is not written.
    unkept: Option<String>,
    notes: Vec<String>,
    written: Option<SystemTime>,
}

/// Called when the picture has changed, from any thread.
type Wake = Box<dyn Fn() + Send + Sync>;

/// The alerts of one cluster.
pub struct Board {
    /// How the cluster is called in what is sent.
    pub cluster: String,
    pub(super) inner: Mutex<Inner>,
    picture: ArcSwap<Picture>,
    store: Option<Store>,
    /// Wakes the threads that send.
    pub(super) senders: Mutex<Vec<SyncSender<()>>>,
    wake: Mutex<Option<Wake>>,
}

/// What the file has.
#[derive(serde::Serialize, serde::Deserialize)]
struct Saved {
    alerts: String,
    outbox: BTreeMap<String, VecDeque<Notice>>,
    began: Vec<((String, Subject), i64)>,
}

impl std::fmt::Debug for Board {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Board").field("cluster", &self.cluster).finish_non_exhaustive()
    }
}

impl Board {
    /// A board by a set of rules. With a store it continues where that ends, at the cluster's time `now`; what is wrong with it is reported in
    /// the picture.
    pub fn new(cluster: &str, rules: Arc<Rules>, store: Option<Store>, now: Time, notes: Vec<String>) -> Self {
        let mut inner = Inner {
            alerts: Alerts::new(rules),
            outbox: BTreeMap::new(),
            began: BTreeMap::new(),
            status: BTreeMap::new(),
            recent: VecDeque::new(),
            unwritten: None,
            unkept: None,
            notes,
            written: None,
        };
        let read = store.as_ref().map(Store::read).transpose().map(Option::flatten);
        let restored = read.and_then(|text| text.map_or(Ok(()), |text| inner.restore(&text, now)));
        if let Err(why) = restored {
            let file = store.as_ref().map(|store| store.set_aside().display().to_string()).unwrap_or_default();
            inner.notes.push(format!("the saved alerts are damaged ({why}); moved to {file} and started a new file"));
        }
        let names: Vec<String> = inner.alerts.rules().targets.receivers.iter().map(|one| one.name.clone()).collect();
        // Pending requests for a receiver that there is no more has nowhere to go.
        inner.outbox.retain(|name, _| names.contains(name));
        for name in names {
            inner.status.insert(name.clone(), ReceiverStatus { name, ..ReceiverStatus::default() });
        }
        let picture = ArcSwap::new(Arc::new(inner.picture()));
        let (inner, cluster) = (Mutex::new(inner), cluster.to_owned());
        Self { cluster, inner, picture, store, senders: Mutex::default(), wake: Mutex::default() }
    }

    /// What it shows. Costs a pointer.
    pub fn picture(&self) -> Arc<Picture> {
        self.picture.load_full()
    }

    /// Has `wake` called when the picture has changed, from any thread. Replaces the one before.
    pub fn on_change(&self, wake: Wake) {
        *self.wake.lock().unwrap_or_else(PoisonError::into_inner) = Some(wake);
    }

    pub(super) fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Judges all rules at a moment, and has sent what is new. Gives it.
    pub fn step(&self, given: &Given, timing: Timing) -> Vec<Change> {
        let mut inner = self.inner();
        let mut given = given.clone();
        if let (Some(why), Some(disk)) = (inner.unwritten.as_ref().or(inner.unkept.as_ref()), &mut given.disk) {
            disk.failure.get_or_insert_with(|| why.clone());
        }
        let changes = inner.alerts.step(&given);
        for change in &changes {
            inner.queue(change, timing);
        }
        // A clock that was set back does not say how long ago that was.
        let long_ago = |at| timing.wall.duration_since(at).map_or(true, |ago| ago >= WRITTEN_EVERY);
        let due = inner.written.is_none_or(long_ago);
        if !changes.is_empty() || due {
            self.write(&mut inner, timing.wall);
        }
        self.show(inner);
        if !changes.is_empty() {
            self.wake_senders();
        }
        changes
    }

    /// Says why something else of the state directory cannot be written; `None` once it can.
    pub fn set_unkept(&self, why: Option<String>) {
        let mut inner = self.inner();
        inner.unkept = why;
        self.show(inner);
    }

    /// Whether there can be such a silence now.
    ///
    /// # Errors
    /// Why not.
    pub fn can_silence(&self, order: &SilenceOrder) -> Result<(), String> {
        self.inner().alerts.can_silence(order)
    }

    /// Silences from now on. Returns the number of the silence.
    ///
    /// # Errors
    /// Why not.
    pub fn silence(&self, order: SilenceOrder, now: Time) -> Result<u64, String> {
        self.retained(|alerts| alerts.silence(order, now), "save the silence")
    }

    /// Ends a silence before its time.
    ///
    /// # Errors
    /// There is none of this number active.
    pub fn end_silence(&self, id: u64, by: &str, now: Time) -> Result<(), String> {
        self.retained(|alerts| alerts.end_silence(id, by, now), "save the end of the silence")
    }

    /// Changes what a person ordered: it is on the disk when this returns, or it is not done.
    fn retained<T>(&self, change: impl FnOnce(&mut Alerts) -> Result<T, String>, what: &str) -> Result<T, String> {
        let mut inner = self.inner();
        let before = inner.alerts.clone();
        let done = change(&mut inner.alerts)?;
        self.write(&mut inner, SystemTime::now());
        let unwritten = inner.unwritten.clone();
        if unwritten.is_some() {
            inner.alerts = before;
        }
        self.show(inner);
        match unwritten {
            Some(why) => Err(format!("cannot {what}: {why}; free the disk and try again")),
            None => Ok(done),
        }
    }

    /// Writes the state, where it is kept. What cannot be written is reported, and nothing stops.
    pub(super) fn write(&self, inner: &mut Inner, at: SystemTime) {
        let Some(store) = &self.store else { return };
        inner.written = Some(at);
        inner.unwritten = inner.saved().and_then(|text| store.write(&text)).err();
    }

    /// Shows what is so now.
    pub(super) fn show(&self, inner: MutexGuard<'_, Inner>) {
        self.picture.store(Arc::new(inner.picture()));
        drop(inner);
        if let Some(wake) = &*self.wake.lock().unwrap_or_else(PoisonError::into_inner) {
            wake();
        }
    }

    fn wake_senders(&self) {
        for sender in self.senders.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            // One that has been woken already looks anyway.
            let _ = sender.try_send(());
        }
    }
}

impl Inner {
    fn restore(&mut self, text: &str, now: Time) -> Result<(), String> {
        let saved: Saved = serde_json::from_str(text).map_err(|error| error.to_string())?;
        self.alerts.restore(&saved.alerts, now)?;
        self.outbox = saved.outbox;
        self.began = saved.began.into_iter().collect();
        Ok(())
    }

    fn saved(&self) -> Result<String, String> {
        let began = self.began.iter().map(|(key, at)| (key.clone(), *at)).collect();
        let saved = Saved { alerts: self.alerts.save()?, outbox: self.outbox.clone(), began };
        serde_json::to_string(&saved).map_err(|error| error.to_string())
    }

    /// Puts a change into the queues of those that are to receive of it.
    fn queue(&mut self, change: &Change, timing: Timing) {
        let alert = &change.alert;
        let key = (alert.rule.clone(), alert.subject.clone());
        let fired = timing.ms(change.at.since(alert.fired.unwrap_or(change.at)));
        let (began, ended) = match change.kind {
            ChangeKind::Firing => (*self.began.entry(key).or_insert(fired), None),
            ChangeKind::Resolved => (self.began.remove(&key).unwrap_or(fired), Some(timing.ms(Duration::ZERO))),
        };
        let notice = Notice { number: change.number, kind: change.kind, alert: alert.clone(), began, ended };
        let rules = Arc::clone(self.alerts.rules());
        for receiver in rules.targets.receivers.iter().filter(|receiver| alert.severity >= receiver.severity) {
            let waiting = self.outbox.entry(receiver.name.clone()).or_default();
            waiting.push_back(notice.clone());
            if waiting.len() > MOST_WAITING {
                waiting.pop_front();
                self.status.entry(receiver.name.clone()).or_default().dropped += 1;
            }
        }
        self.recent.push_back(change.clone());
        let more = self.recent.len().saturating_sub(RECENT);
        self.recent.drain(..more);
    }

    fn picture(&self) -> Picture {
        let status = |(name, status): (&String, &ReceiverStatus)| {
            let waiting = self.outbox.get(name).map_or(0, VecDeque::len);
            ReceiverStatus { waiting, ..status.clone() }
        };
        let mut trouble = self.notes.clone();
        trouble.extend(self.unwritten.iter().map(|why| format!("cannot save the alerts: {why}")));
        let receivers: Vec<ReceiverStatus> = self.status.iter().map(status).collect();
        trouble.extend(self.unkept.iter().map(|why| format!("cannot write the state directory: {why}")));
        for one in &receivers {
            if let Some(why) = &one.failure {
                trouble.push(format!("{} rejects alerts, {} are queued: {why}", one.name, one.waiting));
            }
            if one.dropped > 0 {
                trouble
                    .push(format!("{} alerts for {} were dropped because the queue was full", one.dropped, one.name));
            }
        }
        Picture {
            at: self.alerts.stepped(),
            rules: Arc::clone(self.alerts.rules()),
            alerts: self.alerts.list(),
            beyond: self.alerts.beyond().clone(),
            ended: self.alerts.ended().cloned().collect(),
            silences: self.alerts.silences().cloned().collect(),
            recent: self.recent.iter().cloned().collect(),
            next_change: self.alerts.next_change(),
            receivers,
            trouble,
        }
    }
}
