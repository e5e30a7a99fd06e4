//! Other writers of the map: Helm, Argo CD, Flux, `kubectl apply`.

use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt as _;

use super::{MANAGER, Owner, REASON, USER, WrittenBy};

pub(super) fn owners(map: &ConfigMap, key: &str) -> Vec<Owner> {
    let mut owners: Vec<Owner> = Vec::new();
    let mut add = |name: String, marker: String| owners.push(Owner { name, marker });
    let (labels, notes) = (map.labels(), map.annotations());
    if let Some(release) = notes.get("meta.helm.sh/release-name") {
        add(format!("Helm release {release}"), "annotation meta.helm.sh/release-name".to_owned());
    } else if labels.get("app.kubernetes.io/managed-by").is_some_and(|by| by == "Helm") {
        add("Helm".to_owned(), "label app.kubernetes.io/managed-by".to_owned());
    }
    for label in ["argocd.argoproj.io/instance", "app.kubernetes.io/instance"] {
        if let Some(name) = labels
            .get(label)
            .filter(|_| label.starts_with("argocd") || !notes.contains_key("meta.helm.sh/release-name"))
        {
            add(format!("Argo CD application {name}"), format!("label {label}"));
        }
    }
    if notes.contains_key("argocd.argoproj.io/tracking-id") {
        add("Argo CD".to_owned(), "annotation argocd.argoproj.io/tracking-id".to_owned());
    }
    for label in ["kustomize.toolkit.fluxcd.io/name", "helm.toolkit.fluxcd.io/name"] {
        if let Some(name) = labels.get(label) {
            add(format!("Flux {name}"), format!("label {label}"));
        }
    }
    if notes.contains_key("kubectl.kubernetes.io/last-applied-configuration") {
        add(
            "kubectl apply of a file".to_owned(),
            "annotation kubectl.kubernetes.io/last-applied-configuration".to_owned(),
        );
    }
    let field = format!("f:{key}");
    for entry in map.metadata.managed_fields.iter().flatten() {
        let name = entry.manager.clone().unwrap_or_default();
        let has = entry.fields_v1.as_ref().is_some_and(|fields| fields.0["f:data"].get(&field).is_some());
        // A manager that wrote once is not an owner; one that reconciles is.
        let reconciles =
            ["helm", "argocd-controller", "kustomize-controller", "helm-controller"].contains(&name.as_str());
        if has && reconciles {
            add(name, format!("manager of the field {key}"));
        }
    }
    if let Some(owner) = map.owner_references().first() {
        add(format!("{} {}", owner.kind, owner.name), "metadata.ownerReferences".to_owned());
    }
    owners
}

/// Returns the last writer of an entry: the newest manager of its field.
pub(super) fn writer(map: &ConfigMap, name: &str, binary: bool) -> Option<WrittenBy> {
    let (part, field) = (if binary { "f:binaryData" } else { "f:data" }, format!("f:{name}"));
    let all = map.metadata.managed_fields.iter().flatten();
    let of_it = all.filter(|entry| entry.fields_v1.as_ref().is_some_and(|fields| fields.0[part].get(&field).is_some()));
    let newest = of_it.max_by_key(|entry| entry.time.clone())?;
    let manager = newest.manager.clone().unwrap_or_default();
    let note = |key: &str| map.annotations().get(key).filter(|_| manager == MANAGER).cloned().unwrap_or_default();
    let at = newest.time.as_ref().map(|time| time.0.to_string()).unwrap_or_default();
    Some(WrittenBy { user: note(USER), reason: note(REASON), manager, at })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn map(value: Value) -> ConfigMap {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn the_last_writer_is_the_newest_manager_of_the_key() {
        let entry = |manager: &str, time: &str, key: &str| json!({"manager": manager, "time": time, "fieldsV1": {"f:data": {key: {}}}});
        let fields = json!([
            entry("kornsole", "2026-01-02T00:00:00Z", "f:queues.yaml"),
            entry("kubectl-edit", "2026-01-01T00:00:00Z", "f:queues.yaml"),
            entry("other", "2026-01-03T00:00:00Z", "f:log.level"),
        ]);
        let annotations = json!({"kornsole/changed-by": "ann", "kornsole/reason": "room"});
        let of = map(json!({"metadata": {"managedFields": fields, "annotations": annotations}}));
        let writer = writer(&of, "queues.yaml", false).unwrap();
        assert_eq!((writer.words(), writer.reason.as_str()), ("ann", "room"));
        let edited = json!([entry("kubectl-edit", "2026-01-04T00:00:00Z", "f:queues.yaml")]);
        let of = map(json!({"metadata": {"managedFields": edited, "annotations": {"kornsole/changed-by": "ann"}}}));
        let writer = super::writer(&of, "queues.yaml", false).unwrap();
        assert_eq!((writer.words(), writer.user.as_str()), ("kubectl-edit", ""));
    }

    #[test]
    fn markers_of_helm_argo_flux_and_kubectl_are_detected() {
        let named = |value: Value| {
            let owners = owners(&map(json!({"metadata": value})), "queues.yaml");
            owners.into_iter().map(|owner| owner.name).collect::<Vec<_>>().join(", ")
        };
        let helm = json!({"labels": {"app.kubernetes.io/managed-by": "Helm"}, "annotations": {"meta.helm.sh/release-name": "yk"}});
        assert_eq!(named(helm), "Helm release yk");
        assert_eq!(named(json!({"labels": {"argocd.argoproj.io/instance": "sched"}})), "Argo CD application sched");
        assert_eq!(named(json!({"labels": {"kustomize.toolkit.fluxcd.io/name": "infra"}})), "Flux infra");
        let applied = json!({"annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}"}});
        assert_eq!(named(applied), "kubectl apply of a file");
        let fields = json!({"f:data": {"f:queues.yaml": {}}});
        let manager = |name: &str| json!({"managedFields": [{"manager": name, "fieldsV1": fields}]});
        assert_eq!(named(manager("argocd-controller")), "argocd-controller");
        assert_eq!(named(manager("kubectl-edit")), "");
    }
}
