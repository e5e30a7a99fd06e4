//! JSON of remote objects, with `null` for unknown values.

use serde_json::Value;
use wire::dto::Unknown;

/// Without unknown values the text is unchanged.
pub(super) fn nulled(text: String, unknown: &[Unknown]) -> String {
    if unknown.is_empty() {
        return text;
    }
    let line = |line: &str| match serde_json::from_str::<Value>(line) {
        Ok(mut value) => {
            unknown.iter().for_each(|one| mark(&mut value, one));
            format!("{value}\n")
        }
        Err(_) => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

fn mark(value: &mut Value, unknown: &Unknown) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(|one| mark(one, unknown)),
        Value::Object(object) => {
            object.values_mut().for_each(|one| mark(one, unknown));
            let key = match unknown.kind {
                "queue" => "queuename",
                "application" => "applicationID",
                "node" => "nodeID",
                "user" => "userName",
                "group" => "groupName",
                _ => "name",
            };
            if object.get(key).and_then(Value::as_str) == Some(&*unknown.name) && !unknown.path.is_empty() {
                let keys: Vec<&str> = unknown.path.split('.').collect();
                put(value, &keys);
            }
        }
        _ => {}
    }
}

/// Sets `null` at a path, or at its deepest existing part.
fn put(value: &mut Value, keys: &[&str]) {
    let Some((key, rest)) = keys.split_first() else {
        *value = Value::Null;
        return;
    };
    match value {
        Value::Object(object) => match object.get_mut(*key) {
            Some(below) => put(below, rest),
            None => drop(object.insert((*key).to_owned(), Value::Null)),
        },
        // A skipped entry has shifted the others, so the index is not reliable.
        Value::Array(list) => match key.parse::<usize>().ok().and_then(|index| list.get_mut(index)) {
            Some(below) if !rest.is_empty() => put(below, rest),
            _ => {}
        },
        other => *other = Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_value_is_null_and_no_zero() {
        let unknown = |path: &str| Unknown {
            kind: "node",
            name: "a".to_owned(),
            path: path.to_owned(),
            reason: "the number 16487540320812345678 is out of range".to_owned(),
        };
        let text = "{\"nodeID\":\"a\",\"capacity\":{\"memory\":0,\"vcore\":4}}\n{\"nodeID\":\"b\",\"capacity\":{\"memory\":7}}\n";
        assert_eq!(nulled(text.to_owned(), &[]), text);
        let all = [unknown("capacity.memory"), unknown("allocated.vcore"), unknown("allocations")];
        let lines = nulled(text.to_owned(), &all);
        let read: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let due = serde_json::json!({
            "nodeID": "a", "capacity": {"memory": null, "vcore": 4}, "allocated": null, "allocations": null
        });
        assert_eq!(read, [due, serde_json::json!({"nodeID": "b", "capacity": {"memory": 7}})]);
    }
}
