//! Merges the two maps (K8S-010 to K8S-014): the second overrides the first by key.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt as _;

use super::{CONFIGS, LARGEST, TextSource, WrittenConfig, markers};

const LONGEST: u64 = 64 << 20;

struct Value {
    text: String,
    source: TextSource,
    packed: Option<String>,
}

fn values(maps: [(TextSource, Option<&ConfigMap>); 2]) -> BTreeMap<String, Value> {
    let mut all = BTreeMap::new();
    for (source, map) in maps.into_iter().filter_map(|(source, map)| Some((source, map?))) {
        for (key, text) in map.data.iter().flatten() {
            all.insert(key.clone(), Value { text: text.clone(), source, packed: None });
        }
        for (key, bytes) in map.binary_data.iter().flatten() {
            let (name, form) = key.rsplit_once('.').unwrap_or(("", ""));
            let gz = form.eq_ignore_ascii_case("gz");
            let text = if gz { unpacked(&bytes.0) } else { Some(String::new()) };
            // An invalid compressed value does not override a plain one of that name.
            let (name, text) = text.map_or(("", String::new()), |text| (name, text));
            all.insert(name.to_owned(), Value { text, source, packed: gz.then(|| key.clone()) });
        }
    }
    all
}

/// `None` if invalid.
pub(super) fn unpacked(bytes: &[u8]) -> Option<String> {
    let mut text = String::new();
    let mut from = GzDecoder::new(bytes).take(LONGEST);
    from.read_to_string(&mut text).ok().filter(|count| (*count as u64) < LONGEST).map(|_| text)
}

/// Verified by decompression.
pub(super) fn packed(text: &str) -> Option<Vec<u8>> {
    let mut into = GzEncoder::new(Vec::new(), Compression::best());
    into.write_all(text.as_bytes()).ok()?;
    let bytes = into.finish().ok()?;
    (unpacked(&bytes).as_deref() == Some(text)).then_some(bytes)
}

pub(super) fn flattened(namespace: &str, defaults: Option<&ConfigMap>, configs: Option<&ConfigMap>) -> WrittenConfig {
    let mut all = values([(TextSource::Defaults, defaults), (TextSource::Configs, configs)]);
    let group = all.get("service.policyGroup").map(|value| value.text.clone()).filter(|group| !group.is_empty());
    let key = format!("{}.yaml", group.unwrap_or_else(|| "queues".to_owned()));
    let found = all.remove(&key).filter(|value| !value.text.is_empty());
    let (source, text, from) =
        found.map_or((TextSource::BuiltIn, String::new(), None), |value| (value.source, value.text, value.packed));
    // A text from the chart's map is written uncompressed into the other one.
    let packed = from.clone().filter(|_| source == TextSource::Configs);
    let settings = all.into_iter().filter(|(key, _)| !key.is_empty() && !key.ends_with(".yaml"));
    let hides = |name: &String| {
        let (base, form) = name.rsplit_once('.').unwrap_or(("", ""));
        base == key && (!form.eq_ignore_ascii_case("gz") || packed.as_ref().is_some_and(|packed| packed != name))
    };
    let binary = || configs.into_iter().flat_map(|map| map.binary_data.iter().flatten());
    let hiding: Vec<String> = binary().map(|(name, _)| name).filter(|name| hides(name)).cloned().collect();
    let stays = |name: &String| !hiding.contains(name) && packed.as_ref() != Some(name);
    let plain = configs.into_iter().flat_map(|map| map.data.iter().flatten());
    let plain = plain.filter(|(name, _)| packed.is_some() || **name != key).map(|(_, value)| value.len());
    let others =
        plain.sum::<usize>() + binary().filter(|(name, _)| stays(name)).map(|(_, value)| value.0.len()).sum::<usize>();
    let fixed = configs.and_then(|map| map.immutable).unwrap_or(false);
    WrittenConfig {
        namespace: namespace.to_owned(),
        text,
        source,
        version: configs.and_then(|map| Some((map.resource_version()?, map.uid()?))),
        owners: configs.map(|map| markers::owners(map, &key)).unwrap_or_default(),
        writer: configs.and_then(|map| match &packed {
            Some(name) => markers::writer(map, name, true),
            None => markers::writer(map, &key, false),
        }),
        fixed: fixed.then(|| format!("{CONFIGS} is immutable: delete it and create it again")),
        others,
        settings: settings.map(|(key, value)| (key, value.text)).collect(),
        packed,
        hiding,
        key,
    }
}

