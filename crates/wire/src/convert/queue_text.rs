//! A tree of queues as JSON, equal to [`super::queue_tree`] byte for byte. Trees of 10,000 queues are read every few
//! seconds, and transfer types take several times as long.

use super::duration::go_duration;
use super::queue::{state, template};
use crate::dto::by_name;
use crate::dto::json::{self, number, text};
use config::AppSortPolicy;
use config::properties::DEFAULT_PREEMPTION_DELAY;
use model::Resource;
use std::time::Duration;
use view::{PartitionView, QueueRow};

/// Estimated bytes per queue.
const QUEUE_BYTES: usize = 512;

struct Open<'a> {
    row: &'a QueueRow,
    headroom: Option<Resource>,
    next: usize,
    listed: bool,
}

/// Writes a subtree and a final newline. The stack depth is constant.
pub fn queue_tree_text(partition: &PartitionView, top: &QueueRow) -> Vec<u8> {
    let mut out = Vec::with_capacity(partition.queues.len() * QUEUE_BYTES);
    let above = top.parent.and_then(|parent| partition.queue(parent)).and_then(|above| partition.headroom(above));
    let mut name = Vec::new();
    text(&mut name, &partition.name);
    let mut open = vec![start(&mut out, &name, top, above.as_ref())];
    while let Some(last) = open.last_mut() {
        if let Some(slot) = last.row.children.get(last.next) {
            last.next += 1;
            let Some(child) = partition.queue(*slot) else { continue };
            let listed = std::mem::replace(&mut last.listed, true);
            out.extend_from_slice(if listed { b"," } else { b",\"children\":[" });
            let child = start(&mut out, &name, child, last.headroom.as_ref());
            open.push(child);
        } else {
            if last.listed {
                out.push(b']');
            }
            end(&mut out, partition, last.row);
            open.pop();
        }
    }
    out.push(b'\n');
    out
}

fn start<'a>(out: &mut Vec<u8>, partition: &[u8], row: &'a QueueRow, above: Option<&Resource>) -> Open<'a> {
    let rest = row.max.as_ref().map(|max| max.sub_only_existing(&row.allocated));
    let headroom = Resource::min_permissive_unset(rest.as_ref(), above);
    out.extend_from_slice(b"{\"queuename\":");
    text(out, row.path.as_str());
    put_text(out, b",\"status\":", &state(row.state));
    out.extend_from_slice(b",\"partition\":");
    out.extend_from_slice(partition);
    put_amounts(out, b",\"pendingResource\":", Some(&row.pending));
    put_amounts(out, b",\"maxResource\":", row.max.as_ref());
    put_amounts(out, b",\"guaranteedResource\":", row.guaranteed.as_ref());
    put_amounts(out, b",\"allocatedResource\":", Some(&row.allocated));
    put_amounts(out, b",\"preemptingResource\":", Some(&row.preempting));
    put_amounts(out, b",\"headroom\":", headroom.as_ref());
    put_flag(out, b",\"isLeaf\":", row.leaf);
    put_flag(out, b",\"isManaged\":", row.managed);
    let mut before: &[u8] = b",\"properties\":{";
    for property in &row.settings.properties {
        put_name(out, before, &property.key);
        text(out, &property.value);
        before = b",";
    }
    if !row.settings.properties.is_empty() {
        out.push(b'}');
    }
    if let Some((parent, _)) = row.path.as_str().rsplit_once('.') {
        put_text(out, b",\"parent\":", parent);
    }
    if let Some((_, from)) = row.settings.template.as_ref().filter(|_| !row.leaf) {
        // Few queues have a template.
        out.extend_from_slice(b",\"template\":");
        json::append(out, &template(from));
        out.pop();
    }
    Open { row, headroom, next: 0, listed: false }
}

