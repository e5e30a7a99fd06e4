//! Reads pods and nodes for a simulation, by the rules of [`super::Recovery`].

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::application::{self, Users};
use super::gang::{self, Parameters, TaskGroup};
use super::objects::{Meta, Node, Pod};
use super::pod_resources::{SidecarSum, pod_resources};
use super::quantity;
use model::{Identity, Resource};
use scheduler::GangStyle;

/// The summary of a pod.
#[derive(Clone, Debug)]
pub struct PodOutline {
    /// Application ID that it names (K8S-111).
    pub app: Option<String>,
    /// Requested queue; empty: placement decides (K8S-113).
    pub queue: String,
    /// `user.info` is trusted (K8S-117).
    pub who: Identity,
    /// Resources in bytes, millicores, and pieces (K8S-135).
    pub resource: Resource,
    /// The field `schedulerName`; may be empty.
    pub scheduler: String,
    /// Scheduling gates keep it from the scheduler.
    pub is_gated: bool,
    /// Of a gang; the scheduler creates it.
    pub is_placeholder: bool,
    /// `None` outside of a gang (K8S-130).
    pub task_group: Option<Arc<str>>,
    /// The gang that it defines for its application (K8S-129).
    pub gang: Option<GangOutline>,
}

/// A gang, as a pod defines it.
#[derive(Clone, Debug)]
pub struct GangOutline {
    /// The reaction to the timeout (K8S-133).
    pub style: GangStyle,
    /// `None`: the scheduler's default.
    pub timeout: Option<Duration>,
    /// The sum over all placeholders (K8S-132).
    pub total: Resource,
    /// Name, number of placeholders, and the request of each.
    pub groups: Vec<(Arc<str>, u32, Resource)>,
}

impl GangOutline {
    /// `None` without task groups, and with invalid ones (K8S-131).
    fn of(meta: &Meta) -> Option<Self> {
        let groups = gang::task_groups(meta).ok().filter(|groups| !groups.is_empty())?;
        let Parameters { timeout, style } = gang::parameters(meta);
        let total = gang::placeholder_ask(&groups);
        let one = |group: &TaskGroup| {
            let count = u32::try_from(group.min_member).unwrap_or(0);
            let each = gang::placeholder_ask(&[TaskGroup { min_member: 1, ..group.clone() }]);
            (Arc::from(group.name.as_str()), count, each)
        };
        Some(Self { style, timeout, total, groups: groups.iter().map(one).collect() })
    }
}

impl PodOutline {
    /// Fails with the invalid field.
    pub fn read(pod: &Value) -> Result<Self, String> {
        let pod: Pod = serde_json::from_value(pod.clone()).map_err(|why| why.to_string())?;
        let meta = &pod.metadata;
        Ok(Self {
            app: application::named(meta),
            queue: application::queue(meta).to_owned(),
            who: application::user(meta, Users::Trusted).0,
            resource: pod_resources(&pod, SidecarSum::Once)?,
            scheduler: pod.spec.scheduler_name.clone(),
            is_gated: !pod.spec.scheduling_gates.is_empty(),
            is_placeholder: gang::is_placeholder(meta),
            task_group: Some(gang::group_of(meta)).filter(|group| !group.is_empty()).map(Arc::from),
            gang: GangOutline::of(meta),
        })
    }
}

/// Fails with the invalid field.
pub fn allocatable(node: &Value) -> Result<Resource, String> {
    let node: Node = serde_json::from_value(node.clone()).map_err(|why| why.to_string())?;
    quantity::resource(&node.status.allocatable)
}
