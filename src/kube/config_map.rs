//! The configuration of the scheduler as its two ConfigMaps have it.

use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt as _;
use kube::api::{Api, Patch, PatchParams, PostParams};
use serde_json::{Value, json};

use super::cluster::Cluster;
use super::{Asked, KubeFault};

/// The map that is written.
pub const CONFIGS: &str = "yunikorn-configs";
/// The map of the chart, which is never written.
const DEFAULTS: &str = "yunikorn-defaults";
/// The field manager that a write names.
pub const MANAGER: &str = "kornsole";
/// The most bytes of all values of a map.
pub const LARGEST: usize = 1_048_576;

/// Where the text in force is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextSource {
    /// `yunikorn-configs`, which is an administrator's own.
    Configs,
    /// `yunikorn-defaults`, which comes with the installation.
    Defaults,
    /// Neither has one: the scheduler takes its own.
    BuiltIn,
}

/// Another writer of the map, and the sign of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// Who: `Helm release yk`.
    pub name: String,
    /// The sign: a label, an annotation, a manager of fields.
    pub sign: String,
}

/// The configuration as it is written in the cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenConfig {
    /// The namespace of the maps.
    pub namespace: String,
    /// The key: `queues.yaml`.
    pub key: String,
    /// The text; empty where the scheduler takes its own.
    pub text: String,
    /// Where it is from.
    pub source: TextSource,
    /// The version of `yunikorn-configs` and its UID; `None` where it is not there.
    pub version: Option<(String, String)>,
    /// Who else writes it.
    pub owners: Vec<Owner>,
    /// Why it cannot be written.
    pub fixed: Option<String>,
    /// The bytes of all other values of the map.
    pub others: usize,
}

/// What is noted on the map with a write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Note {
    /// Who wrote it last, as an annotation of ours says.
    pub user: String,
    /// Why; may be empty.
    pub reason: String,
}

impl Cluster {
    /// Reads both maps.
    ///
    /// # Errors
    /// They may not be read, or the text is in a form that this program does not read.
    pub async fn written_config(&self) -> Result<WrittenConfig, KubeFault> {
        let namespace = self.namespace().await?;
        let configs = self.map(&namespace, CONFIGS).await?;
        let defaults = self.map(&namespace, DEFAULTS).await?;
        flattened(&namespace, defaults.as_ref(), configs.as_ref())
    }

    async fn map(&self, namespace: &str, name: &str) -> Result<Option<ConfigMap>, KubeFault> {
        let asked = Asked::core("get", "configmaps", Some(namespace)).named(name);
        let maps = Api::<ConfigMap>::namespaced(self.client().await?, namespace);
        maps.get_opt(name).await.map_err(|error| KubeFault::of(error, &asked, self.user().as_deref()))
    }

    /// Writes the text under its key and nothing else, onto the very version that was read; makes the map where there is none. With
    /// `dry_run` the API server and its webhooks only say whether they would take it. Gives the new version.
    ///
    /// # Errors
    /// It may not be written, a webhook denies it, or the map was changed meanwhile (409).
    pub async fn write_config(
        &self,
        of: &WrittenConfig,
        text: &str,
        note: &Note,
        dry_run: bool,
    ) -> Result<String, KubeFault> {
        if let Some(why) = &of.fixed {
            return Err(KubeFault::new(why.clone()));
        }
        let size = of.others.saturating_add(text.len());
        if size > LARGEST {
            return Err(KubeFault::new(format!(
                "{CONFIGS} would have {size} bytes; a ConfigMap holds at most {LARGEST}"
            )));
        }
        let maps = Api::<ConfigMap>::namespaced(self.client().await?, &of.namespace);
        let who = self.user();
        let annotations = annotations(note);
        let done = match &of.version {
            Some((version, _)) => {
                let body = json!({
                    "metadata": {"resourceVersion": version, "annotations": annotations},
                    "data": {of.key.as_str(): text},
                });
                let params = PatchParams { dry_run, field_manager: Some(MANAGER.to_owned()), ..PatchParams::default() };
                let asked = Asked::core("patch", "configmaps", Some(&of.namespace)).named(CONFIGS);
                let done = maps.patch(CONFIGS, &params, &Patch::Merge(&body)).await;
                done.map_err(|error| KubeFault::of(error, &asked, who.as_deref()))?
            }
            None => {
                let body =
                    json!({"metadata": {"name": CONFIGS, "annotations": annotations}, "data": {of.key.as_str(): text}});
                let map: ConfigMap = serde_json::from_value(body).map_err(|error| KubeFault::new(error.to_string()))?;
                let params = PostParams { dry_run, field_manager: Some(MANAGER.to_owned()) };
                let asked = Asked::core("create", "configmaps", Some(&of.namespace)).named(CONFIGS);
                maps.create(&params, &map).await.map_err(|error| KubeFault::of(error, &asked, who.as_deref()))?
            }
        };
        Ok(done.resource_version().unwrap_or_default())
    }
}

