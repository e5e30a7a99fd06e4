//! Applies the queues of a configuration to one partition (`scheduler.md` section 17).

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use crate::index::{Index, QueueKey};
use crate::interface::event::{Event, EventKind};
use crate::interface::switches::{ReloadMaxApps, ReloadProperties};
use crate::preemption::quota::QuotaBefore;
use crate::state::partition::Partition;
use crate::state::queue::{Queue, ROOT, Settings};
use config::properties::{MergedProperties, QueueProperties, inherit, inherit_with_defaults};
use config::{PartitionConfig, QueueConfig};
use model::{QueueState, Resource, Time};

enum LoadTask<'a> {
    Queue(QueueLoad<'a>),
    Finish(&'a QueueConfig, QueueKey),
}

#[derive(Clone, Copy)]
struct QueueLoad<'a> {
    config: &'a QueueConfig,
    before: Option<&'a QueueConfig>,
    parent: Option<(QueueKey, usize)>,
}

struct PreviousChildren<'a> {
    children: &'a [QueueConfig],
    by_name: OnceCell<Index<&'a str, &'a QueueConfig>>,
}

impl<'a> PreviousChildren<'a> {
    fn of(queue: Option<&'a QueueConfig>) -> Self {
        Self { children: queue.map(|queue| &*queue.children).unwrap_or_default(), by_name: OnceCell::new() }
    }

    fn find(&self, at: usize, name: &str) -> Option<&'a QueueConfig> {
        if let Some(child) = self.children.get(at).filter(|child| child.name == name) {
            return Some(child);
        }
        let index = self.by_name.get_or_init(|| {
            let mut index = Index::default();
            index.reserve(self.children.len());
            for child in self.children {
                index.insert(child.name.as_str(), child);
            }
            index
        });
        index.get(name).copied()
    }
}

impl Partition {
    /// CFG-110: no leaf with active applications becomes a parent.
    pub(super) fn accepts(&self, root: &QueueConfig) -> Result<(), String> {
        let mut stack: Vec<(&QueueConfig, QueueKey)> = vec![(root, ROOT)];
        while let Some((config, key)) = stack.pop() {
            let queue = &self.queues[key];
            if config.parent && queue.leaf && !queue.apps.is_empty() {
                let ids: Vec<&str> = queue.apps.iter().take(5).map(|app| self.apps[*app].id.as_str()).collect();
                let path = &queue.path;
                let count = queue.apps.len();
                return Err(format!(
                    "CFG-110: {path} cannot become a parent, it has {count} active applications: {}",
                    ids.join(", ")
                ));
            }
            // A queue that becomes a leaf is never rejected.
            let parents = config.children.iter().enumerate().filter(|(_, child)| child.parent);
            let known = |at, child: &'_ QueueConfig| self.queues.child_near(key, at, &child.name);
            stack.extend(parents.filter_map(|(at, child)| known(at, child).map(|key| (child, key))));
        }
        Ok(())
    }

    /// Applies a valid configuration depth first in the order of the file, with removed queues after the other
    /// children.
    ///
    /// # Errors
    /// Only under the switch `reload_revives`: a new queue in a draining one. Earlier changes remain, as in the release
    /// (`profiles.md` section 5.1).
    pub(super) fn load(
        &mut self,
        now: Time,
        config: &PartitionConfig,
        before: Option<&PartitionConfig>,
        events: &mut Vec<Event>,
    ) -> Result<(), String> {
        self.nodes.set_sort(&config.node_sort);
        self.preemption = config.preemption;
        self.quota_preemption = config.quota_preemption && self.switches.quota_preemption;
        self.share_bases_stale = true;
        self.end_all_backoffs();
        self.mark_tree();
        // In the releases an unchanged configuration can change a known queue.
        let recomputes =
            self.switches.reload_properties == ReloadProperties::Recomputed && self.switches.reload_template;
        let before = before.filter(|_| recomputes && !self.switches.priority_cache);
        let root = QueueLoad { config: &config.root, before: before.map(|before| &before.root), parent: None };
        let mut stack = vec![LoadTask::Queue(root)];
        while let Some(load) = stack.pop() {
            match load {
                LoadTask::Queue(step) => {
                    let (key, before) = self.load_queue(now, step, events)?;
                    stack.push(LoadTask::Finish(step.config, key));
                    let before = PreviousChildren::of(before);
                    let children = step.config.children.iter().enumerate().rev();
                    stack.extend(children.map(|(at, config)| {
                        let before = before.find(at, &config.name);
                        LoadTask::Queue(QueueLoad { config, before, parent: Some((key, at)) })
                    }));
                }
                LoadTask::Finish(config, key) => self.drain_missing(now, config, key, events),
            }
        }
        for key in self.queues.bottom_up() {
            self.settle_type(now, key, events);
        }
        self.schedule_quota_look(now);
        Ok(())
    }

