//! The queue tree of a remote scheduler.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Part, RemoteState, rows};
use crate::dto;
use config::Place;
use config::properties::QueueProperties;
use model::{AppId, Priority, QueuePath, QueueState, Time};
use view::{NoticeWeight, Origin, PartitionView, PropertyRow, QueueRow, QueueSettings, QueueSlot, QuotaForecast};

struct Found<'q> {
    queue: &'q dto::Queue,
    slot: QueueSlot,
    parent: Option<QueueSlot>,
    children: Vec<QueueSlot>,
}

impl RemoteState {
    /// Applies the whole tree of a partition.
    pub fn queues(&mut self, partition: &str, root: &dto::Queue, now: Time) {
        let Some(index) = self.index(partition) else { return };
        let (view, part) = (&mut self.view.partitions[index], &mut self.parts[index]);
        let known = part.queue_slots.len();
        let found = arranged(root, part, view);
        let gone = part.queue_slots.len() != found.len();
        if gone {
            remove_others(&found, part, view);
        }
        let regrown = gone || known != found.len();
        let first = known == 0;
        let configured =
            self.configured.as_ref().and_then(|view| view.partitions.iter().find(|part| *part.name == *partition));
        let mut drains = Vec::new();
        let (mut recast, mut rehold) = (regrown, regrown);
        for found in &found {
            let old = view.queues[found.slot.0 as usize].clone();
            let settings = settings(found.queue, old.as_deref(), configured, view);
            let row = row(found, old.as_deref(), settings, view, now);
            if row.state == QueueState::Draining && old.as_ref().is_none_or(|old| old.state != row.state) && !first {
                drains.push(row.path.clone());
            }
            recast |= old.as_ref().is_none_or(|old| !Arc::ptr_eq(&old.settings, &row.settings));
            rehold |= old.as_ref().is_none_or(|old| runs(old) != runs(&row));
            if old.as_ref().is_none_or(|old| !same(old, &row)) {
                view.queues.set(found.slot.0 as usize, Some(Arc::new(row)));
                self.changed = true;
            }
        }
        if regrown {
            view.tree_generation += 1;
            self.link_all(index);
        }
        if recast {
            self.recast_usage(index);
        }
        if recast || rehold {
            self.hold(index);
        }
        drains.into_iter().for_each(|path| self.report_drain(index, &path, now));
    }

    /// Sets when queues started to drain, from a kornsole server.
    pub fn draining_since(&mut self, partition: &str, since: impl IntoIterator<Item = (QueuePath, Time)>) {
        let Some(index) = self.index(partition) else { return };
        for (path, since) in since {
            let Some(slot) = self.parts[index].queue_slots.get(&path) else { continue };
            let Some(Some(row)) = self.view.partitions[index].queues.get_mut(slot.0 as usize) else { continue };
            if row.state == QueueState::Draining && (row.state_since != since || row.state_before) {
                let row = Arc::make_mut(row);
                (row.state_since, row.state_before) = (since, false);
                self.changed = true;
            }
        }
    }

    /// Sets the planned quota preemptions of a kornsole server.
    pub fn quotas(&mut self, partition: &str, forecasts: Vec<QuotaForecast>) {
        let Some(index) = self.index(partition) else { return };
        let view = &mut self.view.partitions[index];
        if view.quota_reported.as_deref() == Some(forecasts.as_slice()) {
            return;
        }
        let due = |row: &QueueRow| forecasts.iter().find(|one| one.queue == row.path).map(|one| one.at);
        let slots: Vec<QueueSlot> = view.walk().filter(|row| row.quota_due != due(row)).map(|row| row.slot).collect();
        for slot in slots {
            if let Some(Some(row)) = view.queues.get_mut(slot.0 as usize) {
                let due = due(row);
                Arc::make_mut(row).quota_due = due;
            }
        }
        view.quota_reported = Some(forecasts.into());
        self.changed = true;
    }

    /// YuniKorn has no event for it.
    fn report_drain(&mut self, index: usize, path: &QueuePath, now: Time) {
        let view = &self.view.partitions[index];
        let Some(row) = view.queue_at(path) else { return };
        // A draining parent drains its whole subtree; report it once.
        let above = row.parent.and_then(|slot| view.queue(slot));
        if above.is_some_and(|above| above.state == QueueState::Draining) {
            return;
        }
        let used = match row.app_count {
            0 => "nothing blocks it".to_owned(),
            1 => "1 application blocks it".to_owned(),
            count => format!("{count} applications block it"),
        };
        let admins = view.path_up(row).find(|row| !row.settings.admin_acl.is_empty_list());
        let admins = admins.map_or_else(|| "none".to_owned(), |row| row.settings.admin_acl.to_string());
        let weight = if row.app_count == 0 { NoticeWeight::Info } else { NoticeWeight::Warning };
        self.notice(now, weight, format!("{path} drains, {used}; admins: {admins}"), String::new());
    }
}

