//! The kinds of objects with pods; sources are in `docs/guide/kubernetes-manifests.md`.

use super::count::Count::{self, AtMost, Is, Less, Max, Min, Of};
use super::field::Rejected;
use super::making::{self, Making, Scope};
use super::{argo, ray, spark, trainer};

#[derive(Debug)]
pub(super) struct Kind {
    /// API group; empty for the core group.
    pub group: &'static str,
    /// `*Job` matches a suffix.
    pub kind: &'static str,
    /// Boolean in `spec` that prevents pods.
    pub suspend: &'static str,
    pub parts: &'static [Part],
    pub after: Option<Code>,
}

pub(super) type Code = fn(&Scope<'_>, &mut Making<'_>) -> Result<(), Rejected>;

#[derive(Clone, Copy, Debug)]
pub(super) enum Each {
    /// At a dotted path, with this name.
    One(&'static str, &'static str),
    /// Each item of a list, named by a field.
    Item(&'static str, &'static str),
    /// Each entry of the maps with this key suffix, named by its lowercase key.
    Entry(&'static str),
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    Pods(Pods),
    Objects {
        each: Each,
        /// The spec of the object, in the part.
        spec: &'static str,
        kind: &'static str,
        count: Count,
        name: &'static str,
        labels: Labels,
    },
    Code(Code),
}

pub(super) type Labels = &'static [(&'static str, &'static str)];

/// Patterns contain `{name}` of the object, `{set}` of the part, `{group}` and `{index}` of the pod.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pods {
    pub each: Each,
    /// The first existing path, in the part.
    pub template: &'static [&'static str],
    pub groups: Count,
    pub count: Count,
    pub first: Count,
    pub name: &'static str,
    pub labels: Labels,
    /// Boolean in the part that prevents pods.
    pub suspend: &'static str,
    /// One pod per matching node.
    pub per_node: bool,
}

const WHOLE: Each = Each::One("", "");

/// `spec.replicas` pods of `spec.template`.
const PODS: Pods = Pods {
    each: WHOLE,
    template: &["template"],
    groups: Is(1),
    count: Of("replicas", 1),
    first: Is(0),
    name: "{name}-{index}",
    labels: &[],
    suspend: "",
    per_node: false,
};

const REPLICAS: &[Part] = &[Part::Pods(PODS)];

const fn kind(group: &'static str, kind: &'static str, suspend: &'static str, parts: &'static [Part]) -> Kind {
    Kind { group, kind, suspend, parts, after: None }
}

const fn object(at: &'static str, kind: &'static str) -> Part {
    Part::Objects { each: Each::One(at, ""), spec: "", kind, count: Is(1), name: "{name}", labels: &[] }
}

const RAY_REPLICAS: Count = Min(&[Max(&[Of("replicas", 0), Of("minReplicas", 0)]), AtMost("maxReplicas")]);
const KUBEFLOW: Labels = &[
    ("training.kubeflow.org/job-name", "{name}"),
    ("training.kubeflow.org/replica-type", "{set}"),
    ("training.kubeflow.org/replica-index", "{index}"),
];
const MPI: Pods = Pods { name: "{name}-{set}-{index}", labels: KUBEFLOW, ..PODS };
const LWS: Labels = &[
    ("leaderworkerset.sigs.k8s.io/name", "{name}"),
    ("leaderworkerset.sigs.k8s.io/group-index", "{group}"),
    ("leaderworkerset.sigs.k8s.io/worker-index", "{index}"),
];

