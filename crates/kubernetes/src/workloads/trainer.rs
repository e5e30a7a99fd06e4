//! TrainJob of Kubeflow Trainer: the pods of its runtime, or of its own fields if the runtime is not in the manifests.

use serde_json::{Value, json};

use super::field::{Field, Rejected};
use super::making::{Made, Making, Scope};
use crate::objects::Pod;

const STEP: &str = "trainer.kubeflow.org/trainjob-ancestor-step";
/// The name of that job and its container.
const NODE: &str = "node";

pub(super) fn pods(scope: &Scope<'_>, making: &mut Making<'_>) -> Result<(), Rejected> {
    let runtime = scope.spec.required("runtimeRef")?;
    let (name, kind) = (runtime.required("name")?.text()?, runtime.text_at("kind")?);
    let kind = kind.unwrap_or("ClusterTrainingRuntime");
    let namespace = if kind == "TrainingRuntime" { scope.namespace.as_str() } else { "" };
    let own_nodes = scope.spec.at("trainer.numNodes")?.map(|field| field.count()).transpose()?;
    let Some(runtime) = making.template(kind, namespace, name) else {
        let note = format!("{kind} {name} is not in the manifests; its pods request resourcesPerNode alone");
        making.notes.push(note);
        let pod = node_pod(scope)?;
        let name = format!("{}-{NODE}-0-{{index}}", scope.name);
        making.made.push(Made { count: own_nodes.unwrap_or(1), ..Made::one(NODE, pod, name) });
        return Ok(());
    };
    let nodes = match (own_nodes, runtime.at("spec.mlPolicy.numNodes")?) {
        (Some(nodes), _) => nodes,
        (None, Some(field)) => field.count()?,
        (None, None) => 1,
    };
    for job in runtime.required("spec.template.spec.replicatedJobs")?.items()? {
        making.made.push(of_job(scope, &job, nodes)?);
    }
    Ok(())
}

fn of_job(scope: &Scope<'_>, job: &Field<'_>, nodes: u64) -> Result<Made, Rejected> {
    let set = job.required("name")?.text()?;
    let step = job.texts_at("template.metadata.labels")?.remove(STEP);
    let trains = step.map_or(set == NODE, |step| step == "trainer");
    let template = job.required("template.spec.template")?;
    let mut pod = template.pod()?;
    let number = |path: &str| job.at(path)?.map_or(Ok(1), |field| field.count());
    let count = if trains { nodes } else { number("template.spec.parallelism")? };
    if let Some(resources) = scope.spec.at("trainer.resourcesPerNode")?.filter(|_| trains) {
        let requested = with_resources(&resources)?;
        let containers = &mut pod.spec.containers;
        let at = containers.iter().position(|container| container.name == NODE).unwrap_or(0);
        if let (Some(container), Some(requested)) = (containers.get_mut(at), requested.spec.containers.first()) {
            container.resources = requested.resources.clone();
        }
    }
    let name = format!("{}-{set}-{{group}}-{{index}}", scope.name);
    Ok(Made { groups: number("replicas")?, count, ..Made::one(set, pod, name) })
}

/// Returns a pod with the resources per node of the TrainJob.
fn node_pod(scope: &Scope<'_>) -> Result<Pod, Rejected> {
    match scope.spec.at("trainer.resourcesPerNode")? {
        Some(resources) => with_resources(&resources),
        None => scope.spec.pod_of(json!({ "spec": { "containers": [{ "name": NODE }] } }), 0),
    }
}

fn with_resources(resources: &Field<'_>) -> Result<Pod, Rejected> {
    let container: Value = json!({ "name": NODE, "resources": resources.value });
    resources.pod_of(json!({ "spec": { "containers": [container] } }), 4)
}