fn annotations(note: &Note) -> Value {
    json!({"kornsole/changed-by": note.user, "kornsole/reason": note.reason})
}

/// What the scheduler makes of the two maps: the second goes before the first, key by key.
fn flattened(
    namespace: &str,
    defaults: Option<&ConfigMap>,
    configs: Option<&ConfigMap>,
) -> Result<WrittenConfig, KubeFault> {
    let value = |map: Option<&ConfigMap>, key: &str| map.and_then(|map| map.data.as_ref()?.get(key).cloned());
    let group = value(configs, "service.policyGroup").or_else(|| value(defaults, "service.policyGroup"));
    let key = format!("{}.yaml", group.filter(|group| !group.is_empty()).unwrap_or_else(|| "queues".to_owned()));
    let packed = |map: Option<&ConfigMap>| {
        let all = map.and_then(|map| map.binary_data.as_ref());
        all.and_then(|all| all.keys().find(|name| name.rsplit_once('.').is_some_and(|(name, _)| name == key)).cloned())
    };
    let (source, text) = match (value(configs, &key), value(defaults, &key)) {
        (Some(text), _) => (TextSource::Configs, text),
        (None, Some(text)) => (TextSource::Defaults, text),
        (None, None) => (TextSource::BuiltIn, String::new()),
    };
    let fixed = match (packed(configs), configs.and_then(|map| map.immutable)) {
        (Some(name), _) => {
            Some(format!("{CONFIGS} holds the text compressed, as {name}; kornsole does not write that form"))
        }
        (None, Some(true)) => Some(format!("{CONFIGS} is immutable: it has to be replaced")),
        _ => None,
    };
    let sizes = |map: &ConfigMap| {
        let plain = map.data.iter().flatten().filter(|(name, _)| **name != key).map(|(_, value)| value.len());
        plain.sum::<usize>() + map.binary_data.iter().flatten().map(|(_, value)| value.0.len()).sum::<usize>()
    };
    Ok(WrittenConfig {
        namespace: namespace.to_owned(),
        text,
        source,
        version: configs.and_then(|map| Some((map.resource_version()?, map.uid()?))),
        owners: configs.map(|map| owners(map, &key)).unwrap_or_default(),
        fixed,
        others: configs.map_or(0, sizes),
        key,
    })
}

/// The signs that somebody else writes the map.
fn owners(map: &ConfigMap, key: &str) -> Vec<Owner> {
    let mut owners: Vec<Owner> = Vec::new();
    let mut add = |name: String, sign: String| owners.push(Owner { name, sign });
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
        // A manager that wrote it only once is no owner; one that reconciles it is.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn map(value: Value) -> ConfigMap {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn the_second_map_goes_before_the_first_and_the_policy_group_names_the_key() {
        let defaults = map(json!({"data": {"queues.yaml": "d", "service.policyGroup": "queues"}}));
        let configs =
            map(json!({"metadata": {"resourceVersion": "7", "uid": "u"}, "data": {"queues.yaml": "c", "x": "12345"}}));
        let both = flattened("yk", Some(&defaults), Some(&configs)).unwrap();
        assert_eq!((both.text.as_str(), both.source, both.others), ("c", TextSource::Configs, 5));
        assert_eq!(both.version, Some(("7".to_owned(), "u".to_owned())));
        let one = flattened("yk", Some(&defaults), None).unwrap();
        assert_eq!((one.text.as_str(), one.source, one.version), ("d", TextSource::Defaults, None));
        let other = map(json!({"data": {"service.policyGroup": "batch", "batch.yaml": "b"}}));
        let batch = flattened("yk", Some(&defaults), Some(&other)).unwrap();
        assert_eq!((batch.key.as_str(), batch.text.as_str()), ("batch.yaml", "b"));
        assert_eq!(flattened("yk", None, None).unwrap().source, TextSource::BuiltIn);
    }

    #[test]
    fn what_cannot_be_written_says_why() {
        let packed = map(json!({"binaryData": {"queues.yaml.gz": "AAAA"}}));
        assert!(flattened("yk", None, Some(&packed)).unwrap().fixed.unwrap().contains("compressed, as queues.yaml.gz"));
        let fixed = map(json!({"immutable": true, "data": {"queues.yaml": ""}}));
        assert!(flattened("yk", None, Some(&fixed)).unwrap().fixed.unwrap().contains("immutable"));
    }

    #[test]
    fn signs_of_helm_argo_flux_and_kubectl_are_seen() {
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
