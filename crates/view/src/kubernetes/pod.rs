//! Pods.

use std::sync::Arc;

use model::{Resource, Time};

/// The displayed data of a pod.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PodRow {
    /// The UID, which is the key of the request.
    pub uid: Arc<str>,
    /// Namespace; with the name it is unique at one time.
    pub namespace: Arc<str>,
    /// Name within the namespace.
    pub name: Arc<str>,
    /// The application; `None` for a foreign pod.
    pub app: Option<Arc<str>>,
    /// The scheduler name.
    pub scheduler: Arc<str>,
    /// `None` if not bound.
    pub node: Option<Arc<str>>,
    /// Phase by its kubelet.
    pub phase: PodPhase,
    /// The status in `kubectl get pods`: `Running`, `ImagePullBackOff`, `Terminating`.
    pub status: Arc<str>,
    /// The message of the container or condition with a problem.
    pub message: Option<Arc<str>>,
    /// Restarts of its containers.
    pub restarts: u32,
    /// The number of ready containers.
    pub ready: u16,
    /// The container names, init containers first.
    pub containers: Box<[Arc<str>]>,
    /// The number of init containers.
    pub init_containers: u16,
    /// The conditions in the order of the status.
    pub conditions: Box<[Condition]>,
    /// Who made it and makes it again.
    pub owner: Option<OwnerName>,
    /// The priority class.
    pub priority_class: Option<Arc<str>>,
    /// When it was made.
    pub created: Time,
    /// The requests of its containers; only for foreign pods.
    pub requests: Resource,
}

/// The phase of a pod.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PodPhase {
    /// Not all containers have started.
    #[default]
    Pending,
    /// Bound, and at least one container runs.
    Running,
    /// All containers succeeded.
    Succeeded,
    /// A container failed.
    Failed,
    /// The kubelet does not answer.
    Unknown,
}

impl PodPhase {
    /// The name in Kubernetes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "Pending",
            Self::Running => "Running",
            Self::Succeeded => "Succeeded",
            Self::Failed => "Failed",
            Self::Unknown => "Unknown",
        }
    }

    /// `Unknown` for other names.
    pub fn of(name: &str) -> Self {
        let all = [Self::Pending, Self::Running, Self::Succeeded, Self::Failed];
        all.into_iter().find(|phase| phase.name() == name).unwrap_or(Self::Unknown)
    }

    /// Whether all containers have ended for good.
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed)
    }
}

/// A condition of a pod or a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Condition {
    /// The type: `PodScheduled`, `Ready`.
    pub kind: Arc<str>,
    /// `True`, `False` or `Unknown`.
    pub status: Arc<str>,
    /// The reason; may be empty.
    pub reason: Arc<str>,
    /// The message; may be empty.
    pub message: Arc<str>,
    /// The last transition.
    pub since: Option<Time>,
}

impl Condition {
    /// Whether the status is `True`.
    pub fn is_true(&self) -> bool {
        &*self.status == "True"
    }
}

/// The kind and name of an owner.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct OwnerName {
    /// `Job`, `ReplicaSet`, `SparkApplication`.
    pub kind: Arc<str>,
    /// Group and version: `batch/v1`.
    pub version: Arc<str>,
    /// The name, in the namespace of the object.
    pub name: Arc<str>,
}

impl OwnerName {
    /// The consequence of deleting its pods (K8S-098).
    pub fn after_deletion(&self) -> &'static str {
        match &*self.kind {
            "ReplicaSet" | "StatefulSet" | "ReplicationController" | "DaemonSet" => "recreates them immediately",
            "Job" => "recreates them, and may count that as a failure",
            "RayCluster" | "RayJob" => "recreates them",
            "SparkApplication" => "may restart the driver, by its restart policy",
            "Node" => "is a kubelet that restarts them from its own files",
            // Spark executors end with their driver.
            "Pod" => "recreates them while it runs",
            _ => "may recreate them",
        }
    }

    /// How to stop it permanently, if possible.
    pub fn stopped_by(&self) -> Option<&'static str> {
        match &*self.kind {
            "Job" | "CronJob" | "SparkApplication" | "RayCluster" | "RayJob" => Some("spec.suspend: true"),
            "ReplicaSet" | "Deployment" | "StatefulSet" | "ReplicationController" => Some("scaling it to 0"),
            _ => None,
        }
    }

    /// Whether `spec.suspend` of this kind ends the pods (K8S-098).
    pub fn suspends(&self) -> bool {
        matches!(&*self.kind, "Job" | "CronJob" | "SparkApplication" | "RayCluster" | "RayJob")
    }
}

/// Statuses of `kubectl get pods` that are not a problem.
const QUIET: [&str; 9] = [
    "Running",
    "Pending",
    "ContainerCreating",
    "PodInitializing",
    "Completed",
    "Succeeded",
    "Terminating",
    "NotReady",
    "SchedulingGated",
];

impl PodRow {
    /// `namespace/name`, as `kubectl get --all-namespaces` has them in two columns.
    pub fn full_name(&self) -> String {
        format!("{}/{}", self.namespace, self.name)
    }

    /// The kind of an owner that runs it on each node, or as a static pod: it is not deleted with its application.
    pub fn retained_by(&self) -> Option<&str> {
        let kind = self.owner.as_ref().map(|owner| &*owner.kind);
        kind.filter(|kind| matches!(*kind, "DaemonSet" | "Node"))
    }

    /// The problem of the pod in a word: `ImagePullBackOff`. For a new application, also the reason why the scheduler
    /// did not get the pod: a missing claim, a gate.
    pub fn problem(&self, new: bool) -> Option<&str> {
        if !QUIET.contains(&&*self.status) && !self.status.starts_with("Init:") {
            return Some(&self.status);
        }
        if self.status.starts_with("Init:") && !self.status.contains('/') {
            return Some(&self.status);
        }
        if !new || self.node.is_some() {
            return None;
        }
        if &*self.status == "SchedulingGated" {
            return Some(&self.status);
        }
        let scheduled = self.conditions.iter().find(|condition| &*condition.kind == "PodScheduled");
        scheduled.filter(|condition| !condition.is_true() && !condition.reason.is_empty()).map(|one| &*one.reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_is_what_needs_an_action() {
        let pod = |status: &str| PodRow { status: Arc::from(status), ..PodRow::default() };
        for status in ["ImagePullBackOff", "CrashLoopBackOff", "Error", "OOMKilled", "Init:Error", "Evicted"] {
            assert_eq!(pod(status).problem(false), Some(status));
        }
        for status in ["Running", "ContainerCreating", "Completed", "Init:0/2", "Terminating"] {
            assert_eq!(pod(status).problem(false), None, "{status}");
        }
        let condition = Condition {
            kind: Arc::from("PodScheduled"),
            status: Arc::from("False"),
            reason: Arc::from("Unschedulable"),
            ..Condition::default()
        };
        let waits = PodRow { conditions: Box::new([condition]), ..pod("Pending") };
        assert_eq!((waits.problem(true), waits.problem(false)), (Some("Unschedulable"), None));
        assert_eq!(pod("SchedulingGated").problem(true), Some("SchedulingGated"));
    }
}
