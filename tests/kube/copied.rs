//! The copy of objects for explanations, with a stand-in that counts requests.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use cluster::shim::copy::FilterCopy;
use kubernetes::Listed;
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

use super::fake_api::{Call, FakeApi, Reply};

const PATIENCE: Duration = Duration::from_secs(60);

fn runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}

fn pod(name: &str, version: usize) -> Value {
    json!({
        "metadata": {"name": name, "namespace": "ns", "uid": name, "resourceVersion": version.to_string()},
        "spec": {"schedulerName": "yunikorn", "containers": [{"name": "main"}]},
        "status": {"phase": "Pending"},
    })
}

type Asked = Arc<Mutex<BTreeMap<String, usize>>>;

fn note(asked: &Asked, call: &Call) -> (String, bool) {
    let path = call.path.split('?').next().unwrap();
    let (kind, watch) = (path.rsplit('/').next().unwrap().to_owned(), call.path.contains("watch=true"));
    let name = if watch { format!("{kind} watch") } else { kind.clone() };
    *asked.lock().unwrap().entry(name).or_default() += 1;
    (kind, watch)
}

fn with_a_pod(asked: &Asked, available: &Arc<AtomicBool>) -> FakeApi {
    let (asked, available) = (Arc::clone(asked), Arc::clone(available));
    FakeApi::new(move |call| match note(&asked, call) {
        (kind, true) if kind == "pods" => {
            while !available.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(10));
            }
            Reply::lines(&[json!({"type": "ADDED", "object": pod("new", 8)})], true)
        }
        (_, true) => Reply::lines(&[], true),
        (kind, false) => {
            let items = if kind == "pods" { vec![pod("old", 3)] } else { Vec::new() };
            Reply::json(&json!({"metadata": {"resourceVersion": "7", "continue": ""}, "items": items}))
        }
    })
}

fn times(asked: &Asked, name: &str) -> usize {
    asked.lock().unwrap().get(name).copied().unwrap_or_default()
}

fn pods(listed: &Listed) -> usize {
    assert!(listed.missing.is_empty(), "{:?}", listed.missing);
    listed.cluster.counts().0
}

#[test]
fn pods_are_listed_once_and_later_ones_need_no_other_request() {
    let (asked, available) = (Asked::default(), Arc::new(AtomicBool::new(false)));
    let fake_api = with_a_pod(&asked, &available);
    let (runtime, copy, cluster) = (runtime(), FilterCopy::default(), fake_api.cluster());
    let read = |uids: &[&str]| runtime.block_on(copy.listed(runtime.handle(), &cluster, uids.iter().copied()));
    for _ in 0..5 {
        assert_eq!(read(&["old"]).map(|listed| pods(&listed)), Some(1));
    }
    available.store(true, Ordering::Relaxed);
    let started = Instant::now();
    while read(&["old", "new"]).map(|listed| pods(&listed)) != Some(2) {
        assert!(started.elapsed() < PATIENCE, "the new pod does not arrive: {:?}", asked.lock().unwrap());
    }
    for kind in ["pods", "nodes", "namespaces", "persistentvolumeclaims", "csinodes"] {
        assert_eq!(times(&asked, kind), 1, "{:?}", asked.lock().unwrap());
    }
    assert_eq!(times(&asked, "pods watch"), 1);
}

