//! Draining queues: the events that report them, their remaining content, and the time limit (SCH-180, SCH-210 to SCH-213).

use std::time::Duration;

use crate::index::{AppKey, QueueKey};
use crate::interface::event::{Event, EventKind};
use crate::state::partition::Partition;
use crate::state::queue::ROOT;
use model::{Acl, AppId, AppState, Identity, QueuePath, QueueState, Resource, Time};

/// What is left in a draining queue and everything below it, and who may act (SCH-210).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draining {
    /// The full path of the queue that was drained first.
    pub queue: QueuePath,
    /// Since when it drains.
    pub since: Time,
    /// The live applications, by queue and then in the order of their keys.
    pub applications: Vec<DrainingApp>,
    /// What they hold together.
    pub allocated: Resource,
    /// Who administers the queue: the admin ACLs of the queue and of all queues above, in one.
    pub admins: Acl,
}

/// An application in a draining queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrainingApp {
    /// The id of the application, unique in its partition.
    pub id: AppId,
    /// The user who submitted it, with the groups.
    pub who: Identity,
    /// The full path of the queue that was drained first.
    pub queue: QueuePath,
    /// Whether it only waits or has allocations.
    pub state: AppState,
    /// What it holds, placeholders included.
    pub allocated: Resource,
    /// What it requests.
    pub pending: Resource,
    /// When it ends by itself unless it asks again; `None` while something of it runs or waits for ever.
    pub ends_by: Option<Time>,
}

impl Draining {
    /// When nothing holds the queue any more, unless one of its applications asks again; `None` where that cannot be known. The
    /// next pass of the cleaner removes it then.
    pub fn empty_by(&self) -> Option<Time> {
        let ends = self.applications.iter().map(|app| app.ends_by);
        ends.reduce(|one, other| Some(one?.max(other?))).flatten()
    }
}

impl Partition {
    /// What is left in a draining queue; `None` when there is no such queue, or it does not drain.
    pub fn draining(&self, path: &QueuePath) -> Option<Draining> {
        let key = self.queues.find(path)?;
        let queue = &self.queues[key];
        (queue.state == QueueState::Draining).then(|| Draining {
            queue: queue.path.clone(),
            since: queue.state_since,
            applications: self.apps_below(key).into_iter().map(|app| self.draining_app(app)).collect(),
            allocated: queue.allocated.clone(),
            admins: self.admins(key),
        })
    }

    fn draining_app(&self, key: AppKey) -> DrainingApp {
        let app = &self.apps[key];
        DrainingApp {
            id: app.id.clone(),
            who: app.who.clone(),
            queue: app.queue_path.clone(),
            state: app.state,
            allocated: app.holds(),
            pending: app.pending.clone(),
            ends_by: app.ends_by(),
        }
    }

    /// The applications of a queue and of all below it.
    fn apps_below(&self, key: QueueKey) -> Vec<AppKey> {
        let mut found = Vec::new();
        let mut stack = vec![key];
        while let Some(key) = stack.pop() {
            let queue = &self.queues[key];
            found.extend(queue.apps.iter().copied());
            stack.extend(queue.children.iter().rev());
        }
        found
    }

    /// Who administers a queue (ACL-022).
    fn admins(&self, key: QueueKey) -> Acl {
        Acl::joined(self.queues.path_up(key).iter().map(|key| &self.queues[*key].settings.admin_acl))
    }

    /// Reports that a queue with everything below it starts to drain: its administrators once, its applications once each
    /// (SCH-212).
    pub(crate) fn report_draining(&self, now: Time, key: QueueKey, events: &mut Vec<Event>) {
        let (partition, queue) = (self.name.clone(), self.queues[key].path.clone());
        let kind = EventKind::QueueDrains { partition, queue: queue.clone(), admins: self.admins(key) };
        events.push(Event { at: now, kind });
        events.extend(self.apps_below(key).into_iter().map(|app| {
            let kind = EventKind::AppQueueDraining { app: self.apps[app].id.clone(), queue: queue.clone() };
            Event { at: now, kind }
        }));
    }

    /// Reports queues that have been draining for `threshold`, and of each again after every further threshold; of those in one
    /// another only of the topmost (SCH-211).
    pub(crate) fn alert_stuck(&mut self, now: Time, threshold: Duration, events: &mut Vec<Event>) {
        let times = |since: Time| match threshold.as_micros() {
            0 => 0,
            threshold => u64::try_from(now.since(since).as_micros() / threshold).unwrap_or(u64::MAX),
        };
        let mut stack = vec![ROOT];
        while let Some(key) = stack.pop() {
            let Some(queue) = self.queues.get(key) else { continue };
            let due = if queue.state == QueueState::Draining { times(queue.state_since) } else { 0 };
            if due == 0 {
                stack.extend(queue.children.iter().rev());
                continue;
            }
            if due > queue.alerts {
                let kind = EventKind::QueueDrainAlert {
                    partition: self.name.clone(),
                    queue: queue.path.clone(),
                    draining_for: now.since(queue.state_since),
                    admins: self.admins(key),
                };
                events.push(Event { at: now, kind });
            }
            self.queues[key].alerts = due;
        }
    }
}
