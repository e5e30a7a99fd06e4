//! Values of manifests without the lists and maps that scheduling never reads, which are most of a manifest.

use std::fmt;

use config::Faults;
use config::yaml::Node;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::values::value_of;

/// Only as lists or maps: a label can have such a name.
const UNREAD: [&str; 9] =
    ["args", "command", "env", "envFrom", "images", "livenessProbe", "managedFields", "readinessProbe", "startupProbe"];

/// Returns true if scheduling does not read the field.
pub(crate) fn is_unread(key: &str, is_scalar: bool) -> bool {
    !is_scalar && UNREAD.contains(&key)
}

/// The reader limits its depth.
pub(crate) fn pruned_of(node: Node<'_>) -> Value {
    let silent = &mut Faults::default();
    if node.is_list() {
        return Value::Array(node.items("", "", silent).unwrap_or_default().into_iter().map(pruned_of).collect());
    }
    if !node.is_map() {
        return value_of(node);
    }
    let fields = node.any_map("", "", silent).into_iter().flatten();
    let read = fields.filter(|(key, value)| !is_unread(key.text, value.scalar().is_some()));
    Value::Object(read.map(|(key, value)| (key.text.to_owned(), pruned_of(value))).collect())
}

/// An object as JSON, without the parts that scheduling never reads.
#[derive(Debug)]
pub struct Pruned(pub Value);

impl<'de> Deserialize<'de> for Pruned {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader { keeps: true }).map(Self)
    }
}

/// A value of a field that is only kept if it is a scalar.
struct Scalar(Value);

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader { keeps: false }).map(Self)
    }
}

struct Reader {
    /// Lists and maps too; otherwise they are null.
    keeps: bool,
}

impl<'de> Visitor<'de> for Reader {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any valid JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        if self.keeps {
            while let Some(Pruned(item)) = items.next_element()? {
                list.push(item);
            }
            return Ok(Value::Array(list));
        }
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Value::Null)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        if !self.keeps {
            while fields.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            return Ok(Value::Null);
        }
        let mut map = Map::new();
        while let Some(key) = fields.next_key::<String>()? {
            if !is_unread(&key, false) {
                map.insert(key, fields.next_value::<Pruned>()?.0);
                continue;
            }
            let Scalar(value) = fields.next_value()?;
            if !value.is_null() {
                map.insert(key, value);
            }
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lists_that_nothing_reads_are_dropped_and_labels_of_that_name_remain() {
        let whole = json!({
            "metadata": { "labels": { "env": "prod", "args": "x" }, "managedFields": [{ "a": { "b": [1] } }] },
            "spec": { "nodeSelector": { "env": "prod" }, "containers": [{ "name": "c", "env": [{ "name": "A" }],
                "command": ["sleep"], "livenessProbe": { "exec": {} }, "ports": [{ "hostPort": 80 }], "x": null }] },
            "numbers": [1, -1, 1.5, true, "s", [], {}]
        });
        let expected = json!({
            "metadata": { "labels": { "env": "prod", "args": "x" } },
            "spec": { "nodeSelector": { "env": "prod" },
                "containers": [{ "name": "c", "ports": [{ "hostPort": 80 }], "x": null }] },
            "numbers": [1, -1, 1.5, true, "s", [], {}]
        });
        let text = whole.to_string();
        let Pruned(read) = serde_json::from_str(&text).unwrap();
        assert_eq!(read, expected);
        let documents = crate::values::documents("t", text.as_bytes()).unwrap();
        assert_eq!(pruned_of(documents[0].root().unwrap()), expected);
        assert!(serde_json::from_str::<Pruned>("{\"env\": [1}").is_err());
    }
}
