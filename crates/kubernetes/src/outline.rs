//! Reads pods and nodes for a simulation, by the rules of [`super::Recovery`].

use serde_json::Value;

use super::application::{self, Users};
use super::objects::{Node, Pod};
use super::pod_resources::{SidecarSum, pod_resources};
use super::quantity;
use model::{Identity, Resource};

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
        })
    }
}

/// Fails with the invalid field.
pub fn allocatable(node: &Value) -> Result<Resource, String> {
    let node: Node = serde_json::from_value(node.clone()).map_err(|why| why.to_string())?;
    quantity::resource(&node.status.allocatable)
}
