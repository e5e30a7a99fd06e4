//! What the Cluster Autoscaler is told: its flags in a Deployment or in Helm values, and the groups of the providers that it reads.
//!
//! The annotations are those of <https://github.com/kubernetes/autoscaler/blob/master/cluster-autoscaler/cloudprovider/clusterapi/README.md>, the
//! flags those of its FAQ.

use std::time::Duration;

use serde_json::Value;

use super::super::group::{InstanceType, NodeGroup};
use super::{Of, count, is_of, text, texts};
use config::properties::parse_duration;
use kubernetes::quantity::{thousandths, whole};
use model::{MEMORY, VCORE};

const MIN: &str = "/cluster-api-autoscaler-node-group-min-size";
const MAX: &str = "/cluster-api-autoscaler-node-group-max-size";
const CAPACITY: &str = "capacity.cluster-autoscaler.kubernetes.io/";

type Groups = Result<Vec<(NodeGroup, Of)>, String>;

/// The groups of an object; none where it is no object of an autoscaler.
pub(super) fn groups(object: &Value, all: &[(String, Value)], notes: &mut Vec<String>) -> Groups {
    let spec = &object["spec"];
    match object["kind"].as_str().unwrap_or_default() {
        "Deployment" => of_flags(&flags(object), notes),
        "" => of_values(object, notes),
        "MachineDeployment" | "MachineSet" | "MachinePool" => {
            let named = texts(&instance_type(object));
            of_annotations(&object["metadata"]["annotations"], &name_of(object), named)
        }
        "Cluster" => {
            let workers = &spec["topology"]["workers"];
            let of = |one: &Value| {
                let name = text(&one["name"]).unwrap_or_default();
                of_annotations(&one["metadata"]["annotations"], &name, vec![name.clone()])
            };
            let lists = ["machineDeployments", "machinePools"].into_iter();
            let groups: Result<Vec<_>, String> =
                lists.flat_map(|key| workers[key].as_array().into_iter().flatten()).map(of).collect();
            groups.map(|groups| groups.into_iter().flatten().collect())
        }
        "MachineAutoscaler" => machine_autoscaler(spec, all),
        "ClusterConfig" if is_of(object, "eksctl.io") => {
            let lists = ["nodeGroups", "managedNodeGroups"].into_iter();
            lists.flat_map(|key| object[key].as_array().into_iter().flatten()).map(eksctl).collect()
        }
        "InstanceGroup" if is_of(object, "kops.k8s.io") && spec["role"] == "Node" => {
            let types = text(&spec["machineType"]).into_iter().collect();
            Ok(vec![bounded(&name_of(object), (&spec["minSize"], &spec["maxSize"]), types)?])
        }
        _ => Ok(Vec::new()),
    }
}

fn name_of(object: &Value) -> String {
    text(&object["metadata"]["name"]).unwrap_or_default()
}

fn bounded(name: &str, (min, max): (&Value, &Value), types: Vec<String>) -> Result<(NodeGroup, Of), String> {
    let (min, max) = (count(min, "minimum")?, count(max, "maximum")?);
    let max = max.or(min).ok_or_else(|| format!("node group {name} has no maximum"))?;
    let group = NodeGroup { name: name.to_owned(), min: min.unwrap_or(0), max, ..NodeGroup::default() };
    let types = if types.is_empty() { vec![name.to_owned()] } else { types };
    Ok((group, Of::Named(types)))
}

fn flags(deployment: &Value) -> Vec<(String, String)> {
    let containers = deployment["spec"]["template"]["spec"]["containers"].as_array().into_iter().flatten();
    let words = containers.flat_map(|one| texts(&one["command"]).into_iter().chain(texts(&one["args"])));
    let words: Vec<String> =
        words.flat_map(|word| word.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).collect();
    let mut found = Vec::new();
    let mut rest = words.iter().peekable();
    while let Some(word) = rest.next() {
        let Some(flag) = word.strip_prefix("--").or_else(|| word.strip_prefix('-')) else { continue };
        match flag.split_once('=') {
            Some((name, value)) => found.push((name.to_owned(), value.trim_matches('"').to_owned())),
            None => {
                let value = rest.next_if(|next| !next.starts_with('-'));
                found.push((flag.to_owned(), value.cloned().unwrap_or_else(|| "true".to_owned())));
            }
        }
    }
    found
}

