//! Followed lists of pods: a stand-in does immediately what a real API server does once a day.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use cluster::kube::{Change, Pace, Shown as _};
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{Receiver, channel};
use view::kubernetes::PodRow;

use super::fake_api::{Call, FakeApi, Reply};

const PACE: Pace = Pace {
    first: Duration::from_millis(20),
    longest: Duration::from_millis(200),
    refused: Duration::from_millis(100),
    answer: Duration::from_millis(500),
    quiet: Duration::from_secs(60),
    watch: Duration::from_secs(1),
};

fn runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}

fn pod(number: usize, version: usize) -> Value {
    json!({
        "metadata": {"name": format!("p-{number}"), "namespace": "ns", "uid": format!("u-{number}"), "resourceVersion": version.to_string(),
                     "labels": {"applicationId": format!("app-{}", number / 100)}},
        "spec": {"schedulerName": "yunikorn", "nodeName": "n", "containers": [{"name": "main", "env": [{"name": "SECRET", "value": "x".repeat(400)}]}]},
        "status": {"phase": "Running", "containerStatuses": [{"ready": true, "restartCount": 0, "state": {"running": {}}}]},
    })
}

fn page(pods: &[Value], version: usize, rest: &str) -> Reply {
    Reply::json(&json!({"metadata": {"resourceVersion": version.to_string(), "continue": rest}, "items": pods}))
}

fn is_watch(call: &Call) -> bool {
    call.path.contains("watch=true")
}

fn received(fake_api: &FakeApi, count: usize) -> Vec<String> {
    let runtime = runtime();
    let (sender, changes) = channel(4);
    runtime.spawn(PodRow::follow(fake_api.cluster(), PACE, sender));
    runtime.block_on(words(changes, count))
}

async fn words(mut changes: Receiver<Change<PodRow>>, count: usize) -> Vec<String> {
    let mut received = Vec::new();
    while received.len() < count {
        let change = tokio::time::timeout(Duration::from_secs(20), changes.recv()).await;
        received.push(match change.unwrap_or_else(|_| panic!("no more than {received:?}")).unwrap() {
            Change::Started => "begun".to_owned(),
            Change::Put(pods) => pods.iter().map(|pod| format!("+{}", pod.name)).collect::<Vec<_>>().join(" "),
            Change::Gone(uid) => format!("-{uid}"),
            Change::Complete => "complete".to_owned(),
            Change::Live => "live".to_owned(),
            Change::Lost(fault) => format!("lost: {fault}"),
        });
    }
    received
}

#[test]
fn a_list_is_read_in_pages_and_then_each_change_arrives() {
    let fake_api = FakeApi::new(|call| match (is_watch(call), call.path.contains("continue=more%2Fof")) {
        (true, _) => {
            assert!(call.path.contains("resourceVersion=7"), "{}", call.path);
            let changed = json!({"type": "MODIFIED", "object": pod(1, 8)});
            let gone = json!({"type": "DELETED", "object": pod(2, 9)});
            Reply::lines(
                &[changed, json!({"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": "9"}}}), gone],
                true,
            )
        }
        (false, false) => page(&[pod(1, 3)], 7, "more/of"),
        (false, true) => page(&[pod(2, 4)], 7, ""),
    });
    let all = ["begun", "+p-1", "+p-2", "complete", "live", "+p-1", "-u-2"];
    assert_eq!(received(&fake_api, all.len()), all);
}

#[test]
fn an_expired_watch_restarts_with_the_whole_list() {
    let watches = Arc::new(AtomicUsize::new(0));
    let fake_api = FakeApi::new(move |call| match (is_watch(call), watches.load(Ordering::Relaxed)) {
        (true, 0) => {
            watches.store(1, Ordering::Relaxed);
            Reply::lines(
                &[json!({"type": "ERROR", "object": {"kind": "Status", "code": 410, "message": "too old"}})],
                false,
            )
        }
        (true, _) => Reply::lines(&[], true),
        (false, 0) => page(&[pod(1, 1), pod(2, 1)], 1, ""),
        (false, _) => page(&[pod(2, 1)], 5, ""),
    });
    let all = ["begun", "+p-1 +p-2", "complete", "live", "begun", "+p-2", "complete", "live"];
    assert_eq!(received(&fake_api, all.len()), all, "who takes them drops p-1, which did not come again");
}

