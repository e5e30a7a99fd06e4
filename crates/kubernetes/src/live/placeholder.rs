//! Creates placeholder pods (K8S-220).

use serde_json::{Map, Value, json};

use super::deeds::Placeholder;

impl Placeholder {
    /// Copies the node conditions of the group verbatim.
    pub fn manifest(&self, image: &str) -> Value {
        let (meta, spec) = (&self.pod.metadata, &self.pod.spec);
        let owner = json!({
            "apiVersion": "v1", "kind": "Pod", "name": self.owner.name, "uid": self.owner.uid,
            "controller": false, "blockOwnerDeletion": true,
        });
        let requests = spec.containers.first().map(|pause| &pause.resources.requests);
        let amounts: Map<String, Value> =
            requests.into_iter().flatten().map(|(name, amount)| (name.clone(), json!(amount.0))).collect();
        let pause = json!({
            "name": "pause", "image": image, "imagePullPolicy": "IfNotPresent",
            "resources": {"requests": amounts.clone(), "limits": amounts},
            "securityContext": {
                "allowPrivilegeEscalation": false, "privileged": false, "readOnlyRootFilesystem": true,
                "capabilities": {"drop": ["ALL"]},
            },
        });
        let mut of_spec = json!({
            "schedulerName": spec.scheduler_name, "restartPolicy": "Never", "terminationGracePeriodSeconds": 0,
            "containers": [pause],
            "securityContext": {"runAsNonRoot": true, "seccompProfile": {"type": "RuntimeDefault"}},
        });
        for key in ["nodeSelector", "tolerations", "affinity", "topologySpreadConstraints"] {
            if let Some(value) = self.of_group(key) {
                of_spec[key] = value.clone();
            }
        }
        if !spec.priority_class_name.is_empty() {
            of_spec["priorityClassName"] = json!(spec.priority_class_name);
        }
        if !self.pull_secrets.is_empty() {
            let named = self.pull_secrets.iter().map(|name| json!({"name": name}));
            of_spec["imagePullSecrets"] = named.collect();
        }
        json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {
                "name": meta.name, "namespace": meta.namespace, "labels": *meta.labels, "annotations": *meta.annotations,
                "ownerReferences": [owner],
            },
            "spec": of_spec,
        })
    }

    /// Keys are not case-sensitive.
    fn of_group(&self, key: &str) -> Option<&Value> {
        let fields = self.group.as_object()?;
        fields.iter().find(|(name, value)| name.eq_ignore_ascii_case(key) && !value.is_null()).map(|(_, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gang;
    use crate::live::PodName;
    use crate::objects::Pod;

    #[test]
    fn kt_21_a_placeholder_has_the_properties_of_its_group() {
        let group = json!({"name": "g", "MINMEMBER": 1, "minResource": {"cpu": "1"}, "nodeselector": {"zone": "a"}, "tolerations": null});
        let annotations = json!({"yunikorn.apache.org/task-groups": json!([group.clone()]).to_string()});
        let first: Pod = serde_json::from_value(json!({
            "metadata": {"namespace": "ns", "name": "p", "uid": "u", "annotations": annotations},
            "spec": {"schedulerName": "kornsole", "priorityClassName": "high"},
        }))
        .expect("a pod");
        let groups = gang::task_groups(&first.metadata).expect("they read");
        let pod = gang::placeholder("app0001", &first, &groups[0], "abcdefghij");
        let owner = PodName::of(&first.metadata);
        let made = Placeholder { pod, owner, app: "app0001".to_owned(), group, pull_secrets: vec!["s".to_owned()] };
        let manifest = made.manifest("pause:1");
        assert_eq!(manifest["metadata"]["name"], "tg-app0001-g-abcdefghij");
        assert_eq!(manifest["metadata"]["ownerReferences"][0]["uid"], "u");
        let spec = &manifest["spec"];
        assert_eq!((&spec["nodeSelector"]["zone"], spec.get("tolerations")), (&json!("a"), None));
        assert_eq!(spec["containers"][0]["resources"]["limits"]["cpu"], "1");
        assert_eq!((&spec["priorityClassName"], &spec["imagePullSecrets"][0]["name"]), (&json!("high"), &json!("s")));
        let read: Pod = serde_json::from_value(manifest).expect("it reads as a pod");
        assert!(gang::is_placeholder(&read.metadata) && gang::group_of(&read.metadata) == "g");
    }
}
