//! Submitting an application: who, where to, and what it stands for until it asks (`placement.md` section 8).

use std::sync::Arc;

use super::app::Application;
use super::command::Submission;
use super::event::{Event, EventKind};
use super::index::{AppKey, Index, QueueKey, Slab};
use super::partition::Partition;
use super::place::{self, Outcome, Placed, QueueFacts, Refusal};
use super::queue::{QueueTree, Settings};
use super::reload::{set_guaranteed, set_max};
use super::switches::RecoveryQueue;
use crate::config::TemplateConfig;
use crate::config::properties::{Merged, Property, QueueProperties};
use crate::model::{AppState, Identity, Priority, QueuePath, QueueState, Resource, Time};

impl place::QueueTree for QueueTree {
    fn queue(&self, path: &str) -> Option<QueueFacts<'_>> {
        let queue = &self[self.find_text(path)?];
        Some(QueueFacts {
            path: &queue.path,
            state: place::QueueState {
                leaf: queue.leaf,
                managed: queue.managed,
                draining: queue.state == QueueState::Draining,
            },
            submit_acl: &queue.settings.submit_acl,
            admin_acl: &queue.settings.admin_acl,
        })
    }
}

impl Partition {
    /// Submits an application: it is placed, or rejected and remembered with the reason.
    pub(super) fn submit(&mut self, now: Time, submission: &Submission, events: &mut Vec<Event>) {
        let app = submission.app.clone();
        let placed = self.place_submission(now, submission, events).and_then(|(who, placed)| {
            let queue = self.open_queue(now, &placed, events);
            self.apply_namespace_tags(queue, placed.recovery, &submission.tags);
            self.admit_gang(queue, submission)?;
            Ok((who, placed, queue))
        });
        match placed {
            Ok((who, placed, queue)) => {
                let key = self.add_app(now, submission, who, queue);
                self.join_queue(key);
                events.push(Event { at: now, kind: EventKind::AppAccepted { app, queue: placed.path } });
            }
            Err(message) => {
                let mut rejected = new_app(AppKey(0), now, submission, submission.who.clone());
                rejected.state = AppState::Rejected;
                rejected.log.push((now, AppState::Rejected));
                rejected.finished = Some(now);
                rejected.message = Some(Arc::from(message.as_str()));
                self.remember(now, rejected);
                self.touch_app_set();
                events.push(Event { at: now, kind: EventKind::AppRejected { app, message } });
            }
        }
    }

    /// Who submits, and where the rules put it.
    fn place_submission(
        &mut self,
        now: Time,
        submission: &Submission,
        events: &mut Vec<Event>,
    ) -> Result<(Identity, Placed), String> {
        let forced = place::is_forced(&submission.tags);
        let switches = place::Switches::of(self.switches.profile);
        let who = &submission.who;
        let who = place::identify(&who.user, &who.groups, forced, switches, place::no_resolver)
            .map_err(|refusal| refusal.to_string())?;
        if self.state != QueueState::Active {
            return Err(Refusal::PartitionStopped { partition: self.name.to_string() }.to_string());
        }
        if self.app_key(&submission.app).is_some() {
            return Err(Refusal::DuplicateId { app: submission.app.to_string() }.to_string());
        }
        let wanted = place::Submission { queue: &submission.queue, identity: &who, tags: &submission.tags };
        let placement = self.rules.place(&wanted, &self.queues);
        match &placement.outcome {
            Outcome::Placed(placed) => Ok((who, placed.clone())),
            Outcome::Refused(refused) => {
                let reason =
                    placement.reason().map_or_else(|| refused.refusal.to_string(), |reason| reason.to_string());
                for path in &refused.left_behind {
                    let parent = path.parent().and_then(|parent| self.queues.find(&parent));
                    let key = self.create(now, parent, path.name(), false, events);
                    self.open_parent(key);
                }
                Err(reason)
            }
        }
    }

    /// The leaf of a placement, made with all that is missing above it (PLC-070, SCH-185).
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

    /// A dynamic parent: no settings but the template that it hands on (SCH-186).
    fn open_parent(&mut self, key: QueueKey) {
        let parent = self.queues[key].parent;
        let template = parent.and_then(|parent| self.queues[parent].settings.template.clone());
        let queue = &mut self.queues[key];
        queue.leaf = false;
        queue.settings = Arc::new(Settings { parent: true, template, ..Settings::default() });
    }

    /// A dynamic leaf: what the template of its parent says, nothing inherited (SCH-186).
    fn open_leaf(&mut self, key: QueueKey) {
        let parent = self.queues[key].parent;
        let Some((from, template)) = parent.and_then(|parent| self.queues[parent].settings.template.clone()) else {
            return;
        };
        let TemplateConfig { at, max_applications, properties, guaranteed, max } = &*template;
        let value = |value: &String| Property { value: value.clone(), from: from.clone(), at: *at, template: true };
        let merged: Merged = properties.iter().map(|(key, text)| (key.clone(), value(text))).collect();
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

    fn add_app(&mut self, now: Time, submission: &Submission, who: Identity, queue: QueueKey) -> AppKey {
        let path = self.queues[queue].path.clone();
        let key =
            self.apps.insert_with(|key| Application { queue, queue_path: path, ..new_app(key, now, submission, who) });
        self.app_index.insert(submission.app.clone(), key);
        key
    }
}

/// An application as it is submitted, in no queue yet.
fn new_app(key: AppKey, now: Time, submission: &Submission, who: Identity) -> Application {
    Application {
        key,
        id: submission.app.clone(),
        who,
        queue: super::queue::ROOT,
        queue_path: QueuePath::default(),
        requested_queue: submission.queue.clone(),
        submitted: now,
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
        by_id: Index::default(),
        pending_order: Default::default(),
        allocations: Default::default(),
        reservations: Vec::new(),
        pending: Resource::new(),
        allocated: Resource::new(),
        allocated_placeholder: Resource::new(),
        rank: None,
        may_replace: false,
        counted_priority: Priority::MIN,
        runnable_in_queue: true,
        runnable_by_limits: true,
        account: Default::default(),
        state_timer: None,
        placeholder_timer: None,
    }
}