/// Slots of parents precede those of children, sorted by name.
fn arranged<'q>(root: &'q dto::Queue, part: &mut Part, view: &mut PartitionView) -> Vec<Found<'q>> {
    let mut found: Vec<Found<'q>> = Vec::new();
    let mut stack: Vec<(&'q dto::Queue, Option<usize>)> = vec![(root, None)];
    while let Some((queue, above)) = stack.pop() {
        let path = QueuePath::new(&queue.queue_name);
        let slot = slot_of(path, above.is_none(), part, view);
        if let Some(above) = above {
            found[above].children.push(slot);
        }
        let at = found.len();
        found.push(Found { queue, slot, parent: above.map(|above| found[above].slot), children: Vec::new() });
        let mut children: Vec<&dto::Queue> = queue.children.iter().collect();
        // Remote lists have no order.
        children.sort_by(|one, other| name(other).cmp(name(one)));
        stack.extend(children.into_iter().map(|child| (child, Some(at))));
    }
    found
}

fn name(queue: &dto::Queue) -> &str {
    queue.queue_name.rsplit_once('.').map_or(&*queue.queue_name, |(_, name)| name)
}

fn slot_of(path: QueuePath, root: bool, part: &mut Part, view: &mut PartitionView) -> QueueSlot {
    if let Some(slot) = part.queue_slots.get(&path) {
        return *slot;
    }
    // The root's slot is 0, which no other queue uses.
    let free = if root { Some(0) } else { part.free_queues.pop() };
    let next = u32::try_from(view.queues.len().max(1)).unwrap_or(u32::MAX);
    let slot = QueueSlot(free.unwrap_or(next));
    while view.queues.len() <= slot.0 as usize {
        view.queues.push_back(None);
    }
    part.queue_slots.insert(path, slot);
    slot
}

