//! The configuration in the ConfigMaps (K8S-010 to K8S-019).

use std::collections::BTreeMap;
use std::io::Read as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::GzDecoder;

use crate::kube::settings;
use config::DEFAULT_CONFIG;
use kubernetes::Cluster;

const LARGEST: u64 = 64 << 20;
/// The settings of the ConfigMaps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configured {
    /// Or the built-in default (K8S-013).
    pub queues: String,
    /// The queues are the built-in default.
    pub by_default: bool,
    /// Key of the text: `queues.yaml`.
    pub key: String,
    /// Changes of the maps are applied.
    pub hot_refresh: bool,
    /// Task groups are read.
    pub gangs: bool,
    /// A pod without an ID is its own application.
    pub unique_ids: bool,
    /// Image of placeholders.
    pub placeholder_image: Option<String>,
    /// `extra` in the REST API (K8S-014).
    pub extra: BTreeMap<String, String>,
}

impl Configured {
    /// Reads a namespace.
    ///
    /// # Errors
    /// A setting is invalid: then none of the maps applies (K8S-017).
    pub fn read(cluster: &Cluster, namespace: &str) -> Result<Self, String> {
        let all = cluster.flattened(namespace, unpacked);
        if let Some(fault) = settings::fault(&all) {
            return Err(fault);
        }
        let text = |key: &str| all.get(key).map(String::as_str).filter(|text| !text.is_empty());
        let group = text("service.policyGroup").unwrap_or("queues");
        let key = format!("{group}.yaml");
        let queues = text(&key).map(str::to_owned);
        Ok(Self {
            by_default: queues.is_none(),
            queues: queues.unwrap_or_else(|| DEFAULT_CONFIG.to_owned()),
            hot_refresh: settings::is_on(&all, settings::HOT_REFRESH, true),
            gangs: !settings::is_on(&all, settings::GANGS_OFF, false),
            unique_ids: settings::is_on(&all, settings::UNIQUE_IDS, false),
            placeholder_image: text("service.placeholderImage").map(str::to_owned),
            extra: all
                .iter()
                .filter(|(key, _)| !key.ends_with(".yaml"))
                .map(|(key, text)| (key.clone(), text.clone()))
                .collect(),
            key,
        })
    }
}

/// Decompresses Base64 gzip; `None` if invalid.
fn unpacked(packed: &str) -> Option<String> {
    let bytes = STANDARD.decode(packed.trim()).ok()?;
    let mut text = String::new();
    GzDecoder::new(bytes.as_slice()).take(LARGEST).read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use serde_json::{Value, json};

    use super::*;
    use kubernetes::live::LiveObject;

    fn read(maps: &[(&str, Value, Value)]) -> Result<Configured, String> {
        let mut cluster = Cluster::default();
        for (name, data, binary) in maps {
            let map = json!({"metadata": {"namespace": "yk", "name": name}, "data": data, "binaryData": binary});
            cluster.gather(LiveObject::read("ConfigMap", map).unwrap());
        }
        Configured::read(&cluster, "yk")
    }

    fn packed(text: &str) -> String {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        gzip.write_all(text.as_bytes()).unwrap();
        STANDARD.encode(gzip.finish().unwrap())
    }

    #[test]
    fn k8s_010_to_014_the_later_map_and_the_packed_entry_count() {
        let none = || json!({});
        let configured = read(&[]).unwrap();
        assert!(configured.by_default && configured.hot_refresh && configured.gangs);
        let configured = read(&[
            ("yunikorn-defaults", json!({"queues.yaml": "d", "log.level": "INFO"}), none()),
            ("yunikorn-configs", json!({"queues.yaml": "c"}), none()),
        ]);
        let configured = configured.unwrap();
        assert_eq!((configured.queues.as_str(), configured.extra["log.level"].as_str()), ("c", "INFO"));
        let gz = read(&[("yunikorn-configs", json!({"queues.yaml": "c"}), json!({"queues.yaml.GZ": packed("p")}))]);
        assert_eq!(gz.unwrap().queues, "p");
        let other = read(&[("yunikorn-configs", none(), json!({"queues.yaml.bin": packed("p")}))]);
        assert!(other.unwrap().by_default, "KT-26: any other packing is an empty text");
        let broken = read(&[("yunikorn-configs", none(), json!({"queues.yaml.gz": "AAAA"}))]);
        assert!(broken.unwrap().by_default, "KT-26: the key is missing");
        let group = read(&[("yunikorn-defaults", json!({"service.policyGroup": "batch", "batch.yaml": "b"}), none())]);
        assert_eq!(group.unwrap().queues, "b");
    }

    #[test]
    fn kt_27_an_invalid_setting_makes_the_whole_invalid() {
        for (key, text) in [
            ("service.schedulingInterval", "x"),
            ("service.enableConfigHotRefresh", "maybe"),
            ("kubernetes.qps", "many"),
        ] {
            let why = read(&[("yunikorn-configs", json!({"queues.yaml": "c", key: text}), json!({}))]).unwrap_err();
            assert!(why.contains(key) && why.contains(text), "{why}");
        }
    }
}
