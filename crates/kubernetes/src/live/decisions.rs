//! Converts the scheduler's events to deeds (K8S-203).

use std::sync::Arc;

use super::deeds::{Deed, PodName, Weight};
use super::stage::Stage;
use super::{Live, Sink};
use model::{AppId, AskId, NodeId};
use scheduler::{Event, EventKind, ReleaseReason};

impl Live {
    pub(super) fn handle(&mut self, sink: &mut dyn Sink) {
        loop {
            let events = sink.take_events();
            if events.is_empty() {
                return;
            }
            for event in events {
                self.observe(&event, sink);
            }
        }
    }

    fn observe(&mut self, event: &Event, sink: &mut dyn Sink) {
        match &event.kind {
            EventKind::Allocated { ask, node, .. } => self.allocated(ask, node),
            EventKind::Released { ask, reason, .. } => self.released(ask, *reason, sink),
            EventKind::Stopping { ask, reason, .. } => self.stopping(ask, *reason),
            EventKind::AskRemoved { ask, .. } => self.removed(ask),
            EventKind::AskRejected { ask, message, .. } => self.refuse(ask, message, sink),
            EventKind::AppRejected { app, message } => self.app_refused(app, message, sink),
            EventKind::AppAccepted { app, .. } => self.create_missing(app),
            EventKind::AppState { app, state, message, .. } => {
                self.app_state(app, *state, message.as_deref().unwrap_or_default(), sink);
            }
            EventKind::Killed { app, by, reason, .. } => self.killed(app, by, reason),
            EventKind::Preempted { ask, by_ask, by_queue, .. } => {
                let by = self
                    .pod_of(by_ask)
                    .map_or_else(|| by_ask.to_string(), |pod| format!("{}/{}", pod.namespace, pod.name));
                self.note_victim(ask, format!("preempted for pod {by} of queue {by_queue}"));
            }
            EventKind::QuotaPreempted { ask, queue, .. } => {
                self.note_victim(ask, format!("queue {queue} is above its maximum"));
            }
            _ => {}
        }
    }

    fn allocated(&mut self, ask: &AskId, node: &NodeId) {
        let Some(task) = self.tasks.get_mut(ask).filter(|task| task.stage == Stage::Pending) else { return };
        task.stage = Stage::Assumed(node.to_string());
        let pod = PodName::of(&task.pod.metadata);
        self.do_later(Deed::Bind { pod, node: node.to_string() });
    }

    fn released(&mut self, ask: &AskId, reason: ReleaseReason, sink: &mut dyn Sink) {
        let Some(task) = self.tasks.get(ask) else { return };
        match (&task.stage, reason) {
            (Stage::Bound(_), _) => self.leave_over(ask, sink),
            // Its node was removed before the binding (K8S-157).
            (Stage::Assumed(_), ReleaseReason::NodeRemoved) => {
                self.set(ask, Stage::Left(String::new()));
                self.enter(ask, sink);
            }
            (Stage::Assumed(node), _) => {
                // The binding may be in progress; if it succeeds, the watch reports it.
                let reason = format!("the scheduler released it on node {node}");
                self.set(ask, Stage::Left(reason));
            }
            _ => {}
        }
    }

    fn removed(&mut self, ask: &AskId) {
        let Some(task) = self.tasks.get(ask).filter(|task| task.stage == Stage::Pending) else { return };
        let is_placeholder = task.is_placeholder();
        self.set(ask, Stage::Refused("the scheduler released it".to_owned()));
        if is_placeholder {
            self.delete(ask);
        }
    }

    /// The allocation counts until its pod is gone (K8S-095).
    fn stopping(&mut self, ask: &AskId, reason: ReleaseReason) {
        let Some(task) = self.tasks.get_mut(ask) else { return };
        let victim = task.victim.take();
        let (pod, is_placeholder) = (Arc::clone(&task.pod), task.is_placeholder());
        match reason {
            ReleaseReason::Preempted => {
                let why = victim.unwrap_or_else(|| "it is preempted for a request with a higher priority".to_owned());
                self.report(&pod, Weight::Warning, "Preempted", "Preempted", format!("it is deleted: {why}"));
            }
            ReleaseReason::Timeout if is_placeholder => {
                let message = "the placeholder is deleted: it timed out, or it is too small".to_owned();
                self.report(&pod, Weight::Normal, "GangScheduling", "PlaceholderTimeOut", message);
            }
            _ => {}
        }
        self.delete(ask);
    }

    fn note_victim(&mut self, ask: &AskId, why: String) {
        if let Some(task) = self.tasks.get_mut(ask) {
            task.victim = Some(why);
        }
    }

    fn killed(&mut self, app: &AppId, by: &str, reason: &str) {
        let members: Vec<AskId> =
            self.apps.get(app).map(|app| app.members.iter().cloned().collect()).unwrap_or_default();
        let because = if reason.is_empty() { String::new() } else { format!(": {reason}") };
        for uid in members {
            if let Some(pod) = self.tasks.get(&uid).map(|task| Arc::clone(&task.pod)) {
                let message = format!("its application {app} was killed by {by}{because}");
                self.report(&pod, Weight::Warning, "Killing", "Killing", message);
            }
            self.delete(&uid);
        }
    }
}
