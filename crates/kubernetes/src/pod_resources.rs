//! The resources of a pod (K8S-135).

use super::objects::{Amounts, Container, ContainerStatus, Pod};
use super::quantity::resource;
use model::{Profile, Resource};

/// How sidecars (init containers that keep running) count (switch `sidecar_sum`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SidecarSum {
    #[default]
    Once,
    /// Twice while they start.
    Twice,
}

impl SidecarSum {
    /// Returns the behavior of a release's shim.
    pub const fn of(profile: Profile) -> Self {
        match profile {
            Profile::V1_5_1 | Profile::V1_8_0 => Self::Twice,
            Profile::V1_9_0 | Profile::Kornsole => Self::Once,
        }
    }
}

/// Returns the resources of a pod by the scheduler's names; each pod also counts as one of `pods`.
///
/// # Errors
/// The first invalid quantity, with its container.
pub(crate) fn pod_resources(pod: &Pod, sidecars: SidecarSum) -> Result<Resource, String> {
    let Pod { spec, status, .. } = pod;
    let refused = is_resize_refused(pod);
    let mut sum = of_containers(pod, sidecars, |container, is_init| {
        let statuses = if is_init { &status.init_container_statuses } else { &status.container_statuses };
        requests(container, statuses, refused)
    })?;
    sum.set("pods", 1);
    let of_pod = read(&spec.resources.requests, "the pod")?;
    replace(&mut sum, &of_pod);
    // A limit of the pod is its request if neither the pod nor a container requests the resource.
    let limits = read(&spec.resources.limits, "the pod")?;
    for (name, amount) in limits.iter().filter(|(name, _)| is_of_pod(name)) {
        if of_pod.get(name).is_none() && sum.get(name).is_none() {
            sum.set(name, amount);
        }
    }
    sum.add_assign(&read(&spec.overhead, "the overhead")?);
    Ok(sum)
}

/// Adds up containers, next to which the sidecars run, or takes the largest init container.
fn of_containers(
    pod: &Pod,
    sidecars: SidecarSum,
    of: impl Fn(&Container, bool) -> Result<Resource, String>,
) -> Result<Resource, String> {
    let (mut sum, mut sidecar_sum, mut peak) = (Resource::new(), Resource::new(), Resource::new());
    for container in &pod.spec.containers {
        sum.add_assign(&of(container, false)?);
    }
    for container in &pod.spec.init_containers {
        let own = of(container, true)?;
        let mut uses = own.add(&sidecar_sum);
        if container.is_sidecar() {
            sidecar_sum.add_assign(&own);
            if sidecars == SidecarSum::Twice {
                uses.add_assign(&own);
            }
        }
        peak = peak.max(&uses);
    }
    sum.add_assign(&sidecar_sum);
    Ok(sum.max(&peak))
}

fn is_of_pod(name: &str) -> bool {
    matches!(name, "vcore" | "memory") || name.starts_with("hugepages-")
}

fn replace(sum: &mut Resource, of_pod: &Resource) {
    for (name, amount) in of_pod.iter().filter(|(name, _)| is_of_pod(name)) {
        sum.set(name, amount);
    }
}

/// Requests and limits in the specification, without overhead and status.
#[derive(Debug)]
pub(crate) struct Written {
    pub requests: Resource,
    pub limits: Resource,
}

pub(crate) fn written_of(container: &Container) -> Result<Written, String> {
    let name = format!("container {:?}", container.name);
    let of = |amounts| read(amounts, &name);
    Ok(Written { requests: of(&container.resources.requests)?, limits: of(&container.resources.limits)? })
}

pub(crate) fn written(pod: &Pod) -> Result<Written, String> {
    let mut requests = of_containers(pod, SidecarSum::Once, |container, _| Ok(written_of(container)?.requests))?;
    let mut limits = of_containers(pod, SidecarSum::Once, |container, _| Ok(written_of(container)?.limits))?;
    replace(&mut requests, &read(&pod.spec.resources.requests, "the pod")?);
    replace(&mut limits, &read(&pod.spec.resources.limits, "the pod")?);
    Ok(Written { requests, limits })
}

fn read(amounts: &Amounts, of: &str) -> Result<Resource, String> {
    resource(amounts).map_err(|why| format!("the request of {of} for {why}"))
}

fn requests(container: &Container, statuses: &[ContainerStatus], refused: bool) -> Result<Resource, String> {
    let name = format!("container {:?}", container.name);
    let status = statuses.iter().find(|status| status.name == container.name);
    let granted = status.and_then(|status| status.resources.as_ref());
    let granted = granted.map(|granted| read(&granted.requests, &name)).transpose()?;
    if let Some(granted) = granted.as_ref().filter(|_| refused) {
        return Ok(granted.clone());
    }
    let mut most = read(&container.resources.requests, &name)?;
    if let Some(status) = status {
        most = most.max(&read(&status.allocated_resources, &name)?);
    }
    Ok(granted.map_or(most.clone(), |granted| most.max(&granted)))
}

/// Returns true if the kubelet has rejected the new size of the pod.
fn is_resize_refused(pod: &Pod) -> bool {
    let pending = |kind: &str, reason: &str| kind == "PodResizePending" && reason == "Infeasible";
    pod.status.resize == "Infeasible"
        || pod.status.conditions.iter().any(|one| one.status != "False" && pending(&one.kind, &one.reason))
}