    /// Returns the previous configuration if passed-on values did not change.
    fn load_queue<'a>(
        &mut self,
        now: Time,
        step: QueueLoad<'a>,
        events: &mut Vec<Event>,
    ) -> Result<(QueueKey, Option<&'a QueueConfig>), String> {
        let QueueLoad { config, before, parent } = step;
        let known = match parent {
            None => self.queues.get(ROOT).map(|root| root.key),
            Some((parent, at)) => self.queues.child_near(parent, at, &config.name),
        };
        let parent = parent.map(|(parent, _)| parent);
        let draining = parent.map(|parent| &self.queues[parent]).filter(|p| p.state == QueueState::Draining);
        if let (None, Some(draining)) = (known, draining) {
            return Err(format!("queue {} cannot be added to {}, which is draining", config.name, draining.path));
        }
        let key = known.unwrap_or_else(|| self.create(now, parent, &config.name, true, events));
        if known.is_none() {
            // A new queue has its type from the start; only a change of type is reported.
            self.queues[key].leaf = parent.is_some() && !config.parent && config.children.is_empty();
        }
        let settled = known.and_then(|key| self.queues.get(key));
        let settled = settled
            .is_some_and(|queue| queue.managed && queue.state == QueueState::Active && queue.quota_due.is_none());
        if settled && before.is_some_and(|before| config.same_settings(before)) {
            return Ok((key, before));
        }
        let then = Arc::clone(&self.queues[key].settings);
        self.settle(now, key, config, known.is_some(), events);
        let settings = &self.queues[key].settings;
        let passes_on_same = || then.merged == settings.merged && then.template == settings.template;
        Ok((key, before.filter(|_| passes_on_same())))
    }

    pub(crate) fn create(
        &mut self,
        now: Time,
        parent: Option<QueueKey>,
        name: &str,
        managed: bool,
        events: &mut Vec<Event>,
    ) -> QueueKey {
        let key = self.queues.add(parent, name, managed, now);
        events.push(Event { at: now, kind: EventKind::QueueAdded { queue: self.queues[key].path.clone(), managed } });
        self.mark_queue(key);
        if let Some(parent) = parent {
            self.mark_queue(parent);
        }
        self.mark_tree();
        key
    }

    /// Returns a queue what the configuration says of it (SCH-178). Its parent has been settled.
    fn settle(&mut self, now: Time, key: QueueKey, config: &QueueConfig, known: bool, events: &mut Vec<Event>) {
        let (path, parent) = (self.queues[key].path.clone(), self.queues[key].parent);
        let of_parent = parent.map(|parent| &self.queues[parent].settings);
        let nothing = Arc::default();
        let inherited = match of_parent {
            Some(settings) if !known || self.switches.reload_properties != ReloadProperties::Own => &settings.merged,
            _ => &nothing,
        };
        let recomputes = self.switches.reload_properties == ReloadProperties::Recomputed;
        let merge = if recomputes { inherit } else { inherit_with_defaults };
        let merged = merge(inherited, &path, &config.properties);
        let template = match &config.template {
            Some(template) => Some((path.clone(), Arc::new(template.clone()))),
            None if !known || self.switches.reload_template => of_parent.and_then(|p| p.template.clone()),
            None => None,
        };
        let delay_before = self.queues[key].settings.properties.quota_preemption_delay;
        let properties = self.effective(key, &merged, known && !recomputes);
        let accepts_max_apps = match self.switches.reload_max_apps {
            ReloadMaxApps::All => true,
            ReloadMaxApps::NotRoot => !known || config.name != "root",
            ReloadMaxApps::None => !known,
        };
        let zero_unset = self.switches.zero_max_unset;
        let queue = &mut self.queues[key];
        let max_applications = if accepts_max_apps {
            config.max_applications.as_ref().map(|max| max.value)
        } else {
            queue.settings.max_applications
        };
        queue.settings = Arc::new(Settings {
            at: Some(config.at),
            parent: config.parent,
            merged,
            properties,
            admin_acl: config.admin_acl.value.clone(),
            submit_acl: config.submit_acl.value.clone(),
            max_applications,
            template,
            // All limits become active together at the end.
            limits: Arc::clone(&queue.settings.limits),
        });
        let before = (queue.max.clone(), queue.guaranteed.clone());
        if key != ROOT {
            queue.max = set_max(config.max.as_ref().map(|max| &max.value), zero_unset);
        }
        queue.guaranteed = set_guaranteed(config.guaranteed.as_ref().map(|guaranteed| &guaranteed.value));
        if known {
            report_resources(now, queue, before.clone(), events);
        }
        queue.managed = true;
        queue.refresh_share();
        let before = QuotaBefore { max: before.0.filter(|_| known), delay: delay_before };
        self.arm_by_reload(now, key, &before);
        let queue = &self.queues[key];
        if queue.state != QueueState::Active && self.switches.reload_revives {
            self.set_state(now, key, QueueState::Active, events);
        }
        // A new queue changes nothing in its parent; under P-02 a report would refresh its path.
        if !self.switches.priority_cache {
            self.queues.report_priority_up(key);
        }
        let apps: Vec<_> = self.queues[key].apps.iter().copied().collect();
        for app in apps {
            self.refresh_app(app);
        }
        self.mark_path(key);
    }

    fn effective(&self, key: QueueKey, merged: &MergedProperties, overlaid: bool) -> QueueProperties {
        let mut properties =
            if overlaid { self.queues[key].settings.properties.overlaid(merged) } else { QueueProperties::of(merged) };
        if self.switches.quota_old_key {
            properties.read_old_quota_delay(merged);
        }
        properties
    }

    /// A parent without configured children stays one until the last child is removed (`config.md` section 15).
    pub(crate) fn settle_type(&mut self, now: Time, key: QueueKey, events: &mut Vec<Event>) {
        let Some(queue) = self.queues.get(key) else { return };
        let leaf = !queue.settings.parent && queue.children.is_empty() && queue.parent.is_some();
        if leaf != queue.leaf {
            let queue = &mut self.queues[key];
            queue.leaf = leaf;
            events.push(Event::new(now, EventKind::QueueType { queue: queue.path.clone(), leaf }));
            self.mark_queue(key);
            self.mark_tree();
        }
    }

    /// Managed children that are missing in the configuration drain, with all their managed child queues (SCH-180).
    fn drain_missing(&mut self, now: Time, config: &QueueConfig, key: QueueKey, events: &mut Vec<Event>) {
        if self.queues.get(key).is_some_and(|queue| queue.children.len() == config.children.len()) {
            return;
        }
        let retained: BTreeSet<&str> = config.children.iter().map(|child| child.name.as_str()).collect();
        let children = self.queues[key].children.iter().copied();
        let missing = children.filter(|child| !retained.contains(self.queues[*child].path.name()));
        let starts = |queue: &Queue| queue.managed && queue.state == QueueState::Active;
        let missing: Vec<_> = missing.map(|child| (child, starts(&self.queues[child]))).collect();
        let mut gone: Vec<_> = missing.iter().map(|(child, _)| *child).collect();
        while let Some(key) = gone.pop() {
            let queue = &self.queues[key];
            gone.extend(queue.children.iter().rev());
            if starts(queue) {
                self.set_state(now, key, QueueState::Draining, events);
            }
        }
        for (top, _) in missing.into_iter().filter(|(_, starts)| *starts) {
            self.report_draining(now, top, events);
        }
    }

    pub(crate) fn set_state(&mut self, now: Time, key: QueueKey, to: QueueState, events: &mut Vec<Event>) {
        let queue = &mut self.queues[key];
        let from = std::mem::replace(&mut queue.state, to);
        queue.state_since = now;
        queue.alerts = 0;
        events.push(Event { at: now, kind: EventKind::QueueState { queue: queue.path.clone(), from, to } });
        self.mark_queue(key);
    }

    /// The partition goes: every queue drains, every application fails, every node goes, then the queues (SCH-181).
    pub(super) fn dissolve(&mut self, now: Time, events: &mut Vec<Event>) {
        for key in self.queues.top_down() {
            if self.queues[key].state != QueueState::Draining {
                self.set_state(now, key, QueueState::Draining, events);
            }
        }
        let apps: Vec<_> = self.apps.iter().map(|(key, _)| key).collect();
        let applications = apps.len() as u64;
        for app in apps {
            self.fail_application(now, app, "PartitionRemoved", events);
            self.release_everything(now, app, events);
            self.fail_application(now, app, "PartitionRemoved", events);
        }
        let nodes: Vec<_> = self.nodes.iter().map(|node| node.id.clone()).collect();
        for node in nodes {
            self.remove_node(now, &node, events);
        }
        events.extend(self.queues.bottom_up().into_iter().map(|key| {
            let queue = &self.queues[key];
            let kind = EventKind::QueueRemoved { queue: queue.path.clone(), managed: queue.managed };
            Event { at: now, kind }
        }));
        let kind = EventKind::PartitionRemoved { partition: self.name.clone(), applications };
        events.push(Event { at: now, kind });
    }
}

/// Reports another maximum or guarantee than `before` (SCH-223).
pub(crate) fn report_resources(
    now: Time,
    queue: &Queue,
    (max, guaranteed): (Option<Resource>, Option<Resource>),
    events: &mut Vec<Event>,
) {
    let path = &queue.path;
    if queue.max != max {
        let max = queue.max.clone().unwrap_or_default();
        events.push(Event::new(now, EventKind::QueueMax { queue: path.clone(), max }));
    }
    if queue.guaranteed != guaranteed {
        let guaranteed = queue.guaranteed.clone().unwrap_or_default();
        events.push(Event::new(now, EventKind::QueueGuaranteed { queue: path.clone(), guaranteed }));
    }
}

/// 0 is a limit (SCH-034, D-25).
pub(crate) fn set_max(max: Option<&Resource>, zero_unset: bool) -> Option<Resource> {
    max.filter(|max| !(max.is_empty() || zero_unset && max.is_zero())).cloned()
}

/// Normalizes guaranteed resources: set only if a value is more than 0 (SCH-034).
pub(crate) fn set_guaranteed(guaranteed: Option<&Resource>) -> Option<Resource> {
    guaranteed.filter(|guaranteed| guaranteed.strictly_greater_than_zero()).cloned()
}
