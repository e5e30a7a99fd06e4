//! Submitting an application (`placement.md` section 8).

use std::sync::Arc;

use crate::configuration::load_queues::{set_guaranteed, set_max};
use crate::index::{AppKey, QueueKey, Slab};
use crate::interface::command::Submission;
use crate::interface::event::{Event, EventKind};
use crate::interface::switches::RecoveryQueue;
use crate::placement;
use crate::placement::{Admission, Gate, Placed, PlacementOutcome, QueueFacts, Record, Refused, Request};
use crate::state::app::Application;
use crate::state::ask_ids::AskIds;
use crate::state::partition::Partition;
use crate::state::queue::{ROOT, Settings};
use crate::state::queue_tree::QueueTree;
use config::TemplateConfig;
use config::properties::{MergedProperties, Property, QueueProperties};
use model::{AppState, Identity, Priority, QueuePath, QueueState, Resource, Time};

impl placement::QueueTree for QueueTree {
    fn queue(&self, path: &str) -> Option<QueueFacts<'_>> {
        let queue = &self[self.find_text(path)?];
        Some(QueueFacts {
            path: &queue.path,
            state: placement::QueueState::of(queue.leaf, queue.managed, queue.state),
            submit_acl: &queue.settings.submit_acl,
            admin_acl: &queue.settings.admin_acl,
            template: queue.settings.template.as_ref(),
        })
    }
}

impl Partition {
    pub(crate) fn submit(&mut self, now: Time, submission: &Submission, events: &mut Vec<Event>) {
        let app = submission.app.clone();
        events.push(Event::new(now, EventKind::AppNew { app: app.clone() }));
        let Admission { who, placement } = self.admit(submission);
        Arc::make_mut(&mut self.hits).count(&placement);
        let record = self.records.keep(&self.rules, placement);
        match &record.placement.outcome {
            PlacementOutcome::Placed(placed) => {
                let queue = self.open_queue(now, placed, events);
                self.apply_namespace_tags(now, queue, placed.recovery, &submission.tags, events);
                if let Err(message) = self.admit_gang(queue, submission) {
                    return self.reject(now, submission, &record, message, events);
                }
                let key = self.add_app(now, submission, who, queue, &record);
                self.join_queue(key);
                events.push(Event { at: now, kind: EventKind::AppAccepted { app, queue: placed.path.clone() } });
            }
            PlacementOutcome::Refused(refused) => {
                self.leave_behind(now, refused, events);
                let reason = record.placement.reason();
                let message = reason.map(|reason| reason.to_string()).unwrap_or_default();
                self.reject(now, submission, &record, message, events);
            }
        }
    }

    fn reject(
        &mut self,
        now: Time,
        submission: &Submission,
        record: &Arc<Record>,
        message: String,
        events: &mut Vec<Event>,
    ) {
        let mut rejected = new_app(AppKey(0), now, submission, submission.who.clone(), record);
        rejected.state = AppState::Rejected;
        rejected.log.push((now, AppState::Rejected));
        rejected.finished = Some(now);
        rejected.message = Some(Arc::from(message.as_str()));
        self.remember(now, rejected);
        self.mark_app_set();
        events.push(Event { at: now, kind: EventKind::AppRejected { app: submission.app.clone(), message } });
    }

    pub(crate) fn admit(&self, submission: &Submission) -> Admission {
        let Submission { app, queue, who, tags, .. } = submission;
        let request = Request { queue, user: &who.user, groups: &who.groups, tags };
        let taken = self.app_key(app).map(|_| app);
        let gate = Gate { partition: &self.name, active: self.state == QueueState::Active, taken };
        self.rules.admit(&request, &gate, &self.queues)
    }

    /// The parents that 1.5.1 creates before it finds an illegal part (PLC-072).
    fn leave_behind(&mut self, now: Time, refused: &Refused, events: &mut Vec<Event>) {
        for path in &refused.left_behind {
            let parent = path.parent().and_then(|parent| self.queues.find(&parent));
            let key = self.create(now, parent, path.name(), false, events);
            self.open_parent(key);
        }
    }

