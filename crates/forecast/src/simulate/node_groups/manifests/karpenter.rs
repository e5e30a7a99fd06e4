//! NodePool (`karpenter.sh/v1`, `v1beta1`) and Provisioner (`v1alpha5`) of Karpenter, <https://karpenter.sh/docs/concepts/nodepools/>.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;

use super::super::group::{InstanceType, NodeGroup};
use super::{Of, count, text, texts};
use config::properties::parse_duration;
use kubernetes::quantity::{thousandths, whole};
use model::{MEMORY, Resource, VCORE};

/// What an instance type must meet.
#[derive(Debug)]
pub(super) struct Requirement {
    key: String,
    operator: String,
    values: Vec<String>,
}

/// The group of a pool. The types are all known ones that meet its requirements, or those that it names.
pub(super) fn pool(object: &Value, name: &str, notes: &mut Vec<String>) -> Result<(NodeGroup, Of), String> {
    let spec = &object["spec"];
    let is_old = object["kind"] == "Provisioner";
    let of_nodes = if is_old { spec } else { &spec["template"]["spec"] };
    let limits = if is_old { &spec["limits"]["resources"] } else { &spec["limits"] };
    let mut group = NodeGroup { name: name.to_owned(), ..NodeGroup::default() };
    for (key, value) in limits.as_object().into_iter().flatten() {
        let amount = text(value).ok_or_else(|| format!("limits: {key}: expected a quantity"))?;
        let wrong = |why: String| format!("limits: {key}: {why}");
        match key.as_str() {
            "nodes" => group.max = count(value, "limits.nodes")?.unwrap_or(group.max),
            "cpu" => group.limits.set(VCORE, thousandths(&amount).map_err(wrong)?),
            _ => group.limits.set(key, whole(&amount).map_err(wrong)?),
        }
    }
    if let Some(replicas) = count(&spec["replicas"], "replicas")? {
        (group.min, group.max) = (replicas, replicas);
    }
    group.weight = spec["weight"].as_i64().unwrap_or_default();
    (group.unneeded, group.consolidates) =
        if is_old { old_disruption(spec)? } else { disruption(&spec["disruption"])? };
    if of_nodes["taints"].as_array().is_some_and(|taints| !taints.is_empty()) {
        notes.push(format!("NodePool {name}: taints are not evaluated"));
    }
    let requirements = of_nodes["requirements"].as_array().into_iter().flatten().map(|one| Requirement {
        key: one["key"].as_str().unwrap_or_default().to_owned(),
        operator: one["operator"].as_str().unwrap_or("In").to_owned(),
        values: texts(&one["values"]),
    });
    Ok((group, Of::Any(requirements.collect())))
}

/// After which time a node is removed, and whether it may be in use.
fn disruption(disruption: &Value) -> Result<(Option<Duration>, bool), String> {
    let policy = disruption["consolidationPolicy"].as_str().unwrap_or("WhenEmptyOrUnderutilized");
    let after = match text(&disruption["consolidateAfter"]).as_deref() {
        None => Some(Duration::ZERO),
        Some("Never") => None,
        Some(time) => Some(parse_duration(time).ok_or_else(|| format!("consolidateAfter: invalid time {time:?}"))?),
    };
    // A budget of nothing at all times.
    let blocks = |budget: &Value| {
        let nodes = text(&budget["nodes"]).unwrap_or_default();
        matches!(nodes.as_str(), "0" | "0%") && budget["schedule"].is_null() && budget["reasons"].is_null()
    };
    let blocked = disruption["budgets"].as_array().is_some_and(|budgets| budgets.iter().any(blocks));
    Ok((after.filter(|_| !blocked), policy != "WhenEmpty"))
}

fn old_disruption(spec: &Value) -> Result<(Option<Duration>, bool), String> {
    if spec["consolidation"]["enabled"] == true {
        return Ok((Some(Duration::ZERO), true));
    }
    let seconds = text(&spec["ttlSecondsAfterEmpty"]).map(|seconds| {
        seconds.parse().map_err(|_| format!("ttlSecondsAfterEmpty: invalid number of seconds {seconds:?}"))
    });
    Ok((seconds.transpose()?.map(Duration::from_secs), false))
}

/// The types that meet the requirements of a pool.
pub(super) struct Matching {
    pub found: Vec<InstanceType>,
    /// What the requirements name.
    pub names: Vec<String>,
    /// Why the other known types are not used.
    pub refused: Vec<String>,
}

/// Known types, or those described by the requirements.
pub(super) fn matching(
    requirements: &[Requirement],
    (label, pool): (&str, &str),
    types: &[InstanceType],
    notes: &mut Vec<String>,
) -> Matching {
    let named = requirements.iter().filter(|one| one.operator == "In" && one.key.ends_with("/instance-type"));
    let names: Vec<String> = named.flat_map(|one| one.values.clone()).collect();
    let (mut found, mut refused) = (Vec::new(), Vec::new());
    for one in types {
        match requirements.iter().find(|requirement| !requirement.is_met_by(one)) {
            None => found.push(one.clone()),
            Some(requirement) => refused.push(requirement.refusal(one)),
        }
    }
    let unknown: BTreeSet<&str> =
        requirements.iter().filter(|one| !one.is_evaluated()).map(|one| one.key.as_str()).collect();
    if !unknown.is_empty() {
        notes.push(format!("{label}: requirements are not evaluated: {}", Vec::from_iter(unknown).join(", ")));
    }
    for requirement in requirements.iter().filter(|one| one.is_evaluated()) {
        let types = found.iter().filter(|one| requirement.label(one).is_none());
        let types: Vec<&str> = types.map(|one| one.name.as_str()).collect();
        if !types.is_empty() {
            notes.push(format!("{label}: {}", requirement.unknown(&types)));
        }
    }
    if found.is_empty() && names.is_empty() {
        found = of_amounts(requirements, pool);
    }
    Matching { found, names, refused }
}

