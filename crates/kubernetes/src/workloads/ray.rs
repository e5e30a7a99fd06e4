//! KubeRay's changes to a RayCluster's pods, and a RayJob's submitter.

use serde_json::{Value, json};

use super::field::{Field, Rejected};
use super::making::{Made, Making, Scope};
use crate::names::{TASK_GROUPS, own};
use crate::objects::{Amount, Container, Pod, Resources};
use crate::pod_resources::{SidecarSum, pod_resources};

const HEAD: &str = "headgroup";
const SUBMITTER: &str = "submitter";
/// The labels that request a gang; the second one before KubeRay 1.3.
const GANG: [&str; 2] = ["ray.io/gang-scheduling-enabled", "yunikorn.apache.org/gang-scheduling"];

/// KubeRay's labels, the autoscaler container, and the settings of its YuniKorn plugin.
pub(super) fn after(scope: &Scope<'_>, making: &mut Making<'_>) -> Result<(), Rejected> {
    let autoscaler = autoscaler(scope)?;
    // The second name of each before KubeRay 1.3.
    let label = |keys: [&str; 2]| keys.iter().find_map(|key| scope.labels.get(&own(key)));
    let (app, queue) = (label(["app-id", "application-id"]), label(["queue", "queue-name"]));
    let is_gang = GANG.iter().any(|key| scope.labels.contains_key(*key));
    let groups = if is_gang { task_groups(scope)? } else { String::new() };
    let from = making.from;
    for made in &mut making.made[from..] {
        let is_head = made.set == HEAD;
        if is_head {
            made.pod.spec.containers.extend(autoscaler.clone());
        }
        let labels = &mut made.pod.metadata.labels;
        for (key, value) in [
            ("ray.io/cluster", scope.name.as_str()),
            ("ray.io/is-ray-node", "yes"),
            ("ray.io/node-type", if is_head { "head" } else { "worker" }),
            ("ray.io/group", made.set.as_str()),
        ] {
            labels.insert(key.to_owned(), value.to_owned());
        }
        // Either label means that the operator uses its YuniKorn plugin.
        if app.is_none() && queue.is_none() && !is_gang {
            continue;
        }
        for (key, value) in [("applicationId", app), ("queue", queue)] {
            labels.extend(value.map(|value| (key.to_owned(), value.clone())));
        }
        made.pod.spec.scheduler_name = "yunikorn".to_owned();
        if is_gang {
            let annotations = &mut made.pod.metadata.annotations;
            annotations.insert(own(TASK_GROUPS), groups.clone());
            annotations.insert(own("task-group-name"), made.set.clone());
        }
    }
    Ok(())
}

/// Half a core and 512 MiB by default.
fn autoscaler(scope: &Scope<'_>) -> Result<Option<Container>, Rejected> {
    if !scope.spec.is_true_at("enableInTreeAutoscaling")? {
        return Ok(None);
    }
    let mut container = Container { name: "autoscaler".to_owned(), ..Container::default() };
    match scope.spec.at("autoscalerOptions.resources")? {
        Some(field) => {
            let template = json!({ "spec": { "containers": [{ "resources": field.value }] } });
            let mut pod = field.pod_of(template, 4)?;
            container.resources = pod.spec.containers.pop().unwrap_or_default().resources;
        }
        None => set(&mut container, ("500m", "512Mi"), ("500m", "512Mi")),
    }
    Ok(Some(container))
}

fn set(container: &mut Container, requests: (&str, &str), limits: (&str, &str)) {
    let amounts = |(cpu, memory): (&str, &str)| {
        [("cpu", cpu), ("memory", memory)].map(|(name, amount)| (name.to_owned(), Amount(amount.to_owned()))).into()
    };
    container.resources = Resources { requests: amounts(requests), limits: amounts(limits) };
}

/// Also of suspended groups.
fn task_groups(scope: &Scope<'_>) -> Result<String, Rejected> {
    let mut groups = vec![group(HEAD, 1, &scope.spec.required("headGroupSpec.template")?)?];
    let workers = scope.spec.at("workerGroupSpecs")?.map(|list| list.items()).transpose()?.unwrap_or_default();
    for (number, worker) in workers.iter().enumerate() {
        let count = |path: &str, default| worker.at(path)?.map_or(Ok(default), |field| field.count());
        let members = count("minReplicas", 0)?.saturating_mul(count("numOfHosts", 1)?);
        let name = worker.text_at("groupName")?.map_or_else(|| number.to_string(), str::to_owned);
        groups.push(group(&name, members, &worker.required("template")?)?);
    }
    Ok(Value::Array(groups).to_string())
}