#[test]
fn a_busy_api_server_is_not_called_until_it_allows_it() {
    let asked: Arc<Mutex<Vec<Instant>>> = Arc::default();
    let times = Arc::clone(&asked);
    let fake_api = FakeApi::new(move |call| {
        let mut times = times.lock().unwrap();
        times.push(Instant::now());
        match times.len() {
            1 => Reply { headers: vec![("retry-after", "1".to_owned())], ..Reply::refusal(429, "too many requests") },
            _ if is_watch(call) => Reply::lines(&[], true),
            _ => page(&[], 1, ""),
        }
    });
    let runtime = runtime();
    let (sender, changes) = channel(4);
    let pace = Pace { longest: Duration::from_secs(5), ..PACE };
    runtime.spawn(PodRow::follow(fake_api.cluster(), pace, sender));
    let all = runtime.block_on(words(changes, 4));
    assert!(all[1].starts_with("lost: 429") && all[1].contains("too many requests"), "{all:?}");
    let times = asked.lock().unwrap();
    assert!(times[1] - times[0] >= Duration::from_secs(1), "{:?}", times[1] - times[0]);
}

#[test]
fn a_slow_a_silent_and_a_broken_answer_are_lost_and_tried_again() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let fake_api = FakeApi::new(move |call| match (count.fetch_add(1, Ordering::Relaxed), is_watch(call)) {
        (0, _) => Reply::lines(&[], true),
        (1, _) => Reply { body: br#"{"items": [{"spec": "hunter2"}]}"#.to_vec(), ..Reply::lines(&[], false) },
        (2, _) => Reply { body: b"no JSON at all".to_vec(), ..Reply::lines(&[], false) },
        (_, true) => Reply::lines(&[], true),
        _ => page(&[pod(1, 1)], 1, ""),
    });
    let all = received(&fake_api, 10);
    assert_eq!(all[1], "lost: the API server does not answer");
    assert!(all[3].starts_with("lost: invalid response from the API server (line 1, column "), "{all:?}");
    assert!(all[5].starts_with("lost: invalid response from the API server"), "{all:?}");
    assert!(!all.concat().contains("hunter2"), "what is read is not quoted: {all:?}");
    assert_eq!(all[6..], ["begun", "+p-1", "complete", "live"]);
}

#[test]
fn a_denied_read_names_the_rule_and_retries_when_allowed() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let fake_api = FakeApi::new(move |call| match (count.fetch_add(1, Ordering::Relaxed), is_watch(call)) {
        (0, _) => Reply::refusal(403, "pods is forbidden: User \"ann\" cannot list resource \"pods\""),
        (_, true) => Reply::lines(&[], true),
        _ => page(&[], 1, ""),
    });
    let all = received(&fake_api, 6);
    let rule = "403: user ann may not list pods; this rule in a ClusterRole would allow it:  - {apiGroups: [\"\"], resources: [pods], verbs: [list]}";
    assert_eq!(all[1], format!("lost: {rule}"));
    assert_eq!(all[2..], ["begun", "", "complete", "live"]);
}

#[test]
fn an_api_server_that_was_unreachable_is_found_again_at_the_same_row() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let fake_api = FakeApi::new(move |call| match (is_watch(call), count.fetch_add(1, Ordering::Relaxed)) {
        (false, _) => page(&[pod(1, 1)], 4, ""),
        (true, 1) => Reply::lines(&[json!({"type": "ADDED", "object": pod(2, 6)})], true),
        (true, _) => {
            assert!(call.path.contains("resourceVersion=6"), "{}", call.path);
            Reply::lines(&[json!({"type": "ADDED", "object": pod(3, 7)})], true)
        }
    });
    let runtime = runtime();
    let (sender, changes) = channel(1);
    runtime.spawn(PodRow::follow(fake_api.cluster(), PACE, sender));
    let cut = async {
        while fake_api.asked() < 2 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
        fake_api.cut();
    };
    let (all, ()) = runtime.block_on(async { tokio::join!(words(changes, 8), cut) });
    assert_eq!(all[..5], ["begun", "+p-1", "complete", "live", "+p-2"]);
    assert!(all[5].starts_with("lost: the response of the API server ended too early"), "{all:?}");
    assert_eq!(all[6..], ["live", "+p-3"], "nothing is listed again");
}
