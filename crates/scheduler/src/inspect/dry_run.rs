//! Dry runs of commands, computed by the code of the commands without a change.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::index::QueueKey;
use crate::interface::command::{AskSpec, Command, Submission};
use crate::interface::event::EventKind;
use crate::lifecycle::is_expired;
use crate::placement::Admission;
use crate::state::app::Application;
use crate::state::partition::Partition;
use crate::state::queue::{Queue, ROOT};
use crate::state::scheduler::Scheduler;
use config::Config;
use model::{AppId, AskId, QueuePath, QueueState, Resource, Time};

/// The effects of one pass of the queue cleaner (SCH-182).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CleaningPlan {
    /// The queues to remove, children before their parent.
    pub removed: Vec<QueuePath>,
    /// The remaining draining queues, with the number of active applications in each subtree.
    pub draining: Vec<(QueuePath, u64)>,
}

impl Scheduler {
    /// `None` if it would be applied.
    pub fn would_refuse(&self, now: Time, config: &Arc<Config>) -> Option<String> {
        if let Err(why) = self.accepts(config) {
            return Some(why);
        }
        if !self.switches().reload_revives {
            return None;
        }
        // Only this switch lets a load fail halfway, so it is tried on a copy.
        let events = self.clone().apply(now, &Command::Configure(Arc::clone(config)));
        events.into_iter().find_map(|event| match event.kind {
            EventKind::ConfigRejected { message } => Some(message),
            _ => None,
        })
    }
}

impl Partition {
    /// The queue of a submission now, or the rejection.
    pub fn would_place(&self, submission: &Submission) -> Admission {
        self.admit(submission)
    }

    /// The first request that would be rejected if all were sent now, and why.
    pub fn refused_ask(&self, specs: &[AskSpec]) -> Option<(AskId, String)> {
        let mut more = Resource::new();
        for spec in specs {
            for id in spec.ids() {
                if let Err(why) = self.check_ask(&id, spec, &more) {
                    return Some((id, why));
                }
                more.add_assign(&spec.resource);
            }
        }
        None
    }

    /// The effects of one pass of the queue cleaner now.
    pub fn cleaning_plan(&self) -> CleaningPlan {
        let mut gone: BTreeSet<QueueKey> = BTreeSet::new();
        let mut plan = CleaningPlan::default();
        for key in self.queues.bottom_up() {
            let queue = &self.queues[key];
            let empty = queue.apps.is_empty() && queue.children.iter().all(|child| gone.contains(child));
            if key != ROOT && empty && is_cleaned(queue) {
                gone.insert(key);
                plan.removed.push(queue.path.clone());
            } else if queue.state == QueueState::Draining {
                plan.draining.push((queue.path.clone(), queue.app_count));
            }
        }
        plan
    }

    /// The number of applications that a cleaning would forget (SCH-172).
    pub fn expired(&self, now: Time) -> usize {
        self.ended.iter().take_while(|app| is_expired(now, app)).count()
    }

    /// An active application.
    pub fn app(&self, id: &AppId) -> Option<&Application> {
        self.apps.get(self.app_key(id)?)
    }

    /// The last ended application with this id.
    pub fn ended_app(&self, id: &AppId) -> Option<&Arc<Application>> {
        self.ended.iter().rev().find(|app| app.id == *id)
    }
}

/// Whether a queue is removed when it is empty (SCH-182).
pub(crate) fn is_cleaned(queue: &Queue) -> bool {
    queue.state == QueueState::Draining || !queue.managed
}