    /// Creates the leaf and its missing parents (PLC-070, SCH-185).
    #[expect(clippy::expect_used, reason = "placement yields a leaf that exists or was just made")]
    fn open_queue(&mut self, now: Time, placed: &Placed, events: &mut Vec<Event>) -> QueueKey {
        for path in &placed.create {
            let parent = path.parent().and_then(|parent| self.queues.find(&parent));
            let key = self.create(now, parent, path.name(), false, events);
            if *path != placed.path {
                self.open_parent(key);
            } else if !placed.recovery || self.switches.recovery_queue != RecoveryQueue::Bare {
                self.open_leaf(key);
            }
        }
        self.queues.find(&placed.path).expect("placement yields a leaf that exists or was just made")
    }

    /// A dynamic parent has no settings except the template for its children (SCH-186).
    fn open_parent(&mut self, key: QueueKey) {
        let parent = self.queues[key].parent;
        let template = parent.and_then(|parent| self.queues[parent].settings.template.clone());
        let queue = &mut self.queues[key];
        queue.leaf = false;
        queue.settings = Arc::new(Settings { parent: true, template, ..Settings::default() });
    }

    /// A dynamic leaf has the settings of its parent's template and inherits nothing (SCH-186).
    fn open_leaf(&mut self, key: QueueKey) {
        let parent = self.queues[key].parent;
        let Some((from, template)) = parent.and_then(|parent| self.queues[parent].settings.template.clone()) else {
            return;
        };
        let TemplateConfig { at, max_applications, properties, guaranteed, max } = &*template;
        let value = |value: &String| Property { value: value.clone(), from: from.clone(), at: *at, template: true };
        let merged: MergedProperties = properties.iter().map(|(key, text)| (key.clone(), value(text))).collect();
        let zero_unset = self.switches.zero_max_unset;
        let queue = &mut self.queues[key];
        queue.settings = Arc::new(Settings {
            properties: QueueProperties::of(&merged),
            merged: Arc::new(merged),
            max_applications: *max_applications,
            ..Settings::default()
        });
        queue.max = set_max(max.as_ref(), zero_unset);
        queue.guaranteed = set_guaranteed(guaranteed.as_ref());
        self.share_bases_stale = true;
    }

    fn add_app(
        &mut self,
        now: Time,
        submission: &Submission,
        who: Identity,
        queue: QueueKey,
        record: &Arc<Record>,
    ) -> AppKey {
        let path = self.queues[queue].path.clone();
        let new = |key| new_app(key, now, submission, who, record);
        let key = self.apps.insert_with(|key| Application { queue, queue_path: path, ..new(key) });
        self.app_index.insert(submission.app.clone(), key);
        key
    }
}

fn new_app(key: AppKey, now: Time, submission: &Submission, who: Identity, record: &Arc<Record>) -> Application {
    Application {
        key,
        id: submission.app.clone(),
        who,
        queue: ROOT,
        queue_path: QueuePath::default(),
        requested_queue: Arc::from(submission.queue.as_str()),
        placement: Arc::clone(record),
        submitted: submission.created.map_or(now, |created| created.min(now)),
        started: None,
        finished: None,
        state: AppState::New,
        log: Vec::new(),
        message: None,
        tags: Arc::new(submission.tags.clone()),
        gang_style: submission.gang_style,
        placeholder_timeout: submission.placeholder_timeout,
        placeholder_ask: submission.placeholder_ask.clone(),
        task_groups: Default::default(),
        asks: Slab::default(),
        by_id: AskIds::default(),
        namesakes: Default::default(),
        pending_order: Default::default(),
        allocations: Default::default(),
        reservations: Vec::new(),
        pending: Resource::new(),
        allocated: Resource::new(),
        allocated_placeholder: Resource::new(),
        max_allocated: Resource::new(),
        tracked_resources: Default::default(),
        rank: None,
        backoff: None,
        asleep: None,
        may_replace: false,
        counted_priority: Priority::MIN,
        runnable_in_queue: true,
        runnable_by_limits: true,
        account: Default::default(),
        ending: None,
        bands: Default::default(),
        retained_priority: None,
        backoff_until: None,
        delayed: None,
        known_ids: Default::default(),
        state_timer: None,
        placeholder_timer: None,
    }
}
