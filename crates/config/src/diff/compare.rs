//! The comparison of partitions and queues.

use std::collections::{BTreeMap, BTreeSet};

use super::effect::effect;
use super::{Change, Diff, Key, What, limits, rules};
use crate::check::shown;
use crate::types::{Config, NodeSortConfig, PartitionConfig, Placed, QueueConfig, TemplateConfig};
use crate::values::NodeSortPolicy;
use model::{Acl, QueuePath, Resource};

/// Compares two configurations.
pub fn diff(old: &Config, new: &Config) -> Diff {
    let named = |config: &Config| config.partitions.iter().any(|partition| partition.name != "default");
    let mut out = Changes::default();
    for partition in &new.partitions {
        out.enter(&partition.name);
        match old.partitions.iter().find(|known| known.name == partition.name) {
            Some(known) => {
                compare_own(known, partition, &mut out);
                compare_queue(&known.root, &partition.root, &mut out);
            }
            None => {
                out.add(Key::Partition, None, None, What::Added, false);
                out.new = true;
                compare_own(&PartitionConfig { preemption: true, ..PartitionConfig::default() }, partition, &mut out);
                added_queue(&partition.root, &mut out);
            }
        }
    }
    for partition in &old.partitions {
        if !new.partitions.iter().any(|known| known.name == partition.name) {
            out.enter(&partition.name);
            out.add(Key::Partition, None, None, What::Removed, false);
        }
    }
    Diff { changes: out.list, several: named(old) || named(new) }
}

#[derive(Default)]
pub(super) struct Changes {
    list: Vec<Change>,
    partition: String,
    queue: Option<QueuePath>,
    /// The queue or partition itself is new.
    new: bool,
}

impl Changes {
    fn enter(&mut self, partition: &str) {
        partition.clone_into(&mut self.partition);
        self.queue = None;
        self.new = false;
    }

    fn add(&mut self, key: Key, from: Option<String>, to: Option<String>, what: What, lowered: bool) {
        let within = self.new && !matches!(key, Key::Queue | Key::Partition);
        let (from, what, effect) = match within {
            true if self.queue.is_some() => (None, What::Added, "with the queue"),
            true => (None, What::Added, "with the partition"),
            false => (from, what, effect(&key, what, lowered)),
        };
        let (partition, queue) = (self.partition.clone(), self.queue.clone());
        self.list.push(Change { partition, queue, what, key, from, to, effect });
    }

    /// A value on one side only was added or removed.
    pub(super) fn value(&mut self, key: Key, from: Option<String>, to: Option<String>, lowered: bool) {
        let what = match (&from, &to) {
            (None, None) => return,
            (Some(from), Some(to)) if from == to => return,
            (None, _) => What::Added,
            (_, None) => What::Removed,
            _ => What::Changed,
        };
        self.add(key, from, to, what, lowered);
    }

    pub(super) fn bound(&mut self, key: Key, from: Option<u64>, to: Option<u64>) {
        let lowered = to.is_some_and(|to| from.is_none_or(|from| to < from));
        self.value(key, from.map(|v| v.to_string()), to.map(|v| v.to_string()), lowered);
    }

    /// One change per name; a missing name is unlimited.
    pub(super) fn amounts(&mut self, from: Option<&Resource>, to: Option<&Resource>, key: impl Fn(String) -> Key) {
        let (from, to) = (from.cloned().unwrap_or_default(), to.cloned().unwrap_or_default());
        let later = to.iter().filter(|(name, _)| from.get(name).is_none());
        for (name, _) in from.iter().chain(later) {
            let (before, after) = (from.get(name), to.get(name));
            let lowered = after.is_some_and(|after| before.is_none_or(|before| after < before));
            let shown = |amount: Option<i64>| amount.map(|amount| shown(name, amount));
            self.value(key(name.to_owned()), shown(before), shown(after), lowered);
        }
    }

    fn flag(&mut self, key: Key, from: bool, to: bool) {
        self.value(key, Some(from.to_string()), Some(to.to_string()), from);
    }

    fn properties<'a>(
        &mut self,
        from: &BTreeMap<String, impl AsRef<str> + 'a>,
        to: &BTreeMap<String, impl AsRef<str> + 'a>,
        key: impl Fn(String) -> Key,
    ) {
        for name in from.keys().chain(to.keys()).collect::<BTreeSet<_>>() {
            let before = from.get(name).map(|value| value.as_ref().to_owned());
            let after = to.get(name).map(|value| value.as_ref().to_owned());
            self.value(key(name.clone()), before, after, false);
        }
    }

    fn acl(&mut self, key: Key, from: &Acl, to: &Acl) {
        let names = |acl: &Acl| -> (bool, BTreeSet<String>, BTreeSet<String>) {
            (acl.all_users, acl.users.iter().cloned().collect(), acl.groups.iter().cloned().collect())
        };
        if names(from) != names(to) {
            let text = |acl: &Acl| (!acl.is_empty_list()).then(|| acl.to_string());
            self.value(key, text(from), text(to), false);
        }
    }
}

