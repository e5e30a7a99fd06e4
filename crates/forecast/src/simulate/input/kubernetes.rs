//! Reads `kubectl get nodes,pods -A -o json`, or the same as YAML.
//!
//! A pod arrives at its creation and runs as long as its containers did. DaemonSet pods occupy resources of their node.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::Reading;
use crate::simulate::job::{Gang, Job, Task, Workload};
use config::Place;
use kubernetes::{GangOutline, PodOutline, allocatable};
use model::{AppId, AskId, NodeId, Priority, Resource, Time};
use scheduler::{AskSpec, NodeSpec};

const UNREADABLE: &str = "pods that cannot be read";
const HINT: &str = "use the output of `kubectl get nodes,pods -A -o json`";
/// The names under which pods are for this scheduler.
const SCHEDULERS: [&str; 2] = ["yunikorn", "kornsole"];

/// Reads a list, as JSON or YAML.
pub fn read(text: &str) -> Reading {
    let mut reading = Reading::default();
    match items(text) {
        Ok(items) if items.is_empty() => reading.fault(Place { line: 1, column: 1 }, "no objects found", HINT),
        Ok(items) => Trace::new(&items, &mut reading.workload).run(&items),
        Err((at, message)) => reading.fault(at, message, HINT),
    }
    reading
}

/// The objects of lists and documents, or the place of the error.
fn items(text: &str) -> Result<Vec<Value>, (Place, String)> {
    let start = Place { line: 1, column: 1 };
    let documents = || {
        let objects = kubernetes::values("", text.as_bytes());
        objects.map(|objects| objects.into_iter().map(|(_, object)| object).collect::<Vec<_>>())
    };
    if !text.trim_start().starts_with('{') {
        return documents().map_err(|errors| (start, errors.into_iter().next().unwrap_or_default()));
    }
    match serde_json::from_str::<Value>(text) {
        Ok(mut list) => match list.get_mut("items").map(Value::take) {
            Some(Value::Array(items)) => Ok(items),
            _ if list["kind"].is_string() => Ok(vec![list]),
            _ => Err((start, "missing list of items".to_owned())),
        },
        Err(error) => documents().ok().filter(|objects| !objects.is_empty()).ok_or_else(|| {
            let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
            (Place { line: number(error.line()), column: number(error.column()) }, config::input::json_error(&error))
        }),
    }
}

struct Trace<'w> {
    workload: &'w mut Workload,
    /// Whether pods of other schedulers only use resources.
    has_own: bool,
    /// The number of the job of an application.
    known: BTreeMap<String, usize>,
}

impl<'w> Trace<'w> {
    fn new(items: &[Value], workload: &'w mut Workload) -> Self {
        let names = items.iter().filter(|item| item["kind"] == "Pod").map(|item| &item["spec"]["schedulerName"]);
        let has_own = names.into_iter().any(|name| SCHEDULERS.iter().any(|own| name == own));
        Self { workload, has_own, known: BTreeMap::new() }
    }

    fn run(mut self, items: &[Value]) {
        for item in items.iter().filter(|item| item["kind"] == "Node") {
            match allocatable(item) {
                Ok(capacity) => self.workload.nodes.push(node(item, capacity)),
                Err(_) => self.workload.leave_out("nodes that cannot be read", || name(item)),
            }
        }
        for item in items.iter().filter(|item| item["kind"] != "Pod" && item["kind"] != "Node") {
            let kind = item["kind"].as_str().unwrap_or("objects without a kind");
            self.workload.leave_out(kind, || name(item));
        }
        let mut pods: Vec<(Option<OffsetDateTime>, &Value, PodOutline)> = Vec::new();
        for item in items.iter().filter(|item| item["kind"] == "Pod") {
            let Ok(outline) = PodOutline::read(item) else {
                self.workload.leave_out(UNREADABLE, || name(item));
                continue;
            };
            if self.is_taken(item, &outline) {
                pods.push((date(&item["metadata"]["creationTimestamp"]), item, outline));
            }
        }
        // Pods without a time of creation are submitted first.
        pods.sort_by_key(|(created, ..)| *created);
        let started_at = pods.iter().find_map(|(created, ..)| *created);
        for (created, pod, outline) in pods {
            let at = created.zip(started_at).and_then(|(created, start)| Duration::try_from(created - start).ok());
            self.take(at.unwrap_or_default(), pod, outline);
        }
        if !self.workload.jobs.is_empty() {
            let how = "pods are submitted at their creation time and run as long as their containers did";
            self.workload.notes.push(how.to_owned());
        }
    }

