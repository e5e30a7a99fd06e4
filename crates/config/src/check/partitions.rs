//! Partitions, the root, node sorting (CFG-011 to CFG-018, CFG-041, CFG-079, CFG-100, CFG-101).

use std::collections::HashMap;

use crate::fault::Faults;
use crate::raw::{RawFile, RawLimit, RawLimits, RawPartition, RawQueue};
use crate::types::Place;
use crate::values::NodeSortPolicy;
use model::allowed_value::one_of;

/// CFG-011 to CFG-014.
pub(super) fn check_list(file: &RawFile, faults: &mut Faults) {
    const HINT: &str = "write at least one partition: `partitions: [{name: default, queues: [{name: root}]}]`";
    if file.partitions.is_empty() && !faults.has_errors() {
        faults.strict("CFG-011", file.at, "partitions", "the file has no partition", HINT);
    }
    let mut seen: HashMap<String, Place> = HashMap::new();
    for (index, partition) in file.partitions.iter().enumerate() {
        let path = format!("partitions[{index}]");
        let name = &partition.name;
        let breaks = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '[' | ']' | '/');
        if let Some(c) = name.value.chars().find(|c| breaks(*c)) {
            let message = format!("partition name {:?} contains {c:?}", name.value);
            let hint = "no white space, control characters, `[`, `]` or `/` in partition names";
            faults.strict("CFG-013", name.at, &path, message, hint);
        }
        if let Some(first) = seen.get(&name.value.to_lowercase()) {
            let message = format!("duplicate partition {:?}; first defined on line {}", name.value, first.line);
            let hint = "names ignore case, and a partition without a name is `default`: rename one of the two";
            faults.error("CFG-012", name.at, &path, message, hint);
        } else {
            seen.insert(name.value.to_lowercase(), name.at);
        }
        if partition.root.is_none() {
            let message = format!("partition {:?} has no `queues`", name.value);
            faults.error("CFG-014", partition.at, &path, message, "write `queues: []` for a root without children");
        }
    }
}

/// CFG-016, CFG-018, CFG-041.
pub(super) fn check_root(root: &RawQueue, faults: &mut Faults) {
    if let Some(parent) = root.parent.as_good()
        && !parent.value
    {
        let message = "`parent: false` is written on root, which is always a parent";
        faults.strict("CFG-018", parent.at, &root.path, message, "remove `parent`");
    }
    for (key, amounts) in [("guaranteed", &root.guaranteed), ("max", &root.max)] {
        if let Some(amounts) = amounts {
            let message = format!("`resources.{key}` is set on root");
            let hint = "root always has the size of the cluster: remove it, or set it on child queues";
            faults.error("CFG-041", amounts.key_at, &root.path, message, hint);
        }
    }
    let inserted = root.name.at.line == 0;
    if let Some(below) = root.children.iter().find(|child| child.path == "root.root").filter(|_| inserted) {
        let message = "this queue is not the root because it has siblings: a root is added as its parent, and it becomes root.root";
        let hint = "move the other queues into `queues` of this queue, or rename it";
        faults.warning("CFG-016", below.name.at, &below.path, message, hint);
    }
}

/// CFG-079: limits of the partition become root's, and must not contradict it.
pub(super) fn hand_limits_to_root(partition: &mut RawPartition, faults: &mut Faults) {
    let (Some(own), Some(root)) = (&mut partition.limits, &mut partition.root) else { return };
    if own.list.is_empty() {
        return;
    }
    let Some(remote) = root.limits.as_ref().filter(|limits| !limits.list.is_empty()) else {
        root.limits = Some(RawLimits { at: own.at, list: std::mem::take(&mut own.list) });
        return;
    };
    let lines = format!("in lines {} and {}", own.at.line, remote.at.line);
    let hint = "write the limits in one of the two places only";
    if own.list.len() != remote.list.len() || own.list.iter().zip(&remote.list).any(|(own, root)| !same(own, root)) {
        let message = format!("the limits of the partition and of root differ, {lines}");
        faults.error("CFG-079", own.at, &root.path, message, hint);
    } else if own.list.iter().zip(&remote.list).any(|(own, root)| own.description != root.description) {
        let message = format!("the limits of the partition and of root differ in their description, {lines}");
        faults.lenient("CFG-079", own.at, &root.path, message, hint);
    }
}

fn same(own: &RawLimit, root: &RawLimit) -> bool {
    let names = |limit: &RawLimit| -> (Vec<String>, Vec<String>) {
        let values = |list: &[crate::Placed<String>]| list.iter().map(|name| name.value.clone()).collect();
        (values(&limit.users), values(&limit.groups))
    };
    let count = |limit: &RawLimit| limit.max_applications.as_good().map(|count| count.value);
    let amounts = |limit: &RawLimit| -> Vec<(String, i64)> {
        let resource = limit.max_resources.as_ref().map(|amounts| &amounts.resource);
        resource.into_iter().flat_map(|r| r.iter()).map(|(name, amount)| (name.to_owned(), amount)).collect()
    };
    names(own) == names(root) && count(own) == count(root) && amounts(own) == amounts(root)
}

/// Checks the order of nodes and the weights of resources in it (CFG-100, CFG-101).
pub(super) fn check_node_sort(partition: &RawPartition, path: &str, faults: &mut Faults) {
    if let Some(sort) = &partition.sort_type
        && !sort.value.is_empty()
        && NodeSortPolicy::parse(&sort.value).is_none()
    {
        let message = format!("unknown node sort policy {:?}", sort.value);
        let hint = format!("write {}, in lower case", one_of(NodeSortPolicy::ALLOWED, "`"));
        faults.error("CFG-100", sort.at, path, message, hint);
    }
    for weight in partition.weights.iter().flatten() {
        let (name, value) = &weight.value;
        let message = format!("the weight of {name} is {value}");
        if *value < 0.0 && value.is_finite() {
            faults.error("CFG-101", weight.at, path, message, "write 0 or more");
        } else if *value == f64::NEG_INFINITY {
            faults.error("CFG-101", weight.at, path, message, "write a finite number, 0 or more");
        } else if !value.is_finite() {
            faults.strict("CFG-101", weight.at, path, message, "write a finite number, 0 or more");
        }
    }
}
