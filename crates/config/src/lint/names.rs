//! W-001: resource names that no pod requests.

use super::{Lint, fields, warning};
use crate::node::Fields;

impl Lint {
    /// W-001: Kubernetes accepts its own names and names with a domain; the shim maps `cpu` to `vcore`.
    pub(super) fn names(&mut self, of: Fields<'_>, kind: &str, path: &str) {
        for (key, _) in of.get(kind).and_then(fields).into_iter().flatten() {
            let Some(hint) = unrequested(key.text) else { continue };
            let message = format!("no pod requests `{}`, so `{kind}` has no effect on it", key.text);
            self.found.push(warning("W-001", key.at, path, message, &hint));
        }
    }
}

/// What to write instead of a name that no pod can request; `None` if pods can request it.
pub fn unrequested(name: &str) -> Option<String> {
    let known = |name: &str| {
        matches!(name, "vcore" | "memory" | "ephemeral-storage" | "pods")
            || ["hugepages-", "attachable-volumes-"].iter().any(|prefix| name.starts_with(prefix))
    };
    let bare = name.strip_prefix("requests.").or_else(|| name.strip_prefix("limits."));
    if bare.is_none() && (known(name) || name.contains('/')) {
        return None;
    }
    let bare = bare.unwrap_or(name);
    let lower = bare.to_ascii_lowercase();
    let right = match lower.as_str() {
        "cpu" | "cpus" | "core" | "cores" | "vcores" | "vcpu" | "vcpus" => "vcore",
        "mem" | "ram" => "memory",
        "pod" => "pods",
        "storage" | "ephemeralstorage" => "ephemeral-storage",
        "gpu" | "gpus" => {
            return Some("write the full name of the extended resource, for example `nvidia.com/gpu`".to_owned());
        }
        lower if known(lower) => lower,
        _ if bare.contains('/') => bare,
        _ => {
            return Some(
                "pods request `vcore`, `memory`, `ephemeral-storage`, `pods`, `hugepages-SIZE`, and extended resources with a domain, \
                 for example `nvidia.com/gpu`"
                    .to_owned(),
            );
        }
    };
    Some(format!("write `{right}`"))
}