fn end(out: &mut Vec<u8>, partition: &PartitionView, row: &QueueRow) {
    let settings = &row.settings;
    let children = row.children.iter().filter_map(|slot| partition.queue(*slot));
    put_texts(out, b",\"childNames\":[", children.map(|child| child.path.as_str()));
    let used = row.max.as_ref().map(|max| max.used_percent(&row.allocated));
    put_amounts(out, b",\"absUsedCapacity\":", used.as_ref());
    put_number(out, b",\"maxRunningApps\":", row.max_running.unwrap_or_default());
    put_number(out, b",\"runningApps\":", row.running);
    out.extend_from_slice(b",\"currentPriority\":");
    number(out, row.priority.current.0);
    put_texts(out, b",\"allocatingAcceptedApps\":[", row.allocating_apps.iter().map(|app| app.as_str()));
    // A parent has only one sort order.
    put_text(out, b",\"sortingPolicy\":", if row.leaf { settings.app_sort.name() } else { AppSortPolicy::Fair.name() });
    put_flag(out, b",\"prioritySorting\":", settings.sort_by_priority);
    put_flag(out, b",\"preemptionEnabled\":", settings.preemption_policy.is_enabled());
    put_flag(out, b",\"isPreemptionFence\":", settings.preemption_policy.is_fence());
    match settings.preemption_delay {
        DEFAULT_PREEMPTION_DELAY => out.extend_from_slice(b",\"preemptionDelay\":\"30s\""),
        delay => put_text(out, b",\"preemptionDelay\":", &go_duration(delay)),
    }
    match settings.quota_preemption_delay {
        Duration::ZERO => out.extend_from_slice(b",\"quotaPreemptionDelay\":\"0s\""),
        delay => put_text(out, b",\"quotaPreemptionDelay\":", &go_duration(delay)),
    }
    put_flag(out, b",\"isPriorityFence\":", row.priority.policy.is_fence());
    put_number(out, b",\"priorityOffset\":", row.priority.offset);
    out.push(b'}');
}

fn put_text(out: &mut Vec<u8>, key: &[u8], value: &str) {
    out.extend_from_slice(key);
    text(out, value);
}

fn put_flag(out: &mut Vec<u8>, key: &[u8], value: bool) {
    out.extend_from_slice(key);
    out.extend_from_slice(if value { b"true" } else { b"false" });
}

fn put_number<N: Into<i128> + Copy + serde::Serialize>(out: &mut Vec<u8>, key: &[u8], value: N) {
    if value.into() != 0 {
        out.extend_from_slice(key);
        number(out, value);
    }
}

fn put_texts<'a>(out: &mut Vec<u8>, key: &[u8], values: impl Iterator<Item = &'a str>) {
    let mut before = key;
    for value in values {
        put_text(out, before, value);
        before = b",";
    }
    if before.len() == 1 {
        out.push(b']');
    }
}

fn put_amounts(out: &mut Vec<u8>, key: &[u8], amounts: Option<&Resource>) {
    let Some(amounts) = amounts.filter(|amounts| !amounts.is_empty()) else { return };
    out.extend_from_slice(key);
    let mut before: &[u8] = b"{";
    let Ok(()) = by_name(amounts, |name, amount| {
        put_name(out, before, name);
        number(out, amount);
        before = b",";
        Ok::<(), std::convert::Infallible>(())
    });
    out.push(b'}');
}

fn put_name(out: &mut Vec<u8>, before: &[u8], name: &str) {
    put_text(out, before, name);
    out.push(b':');
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::convert::queue_tree;
    use model::Profile;
    use view::View;

    const CONFIG: &str = "\
partitions:
- name: 'odd \"<name>\"'
  queues:
  - name: root
    submitacl: '*'
    properties: {priority.offset: '-3', odd<key>: \"a&b\\n\\u2028\"}
    queues:
    - {name: bare}
    - name: full
      maxapplications: 7
      properties: {priority.policy: fence, preemption.policy: fence, preemption.delay: 90s, application.sort.policy: fair}
      resources: {guaranteed: {vcore: 1, a.b/c: 0, zz: 3}, max: {memory: 0, vcore: 4, 'nvidia.com/gpu': 2, aaa: 1}}
    - name: parent
      parent: true
      childtemplate: {maxapplications: 2, resources: {max: {memory: 1G}}, properties: {a: b}}
      properties: {preemption.policy: disabled, application.sort.priority: disabled}
      queues: [{name: a, queues: [{name: b, queues: [{name: c}]}]}, {name: d, parent: true}]
";

    fn same(view: &View) {
        for partition in &view.partitions {
            for row in partition.queues.iter().flatten() {
                let text = String::from_utf8(queue_tree_text(partition, row)).unwrap();
                let objects = String::from_utf8(json::to_bytes(&queue_tree(partition, row))).unwrap();
                assert_eq!(text, objects, "{}", row.path);
            }
        }
    }

    #[test]
    fn the_text_is_that_of_the_transfer_objects() {
        let config = config::read(CONFIG, Profile::V1_8_0).config.unwrap();
        let view = View::of_config(Arc::new(config), Profile::V1_8_0).unwrap();
        assert_eq!(view.partitions[0].queues.iter().flatten().count(), 8);
        same(&view);
    }
}
