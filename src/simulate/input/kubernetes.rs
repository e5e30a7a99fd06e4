//! The output of `kubectl get nodes,pods -A -o json`: nodes with their capacity, pods by application.
//!
//! A pod comes in when it was created and runs as long as its containers did; one that still runs has no runtime, which rules then give.
//! Pods of a DaemonSet belong to their node: their requests are occupied there.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::Reading;
use crate::config::Place;
use crate::model::{AppId, Identity, NodeId, Priority, Resource, Time};
use crate::scheduler::NodeSpec;
use crate::simulate::job::{Job, Task, Workload};

/// Where an application's id stands, in labels and annotations.
const APP: [&str; 3] = ["yunikorn.apache.org/app-id", "applicationId", "spark-app-selector"];
/// Where the queue stands.
const QUEUE: [&str; 2] = ["yunikorn.apache.org/queue", "queue"];

/// Reads a list.
pub fn read(text: &str) -> Reading {
    let mut reading = Reading::default();
    let list: Value = match serde_json::from_str(text) {
        Ok(list) => list,
        Err(error) => {
            let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
            let at = Place { line: number(error.line()), column: number(error.column()) };
            reading.fault(at, error.to_string(), "write what `kubectl get nodes,pods -A -o json` prints");
            return reading;
        }
    };
    let Some(items) = list["items"].as_array() else {
        let hint = "write what `kubectl get nodes,pods -A -o json` prints";
        reading.fault(Place { line: 1, column: 1 }, "there is no list of items", hint);
        return reading;
    };
    let workload = &mut reading.workload;
    items.iter().filter(|item| item["kind"] == "Node").for_each(|item| workload.nodes.push(node(item)));
    let mut pods: Vec<(OffsetDateTime, &Value)> = Vec::new();
    for item in items.iter().filter(|item| item["kind"] == "Pod") {
        match date(&item["metadata"]["creationTimestamp"]) {
            _ if of_daemon_set(item) => occupy(workload, item),
            Some(created) => pods.push((created, item)),
            None => workload.leave_out("pods without a time of creation", || name(item)),
        }
    }
    for item in items.iter().filter(|item| item["kind"] != "Pod" && item["kind"] != "Node") {
        let kind = item["kind"].as_str().unwrap_or("objects without a kind");
        workload.leave_out(kind, || name(item));
    }
    pods.sort_by_key(|(created, _)| *created);
    let Some(began) = pods.first().map(|(created, _)| *created) else { return reading };
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    for (created, pod) in pods {
        let at = Duration::try_from(created - began).unwrap_or_default();
        take(workload, &mut known, at, pod);
    }
    workload.notes.push("pods come in when they were created and run as long as their containers did".to_owned());
    reading
}

fn take(workload: &mut Workload, known: &mut BTreeMap<String, usize>, at: Duration, pod: &Value) {
    let spec = &pod["spec"];
    for (field, what) in [
        ("nodeSelector", "node selectors: a pod may go to any node"),
        ("affinity", "affinities: a pod may go to any node"),
        ("topologySpreadConstraints", "topology spread constraints"),
    ] {
        if !spec[field].is_null() {
            workload.leave_out(what, || name(pod));
        }
    }
    let app = of_metadata(pod, &APP).unwrap_or_else(|| name(pod).replace('/', "-"));
    let number = *known.entry(app.clone()).or_insert_with(|| {
        let namespace = pod["metadata"]["namespace"].as_str().unwrap_or("default");
        workload.jobs.push(Job {
            app: AppId::from(app),
            at: Time::ZERO + at,
            queue: of_metadata(pod, &QUEUE).unwrap_or_default(),
            who: user(pod),
            tags: BTreeMap::from([("namespace".to_owned(), namespace.to_owned())]),
            tasks: Vec::new(),
        });
        workload.jobs.len() - 1
    });
    let priority = spec["priority"].as_i64().and_then(|priority| i32::try_from(priority).ok()).unwrap_or(0);
    let job = &mut workload.jobs[number];
    job.tasks.push(Task {
        after: (Time::ZERO + at).since(job.at),
        count: 1,
        resource: requests(pod),
        priority: Priority(priority),
        runs: runtime(pod),
        ..Task::default()
    });
}