impl AsRef<str> for Placed<String> {
    fn as_ref(&self) -> &str {
        &self.value
    }
}

fn compare_own(old: &PartitionConfig, new: &PartitionConfig, out: &mut Changes) {
    rules::compare(&old.rules, &new.rules, out);
    compare_node_sort(&old.node_sort, &new.node_sort, out);
    out.flag(Key::Preemption, old.preemption, new.preemption);
    out.flag(Key::QuotaPreemption, old.quota_preemption, new.quota_preemption);
}

fn compare_node_sort(old: &NodeSortConfig, new: &NodeSortConfig, out: &mut Changes) {
    let name = |policy: NodeSortPolicy| Some(policy.name().to_owned());
    out.value(Key::NodeSort, name(old.policy), name(new.policy), false);
    for resource in old.weights.keys().chain(new.weights.keys()).collect::<BTreeSet<_>>() {
        let weight = |config: &NodeSortConfig| config.weights.get(resource).map(ToString::to_string);
        out.value(Key::Weight(resource.clone()), weight(old), weight(new), false);
    }
}

fn compare_queue(old: &QueueConfig, new: &QueueConfig, out: &mut Changes) {
    out.queue.clone_from(&new.path);
    out.new = false;
    out.flag(Key::Parent, old.parent, new.parent);
    compare_settings(old, new, out);
    let (before, after) = (named(&old.children), named(&new.children));
    for name in before.keys().chain(after.keys()).collect::<BTreeSet<_>>() {
        match (before.get(name), after.get(name)) {
            (Some(old), Some(new)) => compare_queue(old, new, out),
            (Some(gone), None) => removed_queue(gone, out),
            (None, Some(new)) => added_queue(new, out),
            (None, None) => {}
        }
    }
}

fn named(children: &[QueueConfig]) -> BTreeMap<&str, &QueueConfig> {
    children.iter().map(|child| (child.name.as_str(), child)).collect()
}

fn removed_queue(queue: &QueueConfig, out: &mut Changes) {
    out.queue.clone_from(&queue.path);
    out.new = false;
    out.add(Key::Queue, None, None, What::Removed, false);
    named(&queue.children).into_values().for_each(|child| removed_queue(child, out));
}

fn added_queue(queue: &QueueConfig, out: &mut Changes) {
    out.queue.clone_from(&queue.path);
    out.new = true;
    out.add(Key::Queue, None, None, What::Added, false);
    if queue.parent && queue.children.is_empty() {
        out.add(Key::Parent, None, Some("true".to_owned()), What::Added, false);
    }
    compare_settings(&QueueConfig::default(), queue, out);
    named(&queue.children).into_values().for_each(|child| added_queue(child, out));
}

fn compare_settings(old: &QueueConfig, new: &QueueConfig, out: &mut Changes) {
    out.acl(Key::SubmitAcl, &old.submit_acl.value, &new.submit_acl.value);
    out.acl(Key::AdminAcl, &old.admin_acl.value, &new.admin_acl.value);
    let count = |placed: &Option<Placed<u64>>| placed.as_ref().map(|placed| placed.value);
    out.bound(Key::MaxApplications, count(&old.max_applications), count(&new.max_applications));
    out.amounts(amount(&old.guaranteed), amount(&new.guaranteed), Key::Guaranteed);
    out.amounts(amount(&old.max), amount(&new.max), Key::Max);
    out.properties(&old.properties, &new.properties, Key::Property);
    limits::compare(&old.limits, &new.limits, out);
    compare_template(old.template.as_ref(), new.template.as_ref(), out);
}

fn amount(placed: &Option<Placed<Resource>>) -> Option<&Resource> {
    placed.as_ref().map(|placed| &placed.value)
}

fn compare_template(old: Option<&TemplateConfig>, new: Option<&TemplateConfig>, out: &mut Changes) {
    // A template hides that of an ancestor.
    match (old, new) {
        (None, Some(_)) => out.add(Key::Template, None, None, What::Added, false),
        (Some(_), None) => out.add(Key::Template, None, None, What::Removed, false),
        _ => {}
    }
    let bare = TemplateConfig::default();
    let (old, new) = (old.unwrap_or(&bare), new.unwrap_or(&bare));
    let inside = |key| Key::InTemplate(Box::new(key));
    out.bound(inside(Key::MaxApplications), old.max_applications, new.max_applications);
    out.amounts(old.guaranteed.as_ref(), new.guaranteed.as_ref(), |name| inside(Key::Guaranteed(name)));
    out.amounts(old.max.as_ref(), new.max.as_ref(), |name| inside(Key::Max(name)));
    out.properties(&old.properties, &new.properties, |name| inside(Key::Property(name)));
}