impl WrittenConfig {
    /// Returns the size in bytes, and the fill level in hundredths.
    pub fn filled_by(&self, text: &str) -> (usize, usize) {
        let own = match &self.packed {
            Some(_) => packed(text).map_or(text.len(), |bytes| bytes.len()),
            None => text.len(),
        };
        let size = self.others.saturating_add(own);
        (size, size.saturating_mul(100) / LARGEST)
    }

    /// Returns compressed bytes.
    pub fn compressed(&self, text: &str) -> Option<usize> {
        packed(text).map(|bytes| bytes.len())
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::ByteString;
    use serde_json::{Value as Json, json};

    use super::*;

    fn map(value: Json) -> ConfigMap {
        serde_json::from_value(value).unwrap()
    }

    fn with_binary(mut map: ConfigMap, pairs: &[(&str, &[u8])]) -> ConfigMap {
        let binary = pairs.iter().map(|(key, bytes)| ((*key).to_owned(), ByteString(bytes.to_vec())));
        map.binary_data = Some(binary.collect());
        map
    }

    #[test]
    fn the_second_map_has_precedence_and_the_policy_group_names_the_key() {
        let defaults = map(json!({"data": {"queues.yaml": "d", "service.policyGroup": "queues"}}));
        let configs =
            map(json!({"metadata": {"resourceVersion": "7", "uid": "u"}, "data": {"queues.yaml": "c", "x": "12345"}}));
        let both = flattened("yk", Some(&defaults), Some(&configs));
        assert_eq!((both.text.as_str(), both.source, both.others), ("c", TextSource::Configs, 5));
        assert_eq!(both.version, Some(("7".to_owned(), "u".to_owned())));
        assert_eq!(both.settings.get("x").map(String::as_str), Some("12345"));
        let one = flattened("yk", Some(&defaults), None);
        assert_eq!((one.text.as_str(), one.source, one.version), ("d", TextSource::Defaults, None));
        let other = map(json!({"data": {"service.policyGroup": "batch", "batch.yaml": "b"}}));
        let batch = flattened("yk", Some(&defaults), Some(&other));
        assert_eq!((batch.key.as_str(), batch.text.as_str()), ("batch.yaml", "b"));
        assert_eq!(flattened("yk", None, None).source, TextSource::BuiltIn);
        let fixed = map(json!({"immutable": true, "data": {"queues.yaml": "a"}}));
        assert!(flattened("yk", None, Some(&fixed)).fixed.unwrap().contains("immutable"));
    }

    #[test]
    fn a_compressed_text_is_preferred_and_stays_compressed() {
        let plain = map(json!({"data": {"queues.yaml": "plain"}}));
        let gz = packed("compressed").unwrap();
        let both = flattened("yk", None, Some(&with_binary(plain.clone(), &[("queues.yaml.GZ", &gz)])));
        assert_eq!((both.text.as_str(), both.packed.as_deref()), ("compressed", Some("queues.yaml.GZ")));
        assert_eq!(both.others, 5, "the plain one stays in the map");
        let broken = flattened("yk", None, Some(&with_binary(plain.clone(), &[("queues.yaml.gz", b"no gzip")])));
        assert_eq!((broken.text.as_str(), broken.packed), ("plain", None));
        let other = flattened("yk", None, Some(&with_binary(plain, &[("queues.yaml.xz", b"x")])));
        assert_eq!((other.source, other.hiding.join(",").as_str()), (TextSource::BuiltIn, "queues.yaml.xz"));
        let defaults = with_binary(map(json!({})), &[("queues.yaml.gz", &gz)]);
        let from = flattened("yk", Some(&defaults), None);
        assert_eq!((from.text.as_str(), from.source, from.packed), ("compressed", TextSource::Defaults, None));
    }

    #[test]
    fn what_is_packed_is_the_same_text_again() {
        for text in ["", "a\n", "é\r\n\t", &"partitions:\n".repeat(1000)] {
            assert_eq!(unpacked(&packed(text).unwrap()).as_deref(), Some(text));
        }
        assert_eq!(unpacked(b"x"), None);
    }
}