fn node(item: &Value) -> NodeSpec {
    let labels = item["metadata"]["labels"].as_object().into_iter().flatten();
    let attributes = labels.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect();
    NodeSpec {
        id: NodeId::from(item["metadata"]["name"].as_str().unwrap_or_default()),
        capacity: amounts(&item["status"]["allocatable"]),
        attributes,
        drained: item["spec"]["unschedulable"] == true,
        ..NodeSpec::default()
    }
}

fn of_daemon_set(pod: &Value) -> bool {
    pod["metadata"]["ownerReferences"].as_array().into_iter().flatten().any(|owner| owner["kind"] == "DaemonSet")
}

fn occupy(workload: &mut Workload, pod: &Value) {
    let node = pod["spec"]["nodeName"].as_str().unwrap_or_default();
    match workload.nodes.iter_mut().find(|one| one.id.as_str() == node) {
        Some(node) => node.occupied.add_assign(&requests(pod)),
        None => workload.leave_out("pods of DaemonSets on nodes that are not in the list", || name(pod)),
    }
}

/// The object as `namespace/name`.
fn name(item: &Value) -> String {
    let field = |name: &str| item["metadata"][name].as_str().unwrap_or_default();
    match field("namespace") {
        "" => field("name").to_owned(),
        namespace => format!("{namespace}/{}", field("name")),
    }
}

/// The first of some labels or annotations that is there.
fn of_metadata(item: &Value, names: &[&str]) -> Option<String> {
    let found = names
        .iter()
        .find_map(|name| ["labels", "annotations"].iter().find_map(|part| item["metadata"][*part][*name].as_str()));
    found.filter(|text| !text.is_empty()).map(str::to_owned)
}

