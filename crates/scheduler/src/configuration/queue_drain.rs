//! Draining queues: events, remaining content, and time limit (SCH-180, SCH-210 to SCH-213).

use std::time::Duration;

use crate::index::{AppKey, QueueKey};
use crate::interface::event::{Event, EventKind};
use crate::state::partition::Partition;
use crate::state::queue::ROOT;
use model::{Acl, AppId, AppState, Identity, QueuePath, QueueState, Resource, Time};

/// The remaining content of a draining queue, and its administrators (SCH-210).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draining {
    /// The queue that was drained first.
    pub queue: QueuePath,
    /// When draining started.
    pub since: Time,
    /// The active applications, by queue and then by key.
    pub applications: Vec<DrainingApp>,
    /// Their total usage.
    pub allocated: Resource,
    /// The admin ACLs of the queue and all parents combined.
    pub admins: Acl,
}

/// An application in a draining queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrainingApp {
    /// The application ID, unique in its partition.
    pub id: AppId,
    /// The submitting user with the groups.
    pub who: Identity,
    /// Its draining queue.
    pub queue: QueuePath,
    /// The state of the application.
    pub state: AppState,
    /// Its usage, including placeholders.
    pub allocated: Resource,
    /// Its pending resources.
    pub pending: Resource,
    /// When it completes unless it sends a new request; `None` while it runs or waits without a time limit.
    pub ends_by: Option<Time>,
}

impl Draining {
    /// When the queue is empty, unless an application sends a new request; `None` if unknown.
    pub fn empty_by(&self) -> Option<Time> {
        let ends = self.applications.iter().map(|app| app.ends_by);
        ends.reduce(|one, other| Some(one?.max(other?))).flatten()
    }
}

impl Partition {
    /// The remaining content of a draining queue.
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
            allocated: app.total_allocated(),
            pending: app.pending.clone(),
            ends_by: app.ends_by(),
        }
    }

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

    /// SCH-212: once to the administrators, and once for each application.
    pub(crate) fn report_draining(&self, now: Time, key: QueueKey, events: &mut Vec<Event>) {
        let (partition, queue) = (self.name.clone(), self.queues[key].path.clone());
        let kind = EventKind::QueueDrains { partition, queue: queue.clone(), admins: self.admins(key) };
        events.push(Event { at: now, kind });
        events.extend(self.apps_below(key).into_iter().map(|app| {
            let kind = EventKind::AppQueueDraining { app: self.apps[app].id.clone(), queue: queue.clone() };
            Event { at: now, kind }
        }));
    }

    /// SCH-211: reports again after every further threshold, only the topmost of nested queues.
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
