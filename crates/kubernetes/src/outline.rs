//! What a simulation needs of a pod and a node, from their JSON: other readers than [`super::Recovery`] map by the same rules.

use serde_json::Value;

use super::application::{self, Users};
use super::objects::{Node, Pod};
use super::pod_resources::{SidecarSum, pod_resources};
use super::quantity;
use model::{Identity, Resource};

/// A pod in outline.
#[derive(Clone, Debug)]
pub struct PodOutline {
    /// The application that it names, if it names one (K8S-111).
    pub app: Option<String>,
    /// The queue that it requests; empty: placement decides (K8S-113).
    pub queue: String,
    /// Who it is of; the annotation `user.info` is trusted (K8S-117).
    pub who: Identity,
    /// What it takes of its node, in bytes, millicores and pieces (K8S-135).
    pub resource: Resource,
}

impl PodOutline {
    /// Reads a pod.
    ///
    /// # Errors
    /// A field has another shape, or a request is no quantity: which, and why.
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

/// What a node has for pods.
///
/// # Errors
/// A field has another shape, or an amount is no quantity.
pub fn allocatable(node: &Value) -> Result<Resource, String> {
    let node: Node = serde_json::from_value(node.clone()).map_err(|why| why.to_string())?;
    quantity::resource(&node.status.allocatable)
}
