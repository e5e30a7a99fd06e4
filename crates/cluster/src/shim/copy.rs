//! A copy of the objects for the filters, followed while it is used.
//!
//! Invariants:
//! - one list and one watch per kind;
//! - a copy that is not read for `IDLE` is dropped, and its watches end;
//! - a copy with a lost connection is not read: it may be outdated.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::sync::mpsc::{Sender, channel};
use tokio::task::JoinSet;

use super::feed::{FeedChange, KindList, WAITING};
use crate::Answer;
use crate::kube::kinds::{
    Attachments, Claims, Classes, CsiNodes, Kind, Namespaces, Nodes, Pods, StorageClasses, Volumes, key_of,
};
use crate::kube::{Change, Cluster, KubeFault, Pace, Reader};
use kubernetes::live::{Input, ObjectKey};
use kubernetes::{Listed, NotListed};

const IDLE: Duration = Duration::from_secs(300);
const PATIENCE: Duration = Duration::from_secs(30);
/// How long to wait for a pod that the scheduler already knows.
const BEHIND: Duration = Duration::from_secs(1);
const ROUND: Duration = Duration::from_millis(100);
const MOST_UNREADABLE: usize = 3;
const KINDS: usize = 9;

/// If it was read recently.
#[derive(Debug)]
pub struct FilterCopy {
    idle: Duration,
    patience: Duration,
    open: Arc<Mutex<Option<Open>>>,
}

impl Default for FilterCopy {
    fn default() -> Self {
        Self::retained_for(IDLE)
    }
}

/// Dropping it ends its watches.
#[derive(Debug)]
struct Open {
    shared: Arc<Shared>,
    used: Instant,
    _tasks: JoinSet<()>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    cluster: kubernetes::Cluster,
    unreadable: BTreeMap<ObjectKey, String>,
    kinds: BTreeMap<&'static str, KindState>,
    page: Option<Instant>,
}

#[derive(Debug, Default)]
struct KindState {
    listed: bool,
    lost: Option<(bool, String)>,
}

impl FilterCopy {
    /// Sets how long an unused copy is kept.
    pub fn retained_for(idle: Duration) -> Self {
        Self { idle, patience: PATIENCE, open: Arc::default() }
    }

    /// Sets how long to wait for the next page of a list.
    #[must_use]
    pub fn patient_for(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// Lists objects, with the pods of these UIDs if they arrive within a second. The first call starts to follow, in
    /// the runtime of the handle. `None`: the connection is lost.
    pub fn listed<'a>(
        &'a self,
        runtime: &'a Handle,
        cluster: &'a Arc<Cluster>,
        uids: impl Iterator<Item = &'a str>,
    ) -> Answer<'a, Option<Listed>> {
        let uids: BTreeSet<&str> = uids.collect();
        Box::pin(async move {
            let shared = self.opened(runtime, cluster);
            let found = shared.listed(&uids, self.patience).await;
            if let Some(own) = &mut *lock(&self.open) {
                own.used = Instant::now();
            }
            found
        })
    }

    /// Returns true if a copy is followed.
    pub fn is_followed(&self) -> bool {
        lock(&self.open).is_some()
    }

    fn opened(&self, runtime: &Handle, cluster: &Arc<Cluster>) -> Arc<Shared> {
        let mut open = lock(&self.open);
        if let Some(open) = &mut *open {
            open.used = Instant::now();
            return Arc::clone(&open.shared);
        }
        let shared: Arc<Shared> = Arc::default();
        let tasks = follow(runtime, &Reader::new(Arc::clone(cluster)), &shared);
        *open = Some(Open { shared: Arc::clone(&shared), used: Instant::now(), _tasks: tasks });
        runtime.spawn(close_when_idle(Arc::downgrade(&self.open), Arc::downgrade(&shared), self.idle));
        shared
    }
}