/// All kinds; the first match applies.
pub(super) const KINDS: &[Kind] = &[
    kind("apps", "Deployment", "", REPLICAS),
    kind("apps", "ReplicaSet", "", REPLICAS),
    kind("", "ReplicationController", "", REPLICAS),
    kind(
        "apps",
        "StatefulSet",
        "",
        &[Part::Pods(Pods {
            first: Of("ordinals.start", 0),
            labels: &[("apps.kubernetes.io/pod-index", "{index}")],
            ..PODS
        })],
    ),
    kind("apps", "DaemonSet", "", &[Part::Pods(Pods { per_node: true, count: Is(1), ..PODS })]),
    Kind {
        after: Some(indexed),
        ..kind(
            "batch",
            "Job",
            "suspend",
            &[Part::Pods(Pods {
                count: Min(&[Of("parallelism", 1), AtMost("completions")]),
                labels: &[("job-name", "{name}"), ("batch.kubernetes.io/job-name", "{name}")],
                ..PODS
            })],
        )
    },
    kind("batch", "CronJob", "suspend", &[object("jobTemplate.spec", "Job")]),
    kind("sparkoperator.k8s.io", "SparkApplication", "suspend", &[Part::Code(spark::pods)]),
    kind("sparkoperator.k8s.io", "ScheduledSparkApplication", "suspend", &[object("template", "SparkApplication")]),
    kind("sparkoperator.k8s.io", "SparkConnect", "", &[Part::Code(spark::connect)]),
    Kind {
        after: Some(ray::after),
        ..kind(
            "ray.io",
            "RayCluster",
            "suspend",
            &[
                Part::Pods(Pods {
                    each: Each::One("headGroupSpec", "headgroup"),
                    count: Is(1),
                    name: "{name}-head",
                    ..PODS
                }),
                Part::Pods(Pods {
                    each: Each::Item("workerGroupSpecs", "groupName"),
                    groups: RAY_REPLICAS,
                    count: Of("numOfHosts", 1),
                    name: "{name}-{set}-worker-{group}-{index}",
                    suspend: "suspend",
                    ..PODS
                }),
            ],
        )
    },
    kind("ray.io", "RayJob", "suspend", &[object("rayClusterSpec", "RayCluster"), Part::Code(ray::submitter)]),
    kind("ray.io", "RayService", "suspend", &[object("rayClusterConfig", "RayCluster")]),
    kind(
        "kubeflow.org",
        "MPIJob",
        "runPolicy.suspend",
        &[
            Part::Pods(Pods { each: Each::One("mpiReplicaSpecs.Launcher", "launcher"), ..MPI }),
            Part::Pods(Pods { each: Each::One("mpiReplicaSpecs.Worker", "worker"), count: Of("replicas", 0), ..MPI }),
        ],
    ),
    kind(
        "kubeflow.org",
        "*Job",
        "runPolicy.suspend",
        &[Part::Pods(Pods {
            each: Each::Entry("ReplicaSpecs"),
            name: "{name}-{set}-{index}",
            labels: KUBEFLOW,
            ..PODS
        })],
    ),
    kind("trainer.kubeflow.org", "TrainJob", "suspend", &[Part::Code(trainer::pods)]),
    kind(
        "jobset.x-k8s.io",
        "JobSet",
        "suspend",
        &[Part::Objects {
            each: Each::Item("replicatedJobs", "name"),
            spec: "template.spec",
            kind: "Job",
            count: Of("replicas", 1),
            name: "{name}-{set}-{index}",
            labels: &[
                ("jobset.sigs.k8s.io/jobset-name", "{name}"),
                ("jobset.sigs.k8s.io/replicatedjob-name", "{set}"),
                ("jobset.sigs.k8s.io/job-index", "{index}"),
            ],
        }],
    ),
    kind(
        "leaderworkerset.x-k8s.io",
        "LeaderWorkerSet",
        "",
        &[
            Part::Pods(Pods {
                template: &["leaderWorkerTemplate.leaderTemplate", "leaderWorkerTemplate.workerTemplate"],
                groups: Of("replicas", 1),
                count: Is(1),
                name: "{name}-{group}",
                labels: LWS,
                ..PODS
            }),
            Part::Pods(Pods {
                template: &["leaderWorkerTemplate.workerTemplate"],
                groups: Of("replicas", 1),
                count: Less(&Of("leaderWorkerTemplate.size", 1), 1),
                first: Is(1),
                name: "{name}-{group}-{index}",
                labels: LWS,
                ..PODS
            }),
        ],
    ),
    kind("disaggregatedset.x-k8s.io", "DisaggregatedSet", "", &[Part::Code(slices)]),
    kind("argoproj.io", "Workflow", "suspend", &[Part::Code(argo::pods)]),
    kind("argoproj.io", "CronWorkflow", "suspend", &[object("workflowSpec", "Workflow")]),
];

/// An unknown kind with a pod template at `spec.template`.
pub(super) const ANY: Kind = kind("", "", "suspend", REPLICAS);

/// Kinds without own pods: other objects refer to their templates.
pub(super) const TEMPLATES: &[(&str, &str)] = &[
    ("trainer.kubeflow.org", "TrainingRuntime"),
    ("trainer.kubeflow.org", "ClusterTrainingRuntime"),
    ("argoproj.io", "WorkflowTemplate"),
    ("argoproj.io", "ClusterWorkflowTemplate"),
];

/// Each role of a DisaggregatedSet is a LeaderWorkerSet, once for each slice.
fn slices(scope: &Scope<'_>, making: &mut Making<'_>) -> Result<(), Rejected> {
    let times = Count::Of("slices", 1).in_field(&scope.spec)?;
    let Some(kind) = find(None, "LeaderWorkerSet") else { return Ok(()) };
    for role in scope.spec.required("roles")?.items()? {
        let name = format!("{}-{}", scope.name, role.required("name")?.text()?);
        let from = making.made.len();
        making::expand(kind, &scope.inner(role.required("spec")?, name), making)?;
        making.made[from..].iter_mut().for_each(|made| made.groups = made.groups.saturating_mul(times));
    }
    Ok(())
}

fn indexed(scope: &Scope<'_>, making: &mut Making<'_>) -> Result<(), Rejected> {
    if scope.spec.text_at("completionMode")? == Some("Indexed") {
        let from = making.from;
        for made in &mut making.made[from..] {
            made.labels.push(("batch.kubernetes.io/job-completion-index".to_owned(), "{index}".to_owned()));
        }
    }
    Ok(())
}

/// `group` is `None` without an API version.
pub(super) fn find(group: Option<&str>, name: &str) -> Option<&'static Kind> {
    let named = |kind: &Kind| match kind.kind.strip_prefix('*') {
        // Without a group, only a full kind name matches.
        Some(ending) => group.is_some() && name.ends_with(ending),
        None => kind.kind == name,
    };
    KINDS.iter().find(|kind| group.is_none_or(|group| group == kind.group) && named(kind))
}
