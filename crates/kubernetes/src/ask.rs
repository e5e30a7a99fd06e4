//! Maps a pod to its request (K8S-124 to K8S-130).

use std::collections::BTreeMap;
use std::sync::Arc;

use super::gang;
use super::names::own;
use super::objects::{Plain, Pod};
use model::{AppId, AskId, NodeId, Priority, Resource};
use scheduler::AskSpec;

pub(crate) fn ask(pod: &Pod, app: &AppId, resource: Resource, class: Option<&Plain>, originator: bool) -> AskSpec {
    let Pod { metadata: meta, spec, .. } = pod;
    let group = gang::group_of(meta);
    let mut tags = BTreeMap::from([
        ("kubernetes.io/meta/namespace".to_owned(), meta.namespace.clone()),
        ("kubernetes.io/meta/podName".to_owned(), meta.name.clone()),
    ]);
    tags.extend(meta.labels.iter().map(|(key, value)| (format!("kubernetes.io/label/{key}"), value.clone())));
    AskSpec {
        app: app.clone(),
        id: AskId::from(meta.uid.as_str()),
        count: 1,
        resource,
        priority: Priority(spec.priority.unwrap_or(0)),
        required_node: required_node(pod).map(NodeId::from),
        allow_preempt_self: may_be_preempted(pod, class),
        allow_preempt_other: spec.preemption_policy != "Never",
        originator,
        placeholder: gang::is_placeholder(meta),
        task_group: (!group.is_empty()).then(|| Arc::from(group)),
        tags: tags.into(),
        created: None,
    }
}

/// By its annotation, otherwise its class's, otherwise true (K8S-126).
pub(crate) fn may_be_preempted(pod: &Pod, class: Option<&Plain>) -> bool {
    let key = own("allow-preemption");
    match pod.metadata.annotation(&key) {
        "true" => true,
        "false" => false,
        _ => class.is_none_or(|class| class.metadata.annotation(&key) != "false"),
    }
}

/// For a DaemonSet pod (K8S-128).
pub(crate) fn required_node(pod: &Pod) -> Option<&str> {
    let Some(required) = &pod.spec.affinity.node_affinity.required else { return None };
    let fields = required.node_selector_terms.iter().flat_map(|term| &term.match_fields);
    let named =
        fields.filter(|field| field.key == "metadata.name").filter_map(|field| field.values.first()).next_back();
    named.map(String::as_str).filter(|_| pod.metadata.is_owned_by("DaemonSet"))
}