fn user(pod: &Value) -> Identity {
    let info = of_metadata(pod, &["yunikorn.apache.org/user.info"]);
    let info: Value = info.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    let groups = info["groups"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let named = info["user"].as_str().map(str::to_owned);
    let user = named.or_else(|| of_metadata(pod, &["yunikorn.apache.org/username"]));
    Identity::new(user.unwrap_or_else(|| "nobody".to_owned()), groups)
}

/// What a pod requests: the larger of all its containers together and each of its init containers, and its overhead.
fn requests(pod: &Value) -> Resource {
    let spec = &pod["spec"];
    let list = |name: &str| spec[name].as_array().cloned().unwrap_or_default();
    let mut sum = Resource::new();
    list("containers").iter().for_each(|container| sum.add_assign(&amounts(&container["resources"]["requests"])));
    for container in list("initContainers") {
        let own = amounts(&container["resources"]["requests"]);
        if container["restartPolicy"] == "Always" {
            sum.add_assign(&own);
        } else {
            sum = sum.max(&own);
        }
    }
    sum.add_assign(&amounts(&spec["overhead"]));
    sum.set("pods", 1);
    sum
}

fn amounts(map: &Value) -> Resource {
    let mut amounts = Resource::new();
    for (name, quantity) in map.as_object().into_iter().flatten() {
        let text = quantity.as_str().map_or_else(|| quantity.to_string(), str::to_owned);
        let Some(thousandths) = thousandths(&text) else { continue };
        // Rounded up, as a request counts.
        let whole = |value: i128| i64::try_from(value).unwrap_or(i64::MAX);
        match name.as_str() {
            "cpu" => amounts.set("vcore", whole(thousandths)),
            name => amounts.set(name, whole((thousandths + 999).div_euclid(1000))),
        }
    }
    amounts
}

/// A quantity of Kubernetes in thousandths: `250m`, `1.5`, `2Gi`, `1e3`.
fn thousandths(text: &str) -> Option<i128> {
    const SUFFIXES: [(&str, f64); 15] = [
        ("Ki", 1024.0),
        ("Mi", 1_048_576.0),
        ("Gi", 1_073_741_824.0),
        ("Ti", 1_099_511_627_776.0),
        ("Pi", 1_125_899_906_842_624.0),
        ("Ei", 1_152_921_504_606_846_976.0),
        ("n", 1e-9),
        ("u", 1e-6),
        ("m", 1e-3),
        ("k", 1e3),
        ("M", 1e6),
        ("G", 1e9),
        ("T", 1e12),
        ("P", 1e15),
        ("E", 1e18),
    ];
    let (number, factor) = SUFFIXES
        .iter()
        .find_map(|(suffix, factor)| text.strip_suffix(suffix).map(|number| (number, *factor)))
        .unwrap_or((text, 1.0));
    if let Ok(whole) = number.parse::<u64>()
        && factor >= 1.0
    {
        return Some(i128::from(whole) * (factor as i128) * 1000);
    }
    let value: f64 = number.parse().ok()?;
    (value.is_finite() && value >= 0.0).then(|| (value * factor * 1000.0).ceil() as i128)
}

/// How long the containers ran; `None` while one runs, or none has.
fn runtime(pod: &Value) -> Option<Duration> {
    let statuses = pod["status"]["containerStatuses"].as_array()?;
    let mut span: Option<(OffsetDateTime, OffsetDateTime)> = None;
    for status in statuses {
        let ended = &status["state"]["terminated"];
        let (from, to) = (date(&ended["startedAt"])?, date(&ended["finishedAt"])?);
        span = Some(span.map_or((from, to), |(first, last)| (first.min(from), last.max(to))));
    }
    span.and_then(|(from, to)| Duration::try_from(to - from).ok())
}

fn date(value: &Value) -> Option<OffsetDateTime> {
    OffsetDateTime::parse(value.as_str()?, &Rfc3339).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = r#"{"kind": "List", "items": [
        {"kind": "Node", "metadata": {"name": "n1", "labels": {"zone": "a"}}, "status": {"allocatable": {"cpu": "3900m", "memory": "8Gi", "pods": "110"}}},
        {"kind": "Pod", "metadata": {"namespace": "kube-system", "name": "agent", "ownerReferences": [{"kind": "DaemonSet"}]},
         "spec": {"nodeName": "n1", "containers": [{"resources": {"requests": {"cpu": "100m"}}}]}},
        {"kind": "Pod", "metadata": {"namespace": "etl", "name": "driver", "creationTimestamp": "2026-11-01T10:00:00Z",
          "labels": {"applicationId": "spark-1", "queue": "root.etl"}, "annotations": {"yunikorn.apache.org/user.info": "{\"user\": \"ann\", \"groups\": [\"eng\"]}"}},
         "spec": {"priority": 7, "initContainers": [{"resources": {"requests": {"cpu": "2"}}}],
          "containers": [{"resources": {"requests": {"cpu": "500m", "memory": "1Gi"}}}, {"resources": {"requests": {"cpu": "0.25"}}}]},
         "status": {"containerStatuses": [{"state": {"terminated": {"startedAt": "2026-11-01T10:00:05Z", "finishedAt": "2026-11-01T10:02:05Z"}}}]}},
        {"kind": "Pod", "metadata": {"namespace": "etl", "name": "executor", "creationTimestamp": "2026-11-01T10:00:30Z", "labels": {"applicationId": "spark-1"}},
         "spec": {"nodeSelector": {"zone": "a"}, "containers": []}}]}"#;

    #[test]
    fn pods_are_put_together_by_application() {
        let Reading { workload, faults } = read(LIST);
        assert_eq!(faults, []);
        assert_eq!(
            (workload.nodes[0].capacity.amount("vcore"), workload.nodes[0].occupied.amount("vcore")),
            (3900, 100)
        );
        let [job] = workload.jobs.as_slice() else { panic!("{:?}", workload.jobs) };
        assert_eq!((job.app.as_str(), job.queue.as_str(), job.who.user.as_str()), ("spark-1", "root.etl", "ann"));
        let [driver, executor] = job.tasks.as_slice() else { panic!("{:?}", job.tasks) };
        assert_eq!((driver.resource.amount("vcore"), driver.resource.amount("memory")), (2000, 1 << 30));
        assert_eq!((driver.runs, driver.priority), (Some(Duration::from_secs(120)), Priority(7)));
        assert_eq!((executor.after, executor.runs), (Duration::from_secs(30), None));
        assert_eq!(workload.left_out[0].first, "etl/executor");
    }

    #[test]
    fn quantities_are_read_as_kubernetes_writes_them() {
        let read = ["250m", "1.5", "2Gi", "1e3", "100k", "1n", "", "-1", "x"].map(thousandths);
        let wanted = [
            Some(250),
            Some(1500),
            Some(2_147_483_648_000),
            Some(1_000_000),
            Some(100_000_000),
            Some(1),
            None,
            None,
            None,
        ];
        assert_eq!(read, wanted);
    }

    #[test]
    fn what_is_no_list_is_refused_with_its_place() {
        assert!(read("{").faults[0].to_string().starts_with("1:1: EOF"));
        assert!(read("{}").faults[0].message.contains("no list of items"));
    }
}