fn remove_others(found: &[Found<'_>], part: &mut Part, view: &mut PartitionView) {
    let mut there = vec![false; view.queues.len()];
    found.iter().for_each(|found| there[found.slot.0 as usize] = true);
    part.queue_slots.retain(|_, slot| {
        let stays = there[slot.0 as usize];
        if !stays {
            view.queues.set(slot.0 as usize, None);
            part.free_queues.push(slot.0);
        }
        stays
    });
    // A map has no order, but slots do.
    part.free_queues.sort_unstable_by(|one, other| other.cmp(one));
}

fn row(
    found: &Found<'_>,
    old: Option<&QueueRow>,
    settings: Arc<QueueSettings>,
    view: &PartitionView,
    now: Time,
) -> QueueRow {
    let queue = found.queue;
    let path = old.map_or_else(|| QueuePath::new(&queue.queue_name), |old| old.path.clone());
    let state = rows::queue_state(&queue.status);
    // The start time of queues in the first tree is unknown.
    let first = (now, old.is_none() && view.tree_generation == 0);
    let (since, before) = old.filter(|old| old.state == state).map_or(first, |old| (old.state_since, old.state_before));
    let children = match old {
        Some(old) if *old.children == *found.children => Arc::clone(&old.children),
        _ => Arc::from(found.children.as_slice()),
    };
    QueueRow {
        slot: found.slot,
        path,
        parent: found.parent,
        children,
        leaf: queue.is_leaf,
        managed: queue.is_managed,
        state,
        state_since: since,
        state_before: before,
        priority: rows::priority(queue, inside(queue, old, view)),
        running: queue.running_apps,
        max_running: (queue.max_running_apps > 0).then_some(queue.max_running_apps),
        allocating_accepted: queue.allocating_accepted_apps.len() as u64,
        allocating_apps: allocating(queue, old),
        app_count: old.map_or(0, |old| old.app_count),
        apps: old.map(|old| old.apps.clone()).unwrap_or_default(),
        allocated: queue.allocated_resource.0.clone(),
        pending: queue.pending_resource.0.clone().pruned(),
        preempting: queue.preempting_resource.0.clone(),
        quota_due: old.and_then(|old| old.quota_due),
        guaranteed: rows::set(&queue.guaranteed_resource),
        max: rows::set(&queue.max_resource),
        settings,
    }
}

fn allocating(queue: &dto::Queue, old: Option<&QueueRow>) -> Arc<[AppId]> {
    let mut apps: Vec<AppId> = queue.allocating_accepted_apps.iter().map(|id| AppId::from(id.as_str())).collect();
    apps.sort();
    match old {
        Some(old) if *old.allocating_apps == *apps => Arc::clone(&old.allocating_apps),
        _ => Arc::from(apps),
    }
}

/// Of the children as visible, or of the applications if a fence hides it.
fn inside(queue: &dto::Queue, old: Option<&QueueRow>, view: &PartitionView) -> Option<Priority> {
    if !queue.children.is_empty() {
        return queue.children.iter().map(|child| Priority(child.current_priority)).max();
    }
    let fenced = QueueProperties::from_map(queue.properties.iter().map(|(key, value)| (key.as_str(), value.as_str())));
    if !fenced.priority_policy.is_fence() {
        return None;
    }
    let apps = old?.apps.iter().filter_map(|slot| view.app(*slot));
    apps.map(|app| app.priority).filter(|priority| *priority != Priority::MIN).max()
}

fn settings(
    queue: &dto::Queue,
    old: Option<&QueueRow>,
    configured: Option<&PartitionView>,
    view: &PartitionView,
) -> Arc<QueueSettings> {
    let path = QueuePath::new(&queue.queue_name);
    let by_config = configured.and_then(|part| part.queue_at(&path)).map(|row| &row.settings);
    if let Some(settings) = by_config
        && matches_message(&settings.properties, &queue.properties)
    {
        return Arc::clone(settings);
    }
    // From the nearest template above.
    let above = path.parent().and_then(|parent| nearest(configured.unwrap_or(view), &parent));
    let template = above.and_then(|row| row.settings.template.clone());
    let origin = |key: &str| match &template {
        Some((from, template)) if !queue.is_managed && template.properties.contains_key(key) => {
            Origin::Template(from.clone())
        }
        _ => Origin::Queue(path.clone(), Place::default()),
    };
    let properties = queue
        .properties
        .iter()
        .map(|(key, value)| PropertyRow { key: key.clone(), value: value.clone(), from: origin(key) })
        .collect();
    let read = QueueProperties::from_map(queue.properties.iter().map(|(key, value)| (key.as_str(), value.as_str())));
    let base = by_config.map(|settings| (**settings).clone()).unwrap_or_default();
    let made = QueueSettings {
        properties,
        app_sort: read.app_sort,
        preemption_policy: read.preemption_policy,
        preemption_delay: read.preemption_delay,
        quota_preemption_delay: read.quota_preemption_delay,
        sort_by_priority: queue.priority_sorting.unwrap_or(read.sort_by_priority),
        template: if by_config.is_some() { base.template.clone() } else { template },
        ..base
    };
    match old {
        Some(old) if same_settings(&old.settings, &made) => Arc::clone(&old.settings),
        _ => Arc::new(made),
    }
}

fn nearest<'v>(view: &'v PartitionView, path: &QueuePath) -> Option<&'v Arc<QueueRow>> {
    let mut at = Some(path.clone());
    while let Some(path) = at {
        if let Some(row) = view.queue_at(&path) {
            return Some(row);
        }
        at = path.parent();
    }
    None
}

fn matches_message(rows: &[PropertyRow], message: &BTreeMap<String, String>) -> bool {
    rows.len() == message.len() && rows.iter().all(|row| message.get(&row.key) == Some(&row.value))
}

fn same_settings(one: &QueueSettings, other: &QueueSettings) -> bool {
    let template = |settings: &QueueSettings| settings.template.as_ref().map(|(_, template)| Arc::as_ptr(template));
    one.at == other.at
        && one.properties == other.properties
        && (one.app_sort, one.sort_by_priority) == (other.app_sort, other.sort_by_priority)
        && (one.preemption_policy, one.preemption_delay) == (other.preemption_policy, other.preemption_delay)
        && one.quota_preemption_delay == other.quota_preemption_delay
        && one.admin_acl == other.admin_acl
        && one.submit_acl == other.submit_acl
        && template(one) == template(other)
        && Arc::ptr_eq(&one.limits, &other.limits)
}

fn runs(row: &QueueRow) -> (u64, u64, Option<u64>) {
    (row.running, row.allocating_accepted, row.max_running)
}

fn same(one: &QueueRow, other: &QueueRow) -> bool {
    one.parent == other.parent
        && one.children == other.children
        && (one.leaf, one.managed, one.state) == (other.leaf, other.managed, other.state)
        && (one.priority, one.running, one.max_running) == (other.priority, other.running, other.max_running)
        && one.allocating_apps == other.allocating_apps
        && one.allocated == other.allocated
        && one.pending == other.pending
        && one.preempting == other.preempting
        && one.guaranteed == other.guaranteed
        && one.max == other.max
        && Arc::ptr_eq(&one.settings, &other.settings)
}