fn group(name: &str, members: u64, template: &Field<'_>) -> Result<Value, Rejected> {
    let mut group = json!({ "name": name, "minMember": members, "minResource": sum_of(&template.pod()?) });
    for field in ["nodeSelector", "tolerations", "affinity"] {
        if let Some(found) = template.at(&format!("spec.{field}"))? {
            group[field] = found.value.clone();
        }
    }
    Ok(group)
}

fn sum_of(pod: &Pod) -> Value {
    let Ok(sum) = pod_resources(pod, SidecarSum::Once) else {
        return json!({});
    };
    let named = sum.iter().filter(|(name, _)| *name != "pods").map(|(name, amount)| match name {
        "vcore" => ("cpu".to_owned(), json!(format!("{amount}m"))),
        name => (name.to_owned(), json!(amount.to_string())),
    });
    Value::Object(named.collect())
}

pub(super) fn submitter(scope: &Scope<'_>, making: &mut Making<'_>) -> Result<(), Rejected> {
    let mode = scope.spec.text_at("submissionMode")?.unwrap_or("K8sJobMode");
    let mut own = Container { name: "ray-job-submitter".to_owned(), ..Container::default() };
    set(&mut own, ("500m", "200Mi"), ("1", "1Gi"));
    let from = making.from;
    let template = scope.spec.at("submitterPodTemplate")?;
    match mode {
        "K8sJobMode" => {
            let mut pod = match &template {
                Some(template) => template.pod()?,
                None => Pod::default(),
            };
            if template.is_none() {
                pod.spec.containers.push(own);
            }
            let mut submitter = Made::one(SUBMITTER, pod, format!("{}-submitter", scope.name));
            schedule(scope, template.as_ref(), &mut submitter, &mut making.made[from..])?;
            making.made.push(submitter);
        }
        "SidecarMode" => {
            let head = making.made[from..].iter_mut().find(|made| made.set == HEAD);
            head.into_iter().for_each(|head| head.pod.spec.containers.push(own.clone()));
        }
        _ => {}
    }
    Ok(())
}

/// Like the YuniKorn plugin since KubeRay 1.5: the submitter is a pod of the application, and of the gang.
fn schedule(
    scope: &Scope<'_>,
    template: Option<&Field<'_>>,
    submitter: &mut Made,
    others: &mut [Made],
) -> Result<(), Rejected> {
    let Some(head) = others.iter().find(|made| made.set == HEAD) else { return Ok(()) };
    let is_gang = scope.labels.contains_key(GANG[0]);
    let keys = ["app-id", "queue"];
    let pod = &mut submitter.pod;
    if is_gang || keys.iter().any(|key| scope.labels.contains_key(&own(key))) {
        "yunikorn".clone_into(&mut pod.spec.scheduler_name);
    } else if template.is_none() {
        pod.spec.scheduler_name.clone_from(&head.pod.spec.scheduler_name);
    }
    if template.is_none() {
        for key in ["applicationId", "queue", "yunikorn.apache.org/app-id", "yunikorn.apache.org/queue"] {
            let value = head.pod.metadata.labels.get(key);
            pod.metadata.labels.extend(value.map(|value| (key.to_owned(), value.clone())));
        }
    }
    for (key, name) in keys.into_iter().zip(["applicationId", "queue"]) {
        let value = scope.labels.get(&own(key)).filter(|value| !value.is_empty());
        pod.metadata.labels.extend(value.map(|value| (name.to_owned(), value.clone())));
    }
    if !is_gang {
        return Ok(());
    }
    let mut own_group = json!({ "name": SUBMITTER, "minMember": 1, "minResource": sum_of(pod) });
    if let Some(template) = template {
        own_group = group(SUBMITTER, 1, template)?;
    }
    let known = head.pod.metadata.annotation(&own(TASK_GROUPS)).to_owned();
    let Ok(Value::Array(mut groups)) = serde_json::from_str(&known) else { return Ok(()) };
    groups.push(own_group);
    let groups = Value::Array(groups).to_string();
    pod.metadata.annotations.insert(own("task-group-name"), SUBMITTER.to_owned());
    for pod in others.iter_mut().map(|made| &mut made.pod).chain([pod]) {
        pod.metadata.annotations.insert(own(TASK_GROUPS), groups.clone());
    }
    Ok(())
}
