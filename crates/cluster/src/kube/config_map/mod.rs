//! The scheduler's configuration in its two ConfigMaps.

mod flatten;
mod markers;

use std::collections::BTreeMap;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt as _;
use kube::api::{Api, Patch, PatchParams, PostParams};
use serde_json::{Value, json};

use super::cluster::Cluster;
use super::{Asked, KubeFault, settings};
use crate::Answer;

/// The map that is written.
pub const CONFIGS: &str = "yunikorn-configs";
/// The chart's map, which is never written.
const DEFAULTS: &str = "yunikorn-defaults";
/// The field manager of writes.
pub const MANAGER: &str = "kornsole";
const USER: &str = "kornsole/changed-by";
const REASON: &str = "kornsole/reason";
/// Maximum bytes of all values.
pub const LARGEST: usize = 1_048_576;

/// Origin of the active text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextSource {
    /// `yunikorn-configs`, written by administrators.
    Configs,
    /// `yunikorn-defaults`, from the installation.
    Defaults,
    /// Missing in both: the scheduler's built-in default.
    BuiltIn,
}

/// Another writer of the map, and its evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// Name: `Helm release yk`.
    pub name: String,
    /// Evidence: a label, an annotation, a field manager.
    pub marker: String,
}

/// The last writer of a key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WrittenBy {
    /// Field manager: `kubectl-edit`, `helm`.
    pub manager: String,
    /// Time in the API server's format.
    pub at: String,
    /// User, if written by a kornsole server.
    pub user: String,
    /// Reason, if known.
    pub reason: String,
}

impl WrittenBy {
    /// Returns the user, or otherwise the field manager.
    pub fn words(&self) -> &str {
        if self.user.is_empty() { &self.manager } else { &self.user }
    }
}

/// The written configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenConfig {
    /// Namespace of the maps.
    pub namespace: String,
    /// The key: `queues.yaml`.
    pub key: String,
    /// Text; empty for the built-in default.
    pub text: String,
    /// Where it is from.
    pub source: TextSource,
    /// Version and UID of `yunikorn-configs`; `None` if missing.
    pub version: Option<(String, String)>,
    /// Who else writes it.
    pub owners: Vec<Owner>,
    /// Why it cannot be written.
    pub fixed: Option<String>,
    /// Bytes of all other values of the map.
    pub others: usize,
    /// Key of the compressed text, if compressed.
    pub packed: Option<String>,
    /// Keys that hide the text; a write removes them (K8S-011).
    pub hiding: Vec<String>,
    /// Other settings of both maps.
    pub settings: BTreeMap<String, String>,
    /// Last writer of the text.
    pub writer: Option<WrittenBy>,
}

impl WrittenConfig {
    /// Returns why the scheduler does not apply changes.
    pub fn not_read(&self) -> Option<String> {
        settings::not_read(&self.settings)
    }
}

/// Annotations of a write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Note {
    /// Who wrote it last, as an annotation of kornsole says.
    pub user: String,
    /// Reason; may be empty.
    pub reason: String,
}

impl Cluster {
    /// Reads both maps.
    ///
    /// # Errors
    /// They may not be read.
    pub fn written_config(&self) -> Answer<'_, Result<WrittenConfig, KubeFault>> {
        Box::pin(async move {
            let namespace = self.namespace().await?;
            let configs = self.map(&namespace, CONFIGS).await?;
            let defaults = self.map(&namespace, DEFAULTS).await?;
            Ok(flatten::flattened(&namespace, defaults.as_ref(), configs.as_ref()))
        })
    }

    pub(super) async fn config_map_uid(&self, namespace: &str) -> Option<String> {
        self.map(namespace, CONFIGS).await.ok()??.uid()
    }

    async fn map(&self, namespace: &str, name: &str) -> Result<Option<ConfigMap>, KubeFault> {
        let asked = Asked::core("get", "configmaps", Some(namespace)).named(name);
        let maps = Api::<ConfigMap>::namespaced(self.client().await?, namespace);
        maps.get_opt(name).await.map_err(|error| KubeFault::of(error, &asked, self.user().as_deref()))
    }

    /// Writes only the text, at the read version; creates a missing map. `dry_run` validates. Returns the new version;
    /// fails with 409 for a changed map.
    pub fn write_config<'a>(
        &'a self,
        of: &'a WrittenConfig,
        text: &'a str,
        note: &'a Note,
        dry_run: bool,
    ) -> Answer<'a, Result<String, KubeFault>> {
        Box::pin(async move {
            if let Some(why) = &of.fixed {
                return Err(KubeFault::new(why.clone()));
            }
            let (size, _) = of.filled_by(text);
            if size > LARGEST {
                return Err(KubeFault::new(too_large(of, text, size)));
            }
            let maps = Api::<ConfigMap>::namespaced(self.client().await?, &of.namespace);
            let who = self.user();
            let annotations = annotations(note);
            let done = match &of.version {
                Some((version, _)) => {
                    let mut body = entry(of, text)?;
                    body["metadata"] = json!({"resourceVersion": version, "annotations": annotations});
                    let params =
                        PatchParams { dry_run, field_manager: Some(MANAGER.to_owned()), ..PatchParams::default() };
                    let asked = Asked::core("patch", "configmaps", Some(&of.namespace)).named(CONFIGS);
                    let done = maps.patch(CONFIGS, &params, &Patch::Merge(&body)).await;
                    done.map_err(|error| KubeFault::of(error, &asked, who.as_deref()))?
                }
                None => {
                    let body = json!({"metadata": {"name": CONFIGS, "annotations": annotations}, "data": {of.key.as_str(): text}});
                    let map: ConfigMap =
                        serde_json::from_value(body).map_err(|error| KubeFault::new(error.to_string()))?;
                    let params = PostParams { dry_run, field_manager: Some(MANAGER.to_owned()) };
                    let asked = Asked::core("create", "configmaps", Some(&of.namespace)).named(CONFIGS);
                    maps.create(&params, &map).await.map_err(|error| KubeFault::of(error, &asked, who.as_deref()))?
                }
            };
            Ok(done.resource_version().unwrap_or_default())
        })
    }
}

