//! The board: the alerts of one cluster, for all readers and writers.

use std::collections::{BTreeMap, VecDeque};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use arc_swap::ArcSwap;

use super::document::Notice;
use super::store::Store;
use crate::{Alert, Alerts, Change, ChangeKind, Ended, Given, Rules, Silence, SilenceOrder, Subject};
use model::Time;

/// The maximum number of queued changes per receiver.
pub const MOST_WAITING: usize = 500;
const RECENT: usize = 50;
/// The write interval without changes.
const WRITTEN_EVERY: Duration = Duration::from_secs(60);

/// The relation of scheduler time and wall clock at a step.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// The wall clock.
    pub wall: SystemTime,
    /// The speed of the scheduler clock.
    pub speed: f64,
}

impl Timing {
    /// The wall clock at `ago` of scheduler time before now, in milliseconds since 1970.
    fn ms(self, ago: Duration) -> i64 {
        let ago = ago.div_f64(self.speed.max(0.001));
        let at = self.wall.checked_sub(ago).unwrap_or(UNIX_EPOCH);
        i64::try_from(at.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis()).unwrap_or(i64::MAX)
    }
}

/// The status of a receiver.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReceiverStatus {
    /// Its name in the rules.
    pub name: String,
    /// The number of delivered changes.
    pub taken: u64,
    /// The number of queued changes.
    pub waiting: usize,
    /// The number of changes dropped from a full queue.
    pub dropped: u64,
    /// Why the last try failed; `None` after a success.
    pub failure: Option<String>,
}

/// The snapshot of a board.
#[derive(Clone, Debug, Default)]
pub struct BoardSnapshot {
    /// The cluster time of the last evaluation; `None` before the first one.
    pub at: Option<Time>,
    /// The active rules.
    pub rules: Arc<Rules>,
    /// The alerts, the worst firing ones first.
    pub alerts: Vec<Alert>,
    /// The number of alerts beyond the maximum, by rule.
    pub beyond: BTreeMap<String, u64>,
    /// The resolved alerts, the newest first.
    pub ended: Vec<Ended>,
    /// The silences, the newest first, including ended ones.
    pub silences: Vec<Silence>,
    /// The last changes, the oldest first.
    pub recent: Vec<Change>,
    /// The number of the next change.
    pub next_change: u64,
    /// The receivers, by name.
    pub receivers: Vec<ReceiverStatus>,
    /// Problems of alerting itself, in words.
    pub problem: Vec<String>,
}

impl BoardSnapshot {
    /// The firing alerts that are neither inhibited nor silenced.
    pub fn on(&self) -> impl Iterator<Item = &Alert> {
        self.alerts.iter().filter(|alert| alert.is_on())
    }
}

pub(super) struct Inner {
    pub alerts: Alerts,
    /// Queued notices, by receiver.
    pub outbox: BTreeMap<String, VecDeque<Notice>>,
    /// When alerts fired by the wall clock, in ms since 1970.
    pub started_at: BTreeMap<(String, Subject), i64>,
    pub status: BTreeMap<String, ReceiverStatus>,
    recent: VecDeque<Change>,
    unwritten: Option<String>,
    /// Why another file of the state directory cannot be written.
    unkept: Option<String>,
    notes: Vec<String>,
    written: Option<SystemTime>,
}

/// Called after a change of the snapshot, from any thread.
type Wake = Box<dyn Fn() + Send + Sync>;

/// The alerts of one cluster.
pub struct Board {
    /// The cluster name in notices.
    pub cluster: String,
    pub(super) inner: Mutex<Inner>,
    snapshot: ArcSwap<BoardSnapshot>,
    store: Option<Store>,
    pub(super) senders: Mutex<Vec<SyncSender<()>>>,
    wake: Mutex<Option<Wake>>,
}

#[derive(serde::Serialize, serde::Deserialize)]
struct Saved {
    alerts: String,
    outbox: BTreeMap<String, VecDeque<Notice>>,
    #[serde(rename = "began")]
    started_at: Vec<((String, Subject), i64)>,
}

impl std::fmt::Debug for Board {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Board").field("cluster", &self.cluster).finish_non_exhaustive()
    }
}

