//! A diff as JSON (`rest.md` E5).

use serde_json::{Value, json};

use super::{Change, Diff};

impl Diff {
    /// Writes `{changes: [{partition, path, what, key, from?, to?, effect}], touches: [queues]}`.
    ///
    /// A whole partition is `partitions[NAME]`; in `touches` a queue outside the partition `default` is `NAME/root.a`.
    pub fn to_json(&self) -> Value {
        let changes: Vec<Value> = self.changes.iter().map(change).collect();
        let touches: Vec<String> =
            self.touches().into_iter().map(|(partition, queue)| name(partition, queue.as_str())).collect();
        json!({ "changes": changes, "touches": touches })
    }
}

fn change(change: &Change) -> Value {
    let path = match &change.queue {
        Some(queue) => queue.to_string(),
        None => format!("partitions[{}]", change.partition),
    };
    let mut reported = json!({
        "partition": change.partition,
        "path": path,
        "what": change.what.name(),
        "key": change.key.to_string(),
        "effect": change.effect,
    });
    for (key, value) in [("from", &change.from), ("to", &change.to)] {
        if let Some(value) = value {
            reported[key] = json!(value);
        }
    }
    reported
}

fn name(partition: &str, queue: &str) -> String {
    if partition == "default" { queue.to_owned() } else { format!("{partition}/{queue}") }
}
