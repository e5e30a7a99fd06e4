use serde_json::Value;

use super::field::{Field, Rejected};
use super::job;

/// Final states without pods.
const ENDED: [&str; 6] = ["complete", "completed", "succeeded", "failed", "error", "stopped"];

pub(super) fn ended(value: &Value) -> Option<&str> {
    let status = &value["status"];
    let conditions = status["conditions"].as_array().into_iter().flatten();
    let true_ones = conditions.filter(|condition| condition["status"] == "True");
    let states = [&status["phase"], &status["jobStatus"], &status["applicationState"]["state"]];
    let mut all = true_ones
        .filter_map(|condition| condition["type"].as_str())
        .chain(states.into_iter().filter_map(Value::as_str));
    all.find(|state| ENDED.iter().any(|ended| state.eq_ignore_ascii_case(ended)))
}

/// What is not evaluated, or comes later.
pub(super) fn of_built_in(kind: &str, object: &Field<'_>) -> Result<Vec<String>, Rejected> {
    let mut notes = Vec::new();
    if kind == "Job" {
        let at_once = object.at("spec.parallelism")?.map_or(Ok(1), |field| field.count())?;
        let all = job::missing(object)?;
        if all.is_some_and(|all| all > at_once) {
            notes.push(
                "completes more pods than it runs at the same time; the later pods are not \
                scheduled"
                    .to_owned(),
            );
        }
    }
    if kind == "StatefulSet" && object.at("spec.volumeClaimTemplates")?.is_some() {
        notes.push("has volumeClaimTemplates, which are not evaluated; its pods may be bound to any node".to_owned());
    }
    Ok(notes)
}
