//! One pod.

use std::sync::Arc;

use model::{Resource, Time};

/// A pod, as far as it is shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PodRow {
    /// Its UID, which is the key of its ask.
    pub uid: Arc<str>,
    /// Namespace; with the name it is unique at one time.
    pub namespace: Arc<str>,
    /// Name within the namespace.
    pub name: Arc<str>,
    /// The application that it belongs to; `None` for a pod of another scheduler.
    pub app: Option<Arc<str>>,
    /// Who schedules it.
    pub scheduler: Arc<str>,
    /// Node that it is bound to; `None` while it waits.
    pub node: Option<Arc<str>>,
    /// Phase by its kubelet.
    pub phase: PodPhase,
    /// What `kubectl get pods` says of it: `Running`, `ImagePullBackOff`, `Terminating`.
    pub status: Arc<str>,
    /// Why it is in trouble, in the words of the container or the condition that says so.
    pub message: Option<Arc<str>>,
    /// How often its containers were started again.
    pub restarts: u32,
    /// How many of its containers are ready.
    pub ready: u16,
    /// Its containers by name, init containers first.
    pub containers: Box<[Arc<str>]>,
    /// How many of these are init containers.
    pub init_containers: u16,
    /// Conditions in the order of its status.
    pub conditions: Box<[Condition]>,
    /// Who made it and makes it again.
    pub owner: Option<OwnerName>,
    /// The class that its priority is from.
    pub priority_class: Option<Arc<str>>,
    /// When it was made.
    pub created: Time,
    /// What its containers request; of pods of other schedulers only.
    pub requests: Resource,
}

/// The phase of a pod.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PodPhase {
    /// Not all of its containers run yet.
    #[default]
    Pending,
    /// Bound, and at least one container runs.
    Running,
    /// All containers ended well.
    Succeeded,
    /// A container ended badly.
    Failed,
    /// Its kubelet does not answer.
    Unknown,
}

impl PodPhase {
    /// Its name in Kubernetes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "Pending",
            Self::Running => "Running",
            Self::Succeeded => "Succeeded",
            Self::Failed => "Failed",
            Self::Unknown => "Unknown",
        }
    }

    /// The phase of a name; `Unknown` for one that is none.
    pub fn of(name: &str) -> Self {
        let all = [Self::Pending, Self::Running, Self::Succeeded, Self::Failed];
        all.into_iter().find(|phase| phase.name() == name).unwrap_or(Self::Unknown)
    }

    /// Whether no container will run again.
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed)
    }
}

/// A condition of a pod or a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Condition {
    /// What it is about: `PodScheduled`, `Ready`.
    pub kind: Arc<str>,
    /// `True`, `False` or `Unknown`.
    pub status: Arc<str>,
    /// The reason in one word; may be empty.
    pub reason: Arc<str>,
    /// The reason in words; may be empty.
    pub message: Arc<str>,
    /// When it changed last.
    pub since: Option<Time>,
}

impl Condition {
    /// Whether it holds.
    pub fn is_true(&self) -> bool {
        &*self.status == "True"
    }
}

/// The kind and the name of who made an object.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct OwnerName {
    /// `Job`, `ReplicaSet`, `SparkApplication`.
    pub kind: Arc<str>,
    /// Its group and version, as `batch/v1`.
    pub version: Arc<str>,
    /// Its name, in the namespace of the object.
    pub name: Arc<str>,
}

impl OwnerName {
    /// What it does when its pods are deleted (K8S-098).
    pub fn after_deletion(&self) -> &'static str {
        match &*self.kind {
            "ReplicaSet" | "StatefulSet" | "ReplicationController" | "DaemonSet" => "recreates them immediately",
            "Job" => "recreates them, and may count that as a failure",
            "RayCluster" | "RayJob" => "recreates them",
            "SparkApplication" => "may restart the driver, by its restart policy",
            "Node" => "is a kubelet that restarts them from its own files",
            // Executors of Spark: they end with their driver.
            "Pod" => "recreates them while it runs",
            _ => "may recreate them",
        }
    }

    /// What would stop it for good, where it can be stopped.
    pub fn stopped_by(&self) -> Option<&'static str> {
        match &*self.kind {
            "Job" | "CronJob" | "SparkApplication" | "RayCluster" | "RayJob" => Some("spec.suspend: true"),
            "ReplicaSet" | "Deployment" | "StatefulSet" | "ReplicationController" => Some("scaling it to 0"),
            _ => None,
        }
    }

    /// Whether its kind is one of those whose `spec.suspend` ends its pods (K8S-098).
    pub fn suspends(&self) -> bool {
        matches!(&*self.kind, "Job" | "CronJob" | "SparkApplication" | "RayCluster" | "RayJob")
    }
}

/// Statuses of `kubectl get pods` that are no trouble.
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

    /// The kind of the owner that runs it on each node, or of the kubelet that runs it from its own files: such a pod is not deleted with
    /// its application.
    pub fn retained_by(&self) -> Option<&str> {
        let kind = self.owner.as_ref().map(|owner| &*owner.kind);
        kind.filter(|kind| matches!(*kind, "DaemonSet" | "Node"))
    }

    /// What keeps it from getting on, in a word: `ImagePullBackOff`. While its application is new, also why it is not given to the scheduler:
    /// a claim that is not there, a gate.
    pub fn trouble(&self, new: bool) -> Option<&str> {
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
    fn trouble_is_what_does_not_pass_by_itself() {
        let pod = |status: &str| PodRow { status: Arc::from(status), ..PodRow::default() };
        for status in ["ImagePullBackOff", "CrashLoopBackOff", "Error", "OOMKilled", "Init:Error", "Evicted"] {
            assert_eq!(pod(status).trouble(false), Some(status));
        }
        for status in ["Running", "ContainerCreating", "Completed", "Init:0/2", "Terminating"] {
            assert_eq!(pod(status).trouble(false), None, "{status}");
        }
        let condition = Condition {
            kind: Arc::from("PodScheduled"),
            status: Arc::from("False"),
            reason: Arc::from("Unschedulable"),
            ..Condition::default()
        };
        let waits = PodRow { conditions: Box::new([condition]), ..pod("Pending") };
        assert_eq!((waits.trouble(true), waits.trouble(false)), (Some("Unschedulable"), None));
        assert_eq!(pod("SchedulingGated").trouble(true), Some("SchedulingGated"));
    }
}
