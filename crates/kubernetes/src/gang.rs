//! Task groups and placeholder pods (K8S-129 to K8S-133, K8S-220 to K8S-224).

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use super::names::{PARAMETERS, TASK_GROUPS, own};
use super::objects::{Affinity, Amount, Amounts, Container, Meta, Owner, Pod, SpreadConstraint, Toleration};
use super::quantity;
use model::Resource;
use scheduler::GangStyle;

const GROUP: &str = "task-group-name";
pub(crate) const PLACEHOLDER: &str = "internal.yunikorn.apache.org/placeholder";
/// Characters of the application ID and of the group in a placeholder's name.
const ID_PART: usize = 28;
const GROUP_PART: usize = 20;

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct TaskGroup {
    pub name: String,
    #[serde(rename = "minmember")]
    pub min_member: i32,
    #[serde(rename = "minresource")]
    pub min_resource: Amounts,
    pub labels: BTreeMap<String, String>,
    pub annotations: BTreeMap<String, String>,
    #[serde(rename = "nodeselector")]
    pub node_selector: BTreeMap<String, String>,
    pub tolerations: Vec<Toleration>,
    pub affinity: Affinity,
    #[serde(rename = "topologyspreadconstraints")]
    pub spread: Vec<SpreadConstraint>,
}

/// Returns the task groups that a pod declares.
///
/// # Errors
/// An error in one of them: then none counts, and the application runs without a gang (K8S-131).
pub(crate) fn task_groups(meta: &Meta) -> Result<Vec<TaskGroup>, String> {
    let text = meta.annotation(&own(TASK_GROUPS));
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let refused = |why: String| format!("its task groups are ignored: {why}");
    let list: Vec<BTreeMap<String, Value>> = serde_json::from_str(text)
        .map_err(|error| refused(format!("the annotation {} must be a JSON list: {error}", own(TASK_GROUPS))))?;
    let mut groups = Vec::new();
    for fields in list {
        // Keys are not case-sensitive.
        let fields = fields.into_iter().filter(|(_, value)| !value.is_null());
        let fields = fields.map(|(key, value)| (key.to_lowercase(), value)).collect();
        let group: TaskGroup = serde_json::from_value(Value::Object(fields)).map_err(|why| refused(why.to_string()))?;
        if group.name.is_empty() {
            return Err(refused("one has no name".to_owned()));
        }
        let of = |why: &str| refused(format!("{:?} {why}", group.name));
        if group.min_resource.is_empty() {
            return Err(of("has no minResource"));
        }
        if group.min_member <= 0 {
            return Err(of(&format!("has minMember {}, the minimum is 1", group.min_member)));
        }
        quantity::resource(&group.min_resource).map_err(|why| of(&format!("has the minResource {why}")))?;
        groups.push(group);
    }
    Ok(groups)
}

/// What all placeholders together request (K8S-132).
pub(crate) fn placeholder_ask(groups: &[TaskGroup]) -> Resource {
    let mut sum = Resource::new();
    for group in groups {
        let Ok(mut one) = quantity::resource(&group.min_resource) else { continue };
        one.add_assign(&[("pods", 1)].into_iter().collect());
        let members = i64::from(group.min_member);
        let all = one.iter().map(|(name, amount)| (name.to_owned(), amount.saturating_mul(members)));
        let all: Vec<(String, i64)> = all.collect();
        sum.add_assign(&all.iter().map(|(name, amount)| (name.as_str(), *amount)).collect());
    }
    sum
}

/// Gang timeout, and the reaction to it (K8S-133).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Parameters {
    /// `None`: the scheduler's default.
    pub timeout: Option<Duration>,
    pub style: GangStyle,
}

/// Skips invalid parts.
pub(crate) fn parameters(meta: &Meta) -> Parameters {
    let mut found = Parameters::default();
    for part in meta.annotation(&own(PARAMETERS)).split(' ') {
        let mut sides = part.split('=');
        let (Some(key), Some(value), None) = (sides.next(), sides.next(), sides.next()) else { continue };
        match key {
            "placeholderTimeoutInSeconds" => {
                let seconds = value.parse::<i64>().ok().and_then(|seconds| u64::try_from(seconds).ok());
                found.timeout = seconds.filter(|seconds| *seconds > 0).map(Duration::from_secs);
            }
            "gangSchedulingStyle" if value == "Hard" => found.style = GangStyle::Hard,
            "gangSchedulingStyle" => found.style = GangStyle::Soft,
            _ => {}
        }
    }
    found
}

/// Empty without one (K8S-130).
pub(crate) fn group_of(meta: &Meta) -> &str {
    meta.annotation(&own(GROUP))
}

pub(crate) fn is_placeholder(meta: &Meta) -> bool {
    let texts = [meta.annotation(PLACEHOLDER), meta.annotation(&own("placeholder")), meta.label("placeholder")];
    texts.into_iter().find_map(bool_of).unwrap_or(false)
}

fn bool_of(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Some(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Some(false),
        _ => None,
    }
}

pub(crate) fn placeholder_name(app: &str, group: &str, suffix: &str) -> String {
    let cut = |text: &str, most: usize| text.chars().take(most).collect::<String>();
    format!("tg-{}-{}-{suffix}", cut(app, ID_PART), cut(group, GROUP_PART))
}

pub(crate) fn placeholder(app: &str, first: &Pod, group: &TaskGroup, suffix: &str) -> Pod {
    let mut pod = Pod::default();
    let name = placeholder_name(app, &group.name, suffix);
    let meta = &first.metadata;
    let mut labels = group.labels.clone();
    labels.insert(own("app-id"), app.to_owned());
    labels.insert(own("queue"), super::application::queue(meta).to_owned());
    let mut annotations = group.annotations.clone();
    annotations.insert(PLACEHOLDER.to_owned(), "true".to_owned());
    annotations.insert(own(GROUP), group.name.clone());
    for key in [own(TASK_GROUPS), own(PARAMETERS)] {
        annotations.insert(key.clone(), meta.annotation(&key).to_owned());
    }
    pod.metadata = Meta {
        uid: format!("{}/{name}", meta.namespace),
        name,
        namespace: meta.namespace.clone(),
        labels: labels.into(),
        annotations: annotations.into(),
        creation_timestamp: meta.creation_timestamp.clone(),
        owner_references: vec![Owner { kind: "Pod".to_owned(), uid: meta.uid.clone() }].into(),
        ..Meta::default()
    };
    let mut pause = Container { name: "pause".to_owned(), ..Container::default() };
    pause.resources.requests =
        group.min_resource.iter().map(|(key, value)| (key.clone(), Amount(value.0.clone()))).collect();
    let (spec, own_spec) = (&mut *pod.spec, &first.spec);
    spec.containers = vec![pause];
    spec.scheduler_name.clone_from(&own_spec.scheduler_name);
    spec.priority = own_spec.priority;
    spec.priority_class_name.clone_from(&own_spec.priority_class_name);
    spec.node_selector.clone_from(&group.node_selector);
    spec.affinity = group.affinity.clone();
    spec.tolerations.clone_from(&group.tolerations);
    spec.topology_spread_constraints.clone_from(&group.spread);
    pod
}
