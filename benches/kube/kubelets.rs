//! Simulated kubelets that observe bindings: a bound pod runs a moment later.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use cluster::kube::{Change, Content, Followed, Pace, Texts, Writer, follow_at};
use http::Method;
use serde::Deserialize;
use serde_json::json;
use tokio::sync::mpsc::channel;

use super::api::{self, Api};

const AT_ONCE: usize = 8;
const PATIENCE: Duration = Duration::from_secs(300);
/// Time without a change after which everything is done.
const SETTLED: Duration = Duration::from_secs(2);

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Wire {
    metadata: Metadata,
    spec: Spec,
    status: Status,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Metadata {
    namespace: String,
    name: String,
    uid: String,
    resource_version: String,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Spec {
    node_name: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Status {
    phase: String,
}

struct Seen {
    uid: Arc<str>,
    path: String,
    bound: bool,
    runs: bool,
}

impl Followed for Seen {
    type Wire = Wire;
    const PATH: &'static str = "/api/v1/namespaces/load/pods";
    const RESOURCE: (&'static str, &'static str) = ("", "pods");

    fn version(wire: &Wire) -> &str {
        &wire.metadata.resource_version
    }

    fn read(wire: Wire, _texts: &mut Texts) -> Self {
        let Metadata { namespace, name, uid, .. } = wire.metadata;
        let path = format!("/api/v1/namespaces/{namespace}/pods/{name}");
        Self { uid: uid.into(), path, bound: !wire.spec.node_name.is_empty(), runs: wire.status.phase == "Running" }
    }

    fn key(&self) -> Arc<str> {
        Arc::clone(&self.uid)
    }
}

struct Sight {
    /// The existing pods, each with whether it has a node.
    pods: HashMap<Arc<str>, (String, bool)>,
    bound: Vec<Instant>,
    changed: Instant,
}

/// The kubelets of all nodes.
pub struct Kubelets {
    sight: Arc<(Mutex<Sight>, Condvar)>,
}

impl Kubelets {
    pub fn start(api: &Api) -> Self {
        let (changes, mut news) = channel(16);
        api.runtime.spawn(follow_at::<Seen>(Arc::clone(&api.cluster), Pace::default(), Seen::PATH.to_owned(), changes));
        let sight = Sight { pods: HashMap::new(), bound: Vec::new(), changed: Instant::now() };
        let sight = Arc::new((Mutex::new(sight), Condvar::new()));
        let (reports, inbox) = channel::<String>(1 << 17);
        let inbox = Arc::new(tokio::sync::Mutex::new(inbox));
        for _ in 0..AT_ONCE {
            let (inbox, writer) = (Arc::clone(&inbox), Writer::new(Arc::clone(&api.cluster)));
            api.runtime.spawn(async move {
                loop {
                    let next = inbox.lock().await.recv().await;
                    let Some(path) = next else { return };
                    let body = json!({"status": {"phase": "Running"}});
                    api::send(&writer, &(Method::PATCH, format!("{path}/status"), Content::MergePatch, body)).await;
                }
            });
        }
        let seen = Arc::clone(&sight);
        api.runtime.spawn(async move {
            while let Some(change) = news.recv().await {
                let mut ready = Vec::new();
                take(&seen, change, &mut ready);
                for path in ready {
                    reports.send(path).await.unwrap();
                }
            }
        });
        Self { sight }
    }

    fn until<T>(&self, what: &str, mut look: impl FnMut(&Sight) -> Option<T>) -> T {
        let (sight, news) = &*self.sight;
        let (mut sight, started_at) = (sight.lock().unwrap(), Instant::now());
        loop {
            if let Some(found) = look(&sight) {
                return found;
            }
            assert!(started_at.elapsed() < PATIENCE, "not within five minutes: {what}");
            sight = news.wait_timeout(sight, SETTLED / 4).unwrap().0;
        }
    }

    /// Waits until this number of pods exists.
    pub fn until_seen(&self, count: usize) {
        self.until(&format!("{count} pods"), |sight| (sight.pods.len() == count).then_some(()));
    }

    /// Waits until nothing changes.
    pub fn until_settled(&self) {
        self.until("nothing changes", |sight| (sight.changed.elapsed() >= SETTLED).then_some(()));
    }

    /// Waits until nothing changes, then starts to count bindings.
    pub fn mark(&self) {
        self.until_settled();
        self.sight.0.lock().unwrap().bound.clear();
    }

    /// The time of the first binding.
    pub fn first(&self) -> Instant {
        self.until("a binding", |sight| sight.bound.first().copied())
    }

    /// Returns bindings per second, from the first to the last.
    pub fn rate(&self, count: usize) -> f64 {
        self.until(&format!("{count} bindings"), |sight| {
            let (first, last) = (sight.bound.first()?, sight.bound.get(count.checked_sub(1)?)?);
            Some((count - 1) as f64 / last.duration_since(*first).as_secs_f64().max(1e-9))
        })
    }

    /// The addresses of the pods with or without a node.
    pub fn pods(&self, of: impl Fn(bool) -> bool) -> Vec<String> {
        let sight = self.sight.0.lock().unwrap();
        sight.pods.values().filter(|(_, bound)| of(*bound)).map(|(path, _)| path.clone()).collect()
    }
}

fn take(sight: &(Mutex<Sight>, Condvar), change: Change<Seen>, ready: &mut Vec<String>) {
    let (sight, news) = sight;
    let (mut sight, now) = (sight.lock().unwrap(), Instant::now());
    match change {
        Change::Put(pods) => {
            for pod in pods {
                let before = sight.pods.insert(pod.key(), (pod.path.clone(), pod.bound));
                if pod.bound && !before.is_some_and(|(_, bound)| bound) {
                    sight.bound.push(now);
                    if !pod.runs {
                        ready.push(pod.path);
                    }
                }
            }
        }
        Change::Gone(uid) => drop(sight.pods.remove(&uid)),
        Change::Lost(fault) => println!("the watch of the kubelets: {fault}"),
        Change::Started | Change::Complete | Change::Live => return,
    }
    sight.changed = now;
    news.notify_all();
}