    /// Whether a pod is a request of the trace; others occupy their nodes or are left out.
    fn is_taken(&mut self, pod: &Value, outline: &PodOutline) -> bool {
        let has_ended = matches!(pod["status"]["phase"].as_str(), Some("Succeeded" | "Failed"));
        let is_foreign = self.has_own && !SCHEDULERS.contains(&outline.scheduler.as_str());
        let why = if of_daemon_set(pod) {
            return self.occupy(pod, outline, "pods of DaemonSets on nodes that are not in the list");
        } else if is_foreign && !has_ended && pod["spec"]["nodeName"].is_string() {
            return self.occupy(pod, outline, "pods of other schedulers on nodes that are not in the list");
        } else if is_foreign {
            "pods of other schedulers"
        } else if outline.is_placeholder {
            "placeholder pods, which the scheduler creates itself"
        } else if outline.is_gated {
            "pods with scheduling gates"
        } else {
            return true;
        };
        self.workload.leave_out(why, || name(pod));
        false
    }

    /// Always false: such a pod is not a request.
    fn occupy(&mut self, pod: &Value, outline: &PodOutline, unknown: &str) -> bool {
        let node = pod["spec"]["nodeName"].as_str().unwrap_or_default();
        match self.workload.nodes.iter_mut().find(|one| one.id.as_str() == node) {
            Some(node) => node.occupied.add_assign(&outline.resource),
            None => self.workload.leave_out(unknown, || name(pod)),
        }
        false
    }

    fn take(&mut self, at: Duration, pod: &Value, outline: PodOutline) {
        let PodOutline { app, queue, who, resource, task_group, gang, .. } = outline;
        let spec = &pod["spec"];
        for (field, what) in [
            ("nodeSelector", "node selectors: a pod may go to any node"),
            ("affinity", "affinities: a pod may go to any node"),
            ("topologySpreadConstraints", "topology spread constraints"),
        ] {
            if !spec[field].is_null() {
                self.workload.leave_out(what, || name(pod));
            }
        }
        let app = app.unwrap_or_else(|| name(pod).replace('/', "-"));
        let jobs = &mut self.workload.jobs;
        let number = *self.known.entry(app.clone()).or_insert_with(|| {
            let namespace = pod["metadata"]["namespace"].as_str().unwrap_or("default");
            let app = AppId::from(app);
            jobs.push(Job {
                gang: gang.map(|gang| requested(&app, gang)),
                app,
                at: Time::ZERO + at,
                queue,
                who,
                tags: BTreeMap::from([("namespace".to_owned(), namespace.to_owned())]),
                tasks: Vec::new(),
            });
            jobs.len() - 1
        });
        let priority = spec["priority"].as_i64().and_then(|priority| i32::try_from(priority).ok()).unwrap_or(0);
        let job = &mut jobs[number];
        job.tasks.push(Task {
            after: (Time::ZERO + at).since(job.at),
            count: 1,
            resource,
            priority: Priority(priority),
            runs: runtime(pod),
            task_group: task_group.filter(|_| job.gang.is_some()),
            ..Task::default()
        });
    }
}

