//! Errors as SARIF 2.1.0 for code review tools.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use config::{Fault, Severity};
use model::Profile;

/// A log with one run and the errors of all files.
pub fn log<'a>(faults: impl Iterator<Item = (&'a str, &'a Fault)> + Clone, core: Profile) -> Value {
    let codes: BTreeSet<&str> = faults.clone().map(|(_, fault)| fault.code).collect();
    let rules: Vec<Value> = codes.into_iter().map(|code| json!({ "id": code })).collect();
    let results: Vec<Value> = faults.map(|(file, fault)| result(file, fault)).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "kornsole", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "properties": { "core": core.name() },
            "results": results,
        }],
    })
}

fn result(file: &str, fault: &Fault) -> Value {
    let hint = if fault.hint.is_empty() { String::new() } else { format!("\n{}", fault.hint) };
    let mut place = json!({ "artifactLocation": { "uri": uri(file) } });
    if fault.at.line > 0 {
        place["region"] = json!({ "startLine": fault.at.line, "startColumn": fault.at.column });
    }
    let mut location = json!({ "physicalLocation": place });
    if !fault.path.is_empty() {
        location["logicalLocations"] = json!([{ "fullyQualifiedName": fault.path }]);
    }
    json!({
        "ruleId": fault.code,
        "level": match fault.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        "message": { "text": format!("{}{hint}", fault.message) },
        "locations": [location],
    })
}

/// Relative if the user wrote it so.
fn uri(file: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~/".contains(&b);
    let each = file.bytes().map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") });
    let path: String = each.collect();
    if path.starts_with('/') { format!("file://{path}") } else { path }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_uris() {
        assert_eq!(uri("conf/queues.yaml"), "conf/queues.yaml");
        assert_eq!(uri("/a b/ü.yaml"), "file:///a%20b/%C3%BC.yaml");
        assert_eq!(uri("a:b"), "a%3Ab");
    }
}
