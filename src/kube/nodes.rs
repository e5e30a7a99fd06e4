//! Nodes: taking them out of scheduling and back.

use k8s_openapi::api::core::v1::Node;
use kube::api::{Api, Patch, PatchParams};
use serde_json::json;

use super::KubeFault;
use super::cluster::Cluster;
use super::config_map::MANAGER;

impl Cluster {
    /// Takes a node out of scheduling, or back. What runs there goes on.
    ///
    /// # Errors
    /// It is not there, or may not be changed.
    pub async fn cordon(&self, node: &str, cordoned: bool) -> Result<(), KubeFault> {
        let asked = Self::cordoning().named(node);
        let nodes = Api::<Node>::all(self.client().await?);
        let params = PatchParams { field_manager: Some(MANAGER.to_owned()), ..PatchParams::default() };
        let patch = json!({"spec": {"unschedulable": cordoned}});
        let done = nodes.patch(node, &params, &Patch::Merge(&patch)).await;
        done.map(drop).map_err(|error| KubeFault::of(error, &asked, self.user().as_deref()))
    }
}
