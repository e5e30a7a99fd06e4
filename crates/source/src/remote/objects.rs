//! Watches the objects of a cluster for a console: four lists, whose changes are published a few times per second.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::{Receiver, channel};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

use crate::StalePart;
use cluster::kube::{Change, Cluster, KubeFault, NamedNamespace, NamedNode, Pace, PriorityClass, Shown};
use model::Time;
use view::kubernetes::{Kubernetes, ListState, ObjectKind, PodRow};

const EVERY: Duration = Duration::from_millis(250);
/// The queue length of a list; its reader then waits.
const WAITING: usize = 8;

trait Known: Shown {
    const KIND: ObjectKind;

    fn put(self, all: &mut Kubernetes);

    fn remove(key: &str, all: &mut Kubernetes);

    fn keys(all: &Kubernetes) -> Vec<Arc<str>>;
}

impl Known for PodRow {
    const KIND: ObjectKind = ObjectKind::Pods;

    fn put(self, all: &mut Kubernetes) {
        all.put_pod(Arc::new(self));
    }

    fn remove(key: &str, all: &mut Kubernetes) {
        all.remove_pod(key);
    }

    fn keys(all: &Kubernetes) -> Vec<Arc<str>> {
        all.uids().cloned().collect()
    }
}

impl Known for NamedNode {
    const KIND: ObjectKind = ObjectKind::Nodes;

    fn put(self, all: &mut Kubernetes) {
        all.nodes.insert(self.0, Arc::new(self.1));
    }

    fn remove(key: &str, all: &mut Kubernetes) {
        all.nodes.remove(key);
    }

    fn keys(all: &Kubernetes) -> Vec<Arc<str>> {
        all.nodes.keys().map(|id| Arc::from(id.as_str())).collect()
    }
}

impl Known for NamedNamespace {
    const KIND: ObjectKind = ObjectKind::Namespaces;

    fn put(self, all: &mut Kubernetes) {
        all.namespaces.insert(self.0, Arc::new(self.1));
    }

    fn remove(key: &str, all: &mut Kubernetes) {
        all.namespaces.remove(key);
    }

    fn keys(all: &Kubernetes) -> Vec<Arc<str>> {
        all.namespaces.keys().cloned().collect()
    }
}

impl Known for PriorityClass {
    const KIND: ObjectKind = ObjectKind::PriorityClasses;

    fn put(self, all: &mut Kubernetes) {
        Self::remove(&self.0, all);
        let names = all.priorities.entry(self.1).or_default();
        names.push(self.0);
        names.sort();
    }

    fn remove(key: &str, all: &mut Kubernetes) {
        let of =
            all.priorities.iter().find(|(_, names)| names.iter().any(|name| **name == *key)).map(|(value, _)| *value);
        let Some(value) = of else { return };
        if let Some(names) = all.priorities.get_mut(&value) {
            names.retain(|name| **name != *key);
            if names.is_empty() {
                all.priorities.remove(&value);
            }
        }
    }

    fn keys(all: &Kubernetes) -> Vec<Arc<str>> {
        all.priorities.values().flatten().cloned().collect()
    }
}

struct Feed<T> {
    changes: Receiver<Change<T>>,
    seen: Option<HashSet<Arc<str>>>,
    good: Option<Time>,
}

impl<T: Known> Feed<T> {
    fn start(tasks: &mut JoinSet<()>, cluster: &Arc<Cluster>, pace: Pace) -> Self {
        let (sender, changes) = channel(WAITING);
        tasks.spawn(T::follow(Arc::clone(cluster), pace, sender));
        Self { changes, seen: None, good: None }
    }

    fn take(&mut self, change: Change<T>, all: &mut Kubernetes, now: Time) {
        if matches!(all.lists.get(T::KIND), ListState::Live) {
            self.good = Some(now);
        }
        match change {
            Change::Started => self.seen = Some(HashSet::new()),
            Change::Put(objects) => {
                for object in objects {
                    if let Some(seen) = &mut self.seen {
                        seen.insert(object.key());
                    }
                    object.put(all);
                }
            }
            Change::Gone(key) => T::remove(&key, all),
            Change::Complete => {
                let Some(seen) = self.seen.take() else { return };
                let gone = T::keys(all).into_iter().filter(|key| !seen.contains(key));
                gone.for_each(|key| T::remove(&key, all));
                self.good = Some(now);
                // The list is current until the watch starts.
                *all.lists.get_mut(T::KIND) = ListState::Live;
            }
            Change::Live => *all.lists.get_mut(T::KIND) = ListState::Live,
            Change::Lost(fault) => *all.lists.get_mut(T::KIND) = lost(&fault, self.good),
        }
    }
}

fn lost(fault: &KubeFault, good: Option<Time>) -> ListState {
    let why = Arc::from(fault.to_string());
    if fault.is_forbidden() { ListState::Refused(why) } else { ListState::Stale(good, why) }
}

/// The outdated lists. Lists that are denied or were never loaded are missing, not outdated.
pub fn stale_parts(all: &Kubernetes, now: Time) -> Vec<StalePart> {
    let stale = ObjectKind::ALL.into_iter().filter_map(|kind| match all.lists.get(kind) {
        ListState::Stale(Some(good), why) => {
            Some(StalePart { what: kind.words(), age: now.since(*good), cause: why.to_string() })
        }
        _ => None,
    });
    stale.collect()
}

/// Watches the objects of a cluster until `publish` reports that they are no longer needed.
pub async fn run(
    cluster: Arc<Cluster>,
    pace: Pace,
    now: impl Fn() -> Time + Send,
    publish: impl Fn(Arc<Kubernetes>) -> bool + Send,
) {
    cluster.set_follows();
    let mut tasks = JoinSet::new();
    let mut pods = Feed::<PodRow>::start(&mut tasks, &cluster, pace);
    let mut nodes = Feed::<NamedNode>::start(&mut tasks, &cluster, pace);
    let mut namespaces = Feed::<NamedNamespace>::start(&mut tasks, &cluster, pace);
    let mut classes = Feed::<PriorityClass>::start(&mut tasks, &cluster, pace);
    let mut all = Kubernetes::default();
    let mut due: Option<Instant> = None;
    loop {
        tokio::select! {
            Some(change) = pods.changes.recv() => pods.take(change, &mut all, now()),
            Some(change) = nodes.changes.recv() => nodes.take(change, &mut all, now()),
            Some(change) = namespaces.changes.recv() => namespaces.take(change, &mut all, now()),
            Some(change) = classes.changes.recv() => classes.take(change, &mut all, now()),
            () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {
                due = None;
                if !publish(Arc::new(all.clone())) {
                    return;
                }
                continue;
            }
            else => return,
        }
        due.get_or_insert_with(|| Instant::now() + EVERY);
    }
}