fn annotations(note: &Note) -> Value {
    json!({USER: note.user, REASON: note.reason})
}

fn entry(of: &WrittenConfig, text: &str) -> Result<Value, KubeFault> {
    let hiding = of.hiding.iter().map(|name| (name.clone(), Value::Null));
    let mut binary: serde_json::Map<String, Value> = hiding.collect();
    let mut body = json!({});
    match &of.packed {
        Some(name) => {
            let bytes = flatten::packed(text).ok_or_else(|| KubeFault::new("the text cannot be compressed"))?;
            let bytes = serde_json::to_value(ByteString(bytes)).map_err(|error| KubeFault::new(error.to_string()))?;
            binary.insert(name.clone(), bytes);
        }
        None => body["data"] = json!({of.key.as_str(): text}),
    }
    if !binary.is_empty() {
        body["binaryData"] = Value::Object(binary);
    }
    Ok(body)
}

fn too_large(of: &WrittenConfig, text: &str, size: usize) -> String {
    let what = format!("{CONFIGS} would have {size} bytes; a ConfigMap has at most {LARGEST}");
    let small = of.compressed(text).filter(|small| of.packed.is_none() && of.others + small <= LARGEST);
    match small {
        Some(small) => format!(
            "{what}. Compressed as {}.gz in binaryData, the text has {small} bytes; kornsole writes that form if the ConfigMap already uses it",
            of.key
        ),
        None => what,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(packed: Option<&str>, hiding: &[&str]) -> WrittenConfig {
        WrittenConfig {
            namespace: "yk".to_owned(),
            key: "queues.yaml".to_owned(),
            text: String::new(),
            source: TextSource::Configs,
            version: None,
            owners: Vec::new(),
            fixed: None,
            others: 0,
            packed: packed.map(str::to_owned),
            hiding: hiding.iter().map(|name| (*name).to_owned()).collect(),
            settings: BTreeMap::new(),
            writer: None,
        }
    }

    #[test]
    fn a_write_names_the_one_key_and_what_hides_it() {
        let plain = entry(&written(None, &[]), "a\n").unwrap();
        assert_eq!(plain, json!({"data": {"queues.yaml": "a\n"}}));
        let hidden = entry(&written(None, &["queues.yaml.xz"]), "a").unwrap();
        assert_eq!(hidden, json!({"data": {"queues.yaml": "a"}, "binaryData": {"queues.yaml.xz": null}}));
        let packed = entry(&written(Some("queues.yaml.gz"), &[]), "a").unwrap();
        let bytes: ByteString = serde_json::from_value(packed["binaryData"]["queues.yaml.gz"].clone()).unwrap();
        assert_eq!(flatten::unpacked(&bytes.0).as_deref(), Some("a"));
        assert!(packed.get("data").is_none());
    }

    #[test]
    fn a_text_that_is_too_large_shows_its_compressed_size() {
        let text = "x".repeat(LARGEST + 1);
        let why = too_large(&written(None, &[]), &text, text.len());
        assert!(why.contains("at most 1048576. Compressed as queues.yaml.gz"), "{why}");
    }
}
