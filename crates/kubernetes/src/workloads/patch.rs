//! Patches of a pod template, as the controllers apply them.

use serde_json::Value;

/// Merges like a strategic merge patch: maps by key, lists of named objects by name; any other value is replaced.
pub(super) fn merge(into: &mut Value, patch: &Value) {
    match (into, patch) {
        (Value::Object(into), Value::Object(patch)) => {
            for (key, value) in patch {
                match value {
                    Value::Null => drop(into.remove(key)),
                    value => merge(into.entry(key).or_insert(Value::Null), value),
                }
            }
        }
        (Value::Array(into), Value::Array(patch)) if patch.iter().all(|item| item["name"].is_string()) => {
            for item in patch {
                match into.iter_mut().find(|own| own["name"] == item["name"]) {
                    Some(own) => merge(own, item),
                    None => into.push(item.clone()),
                }
            }
        }
        (into, patch) => into.clone_from(patch),
    }
}
