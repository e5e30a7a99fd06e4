//! The capacity of instance types: of Node objects, and of `aws ec2 describe-instance-types`.

use serde_json::Value;

use super::super::group::InstanceType;
use super::text;
use kubernetes::allocatable;
use model::{MEMORY, Resource, VCORE};

const LABEL: &str = "node.kubernetes.io/instance-type";
const ARCH: &str = "kubernetes.io/arch";

/// Reads instance types: one in each line as `m5.large: cpu=2, memory=8Gi, price=0.1`, or the JSON of `aws ec2 describe-instance-types`.
///
/// # Errors
/// A line or an entry is none, with its number.
pub fn read_types(content: &str) -> Result<Vec<InstanceType>, String> {
    if content.trim_start().starts_with('{') {
        let value: Value = serde_json::from_str(content).map_err(|why| why.to_string())?;
        let list = value["InstanceTypes"].as_array().ok_or("expected InstanceTypes, as in the output of AWS")?;
        return list.iter().map(of_aws).collect();
    }
    let lines = content.lines().map(str::trim).enumerate();
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    lines.map(|(number, line)| line.parse().map_err(|why| format!("{}: {why}", number + 1))).collect()
}

fn of_aws(one: &Value) -> Result<InstanceType, String> {
    let name = one["InstanceType"].as_str().ok_or("an entry has no InstanceType")?.to_owned();
    let amount = |value: &Value, what: &str| value.as_i64().ok_or_else(|| format!("{name} has no {what}"));
    let mut capacity = Resource::new();
    capacity.set(VCORE, amount(&one["VCpuInfo"]["DefaultVCpus"], "VCpuInfo.DefaultVCpus")?.saturating_mul(1000));
    capacity.set(MEMORY, amount(&one["MemoryInfo"]["SizeInMiB"], "MemoryInfo.SizeInMiB")?.saturating_mul(1 << 20));
    for gpu in one["GpuInfo"]["Gpus"].as_array().into_iter().flatten() {
        let key = if gpu["Manufacturer"] == "AMD" { "amd.com/gpu" } else { "nvidia.com/gpu" };
        capacity.set(key, capacity.amount(key).saturating_add(gpu["Count"].as_i64().unwrap_or(0)));
    }
    let architectures = one["ProcessorInfo"]["SupportedArchitectures"].as_array().into_iter().flatten();
    let arch = architectures.filter_map(Value::as_str).find_map(|text| text.trim_end_matches("_mac").parse().ok());
    InstanceType { name, capacity, price: None, arch }.checked()
}

pub(super) fn of_nodes(objects: &[(String, Value)], types: &mut Vec<InstanceType>) {
    for (_, node) in objects.iter().filter(|(_, object)| object["kind"] == "Node") {
        let Some(name) = text(&node["metadata"]["labels"][LABEL]) else { continue };
        let Ok(capacity) = allocatable(node) else { continue };
        let arch = text(&node["metadata"]["labels"][ARCH]).and_then(|arch| arch.parse().ok());
        if let Ok(one) = (InstanceType { name, capacity, price: None, arch }).checked()
            && !types.iter().any(|known| known.name == one.name)
        {
            types.push(one);
        }
    }
}
