//! Applying new limits (`acl-and-users.md` section 9, SCH-127). Only the releases lose usage (switch
//! `group_limit_gone`).

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::index::{AppKey, GroupKey, Index, QueueKey};
use crate::interface::event::Event;
use crate::state::partition::Partition;
use crate::state::queue::ROOT;
use crate::usage::limits::QueueLimits;
use crate::user_limits::report::{LimitsChange, report_limits};
use config::{LimitConfig, PartitionConfig, QueueConfig};
use model::{Resource, Time};

type RemovedGroupLimits = BTreeSet<(QueueKey, String)>;

impl Partition {
    /// A queue that is not in the configuration loses its limits.
    pub(crate) fn adopt_limits(&mut self, now: Time, config: &PartitionConfig, events: &mut Vec<Event>) {
        self.end_all_backoffs();
        let (mut gone, mut changes, mut changed) = (RemovedGroupLimits::new(), Vec::new(), BTreeSet::new());
        let new = self.limits_of(&config.root);
        for key in self.queues.top_down() {
            let limits = new.get(&key).copied().unwrap_or_default();
            let Some(queue) = self.queues.get(key) else { continue };
            let old = &queue.settings.limits;
            if old.has_groups_of(limits) {
                if !old.is_empty() {
                    changes.push(LimitsChange {
                        queue: queue.path.clone(),
                        old: Arc::clone(old),
                        new: Arc::clone(old),
                    });
                }
                continue;
            }
            let limits = QueueLimits::of(limits);
            changed.insert(key);
            let removed = old.groups().filter(|group| limits.for_group(group).is_none());
            gone.extend(removed.map(|group| (key, group.to_owned())));
            let (old, new) = (Arc::clone(old), Arc::new(limits));
            changes.push(LimitsChange { queue: self.queues[key].path.clone(), old, new: Arc::clone(&new) });
            Arc::make_mut(&mut self.queues[key].settings).limits = new;
            self.mark_queue(key);
        }
        let again = self.switches.limits_reported_again;
        if again || !changed.is_empty() {
            report_limits(now, &changes, &self.usage, again, events);
        }
        if changed.is_empty() {
            return;
        }
        self.mark_accounts();
        if self.switches.group_usage_lost {
            self.lose_group_usage(now, &gone, events);
        } else {
            self.search_groups_again(now, &gone, events);
        }
        let decided = self.apps.iter().filter(|(_, app)| app.account.bounds.is_some());
        let decided: Vec<AppKey> = decided.map(|(key, _)| key).collect();
        for key in decided {
            let path = self.queues.path_up(self.apps[key].queue);
            if path.iter().any(|queue| changed.contains(queue)) {
                self.bind(key, &path);
            }
        }
    }

    fn limits_of<'a>(&self, root: &'a QueueConfig) -> Index<QueueKey, &'a [LimitConfig]> {
        let mut limits = Index::default();
        let mut stack = vec![(root, ROOT, false)];
        while let Some((config, key, void)) = stack.pop() {
            // The releases look up the path in lower case, but store it as written.
            let void = void || (self.switches.limit_path_case && config.capitals);
            if !config.limits.is_empty() && !void {
                limits.insert(key, &*config.limits);
            }
            let reported = config.children.iter().enumerate();
            let reported = reported.filter(|(_, child)| !child.limits.is_empty() || !child.children.is_empty());
            let known = |at, child: &'_ QueueConfig| self.queues.child_near(key, at, &child.name);
            stack.extend(reported.filter_map(|(at, child)| known(at, child).map(|key| (child, key, void))));
        }
        limits
    }

    /// Moves the applications in the subtree, with their usage, to a newly selected group.
    fn search_groups_again(&mut self, now: Time, gone: &RemovedGroupLimits, events: &mut Vec<Event>) {
        if gone.is_empty() {
            return;
        }
        let lost = |key: &AppKey| {
            let app = &self.apps[*key];
            let path = self.queues.path_up(app.queue);
            self.group_name(app)
                .is_some_and(|group| path.iter().any(|queue| gone.contains(&(*queue, group.to_owned()))))
        };
        let lost: Vec<AppKey> = self.apps.iter().map(|(key, _)| key).filter(lost).collect();
        for key in lost {
            self.apps[key].account.bounds = None;
            self.decide_limits(now, key, true, events);
        }
    }

    /// D-26: the group's usage is forgotten from the root down to the queue and in its subtree. Running applications
    /// there get a group without usage at their next attempt.
    fn lose_group_usage(&mut self, now: Time, gone: &RemovedGroupLimits, events: &mut Vec<Event>) {
        for (queue, name) in gone {
            let Some(group) = self.usage.groups.find(name) else { continue };
            let tracker = self.usage.groups.get(group);
            let running = tracker.and_then(|tracker| tracker.at(*queue)).map(|usage| usage.running.clone());
            for level in self.levels_through(group, *queue) {
                self.usage.groups.wipe(group, level);
            }
            for app in running.into_iter().flatten() {
                let Some(key) = self.app_key(&app) else { continue };
                self.report_group_link(now, key, false, false, events);
                let app = &mut self.apps[key];
                app.account.bounds = None;
                app.account.running_in_group = false;
                if let Some(group) = app.account.group.take() {
                    let path = self.queues.path_up(app.queue);
                    self.usage.groups.exit(group, &path, &app.id, &Resource::new());
                }
                self.mark_app(key);
            }
            // They count as running again with their next allocation.
            for (_, app) in self.apps.iter_mut().filter(|(_, app)| app.account.group == Some(group)) {
                app.account.running_in_group = false;
            }
        }
    }

    fn levels_through(&self, group: GroupKey, queue: QueueKey) -> Vec<QueueKey> {
        let Some(tracker) = self.usage.groups.get(group) else { return Vec::new() };
        let path = self.queues.path_up(queue);
        let below = |level: &QueueKey| self.queues[*level].path.is_within(&self.queues[queue].path);
        tracker.levels().map(|(level, _)| level).filter(|level| path.contains(level) || below(level)).collect()
    }
}
