//! Node groups from manifests: Karpenter, the Cluster Autoscaler, and what it reads of Cluster API, OpenShift, eksctl,
//! and kops. The capacity of instance types is usually elsewhere.

mod cluster_autoscaler;
mod karpenter;
mod types;

use serde_json::Value;

use self::cluster_autoscaler::Flags;
use self::karpenter::{Matching, Requirement};
pub use self::types::read_types;
use super::group::{InstanceType, NodeGroup};

/// The kinds that are read, for messages.
pub const KINDS: &str = "NodePool, Provisioner, the Deployment or the Helm values of the Cluster Autoscaler, MachineDeployment, MachineSet, \
    MachinePool, Cluster, MachineAutoscaler, ClusterConfig of eksctl, and InstanceGroup of kops";

/// How many types that meet no requirements are named.
const MOST_REFUSED: usize = 5;

/// The groups of manifests, and what of them is not evaluated.
#[derive(Debug, Default)]
pub struct Read {
    /// The groups in their order.
    pub groups: Vec<NodeGroup>,
    /// What is not evaluated, in sentences.
    pub notes: Vec<String>,
}

enum Of {
    Named(Vec<String>),
    /// All that meet requirements.
    Any(Vec<Requirement>),
    /// The capacity is in the manifest.
    Own(InstanceType),
}

struct Draft {
    /// The file and line, the kind, and the name.
    label: String,
    group: NodeGroup,
    of: Of,
}

/// Fails for an invalid value or unknown capacity.
pub fn read(objects: &[(String, Value)], types: &[InstanceType]) -> Result<Read, String> {
    let mut types = types.to_vec();
    types::of_nodes(objects, &mut types);
    let (mut read, mut drafts) = (Read::default(), Vec::new());
    for (at, object) in objects {
        let kind = object["kind"].as_str().unwrap_or_default();
        let name = object["metadata"]["name"].as_str().unwrap_or_default();
        let label = format!("{at}: {kind} {name}");
        let found = match kind {
            "NodePool" | "Provisioner" if is_of(object, "karpenter.sh") => {
                karpenter::pool(object, name, &mut read.notes).map(|(group, of)| vec![(group, of)])
            }
            _ => cluster_autoscaler::groups(object, objects, &mut read.notes),
        };
        let found = found.map_err(|why| format!("{label}: {why}"))?;
        drafts.extend(found.into_iter().map(|(group, of)| Draft { label: label.clone(), group, of }));
    }
    let flags = Flags::of(objects);
    for Draft { label, mut group, of } in drafts {
        if !label.contains(": NodePool ") && !label.contains(": Provisioner ") {
            flags.apply(&mut group);
        }
        group.types = known(&label, &group.name, of, &types, &mut read.notes)?;
        if read.groups.iter().any(|other| other.name == group.name) {
            return Err(format!("{label}: duplicate node group {}", group.name));
        }
        read.groups.push(group.checked().map_err(|why| format!("{label}: {why}"))?);
    }
    Ok(read)
}

fn is_of(object: &Value, group: &str) -> bool {
    object["apiVersion"].as_str().is_some_and(|version| version.split('/').next() == Some(group))
}

fn known(
    label: &str,
    group: &str,
    of: Of,
    types: &[InstanceType],
    notes: &mut Vec<String>,
) -> Result<Vec<InstanceType>, String> {
    let find = |name: &String| types.iter().find(|one| one.name == *name).cloned();
    let Matching { found, names, refused } = match of {
        Of::Own(own) => Matching { found: vec![own], names: Vec::new(), refused: Vec::new() },
        Of::Named(names) => {
            let found: Vec<InstanceType> = names.iter().filter_map(find).collect();
            // A group of one type can be described by its own name.
            let by_group = if found.is_empty() { find(&group.to_owned()) } else { None };
            Matching { found: found.into_iter().chain(by_group).collect(), names, refused: Vec::new() }
        }
        Of::Any(requirements) => karpenter::matching(&requirements, (label, group), types, notes),
    };
    let unknown: Vec<&str> = names.iter().filter(|name| find(name).is_none()).map(String::as_str).collect();
    if found.is_empty() && unknown.is_empty() && !refused.is_empty() {
        let more = if refused.len() > MOST_REFUSED { ", …" } else { "" };
        let refused = refused[..refused.len().min(MOST_REFUSED)].join("; ");
        return Err(format!("{label}: no known instance type meets the requirements: {refused}{more}"));
    }
    if found.is_empty() {
        let name = unknown.first().copied().unwrap_or("m5.large");
        return Err(format!(
            "{label}: cannot read the capacity of its nodes: manifests name instance types only; add for example \
             --instance-type '{name}: cpu=2, memory=8Gi', or the output of `aws ec2 describe-instance-types`"
        ));
    }
    if !unknown.is_empty() && !found.iter().any(|one| one.name == group) {
        notes.push(format!("{label}: instance types without a known capacity are not used: {}", unknown.join(", ")));
    }
    Ok(found)
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(text).collect()
}

/// A number of nodes; `None` where it is absent.
fn count(value: &Value, key: &str) -> Result<Option<u32>, String> {
    let Some(text) = text(value) else { return Ok(None) };
    text.trim().parse().map(Some).map_err(|_| format!("invalid {key} {text:?}: expected a number of nodes"))
}

#[cfg(test)]
mod tests;