/// The types of all numbers of processors and amounts of memory, if the requirements name both.
fn of_amounts(requirements: &[Requirement], pool: &str) -> Vec<InstanceType> {
    let values = |ends: [&str; 2]| {
        let found =
            requirements.iter().find(|one| one.operator == "In" && ends.iter().any(|end| one.key.ends_with(end)));
        let values = found.into_iter().flat_map(|one| &one.values).filter_map(|value| value.parse::<i64>().ok());
        values.filter(|value| *value > 0).collect::<Vec<i64>>()
    };
    let (cpus, memories) = (values(CPU), values(MEMORIES));
    let archs = requirements.iter().find(|one| one.operator == "In" && one.key == ARCH);
    let arch = archs.filter(|one| one.values.len() == 1).and_then(|one| one.values[0].parse().ok());
    let one = |cpu: i64, mebibytes: i64| {
        let capacity: Resource =
            [(VCORE, cpu.saturating_mul(1000)), (MEMORY, mebibytes.saturating_mul(1 << 20))].into_iter().collect();
        InstanceType { name: format!("{pool}/{cpu}-{mebibytes}"), capacity, price: None, arch }
    };
    cpus.iter().flat_map(|cpu| memories.iter().map(move |memory| one(*cpu, *memory))).collect()
}

/// The labels of providers with the number of processors, with the memory in MiB, and with the number of GPUs.
const CPU: [&str; 2] = ["/instance-cpu", "/sku-cpu"];
const MEMORIES: [&str; 2] = ["/instance-memory", "/sku-memory"];
const GPUS: [&str; 2] = ["/instance-gpu-count", "/sku-gpu-count"];

const ARCH: &str = "kubernetes.io/arch";
/// Parts of the name of a type of AWS.
const NAMED: [&str; 4] = ["instance-family", "instance-size", "instance-category", "instance-generation"];
const OPERATORS: [&str; 8] = ["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Gte", "Lt", "Lte"];

impl Requirement {
    /// Whether its key tells something of some types.
    fn is_evaluated(&self) -> bool {
        let ends = CPU.iter().chain(&MEMORIES).chain(&GPUS).chain(["/instance-type"].iter());
        let by_name = self.key.rsplit('/').next().is_some_and(|last| NAMED.contains(&last));
        let is_known = by_name || self.key == ARCH || ends.into_iter().any(|end| self.key.ends_with(end));
        is_known && OPERATORS.contains(&self.operator.as_str())
    }

    /// Why these types count as suitable.
    fn unknown(&self, types: &[&str]) -> String {
        let all = types.join(", ");
        if self.key == ARCH {
            return format!(
                "the architecture of {all} is unknown, and counts as suitable: add arch=amd64 or arch=arm64"
            );
        }
        format!("requirement {} is not evaluated for {all}: the name is not FAMILY.SIZE, as m5.large", self.key)
    }

    fn refusal(&self, one: &InstanceType) -> String {
        let Self { key, operator, values } = self;
        let label = self.label(one).unwrap_or_default();
        let wanted = format!("{key} {operator} {}", values.join(", "));
        format!("{} has {label}, expected {}", one.name, wanted.trim_end())
    }

    /// Whether a type meets it, or nothing is known of the label.
    fn is_met_by(&self, one: &InstanceType) -> bool {
        let Some(label) = self.label(one) else { return true };
        let has = || self.values.contains(&label);
        let number = |compare: fn(&i64, &i64) -> bool| {
            let wanted = self.values.first().and_then(|value| value.parse().ok());
            label.parse().ok().zip(wanted).is_none_or(|(label, wanted)| compare(&label, &wanted))
        };
        match self.operator.as_str() {
            "In" => has(),
            "NotIn" => !has(),
            // A node without a GPU has no label for it.
            "DoesNotExist" => GPUS.iter().any(|end| self.key.ends_with(end)) && label == "0",
            "Gt" => number(i64::gt),
            "Gte" => number(i64::ge),
            "Lt" => number(i64::lt),
            "Lte" => number(i64::le),
            _ => true,
        }
    }

    /// The value of the label for a type: from its capacity, or from a name such as `m5.xlarge`.
    fn label(&self, one: &InstanceType) -> Option<String> {
        let ends = |ends: [&str; 2]| ends.iter().any(|end| self.key.ends_with(end));
        if ends(CPU) {
            return Some((one.capacity.amount(VCORE) / 1000).to_string());
        }
        if ends(MEMORIES) {
            return Some((one.capacity.amount(MEMORY) >> 20).to_string());
        }
        if ends(GPUS) {
            return Some(one.capacity.amount("nvidia.com/gpu").to_string());
        }
        if self.key.ends_with("/instance-type") {
            return Some(one.name.clone());
        }
        if self.key == ARCH {
            return one.architecture().map(|arch| arch.to_string());
        }
        let (family, size) = one.name.split_once('.')?;
        let category = family.find(|symbol: char| symbol.is_ascii_digit()).map_or(family, |at| &family[..at]);
        let after = &family[category.len()..];
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        match self.key.rsplit('/').next()? {
            "instance-family" => Some(family.to_owned()),
            "instance-size" => Some(size.to_owned()),
            "instance-category" => Some(category.to_owned()),
            "instance-generation" => Some(after[..digits].to_owned()),
            _ => None,
        }
    }
}