/// The groups of `--nodes=MIN:MAX:NAME`.
fn of_flags(flags: &[(String, String)], notes: &mut Vec<String>) -> Groups {
    let mut groups = Vec::new();
    for (name, value) in flags {
        match name.as_str() {
            "nodes" => {
                let parts: Vec<&str> = value.splitn(3, ':').collect();
                let [min, max, name] = parts.as_slice() else { return Err(format!("--nodes={value} is not MIN:MAX:NAME")) };
                let name = name.rsplit('/').next().unwrap_or(name);
                groups.push(bounded(name, (&Value::from(*min), &Value::from(*max)), Vec::new())?);
            }
            "node-group-auto-discovery" if !value.starts_with("clusterapi") => notes.push(format!(
                "the Cluster Autoscaler finds groups by {value}, which are not in its manifest; add them with --node-group"
            )),
            _ => {}
        }
    }
    Ok(groups)
}

/// The Helm values of its chart, also below the name of a subchart.
fn of_values(values: &Value, notes: &mut Vec<String>) -> Groups {
    let Some(values) = chart(values) else { return Ok(Vec::new()) };
    let mut groups = Vec::new();
    for one in values["autoscalingGroups"].as_array().into_iter().flatten() {
        let name = text(&one["name"]).ok_or("autoscalingGroups: an entry has no name")?;
        groups.push(bounded(&name, (&one["minSize"], &one["maxSize"]), Vec::new())?);
    }
    groups.extend(of_flags(&extra_args(values), notes)?);
    Ok(groups)
}

/// The part of Helm values that is for the chart of the Cluster Autoscaler.
fn chart(values: &Value) -> Option<&Value> {
    let is_chart = |value: &&Value| value["autoscalingGroups"].is_array();
    let inside = || values.as_object()?.values().find(is_chart);
    if is_chart(&values) { Some(values) } else { inside() }
}

fn extra_args(values: &Value) -> Vec<(String, String)> {
    let all = values["extraArgs"].as_object().into_iter().flatten();
    all.filter_map(|(name, value)| Some((name.clone(), text(value)?))).collect()
}

fn of_annotations(annotations: &Value, name: &str, named: Vec<String>) -> Groups {
    let find = |end: &str| {
        let mut all = annotations.as_object().into_iter().flatten();
        all.find(|(key, _)| key.ends_with(end)).map_or(Value::Null, |(_, value)| value.clone())
    };
    let (min, max) = (find(MIN), find(MAX));
    if max.is_null() {
        return Ok(Vec::new());
    }
    let (group, by_name) = bounded(name, (&min, &max), named)?;
    let mut own = InstanceType { name: name.to_owned(), ..InstanceType::default() };
    let amount = |key: &str| text(&annotations[format!("{CAPACITY}{key}").as_str()]);
    let of_openshift = |key: &str| text(&annotations[format!("machine.openshift.io/{key}").as_str()]);
    let wrong = |why: String| format!("annotations: {why}");
    if let Some(cpu) = amount("cpu").or_else(|| of_openshift("vCPU")) {
        own.capacity.set(VCORE, thousandths(&cpu).map_err(wrong)?);
    }
    let memory =
        amount("memory").map(|memory| whole(&memory)).or_else(|| of_openshift("memoryMb").map(|mb| mebibytes(&mb)));
    if let Some(memory) = memory {
        own.capacity.set(MEMORY, memory.map_err(wrong)?);
    }
    if let Some(gpus) = amount("gpu-count").or_else(|| of_openshift("GPU")) {
        let key = amount("gpu-type").unwrap_or_else(|| "nvidia.com/gpu".to_owned());
        own.capacity.set(&key, whole(&gpus).map_err(wrong)?);
    }
    if let Some(pods) = amount("maxPods") {
        own.capacity.set("pods", whole(&pods).map_err(wrong)?);
    }
    let is_known = own.capacity.amount(VCORE) > 0 && own.capacity.amount(MEMORY) > 0;
    Ok(vec![(group, if is_known { Of::Own(own) } else { by_name })])
}

