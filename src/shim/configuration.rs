//! The configuration as the ConfigMaps have it (K8S-010 to K8S-019).

use std::collections::BTreeMap;
use std::io::Read as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::GzDecoder;

use crate::config::DEFAULT_CONFIG;
use crate::kubernetes::Cluster;

/// The largest text that is unpacked, in bytes.
const LARGEST: u64 = 64 << 20;
/// Settings that are true or false.
const BOOLS: [&str; 3] = [
    "service.enableConfigHotRefresh",
    "service.disableGangScheduling",
    "admissionController.filtering.generateUniqueAppId",
];
/// Settings that are durations.
const DURATIONS: [&str; 3] = ["service.schedulingInterval", "service.volumeBindTimeout", "service.dispatchTimeout"];
/// Settings that are whole numbers.
const NUMBERS: [&str; 6] = [
    "service.eventChannelCapacity",
    "service.placeholderRunAsUser",
    "service.placeholderRunAsGroup",
    "service.placeholderFsGroup",
    "kubernetes.qps",
    "kubernetes.burst",
];

/// What the ConfigMaps say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configured {
    /// The text of the queues; that of the built-in default where there is none (K8S-013).
    pub queues: String,
    /// The queues are the built-in default's.
    pub by_default: bool,
    /// The key of the text: `queues.yaml`.
    pub key: String,
    /// Changes of the maps count.
    pub hot_refresh: bool,
    /// Task groups are read.
    pub gangs: bool,
    /// A pod that names no application is one of its own.
    pub unique_ids: bool,
    /// The image of placeholders.
    pub placeholder_image: Option<String>,
    /// What the REST API shows as `extra` (K8S-014).
    pub extra: BTreeMap<String, String>,
}

impl Configured {
    /// Reads the maps of a namespace.
    ///
    /// # Errors
    /// A setting does not parse: then nothing of it counts (K8S-017).
    pub fn read(cluster: &Cluster, namespace: &str) -> Result<Self, String> {
        let all = cluster.flattened(namespace, unpacked);
        let text = |key: &str| all.get(key).map(String::as_str).filter(|text| !text.is_empty());
        for key in BOOLS {
            text(key).map_or(Ok(true), |text| truth(key, text))?;
        }
        for key in DURATIONS {
            text(key).map_or(Ok(()), |text| duration(key, text))?;
        }
        for key in NUMBERS {
            if let Some(text) = text(key).filter(|text| text.parse::<i64>().is_err()) {
                return Err(format!("{key}: {text:?} is no whole number"));
            }
        }
        let is_on = |key: &str, usual: bool| text(key).map_or(usual, |text| truth(key, text) == Ok(true));
        let group = text("service.policyGroup").unwrap_or("queues");
        let key = format!("{group}.yaml");
        let queues = text(&key).map(str::to_owned);
        Ok(Self {
            by_default: queues.is_none(),
            queues: queues.unwrap_or_else(|| DEFAULT_CONFIG.to_owned()),
            hot_refresh: is_on(BOOLS[0], true),
            gangs: !is_on(BOOLS[1], false),
            unique_ids: is_on(BOOLS[2], false),
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

/// The text of a Base64 text of gzip; `None` for what is none.
fn unpacked(packed: &str) -> Option<String> {
    let bytes = STANDARD.decode(packed.trim()).ok()?;
    let mut text = String::new();
    GzDecoder::new(bytes.as_slice()).take(LARGEST).read_to_string(&mut text).ok()?;
    Some(text)
}

fn truth(key: &str, text: &str) -> Result<bool, String> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(false),
        _ => Err(format!("{key}: {text:?} is neither true nor false")),
    }
}

/// Whether a text is a duration of Go: numbers with units, `1m30s`.
fn duration(key: &str, text: &str) -> Result<(), String> {
    let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    let mut parts = 0;
    while !rest.is_empty() {
        let number = rest.find(|sign: char| !sign.is_ascii_digit() && sign != '.').unwrap_or(rest.len());
        let behind = &rest[number..];
        let unit = ["ns", "us", "µs", "ms", "s", "m", "h"].into_iter().find(|unit| {
            behind
                .strip_prefix(unit)
                .is_some_and(|next| next.is_empty() || next.starts_with(|sign: char| sign.is_ascii_digit()))
        });
        match unit {
            Some(unit) if number > 0 => rest = &behind[unit.len()..],
            _ => break,
        }
        parts += 1;
    }
    if text == "0" || rest.is_empty() && parts > 0 {
        Ok(())
    } else {
        Err(format!("{key}: {text:?} is no duration, such as 1s"))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use serde_json::{Value, json};

    use super::*;
    use crate::kubernetes::live::LiveObject;

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
    fn kt_27_a_setting_that_does_not_parse_spoils_the_whole() {
        for (key, text) in [
            ("service.schedulingInterval", "x"),
            ("service.enableConfigHotRefresh", "maybe"),
            ("kubernetes.qps", "many"),
        ] {
            let why = read(&[("yunikorn-configs", json!({"queues.yaml": "c", key: text}), json!({}))]).unwrap_err();
            assert!(why.contains(key) && why.contains(text), "{why}");
        }
        for text in ["1s", "1m30s", "0", "1.5h", "-2ms"] {
            assert_eq!(duration("d", text), Ok(()), "{text}");
        }
        for text in ["1", "s", "1x", "", "1s2"] {
            assert!(duration("d", text).is_err(), "{text}");
        }
    }
}
