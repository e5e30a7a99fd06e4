//! A pod, without its environment, commands, and volumes.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;

use super::{ConditionWire, DOMAIN, Meta, Texts, cut, moment};
use model::{Resource, VCORE};
use view::kubernetes::{OwnerName, PodPhase, PodRow};

/// The scheduler of applications (K8S-110).
const SCHEDULER: &str = "yunikorn";
/// Maximum length of a generated application ID (K8S-112).
const GENERATED: usize = 63;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct PodWire {
    pub(super) metadata: Meta,
    spec: PodSpec,
    status: PodStatus,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct PodSpec {
    node_name: Option<String>,
    scheduler_name: String,
    priority_class_name: Option<String>,
    containers: Vec<ContainerSpec>,
    init_containers: Vec<ContainerSpec>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ContainerSpec {
    name: String,
    resources: Needs,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Needs {
    requests: BTreeMap<String, String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct PodStatus {
    phase: String,
    reason: String,
    message: String,
    conditions: Vec<ConditionWire>,
    container_statuses: Vec<ContainerStatus>,
    init_container_statuses: Vec<ContainerStatus>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ContainerStatus {
    ready: bool,
    started: Option<bool>,
    restart_count: u32,
    state: ContainerState,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ContainerState {
    waiting: Option<Halted>,
    terminated: Option<Halted>,
    running: Option<serde::de::IgnoredAny>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Halted {
    reason: String,
    message: String,
    exit_code: i32,
    signal: i32,
}

impl Halted {
    fn end(&self) -> String {
        match (&self.reason, self.signal) {
            (reason, _) if !reason.is_empty() => reason.clone(),
            (_, 0) => format!("ExitCode:{}", self.exit_code),
            (_, signal) => format!("Signal:{signal}"),
        }
    }
}

pub(super) fn read(wire: &PodWire, texts: &mut Texts) -> PodRow {
    let PodWire { metadata, spec, status } = wire;
    let PodState { status: pod_state, message, restarts, ready } = pod_state(wire);
    let managed = spec.scheduler_name == SCHEDULER;
    let names = spec.init_containers.iter().chain(&spec.containers);
    let owner = metadata.owner_references.iter().find(|owner| owner.controller);
    let text = |text: &Option<String>, texts: &mut Texts| {
        text.as_deref().filter(|text| !text.is_empty()).map(|text| texts.share(text))
    };
    PodRow {
        uid: Arc::from(metadata.uid.as_str()),
        namespace: texts.share(&metadata.namespace),
        name: Arc::from(metadata.name.as_str()),
        app: managed.then(|| texts.share(&application(metadata))),
        scheduler: texts.share(&spec.scheduler_name),
        node: text(&spec.node_name, texts),
        phase: PodPhase::of(&status.phase),
        status: texts.share(&pod_state),
        message: Some(cut(message.trim())).filter(|message| !message.is_empty()).map(|message| texts.share(message)),
        restarts,
        ready,
        containers: names.map(|container| texts.share(&container.name)).collect(),
        init_containers: u16::try_from(spec.init_containers.len()).unwrap_or(u16::MAX),
        conditions: status.conditions.iter().map(|one| one.read(texts)).collect(),
        owner: owner.map(|owner| OwnerName {
            kind: texts.share(&owner.kind),
            version: texts.share(&owner.api_version),
            name: texts.share(&owner.name),
        }),
        priority_class: text(&spec.priority_class_name, texts),
        created: metadata.creation_timestamp.as_deref().and_then(moment).unwrap_or_default(),
        requests: if managed { Resource::new() } else { requests(spec) },
    }
}

/// The application that a pod belongs to (K8S-111, K8S-112).
fn application(meta: &Meta) -> String {
    let (domain, ids) = (format!("{DOMAIN}app-id"), ["applicationId", "spark-app-selector"]);
    let named = [meta.labels.get(&domain), meta.annotations.get(&domain)];
    let all = named.into_iter().chain(ids.map(|id| meta.labels.get(id)));
    let Some(id) = all.flatten().find(|id| !id.is_empty()) else {
        let name = format!("yunikorn-{}-autogen", meta.namespace);
        return name.chars().take(GENERATED).collect();
    };
    match id.strip_suffix("-uniqueautogen") {
        Some(start) => format!("{start}-{}", meta.uid),
        None => id.clone(),
    }
}

struct PodState {
    status: String,
    message: String,
    restarts: u32,
    ready: u16,
}

/// In the words of `kubectl get pods`.
fn pod_state(wire: &PodWire) -> PodState {
    let PodWire { metadata, spec, status } = wire;
    let mut word = if status.reason.is_empty() { status.phase.clone() } else { status.reason.clone() };
    let mut message = status.message.clone();
    let unscheduled = status.conditions.iter().find(|one| one.kind == "PodScheduled" && one.status != "True");
    if let Some(condition) = unscheduled {
        if message.is_empty() {
            message = condition.message.clone().unwrap_or_default();
        }
        if condition.reason.as_deref() == Some("SchedulingGated") {
            "SchedulingGated".clone_into(&mut word);
        }
    }
    let all = status.init_container_statuses.iter().chain(&status.container_statuses);
    let mut restarts = 0_u32;
    for one in all {
        restarts = restarts.saturating_add(one.restart_count);
    }
    let mut ready = 0_u16;
    if let Some((init, why)) = initializing(&status.init_container_statuses, spec.init_containers.len()) {
        word = init;
        message = if why.is_empty() { message } else { why };
    } else {
        let mut running = false;
        for one in status.container_statuses.iter().rev() {
            match (&one.state.waiting, &one.state.terminated) {
                (Some(waits), _) if !waits.reason.is_empty() => {
                    word.clone_from(&waits.reason);
                    message.clone_from(&waits.message);
                }
                (_, Some(ended)) => {
                    word = ended.end();
                    message.clone_from(&ended.message);
                }
                _ if one.ready && one.state.running.is_some() => {
                    running = true;
                    ready = ready.saturating_add(1);
                }
                _ => {}
            }
        }
        if word == "Completed" && running {
            let is_ready = status.conditions.iter().any(|one| one.kind == "Ready" && one.status == "True");
            if is_ready { "Running" } else { "NotReady" }.clone_into(&mut word);
        }
    }
    if metadata.deletion_timestamp.is_some() && !PodPhase::of(&status.phase).is_over() {
        if status.reason == "NodeLost" { "Unknown" } else { "Terminating" }.clone_into(&mut word);
    }
    PodState { status: word, message, restarts, ready }
}

/// State and message of the first unfinished init container; `None` if all have succeeded or are running sidecars.
fn initializing(all: &[ContainerStatus], count: usize) -> Option<(String, String)> {
    for (at, one) in all.iter().enumerate() {
        match (&one.state.waiting, &one.state.terminated) {
            (_, Some(ended)) if ended.exit_code == 0 => {}
            _ if one.started == Some(true) => {}
            (_, Some(ended)) => return Some((format!("Init:{}", ended.end()), ended.message.clone())),
            (Some(waits), _) if !waits.reason.is_empty() && waits.reason != "PodInitializing" => {
                return Some((format!("Init:{}", waits.reason), waits.message.clone()));
            }
            _ => return Some((format!("Init:{at}/{count}"), String::new())),
        }
    }
    None
}

fn requests(spec: &PodSpec) -> Resource {
    let mut sum = Resource::new();
    for (name, text) in spec.containers.iter().flat_map(|container| &container.resources.requests) {
        let name = if name == "cpu" { VCORE } else { name };
        if let Some(amount) = quantity(name, text) {
            sum.set(name, sum.amount(name).saturating_add(amount));
        }
    }
    sum
}

/// Rounded up: cpu in thousandths, others whole. `None` if invalid.
fn quantity(name: &str, text: &str) -> Option<i64> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, suffix) = text.split_at(digits);
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let part = part.get(..part.len().min(9))?;
    let scale = 10_u128.pow(u32::try_from(part.len()).ok()?);
    let value: u128 = format!("{whole}{part}").parse().ok()?;
    let (factor, under): (u128, u128) = match suffix {
        "" => (1, 1),
        "n" => (1, 1_000_000_000),
        "u" => (1, 1_000_000),
        "m" => (1, 1_000),
        "k" => (1_000, 1),
        "M" => (1_000_000, 1),
        "G" => (1_000_000_000, 1),
        "T" => (1_000_000_000_000, 1),
        "P" => (1_000_000_000_000_000, 1),
        "E" => (1_000_000_000_000_000_000, 1),
        "Ki" => (1 << 10, 1),
        "Mi" => (1 << 20, 1),
        "Gi" => (1 << 30, 1),
        "Ti" => (1 << 40, 1),
        "Pi" => (1 << 50, 1),
        "Ei" => (1 << 60, 1),
        exponent => {
            let power: i32 = exponent.strip_prefix(['e', 'E'])?.parse().ok()?;
            let ten = 10_u128.checked_pow(power.unsigned_abs()).filter(|_| power.unsigned_abs() <= 18)?;
            if power < 0 { (1, ten) } else { (ten, 1) }
        }
    };
    let thousandths = if name == VCORE { 1_000 } else { 1 };
    let above = value.checked_mul(factor)?.checked_mul(thousandths)?;
    i64::try_from(above.div_ceil(scale * under)).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn pod(spec: Value, status: Value, labels: Value) -> PodRow {
        let meta = json!({"name": "p", "namespace": "ns", "uid": "u-1", "labels": labels});
        let wire = json!({"metadata": meta, "spec": spec, "status": status});
        read(&serde_json::from_value(wire).unwrap(), &mut Texts::default())
    }

    fn status(status: Value) -> (String, u32, u16) {
        let row = pod(json!({"initContainers": [{"name": "i"}], "containers": [{"name": "c"}]}), status, json!({}));
        (row.status.to_string(), row.restarts, row.ready)
    }

    #[test]
    fn the_status_is_that_of_kubectl() {
        let of = |status_: Value| status(status_).0;
        assert_eq!(of(json!({"phase": "Pending"})), "Pending");
        assert_eq!(of(json!({"phase": "Failed", "reason": "Evicted"})), "Evicted");
        let waiting =
            |reason: &str| json!([{"restartCount": 3, "state": {"waiting": {"reason": reason, "message": "m"}}}]);
        assert_eq!(
            status(json!({"phase": "Running", "containerStatuses": waiting("CrashLoopBackOff")})),
            ("CrashLoopBackOff".to_owned(), 3, 0)
        );
        assert_eq!(of(json!({"phase": "Pending", "initContainerStatuses": waiting("PodInitializing")})), "Init:0/1");
        assert_eq!(
            of(json!({"phase": "Pending", "initContainerStatuses": waiting("ImagePullBackOff")})),
            "Init:ImagePullBackOff"
        );
        let running = json!([{"ready": true, "state": {"running": {}}}]);
        assert_eq!(status(json!({"phase": "Running", "containerStatuses": running})), ("Running".to_owned(), 0, 1));
        let ended = |code: i32| json!([{"state": {"terminated": {"exitCode": code}}}]);
        assert_eq!(of(json!({"phase": "Failed", "containerStatuses": ended(3)})), "ExitCode:3");
        let gated = json!([{"type": "PodScheduled", "status": "False", "reason": "SchedulingGated"}]);
        assert_eq!(of(json!({"phase": "Pending", "conditions": gated})), "SchedulingGated");
    }

    #[test]
    fn a_deleted_pod_ends_and_reports_it() {
        let wire = json!({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}, "status": {"phase": "Running"}});
        let row = read(&serde_json::from_value(wire).unwrap(), &mut Texts::default());
        assert_eq!(&*row.status, "Terminating");
    }

    #[test]
    fn the_application_is_named_as_yunikorn_names_it() {
        let app = |scheduler: &str, labels: Value| {
            pod(json!({"schedulerName": scheduler}), json!({}), labels).app.map(|app| app.to_string())
        };
        let own = |labels: Value| app("yunikorn", labels);
        assert_eq!(own(json!({"yunikorn.apache.org/app-id": "a", "applicationId": "b"})).as_deref(), Some("a"));
        assert_eq!(own(json!({"applicationId": "b", "spark-app-selector": "c"})).as_deref(), Some("b"));
        assert_eq!(own(json!({"spark-app-selector": "c"})).as_deref(), Some("c"));
        assert_eq!(own(json!({"applicationId": "ns-uniqueautogen"})).as_deref(), Some("ns-u-1"));
        assert_eq!(own(json!({})).as_deref(), Some("yunikorn-ns-autogen"));
        assert_eq!(app("default-scheduler", json!({"applicationId": "b"})), None);
    }

    #[test]
    fn quantities_are_rounded_up_and_bad_ones_are_none() {
        for (name, text, amount) in [
            ("vcore", "500m", Some(500)),
            ("vcore", "0.1", Some(100)),
            ("vcore", "1", Some(1000)),
            ("vcore", "1n", Some(1)),
            ("memory", "1.5Gi", Some(3 << 29)),
            ("memory", "128974848", Some(128_974_848)),
            ("memory", "129e6", Some(129_000_000)),
            ("memory", "100m", Some(1)),
            ("memory", "", None),
            ("memory", "many", None),
            ("memory", "1X", None),
            ("memory", "9e99", None),
            ("memory", "99999999999999999999999999999999999999999", None),
        ] {
            assert_eq!(quantity(name, text), amount, "{text}");
        }
    }
}