/// OpenShift writes a number of MiB, or a quantity.
fn mebibytes(text: &str) -> Result<i64, String> {
    let number = text.parse::<i64>().ok().filter(|number| *number >= 0);
    number.map_or_else(|| whole(text), |number| Ok(number.saturating_mul(1 << 20)))
}

fn instance_type(object: &Value) -> Value {
    let provider = &object["spec"]["template"]["spec"]["providerSpec"]["value"];
    let found = ["instanceType", "vmSize", "machineType"].into_iter().filter_map(|key| text(&provider[key]));
    Value::from(found.collect::<Vec<String>>())
}

/// OpenShift has the bounds in an object of their own.
fn machine_autoscaler(spec: &Value, all: &[(String, Value)]) -> Groups {
    let target = text(&spec["scaleTargetRef"]["name"]).ok_or("spec.scaleTargetRef.name is missing")?;
    let is_target = |object: &&Value| object["kind"] == "MachineSet" && object["metadata"]["name"] == target;
    let set = all.iter().map(|(_, object)| object).find(is_target);
    let mut annotations = set.map_or(Value::Null, |set| set["metadata"]["annotations"].clone());
    if annotations.is_null() {
        annotations = Value::Object(serde_json::Map::new());
    }
    annotations[format!("machine.openshift.io{MIN}").as_str()] = spec["minReplicas"].clone();
    annotations[format!("machine.openshift.io{MAX}").as_str()] = spec["maxReplicas"].clone();
    let named = set.map(|set| texts(&instance_type(set))).unwrap_or_default();
    of_annotations(&annotations, &target, named)
}

fn eksctl(group: &Value) -> Result<(NodeGroup, Of), String> {
    let name = text(&group["name"]).ok_or("a node group has no name")?;
    let mut types = texts(&group["instanceTypes"]);
    types.extend(texts(&group["instancesDistribution"]["instanceTypes"]));
    types.extend(text(&group["instanceType"]).filter(|one| one != "mixed"));
    let size = &group["desiredCapacity"];
    let or_size = |value: &Value| if value.is_null() { size.clone() } else { value.clone() };
    bounded(&name, (&or_size(&group["minSize"]), &or_size(&group["maxSize"])), types)
}

#[derive(Debug, Default)]
pub(super) struct Flags {
    unneeded: Option<Duration>,
    patience: Option<Duration>,
    removes_nothing: bool,
}

impl Flags {
    /// The flags of a Deployment, of Helm values, or of a ClusterAutoscaler of OpenShift.
    pub fn of(objects: &[(String, Value)]) -> Self {
        let mut found = Self::default();
        for (_, object) in objects {
            let down = &object["spec"]["scaleDown"];
            let all = match object["kind"].as_str() {
                Some("Deployment") => flags(object),
                None => chart(object).map(extra_args).unwrap_or_default(),
                Some("ClusterAutoscaler") => {
                    let pair = |name: &str, key: &str| Some((name.to_owned(), text(&down[key])?));
                    let pairs =
                        [pair("scale-down-enabled", "enabled"), pair("scale-down-unneeded-time", "unneededTime")];
                    pairs.into_iter().flatten().collect()
                }
                _ => Vec::new(),
            };
            for (name, value) in all {
                match name.as_str() {
                    "scale-down-unneeded-time" => found.unneeded = parse_duration(&value).or(found.unneeded),
                    "new-pod-scale-up-delay" => found.patience = parse_duration(&value).or(found.patience),
                    "scale-down-enabled" => found.removes_nothing = value == "false",
                    _ => {}
                }
            }
        }
        found
    }

    pub fn apply(&self, group: &mut NodeGroup) {
        group.unneeded = self.unneeded.or(group.unneeded).filter(|_| !self.removes_nothing);
        group.patience = self.patience.unwrap_or(group.patience);
    }
}
