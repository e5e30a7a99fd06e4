//! Cordons and uncordons nodes.

use k8s_openapi::api::core::v1::Node;
use kube::api::{Api, Patch, PatchParams};
use serde::Deserialize;
use serde_json::json;

use super::cluster::Cluster;
use super::config_map::MANAGER;
use super::{Asked, KubeFault};
use crate::Answer;

const PAGE: usize = 500;

/// Only the needed fields: the rest of 5000 nodes is large.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct NodeList {
    metadata: ListMeta,
    items: Vec<NodeItem>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ListMeta {
    #[serde(rename = "continue")]
    rest: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct NodeItem {
    metadata: NodeMeta,
    spec: NodeSpec,
    status: NodeStatus,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct NodeMeta {
    name: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct NodeSpec {
    unschedulable: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct NodeStatus {
    conditions: Vec<Condition>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Condition {
    #[serde(rename = "type")]
    kind: String,
    status: String,
}

impl NodeItem {
    /// A node without conditions has not reported yet.
    fn closed(&self) -> Option<String> {
        let ready = self.status.conditions.iter().find(|condition| condition.kind == "Ready");
        let not_ready = ready.is_some_and(|ready| ready.status != "True").then_some("not ready");
        let words: Vec<&str> = self.spec.unschedulable.then_some("cordoned").into_iter().chain(not_ready).collect();
        (!words.is_empty()).then(|| words.join(", "))
    }
}

impl Cluster {
    /// Lists nodes with reasons: `cordoned`, `not ready`.
    ///
    /// # Errors
    /// They may not be listed.
    pub fn closed_nodes(&self) -> Answer<'_, Result<Vec<(String, String)>, KubeFault>> {
        Box::pin(async move {
            let asked = Asked::core("list", "nodes", None);
            let client = self.client().await?;
            let (mut found, mut rest) = (Vec::new(), String::new());
            loop {
                let token = if rest.is_empty() { String::new() } else { format!("&continue={rest}") };
                let request = http::Request::get(format!("/api/v1/nodes?limit={PAGE}{token}")).body(Vec::new());
                let request = request.map_err(|error| KubeFault::new(error.to_string()))?;
                let list: NodeList = client
                    .request(request)
                    .await
                    .map_err(|error| KubeFault::of(error, &asked, self.user().as_deref()))?;
                let closed = |node: NodeItem| node.closed().map(|why| (node.metadata.name, why));
                found.extend(list.items.into_iter().filter_map(closed));
                match list.metadata.rest.filter(|rest| !rest.is_empty()) {
                    Some(next) => rest = form_urlencoded::byte_serialize(next.as_bytes()).collect(),
                    None => return Ok(found),
                }
            }
        })
    }

    /// Cordons or uncordons a node; allocations continue.
    ///
    /// # Errors
    /// It does not exist, or may not be changed.
    pub fn cordon<'a>(&'a self, node: &'a str, cordoned: bool) -> Answer<'a, Result<(), KubeFault>> {
        Box::pin(async move {
            let asked = Self::cordoning().named(node);
            let nodes = Api::<Node>::all(self.client().await?);
            let params = PatchParams { field_manager: Some(MANAGER.to_owned()), ..PatchParams::default() };
            let patch = json!({"spec": {"unschedulable": cordoned}});
            let done = nodes.patch(node, &params, &Patch::Merge(&patch)).await;
            done.map(drop).map_err(|error| KubeFault::of(error, &asked, self.user().as_deref()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_closed_when_it_is_cordoned_or_not_ready() {
        let closed = |value: serde_json::Value| serde_json::from_value::<NodeItem>(value).unwrap().closed();
        let conditions = |ready: &str| json!({"conditions": [{"type": "MemoryPressure", "status": "False"}, {"type": "Ready", "status": ready}]});
        assert_eq!(closed(json!({"status": conditions("True")})), None);
        assert_eq!(closed(json!({})), None);
        assert_eq!(closed(json!({"spec": {"unschedulable": true}})).as_deref(), Some("cordoned"));
        let both = json!({"spec": {"unschedulable": true}, "status": conditions("Unknown")});
        assert_eq!(closed(both).as_deref(), Some("cordoned, not ready"));
    }
}
