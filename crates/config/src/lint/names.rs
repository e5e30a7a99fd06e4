//! W-001: resource names that no pod requests.

use super::{Lint, fields, is_above_zero, warning};
use crate::node::Fields;

/// Of device plugins, as their makers document them.
const EXTENDED: [&str; 10] = [
    "nvidia.com/gpu",
    "amd.com/gpu",
    "gpu.intel.com/i915",
    "gpu.intel.com/xe",
    "aws.amazon.com/neuron",
    "aws.amazon.com/neuroncore",
    "aws.amazon.com/neurondevice",
    "google.com/tpu",
    "habana.ai/gaudi",
    "vpc.amazonaws.com/efa",
];

/// The weights of `nodesortpolicy` without `resourceweights` (`config.md` section 11).
const WEIGHED: [&str; 2] = ["vcore", "memory"];

impl Lint {
    /// W-001: Kubernetes accepts its own names and names with a domain; the shim maps `cpu` to `vcore`.
    pub(super) fn names(&mut self, of: Fields<'_>, kind: &str, path: &str) {
        for (key, _) in of.get(kind).and_then(fields).into_iter().flatten() {
            let Some(hint) = unrequested(key.text) else { continue };
            let message = format!("no pod requests `{}`, so `{kind}` has no effect on it", key.text);
            self.found.push(warning("W-001", key.at, path, message, &hint));
        }
    }

    /// W-001 for the weights of `nodesortpolicy`: they replace the defaults.
    pub(super) fn weights(&mut self, partition: Fields<'_>, path: &str) {
        let policy = partition.get("nodesortpolicy").and_then(fields);
        let Some(weights) = policy.and_then(|policy| policy.get("resourceweights")).and_then(fields) else { return };
        let counts = |name: &&&str| {
            weights.get(name).and_then(|weight| weight.scalar()).is_some_and(|weight| is_above_zero(weight.text))
        };
        let lost: Vec<String> = WEIGHED.iter().filter(|name| !counts(name)).map(|name| format!("`{name}`")).collect();
        let lost = match lost.as_slice() {
            [] => String::new(),
            [one] => format!("; weights replace the defaults, so {one} does not count"),
            both => format!("; weights replace the defaults, so {} do not count", both.join(" and ")),
        };
        for (key, _) in weights {
            let Some(hint) = unrequested(key.text) else { continue };
            let message = format!("no node has `{}`, so its weight has no effect{lost}", key.text);
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
    let of_quota = ["requests.", "limits.", "count/"].iter().find_map(|prefix| name.strip_prefix(prefix));
    let of_class = name.contains(".storageclass.storage.k8s.io/");
    let bare = of_quota.unwrap_or(name);
    let other = other_extended(bare);
    if of_quota.is_none() && !of_class && other.is_none() && (known(name) || is_extended(name)) {
        return None;
    }
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
        _ => match other {
            Some(other) => other,
            None if !of_class && is_extended(bare) => bare,
            None => {
                return Some(
                    "pods request `vcore`, `memory`, `ephemeral-storage`, `pods`, `hugepages-SIZE`, and extended resources with a \
                     domain, for example `nvidia.com/gpu`"
                        .to_owned(),
                );
            }
        },
    };
    Some(format!("write `{right}`"))
}

/// The known resource of which `name` is another case or the plural.
fn other_extended(name: &str) -> Option<&'static str> {
    let lower = name.to_ascii_lowercase();
    let same = |known: &&&str| lower == **known || lower.strip_suffix('s') == Some(known);
    EXTENDED.iter().find(same).copied().filter(|known| *known != name)
}

/// A domain in lower case, and a name: what Kubernetes accepts.
fn is_extended(name: &str) -> bool {
    let Some((domain, name)) = name.split_once('/') else { return false };
    let inside = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    let ends_well = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_alphanumeric()) && text.ends_with(|c: char| c.is_ascii_alphanumeric())
    };
    let is_domain = domain.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '.');
    is_domain && ends_well(domain) && ends_well(name) && name.chars().all(inside)
}