/// A gang with its placeholders.
fn requested(app: &AppId, gang: GangOutline) -> Gang {
    let GangOutline { style, timeout, total, groups } = gang;
    let placeholders = groups.into_iter().map(|(name, count, resource)| AskSpec {
        app: app.clone(),
        id: AskId::from(format!("tg-{name}")),
        count,
        resource,
        placeholder: true,
        task_group: Some(name),
        ..AskSpec::default()
    });
    Gang { style, timeout, total, placeholders: placeholders.collect() }
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

    /// A pod of the list, with a part of its spec and its metadata.
    fn pod(name: &str, spec: &str, meta: &str) -> String {
        format!(
            r#"{{"kind": "Pod", "metadata": {{"namespace": "ml", "name": "{name}" {meta}}}, "spec": {{{spec} "containers": [{{"resources": {{"requests": {{"cpu": "2"}}}}}}]}}}}"#
        )
    }

    #[test]
    fn gates_other_schedulers_and_gangs_mean_the_same_as_in_manifests() {
        let node =
            r#"{"kind": "Node", "metadata": {"name": "n1"}, "status": {"allocatable": {"cpu": "4", "pods": "9"}}}"#;
        let groups = r#", "labels": {"applicationId": "g"}, "annotations": {"yunikorn.apache.org/task-group-name": "w",
            "yunikorn.apache.org/task-groups": "[{\"name\": \"w\", \"minMember\": 3, \"minResource\": {\"cpu\": \"2\"}}]"}"#;
        let own = r#""schedulerName": "yunikorn","#;
        let gated = r#""schedulerName": "yunikorn", "schedulingGates": [{"name": "x"}],"#;
        let placed = r#""schedulerName": "default-scheduler", "nodeName": "n1","#;
        let pods = [
            pod("gang", own, groups),
            pod("gated", gated, ""),
            pod("dns", placed, ""),
            pod("later", r#""schedulerName": "other","#, ""),
            pod("tg-1", own, r#", "annotations": {"internal.yunikorn.apache.org/placeholder": "true"}"#),
        ];
        let list = format!(r#"{{"kind": "List", "items": [{node}, {}]}}"#, pods.join(", "));
        let Workload { nodes, jobs, left_out, .. } = read(&list).workload;
        assert_eq!(nodes[0].occupied.amount("vcore"), 2000, "the pod of another scheduler");
        let [job] = jobs.as_slice() else { panic!("{jobs:?}") };
        let gang = job.gang.as_ref().map(|gang| (gang.total.amount("vcore"), gang.placeholders[0].count));
        assert_eq!((gang, job.tasks[0].task_group.as_deref()), (Some((6000, 3)), Some("w")));
        let left: Vec<&str> = left_out.iter().map(|left| left.first.as_str()).collect();
        assert_eq!(left, ["ml/gated", "ml/later", "ml/tg-1"]);
        let alone = read(&format!(r#"{{"items": [{}]}}"#, pod("a", r#""schedulerName": "other","#, ""))).workload;
        assert_eq!(alone.jobs.len(), 1, "a cluster that does not run YuniKorn yet");
    }

    #[test]
    fn the_list_as_yaml_gives_the_same() {
        let yaml = "apiVersion: v1\nkind: List\nitems:\n- kind: Pod\n  metadata: {namespace: a, name: b, creationTimestamp: '2026-11-01T10:00:00Z'}\n  \
                    spec: {containers: [{resources: {requests: {cpu: 500m}}}]}\n";
        assert_eq!(read(yaml).workload.jobs[0].tasks[0].resource.amount("vcore"), 500);
        assert!(read("a: [").faults[0].to_string().starts_with("1:"), "{:?}", read("a: [").faults);
    }

    #[test]
    fn what_is_no_list_is_refused_with_its_place() {
        assert!(read("{").faults[0].to_string().starts_with("1:1: EOF"));
        assert!(read("{}").faults[0].message.contains("missing list of items"));
        for empty in ["", "\n# nothing\n", r#"{"items": []}"#] {
            assert!(read(empty).faults[0].to_string().starts_with("1:1: no objects found"), "{empty:?}");
        }
    }
}