async fn close_when_idle(open: Weak<Mutex<Option<Open>>>, of: Weak<Shared>, idle: Duration) {
    let mut pause = idle;
    loop {
        tokio::time::sleep(pause).await;
        let Some(open) = open.upgrade() else { return };
        let mut open = lock(&open);
        let Some(own) = open.as_ref().filter(|own| std::ptr::eq(Arc::as_ptr(&own.shared), of.as_ptr())) else { return };
        match idle.checked_sub(own.used.elapsed()).filter(|left| !left.is_zero()) {
            Some(left) => pause = left,
            None => return *open = None,
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn follow(runtime: &Handle, cluster: &Reader, shared: &Arc<Shared>) -> JoinSet<()> {
    let mut tasks = JoinSet::new();
    let _within = runtime.enter();
    start_list::<Nodes>(&mut tasks, cluster, shared);
    start_list::<Pods>(&mut tasks, cluster, shared);
    start_list::<Namespaces>(&mut tasks, cluster, shared);
    start_list::<Classes>(&mut tasks, cluster, shared);
    start_list::<Volumes>(&mut tasks, cluster, shared);
    start_list::<Claims>(&mut tasks, cluster, shared);
    start_list::<StorageClasses>(&mut tasks, cluster, shared);
    start_list::<CsiNodes>(&mut tasks, cluster, shared);
    start_list::<Attachments>(&mut tasks, cluster, shared);
    tasks
}

fn start_list<K: Kind>(tasks: &mut JoinSet<()>, cluster: &Reader, shared: &Arc<Shared>) {
    let (sender, mut changes): (Sender<Change<K>>, _) = channel(WAITING);
    tasks.spawn(cluster.clone().follow(Pace::default(), K::PATH.to_owned(), sender));
    let shared = Arc::clone(shared);
    tasks.spawn(async move {
        let mut list = KindList::default();
        while let Some(change) = changes.recv().await {
            match change {
                Change::Lost(fault) => {
                    shared.lost(K::KIND, &fault);
                    continue;
                }
                Change::Live => shared.is_live(K::KIND),
                Change::Started => lock(&shared.state).unreadable.retain(|key, _| key.kind != K::KIND),
                Change::Gone(ref key) => drop(lock(&shared.state).unreadable.remove(&key_of(K::KIND, key))),
                Change::Put(_) => shared.arrives(K::KIND),
                Change::Complete => {}
            }
            list.take::<K>(change, &|change| shared.take(change));
        }
    });
}

impl Shared {
    fn take(&self, change: FeedChange) {
        let mut state = lock(&self.state);
        match change {
            FeedChange::Changed(inputs) => inputs.into_iter().for_each(|input| state.input(input)),
            FeedChange::Unreadable(key, why) => drop(state.unreadable.insert(key, why)),
            FeedChange::Listed(kind) => {
                let of_kind = state.kinds.entry(kind).or_default();
                (of_kind.listed, of_kind.lost) = (true, None);
            }
            FeedChange::Lost(..) => return,
        }
        self.changed.notify_waiters();
    }

    fn lost(&self, kind: &'static str, fault: &KubeFault) {
        lock(&self.state).kinds.entry(kind).or_default().lost = Some((fault.is_forbidden(), fault.to_string()));
        self.changed.notify_waiters();
    }

    fn is_live(&self, kind: &'static str) {
        lock(&self.state).kinds.entry(kind).or_default().lost = None;
        self.changed.notify_waiters();
    }

    fn arrives(&self, kind: &'static str) {
        let mut state = lock(&self.state);
        if !state.kinds.get(kind).is_some_and(|kind| kind.listed) {
            state.page = Some(Instant::now());
        }
    }

    /// Waits until every kind is listed or denied, and the pods of these UIDs exist. A long list takes its time while its
    /// pages arrive: a reader that gives up would read it again.
    async fn listed(&self, uids: &BTreeSet<&str>, patience: Duration) -> Option<Listed> {
        let started = Instant::now();
        let stalls = |state: &State| state.page.map_or(started, |page| page.max(started)).elapsed() >= patience;
        self.wait(Duration::MAX, |state| !state.is_loading() || stalls(state)).await;
        self.wait(BEHIND, State::is_current).await;
        self.wait(BEHIND, |state| !state.is_current() || state.cluster.has_pods(uids)).await;
        let state = lock(&self.state);
        state.is_current().then(|| state.listed())
    }

    async fn wait(&self, most: Duration, is_so: impl Fn(&State) -> bool) {
        let started = Instant::now();
        while !is_so(&lock(&self.state)) && started.elapsed() < most {
            // A change before this wait is seen in the next round.
            let _ = tokio::time::timeout(ROUND, self.changed.notified()).await;
        }
    }
}

impl State {
    fn input(&mut self, input: Input) {
        match input {
            Input::Put(object) => {
                self.unreadable.remove(&object.key());
                self.cluster.gather_for_filters(object);
            }
            Input::Gone(key) => self.cluster.forget(&key),
            Input::Done(_) | Input::Configured => {}
        }
    }

    fn is_loading(&self) -> bool {
        self.kinds.values().filter(|kind| kind.listed || kind.lost.is_some()).count() < KINDS
    }

    fn is_current(&self) -> bool {
        let is_denied = |kind: &KindState| !kind.listed && kind.lost.as_ref().is_some_and(|(forbidden, _)| *forbidden);
        !self.is_loading() && self.kinds.values().all(|kind| kind.lost.is_none() || is_denied(kind))
    }

    fn listed(&self) -> Listed {
        let denied = self.kinds.iter().filter(|(_, kind)| kind.lost.is_some());
        let words = |(key, why): (&ObjectKey, &String)| format!("{} {}/{}: {why}", key.kind, key.namespace, key.name);
        Listed {
            cluster: self.cluster.clone(),
            missing: denied.map(|(kind, _)| NotListed { kind, why: None }).collect(),
            unreadable: self.unreadable.iter().take(MOST_UNREADABLE).map(words).collect(),
        }
    }
}
