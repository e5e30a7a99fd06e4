//! KubeRay's changes to a RayCluster's pods, and a RayJob's submitter.

use serde_json::{Value, json};

use super::field::{Field, Rejected};
use super::making::{Made, Making, Scope};
use crate::names::{TASK_GROUPS, own};
use crate::objects::{Amount, Container, Pod, Resources};
use crate::pod_resources::{SidecarSum, pod_resources};

const HEAD: &str = "headgroup";
/// The labels that request a gang; the second one before KubeRay 1.3.
const GANG: [&str; 2] = ["ray.io/gang-scheduling-enabled", "yunikorn.apache.org/gang-scheduling"];

/// KubeRay's labels, the autoscaler container, and the settings of its YuniKorn plugin.
pub(super) fn after(scope: &Scope<'_>, making: &mut Making<'_>) -> Result<(), Rejected> {
    let groups = task_groups(scope, making)?;
    let autoscaler = autoscaler(scope)?;
    // The second name of each before KubeRay 1.3.
    let label = |keys: [&str; 2]| keys.iter().find_map(|key| scope.labels.get(&own(key)));
    let (app, queue) = (label(["app-id", "application-id"]), label(["queue", "queue-name"]));
    let is_gang = GANG.iter().any(|key| scope.labels.contains_key(*key));
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

fn task_groups(scope: &Scope<'_>, making: &Making<'_>) -> Result<String, Rejected> {
    let mut groups = Vec::new();
    let workers = scope.spec.at("workerGroupSpecs")?.map(|list| list.items()).transpose()?.unwrap_or_default();
    for made in &making.made[making.from..] {
        let named = |field: &Field<'_>| field.text_at("groupName").ok().flatten() == Some(made.set.as_str());
        let members = match workers.iter().find(|field| named(field)) {
            Some(field) => {
                let number = |path: &str, default| field.at(path)?.map_or(Ok(default), |field| field.count());
                number("minReplicas", 0)?.saturating_mul(number("numOfHosts", 1)?)
            }
            None => 1,
        };
        let requests = sum_of(&made.pod);
        groups.push(json!({ "name": made.set, "minMember": members, "minResource": requests }));
    }
    Ok(Value::Array(groups).to_string())
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
    match (mode, scope.spec.at("submitterPodTemplate")?) {
        ("K8sJobMode", Some(template)) => {
            making.made.push(Made::one("submitter", template.pod()?, format!("{}-submitter", scope.name)));
        }
        ("K8sJobMode", None) => {
            let mut pod = Pod::default();
            pod.spec.containers.push(own);
            // The plugin sets no scheduler here; labels assign the pod to the cluster's application.
            let from = making.from;
            if let Some(head) = making.made[from..].iter().find(|made| made.set == HEAD) {
                pod.spec.scheduler_name.clone_from(&head.pod.spec.scheduler_name);
                for key in ["applicationId", "queue", "yunikorn.apache.org/app-id", "yunikorn.apache.org/queue"] {
                    let value = head.pod.metadata.labels.get(key);
                    pod.metadata.labels.extend(value.map(|value| (key.to_owned(), value.clone())));
                }
            }
            making.made.push(Made::one("submitter", pod, format!("{}-submitter", scope.name)));
        }
        ("SidecarMode", _) => {
            let from = making.from;
            let head = making.made[from..].iter_mut().find(|made| made.set == HEAD);
            head.into_iter().for_each(|head| head.pod.spec.containers.push(own.clone()));
        }
        _ => {}
    }
    Ok(())
}
