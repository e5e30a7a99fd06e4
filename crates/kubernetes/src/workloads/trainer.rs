//! TrainJob of Kubeflow Trainer: its runtime's pods, or its own fields without that.

use serde_json::{Value, json};

use super::field::{Field, Rejected};
use super::making::{Made, Making, Scope};
use super::patch::merge;
use crate::objects::Pod;

const STEP: &str = "trainer.kubeflow.org/trainjob-ancestor-step";
const NODE: &str = "node";
const LAUNCHER: &str = "launcher";

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
    let nodes = Nodes::of(own_nodes, runtime.at("spec.mlPolicy")?)?;
    for job in runtime.required("spec.template.spec.replicatedJobs")?.items()? {
        making.made.push(of_job(scope, &job, &nodes)?);
    }
    Ok(())
}

struct Nodes {
    own: Option<u64>,
    /// Of the runtime, if it has a policy.
    of_runtime: Option<u64>,
    mpi: bool,
    launcher_trains: bool,
}

impl Nodes {
    fn of(own: Option<u64>, policy: Option<Field<'_>>) -> Result<Self, Rejected> {
        let Some(policy) = policy else {
            return Ok(Self { own, of_runtime: None, mpi: false, launcher_trains: false });
        };
        let of_runtime = policy.at("numNodes")?.map_or(Ok(1), |field| field.count())?;
        let launcher_trains = policy.is_true_at("mpi.runLauncherAsNode")?;
        Ok(Self { own, of_runtime: Some(of_runtime), mpi: policy.key("mpi")?.is_some(), launcher_trains })
    }

    /// `None` for its `parallelism`.
    fn of_job(&self, set: &str, trains: bool) -> Option<u64> {
        match (self.mpi, set == NODE) {
            // The launcher takes the place of a node.
            (true, true) => self.own.map(|own| if self.launcher_trains { own.saturating_sub(1).max(1) } else { own }),
            (true, false) if trains => self.of_runtime,
            (false, _) if trains => self.own.or(self.of_runtime),
            _ => None,
        }
    }
}

fn of_job(scope: &Scope<'_>, job: &Field<'_>, nodes: &Nodes) -> Result<Made, Rejected> {
    let set = job.required("name")?.text()?;
    let step = job.texts_at("template.metadata.labels")?.remove(STEP);
    let is_trainer = step.as_deref() == Some("trainer");
    let trains = is_trainer || (step.is_none() && set == NODE);
    let mut pod = of_template(scope, &job.required("template.spec.template")?, set)?;
    let number = |path: &str| job.at(path)?.map_or(Ok(1), |field| field.count());
    let count = match nodes.of_job(set, trains) {
        Some(count) => count,
        None => number("template.spec.parallelism")?,
    };
    if let Some(resources) = scope.spec.at("trainer.resourcesPerNode")?.filter(|_| trains) {
        let requested = with_resources(&resources)?;
        let accepts = |name: &str| name == NODE || (name == LAUNCHER && nodes.launcher_trains);
        let own = pod.spec.containers.iter_mut().filter(|container| accepts(&container.name));
        for (container, requested) in own.zip(requested.spec.containers.iter().cycle()) {
            container.resources = requested.resources.clone();
        }
    }
    let name = format!("{}-{set}-{{group}}-{{index}}", scope.name);
    // The controller sets one replica of the trainer.
    let groups = if is_trainer { 1 } else { number("replicas")? };
    Ok(Made { groups, count, ..Made::one(set, pod, name) })
}

/// The pod of a template of the runtime, with the changes of the TrainJob for this job.
fn of_template(scope: &Scope<'_>, template: &Field<'_>, set: &str) -> Result<Pod, Rejected> {
    let mut changed = template.value.clone();
    for change in scope.spec.at("podTemplateOverrides")?.map(|list| list.items()).transpose()?.unwrap_or_default() {
        let targets = change.at("targetJobs")?.map(|list| list.items()).transpose()?.unwrap_or_default();
        if targets.is_empty() || targets.iter().any(|target| target.value["name"] == set) {
            for part in ["metadata", "spec"] {
                if let Some(change) = change.key(part)? {
                    merge(&mut changed, &json!({ part: change.value }));
                }
            }
        }
    }
    for patch in scope.spec.at("runtimePatches")?.map(|list| list.items()).transpose()?.unwrap_or_default() {
        let jobs = patch.at("trainingRuntimeSpec.template.spec.replicatedJobs")?;
        for job in jobs.map(|list| list.items()).transpose()?.unwrap_or_default() {
            if let Some(patch) = job.at("template.spec.template")?.filter(|_| job.value["name"] == set) {
                merge(&mut changed, patch.value);
            }
        }
    }
    template.pod()?;
    template.pod_of(changed, 0)
}

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