#[test]
fn a_copy_that_is_not_used_is_closed_and_read_again() {
    let (asked, available) = (Asked::default(), Arc::new(AtomicBool::new(true)));
    let fake_api = with_a_pod(&asked, &available);
    let (runtime, copy, cluster) =
        (runtime(), FilterCopy::retained_for(Duration::from_millis(300)), fake_api.cluster());
    let read = || runtime.block_on(copy.listed(runtime.handle(), &cluster, std::iter::once("old")));
    assert!(read().is_some());
    let started = Instant::now();
    while copy.is_followed() {
        assert!(started.elapsed() < PATIENCE, "it is never closed");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(times(&asked, "pods"), 1);
    assert!(read().is_some());
    assert_eq!(times(&asked, "pods"), 2);
}

/// Without the right to watch, or without the server, there is no copy.
#[test]
fn what_may_not_be_listed_is_named_and_what_cannot_be_followed_is_no_copy() {
    let (runtime, asked) = (runtime(), Asked::default());
    let list = || Reply::json(&json!({"metadata": {"resourceVersion": "7", "continue": ""}, "items": []}));
    let denied = |denied: &'static str, only_watch: bool| {
        let asked = Arc::clone(&asked);
        FakeApi::new(move |call| match note(&asked, call) {
            (kind, watch) if kind == denied && (!only_watch || watch) => Reply::refusal(403, "forbidden"),
            (_, true) => Reply::lines(&[], true),
            _ => list(),
        })
    };
    let fake_api = denied("csinodes", false);
    let copy = FilterCopy::default();
    let listed = runtime.block_on(copy.listed(runtime.handle(), &fake_api.cluster(), std::iter::empty())).unwrap();
    let missing: Vec<&str> = listed.missing.iter().map(|missing| missing.kind).collect();
    assert_eq!(missing, ["CSINode"]);
    let fake_api = denied("pods", true);
    let (copy, cluster) = (FilterCopy::default(), fake_api.cluster());
    let started = Instant::now();
    while runtime.block_on(copy.listed(runtime.handle(), &cluster, std::iter::empty())).is_some() {
        assert!(started.elapsed() < PATIENCE, "a list that is not followed grows old");
    }
}

/// Pods in `pages`, each after a while; the first page of another list that `stalls` never comes.
fn slow(asked: &Asked, pages: usize, stalls: &Arc<AtomicBool>) -> FakeApi {
    let (asked, stalls) = (Arc::clone(asked), Arc::clone(stalls));
    FakeApi::new(move |call| match note(&asked, call) {
        (_, true) => Reply::lines(&[], true),
        (kind, false) if kind == "pods" => {
            std::thread::sleep(Duration::from_millis(400));
            let page: usize = call.path.split("continue=").nth(1).map_or(0, |page| page.parse().unwrap());
            let rest = if page + 1 < pages { (page + 1).to_string() } else { String::new() };
            let items = [pod(&format!("p{page}"), page)];
            Reply::json(&json!({"metadata": {"resourceVersion": "7", "continue": rest}, "items": items}))
        }
        (kind, false) => {
            while kind == "nodes" && stalls.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(10));
            }
            Reply::json(&json!({"metadata": {"resourceVersion": "7", "continue": ""}, "items": []}))
        }
    })
}

#[test]
fn a_list_that_takes_long_is_waited_for_while_its_pages_arrive() {
    let (runtime, asked, stalls) = (runtime(), Asked::default(), Arc::new(AtomicBool::new(false)));
    let fake_api = slow(&asked, 6, &stalls);
    let copy = FilterCopy::default().patient_for(Duration::from_millis(1500));
    let started = Instant::now();
    let listed = runtime.block_on(copy.listed(runtime.handle(), &fake_api.cluster(), std::iter::once("p5")));
    assert_eq!(listed.map(|listed| pods(&listed)), Some(6));
    assert!(started.elapsed() > Duration::from_millis(1500), "the pages came too fast for this test");
    assert_eq!(times(&asked, "pods"), 6, "each page is read once");
}

#[test]
fn a_list_whose_pages_do_not_arrive_is_not_waited_for() {
    let (runtime, asked, stalls) = (runtime(), Asked::default(), Arc::new(AtomicBool::new(true)));
    let fake_api = slow(&asked, 2, &stalls);
    let copy = FilterCopy::default().patient_for(Duration::from_millis(1500));
    assert!(runtime.block_on(copy.listed(runtime.handle(), &fake_api.cluster(), std::iter::empty())).is_none());
    stalls.store(false, Ordering::Relaxed);
}
