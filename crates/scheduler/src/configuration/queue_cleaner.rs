//! The queue cleaner (SCH-182).

use crate::index::QueueKey;
use crate::inspect::dry_run::is_cleaned;
use crate::interface::event::{Event, EventKind};
use crate::state::partition::Partition;
use crate::state::queue::ROOT;
use model::Time;

impl Partition {
    /// Removes empty queues that drain or are dynamic, children first, so that an empty subtree needs one pass.
    pub(crate) fn clean(&mut self, now: Time, events: &mut Vec<Event>) {
        for key in self.queues.bottom_up() {
            let queue = &self.queues[key];
            if key != ROOT && queue.is_empty() && is_cleaned(queue) {
                self.remove_queue(now, key, events);
            }
        }
    }

    pub(crate) fn clean_up(&mut self, now: Time, queues: bool, applications: bool, events: &mut Vec<Event>) {
        if queues {
            self.clean(now, events);
        }
        if applications {
            self.drop_expired(now, events);
            self.mark_app_set();
        }
    }

    pub(crate) fn remove_queue(&mut self, now: Time, key: QueueKey, events: &mut Vec<Event>) {
        let queue = &self.queues[key];
        let kind = EventKind::QueueRemoved { queue: queue.path.clone(), managed: queue.managed };
        events.push(Event { at: now, kind });
        let parent = queue.parent;
        self.quiet = None;
        self.queues.remove(key);
        if self.switches.group_usage_lost {
            self.mark_accounts();
            self.usage.groups.forget(key);
        }
        self.mark_queue(key);
        self.mark_tree();
        if let Some(parent) = parent {
            self.mark_path(parent);
            self.settle_type(now, parent, events);
        }
    }
}
