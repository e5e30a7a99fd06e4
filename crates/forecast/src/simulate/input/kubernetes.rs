//! Reads `kubectl get nodes,pods -A -o json`.
//!
//! A pod arrives at its creation and runs as long as its containers did. DaemonSet pods occupy resources of their node.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::Reading;
use crate::simulate::job::{Job, Task, Workload};
use config::Place;
use kubernetes::{PodOutline, allocatable};
use model::{AppId, NodeId, Priority, Resource, Time};
use scheduler::NodeSpec;

const UNREADABLE: &str = "pods that cannot be read";

/// Reads a list.
pub fn read(text: &str) -> Reading {
    let mut reading = Reading::default();
    let list: Value = match serde_json::from_str(text) {
        Ok(list) => list,
        Err(error) => {
            let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
            let at = Place { line: number(error.line()), column: number(error.column()) };
            reading.fault(
                at,
                config::input::json_error(&error),
                "use the output of `kubectl get nodes,pods -A -o json`",
            );
            return reading;
        }
    };
    let Some(items) = list["items"].as_array() else {
        let hint = "use the output of `kubectl get nodes,pods -A -o json`";
        reading.fault(Place { line: 1, column: 1 }, "missing list of items", hint);
        return reading;
    };
    let workload = &mut reading.workload;
    for item in items.iter().filter(|item| item["kind"] == "Node") {
        match allocatable(item) {
            Ok(capacity) => workload.nodes.push(node(item, capacity)),
            Err(_) => workload.leave_out("nodes that cannot be read", || name(item)),
        }
    }
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
    let Some(started_at) = pods.first().map(|(created, _)| *created) else { return reading };
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    for (created, pod) in pods {
        let at = Duration::try_from(created - started_at).unwrap_or_default();
        take(workload, &mut known, at, pod);
    }
    workload.notes.push("pods are submitted at their creation time and run as long as their containers did".to_owned());
    reading
}

fn take(workload: &mut Workload, known: &mut BTreeMap<String, usize>, at: Duration, pod: &Value) {
    let Ok(PodOutline { app, queue, who, resource }) = PodOutline::read(pod) else {
        return workload.leave_out(UNREADABLE, || name(pod));
    };
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
    let app = app.unwrap_or_else(|| name(pod).replace('/', "-"));
    let number = *known.entry(app.clone()).or_insert_with(|| {
        let namespace = pod["metadata"]["namespace"].as_str().unwrap_or("default");
        workload.jobs.push(Job {
            gang: None,
            app: AppId::from(app),
            at: Time::ZERO + at,
            queue,
            who,
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
        resource,
        priority: Priority(priority),
        runs: runtime(pod),
        ..Task::default()
    });
}

fn node(item: &Value, capacity: Resource) -> NodeSpec {
    let labels = item["metadata"]["labels"].as_object().into_iter().flatten();
    let attributes = labels.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect();
    NodeSpec {
        id: NodeId::from(item["metadata"]["name"].as_str().unwrap_or_default()),
        capacity,
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
    let found = workload.nodes.iter_mut().find(|one| one.id.as_str() == node);
    match (found, PodOutline::read(pod)) {
        (Some(node), Ok(pod)) => node.occupied.add_assign(&pod.resource),
        (_, Err(_)) => workload.leave_out(UNREADABLE, || name(pod)),
        (None, _) => workload.leave_out("pods of DaemonSets on nodes that are not in the list", || name(pod)),
    }
}

fn name(item: &Value) -> String {
    let field = |name: &str| item["metadata"][name].as_str().unwrap_or_default();
    match field("namespace") {
        "" => field("name").to_owned(),
        namespace => format!("{namespace}/{}", field("name")),
    }
}

/// `None` while a container runs, or if none has run.
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
    fn what_is_no_quantity_is_left_out_by_name() {
        let list = LIST.replace(r#""cpu": "0.25""#, r#""cpu": "fast""#).replace("3900m", "many");
        let Reading { workload, .. } = read(&list);
        let left: Vec<String> = workload.left_out.iter().map(|left| format!("{}: {}", left.first, left.what)).collect();
        assert!(left.iter().any(|left| left.starts_with("n1: nodes that ")), "{left:?}");
        assert!(left.iter().any(|left| left.starts_with("etl/driver: pods that ")), "{left:?}");
        assert_eq!((workload.nodes.len(), workload.jobs[0].tasks.len()), (0, 1), "the executor stays");
    }

    #[test]
    fn what_is_no_list_is_refused_with_its_place() {
        assert!(read("{").faults[0].to_string().starts_with("1:1: EOF"));
        assert!(read("{}").faults[0].message.contains("missing list of items"));
    }
}