impl Board {
    /// Creates a board. With a store, it continues from the file at the cluster time `now`; problems with it are in the
    /// snapshot.
    pub fn new(cluster: &str, rules: Arc<Rules>, store: Option<Store>, now: Time, notes: Vec<String>) -> Self {
        let mut inner = Inner {
            alerts: Alerts::new(rules),
            outbox: BTreeMap::new(),
            started_at: BTreeMap::new(),
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
        // Drops the queues of removed receivers.
        inner.outbox.retain(|name, _| names.contains(name));
        for name in names {
            inner.status.insert(name.clone(), ReceiverStatus { name, ..ReceiverStatus::default() });
        }
        let snapshot = ArcSwap::new(Arc::new(inner.snapshot()));
        let (inner, cluster) = (Mutex::new(inner), cluster.to_owned());
        Self { cluster, inner, snapshot, store, senders: Mutex::default(), wake: Mutex::default() }
    }

    /// The snapshot; cheap.
    pub fn snapshot(&self) -> Arc<BoardSnapshot> {
        self.snapshot.load_full()
    }

    /// Calls `wake` after each change of the snapshot, from any thread. Replaces the previous callback.
    pub fn on_change(&self, wake: Wake) {
        *self.wake.lock().unwrap_or_else(PoisonError::into_inner) = Some(wake);
    }

    pub(super) fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Evaluates all rules, and sends and returns the changes.
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
        // After a clock setback, the age of the last write is unknown.
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

    /// Sets why another file of the state directory cannot be written; `None` if it can.
    pub fn set_unkept(&self, why: Option<String>) {
        let mut inner = self.inner();
        inner.unkept = why;
        self.show(inner);
    }

    /// Whether a silence is possible now.
    ///
    /// # Errors
    /// Returns the reason if not.
    pub fn can_silence(&self, order: &SilenceOrder) -> Result<(), String> {
        self.inner().alerts.can_silence(order)
    }

    /// Starts a silence. Returns its number.
    ///
    /// # Errors
    /// Returns the reason if it is impossible.
    pub fn silence(&self, order: SilenceOrder, now: Time) -> Result<u64, String> {
        self.retained(|alerts| alerts.silence(order, now), "save the silence")
    }

    /// Ends a silence early.
    ///
    /// # Errors
    /// Returns an error if no active silence has this number.
    pub fn end_silence(&self, id: u64, by: &str, now: Time) -> Result<(), String> {
        self.retained(|alerts| alerts.end_silence(id, by, now), "save the end of the silence")
    }

    /// Makes a user's change durable, or rejects it.
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

    /// Writes the state, if there is a store. A failure is reported, and alerting continues.
    pub(super) fn write(&self, inner: &mut Inner, at: SystemTime) {
        let Some(store) = &self.store else { return };
        inner.written = Some(at);
        inner.unwritten = inner.saved().and_then(|text| store.write(&text)).err();
    }

    pub(super) fn show(&self, inner: MutexGuard<'_, Inner>) {
        self.snapshot.store(Arc::new(inner.snapshot()));
        drop(inner);
        if let Some(wake) = &*self.wake.lock().unwrap_or_else(PoisonError::into_inner) {
            wake();
        }
    }

    fn wake_senders(&self) {
        for sender in self.senders.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            // A sender that is already woken checks anyway.
            let _ = sender.try_send(());
        }
    }
}

impl Inner {
    fn restore(&mut self, text: &str, now: Time) -> Result<(), String> {
        let saved: Saved = serde_json::from_str(text).map_err(|error| error.to_string())?;
        self.alerts.restore(&saved.alerts, now)?;
        self.outbox = saved.outbox;
        self.started_at = saved.started_at.into_iter().collect();
        Ok(())
    }

    fn saved(&self) -> Result<String, String> {
        let started_at = self.started_at.iter().map(|(key, at)| (key.clone(), *at)).collect();
        let saved = Saved { alerts: self.alerts.save()?, outbox: self.outbox.clone(), started_at };
        serde_json::to_string(&saved).map_err(|error| error.to_string())
    }

    fn queue(&mut self, change: &Change, timing: Timing) {
        let alert = &change.alert;
        let key = (alert.rule.clone(), alert.subject.clone());
        let fired = timing.ms(change.at.since(alert.fired.unwrap_or(change.at)));
        let (started_at, ended) = match change.kind {
            ChangeKind::Firing => (*self.started_at.entry(key).or_insert(fired), None),
            ChangeKind::Resolved => (self.started_at.remove(&key).unwrap_or(fired), Some(timing.ms(Duration::ZERO))),
        };
        let notice = Notice { number: change.number, kind: change.kind, alert: alert.clone(), started_at, ended };
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

    fn snapshot(&self) -> BoardSnapshot {
        let status = |(name, status): (&String, &ReceiverStatus)| {
            let waiting = self.outbox.get(name).map_or(0, VecDeque::len);
            ReceiverStatus { waiting, ..status.clone() }
        };
        let mut problem = self.notes.clone();
        problem.extend(self.unwritten.iter().map(|why| format!("cannot save the alerts: {why}")));
        let receivers: Vec<ReceiverStatus> = self.status.iter().map(status).collect();
        problem.extend(self.unkept.iter().map(|why| format!("cannot write the state directory: {why}")));
        for one in &receivers {
            if let Some(why) = &one.failure {
                problem.push(format!("{} rejects alerts, {} are queued: {why}", one.name, one.waiting));
            }
            if one.dropped > 0 {
                problem
                    .push(format!("{} alerts for {} were dropped because the queue was full", one.dropped, one.name));
            }
        }
        BoardSnapshot {
            at: self.alerts.stepped(),
            rules: Arc::clone(self.alerts.rules()),
            alerts: self.alerts.list(),
            beyond: self.alerts.beyond().clone(),
            ended: self.alerts.ended().cloned().collect(),
            silences: self.alerts.silences().cloned().collect(),
            recent: self.recent.iter().cloned().collect(),
            next_change: self.alerts.next_change(),
            receivers,
            problem,
        }
    }
}
