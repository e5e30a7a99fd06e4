//! Transitions of pods (K8S-124 to K8S-137, K8S-155, K8S-158).

use std::sync::Arc;

use super::deeds::{Deed, PodName, Report, Weight};
use super::stage::{Stage, Task};
use super::{Live, Sink};
use crate::application;
use crate::ask::ask;
use crate::not_yet::not_yet;
use crate::objects::Pod;
use crate::pod_resources::pod_resources;
use model::{AppId, AskId, NodeId, Resource};
use scheduler::{AskSpec, PartitionCommand};

impl Live {
    /// Whether a pod is kornsole to schedule (K8S-110).
    pub(super) fn is_own(&self, pod: &Pod) -> bool {
        self.settings.scheduler_names.contains(&pod.spec.scheduler_name)
    }

    pub(super) fn put_pod(&mut self, pod: Arc<Pod>, sink: &mut dyn Sink) {
        let meta = &pod.metadata;
        let place = (meta.namespace.clone(), meta.name.clone());
        let known = self.cluster.pods.get(&place).cloned();
        // Another pod has its name: the earlier one is gone.
        if let Some(before) = known.as_ref().filter(|known| known.metadata.uid != meta.uid) {
            self.end_pod(before, sink);
        }
        if pod.is_terminated() {
            return self.end_pod(&pod, sink);
        }
        self.cluster.pods.insert(place, Arc::clone(&pod));
        let uid = AskId::from(meta.uid.as_str());
        if !self.is_own(&pod) {
            self.put_other(&pod, known.filter(|_| self.started).as_deref(), sink);
        } else if self.tasks.contains_key(&uid) {
            self.renew_task(&uid, pod, sink);
        } else {
            self.new_task(uid, pod, sink);
        }
    }

    /// Its resources are free (K8S-137).
    pub(super) fn end_pod(&mut self, pod: &Pod, sink: &mut dyn Sink) {
        let meta = &pod.metadata;
        let place = (meta.namespace.clone(), meta.name.clone());
        if self.cluster.pods.get(&place).is_some_and(|known| known.metadata.uid == meta.uid) {
            self.cluster.pods.remove(&place);
        }
        let uid = AskId::from(meta.uid.as_str());
        match self.tasks.remove(&uid) {
            Some(task) => {
                if task.stage.is_asked() {
                    sink.apply(PartitionCommand::Release { app: task.app.clone(), ask: uid.clone() });
                } else if let Stage::Leftover(node) = &task.stage {
                    self.vacate(node, &meta.uid, sink);
                }
                sink.forget_pod(&meta.uid);
                self.member_gone(&task.app, &uid, sink);
            }
            None => {
                if let Some(node) = pod.node() {
                    self.vacate(node, &meta.uid, sink);
                    sink.forget_pod(&meta.uid);
                }
            }
        }
    }

    /// The pod uses resources of its node (K8S-155).
    fn put_other(&mut self, pod: &Arc<Pod>, before: Option<&Pod>, sink: &mut dyn Sink) {
        let Some(node) = pod.node().filter(|node| self.knows_node(node)) else { return };
        let resource = pod_resources(pod, self.sidecars).ok();
        self.occupy(node, pod, resource, sink);
        if before.is_none_or(|before| before.node() != pod.node() || differs(before, pod)) {
            self.see(pod, sink);
            let uid = AskId::from(pod.metadata.uid.as_str());
            sink.filters(&mut |filters| filters.place(&uid, node, true));
        }
    }

    fn new_task(&mut self, uid: AskId, pod: Arc<Pod>, sink: &mut dyn Sink) {
        if let Some(several) = application::several(&pod.metadata) {
            self.report(&pod, Weight::Warning, "Scheduling", "Scheduling", several);
        }
        let app = AppId::from(application::id(&pod.metadata, self.settings.unique_ids));
        let task = Task {
            pod,
            app,
            resource: Resource::new(),
            stage: Stage::Left(String::new()),
            deleting: false,
            delete_again: false,
            victim: None,
            failures: 0,
            bad_nodes: Vec::new(),
        };
        self.tasks.insert(uid.clone(), task);
        self.enter(&uid, sink);
    }

    pub(super) fn enter(&mut self, uid: &AskId, sink: &mut dyn Sink) {
        let Some(Task { pod, stage, deleting, .. }) = self.tasks.get(uid) else { return };
        let (pod, before, deleting) = (Arc::clone(pod), stage.clone(), *deleting);
        let resource = pod_resources(&pod, self.sidecars);
        let node = pod.node().map(str::to_owned);
        match (node, resource) {
            (Some(node), _) if !self.knows_node(&node) => self.set(uid, Stage::Orphan),
            (Some(node), Err(why)) => {
                self.set(uid, Stage::Leftover(node.clone()));
                self.see(&pod, sink);
                self.cluster.note(format!("pod {}: {why}; so node {node} accepts no pods", pod.metadata.path()));
                self.occupy(&node, &pod, None, sink);
            }
            (Some(node), Ok(resource)) => self.place(uid, &node, resource, sink),
            (None, resource) => {
                let deleted = deleting.then(|| "it is being deleted".to_owned());
                let reason = match (deleted.or_else(|| not_yet(&pod, self.cluster.storage())), resource) {
                    (None, Ok(resource)) => return self.ask_for(uid, resource, sink),
                    (Some(reason), _) | (None, Err(reason)) => reason,
                };
                if before != Stage::Left(reason.clone()) {
                    self.report_left(&pod, &reason);
                }
                self.set(uid, Stage::Left(reason));
            }
        }
    }

    fn report_left(&mut self, pod: &Pod, reason: &str) {
        let gated = !pod.spec.scheduling_gates.is_empty();
        let (weight, word) = if gated { (Weight::Normal, "Scheduling") } else { (Weight::Warning, "FailedScheduling") };
        if pod.metadata.deletion_timestamp.is_none() {
            self.report(pod, weight, word, word, reason.to_owned());
        }
    }

    fn place(&mut self, uid: &AskId, node: &str, resource: Resource, sink: &mut dyn Sink) {
        self.set(uid, Stage::Bound(node.to_owned()));
        if !self.offer(uid, resource, sink) {
            return self.leave_over(uid, sink);
        }
        let Some(task) = self.tasks.get(uid) else { return };
        let (app, node) = (task.app.clone(), NodeId::from(node));
        sink.apply(PartitionCommand::Adopt { app: app.clone(), ask: uid.clone(), node });
        self.check_gang(&app, sink);
    }

    fn ask_for(&mut self, uid: &AskId, resource: Resource, sink: &mut dyn Sink) {
        let Some(Task { pod, app, .. }) = self.tasks.get(uid) else { return };
        let (pod, app) = (Arc::clone(pod), app.clone());
        if let Some(task) = self.tasks.get_mut(uid) {
            task.resource = resource.clone();
        }
        if self.add_to_gang(&app, &pod, sink) {
            self.set(uid, Stage::Blocked);
            return self.check_gang(&app, sink);
        }
        self.set(uid, Stage::Pending);
        if !self.offer(uid, resource, sink) {
            let why = self.apps.get(&app).and_then(|app| app.refused.clone()).unwrap_or_default();
            self.refuse(uid, &why, sink);
        }
        self.check_gang(&app, sink);
    }

    /// Returns false if the scheduler has rejected the application.
    fn offer(&mut self, uid: &AskId, resource: Resource, sink: &mut dyn Sink) -> bool {
        let Some(Task { pod, app, .. }) = self.tasks.get(uid) else { return false };
        let (pod, app) = (Arc::clone(pod), app.clone());
        let originator = self.join(&app, uid, &pod, sink);
        if let Some(task) = self.tasks.get_mut(uid) {
            task.resource = resource.clone();
        }
        if self.apps.get(&app).is_some_and(|app| app.refused.is_some()) {
            return false;
        }
        self.see(&pod, sink);
        sink.apply(PartitionCommand::Ask(self.spec(&pod, &app, resource, originator)));
        true
    }

    fn spec(&self, pod: &Pod, app: &AppId, resource: Resource, originator: bool) -> AskSpec {
        let class = self.cluster.classes.get(&pod.spec.priority_class_name);
        AskSpec { created: Some(self.created(pod)), ..ask(pod, app, resource, class, originator) }
    }

    fn renew_task(&mut self, uid: &AskId, pod: Arc<Pod>, sink: &mut dyn Sink) {
        let Some(task) = self.tasks.get_mut(uid) else { return };
        let before = std::mem::replace(&mut task.pod, Arc::clone(&pod));
        let (stage, app) = (task.stage.clone(), task.app.clone());
        if stage.is_seen() && differs(&before, &pod) {
            self.see(&pod, sink);
        }
        match (&stage, pod.node()) {
            (Stage::Assumed(there) | Stage::Bound(there), Some(node)) if there == node => {
                if matches!(stage, Stage::Assumed(_)) {
                    self.set(uid, Stage::Bound(node.to_owned()));
                    self.check_gang(&app, sink);
                }
                self.resize(uid, sink);
            }
            (Stage::Leftover(there), Some(node)) if there == node => {
                let resource = pod_resources(&pod, self.sidecars).ok();
                self.occupy(node, &pod, resource, sink);
            }
            // Another scheduler bound it to a different node.
            (Stage::Assumed(_) | Stage::Bound(_) | Stage::Pending, Some(_)) => {
                self.cancel(uid, sink);
                self.enter(uid, sink);
            }
            // The watch has not reported the binding yet.
            (Stage::Assumed(_) | Stage::Bound(_) | Stage::Leftover(_), None) => {}
            (Stage::Pending, None) => match not_yet(&pod, self.cluster.storage()) {
                Some(_) => {
                    self.cancel(uid, sink);
                    self.enter(uid, sink);
                }
                None => self.resize(uid, sink),
            },
            (Stage::Later(_) | Stage::Blocked | Stage::Refused(_), None)
                if pod.metadata.deletion_timestamp.is_none() => {}
            _ => self.enter(uid, sink),
        }
    }

    /// What a pod requests may be more or less by now (K8S-136).
    fn resize(&mut self, uid: &AskId, sink: &mut dyn Sink) {
        let Some(task) = self.tasks.get_mut(uid) else { return };
        let Ok(resource) = pod_resources(&task.pod, self.sidecars) else { return };
        if resource.is_same_as(&task.resource) {
            return;
        }
        task.resource = resource.clone();
        let (pod, app) = (Arc::clone(&task.pod), task.app.clone());
        sink.apply(PartitionCommand::Ask(self.spec(&pod, &app, resource, false)));
    }

    pub(super) fn cancel(&mut self, uid: &AskId, sink: &mut dyn Sink) {
        let Some(task) = self.tasks.get_mut(uid) else { return };
        let before = std::mem::replace(&mut task.stage, Stage::Left(String::new()));
        if before.is_asked() {
            sink.apply(PartitionCommand::Release { app: task.app.clone(), ask: uid.clone() });
            // Handle the resulting events now, so that they do not count for the next request of the pod.
            self.handle(sink);
        }
    }

    /// The pod is bound, but not an allocation: it counts as occupied resources.
    pub(super) fn leave_over(&mut self, uid: &AskId, sink: &mut dyn Sink) {
        let Some(task) = self.tasks.get(uid) else { return };
        let (pod, resource) = (Arc::clone(&task.pod), task.resource.clone());
        let Some(node) = task.stage.node().or(pod.node()).map(str::to_owned) else { return };
        if !self.knows_node(&node) {
            return self.set(uid, Stage::Orphan);
        }
        self.set(uid, Stage::Leftover(node.clone()));
        self.see(&pod, sink);
        sink.filters(&mut |filters| filters.place(uid, &node, true));
        self.occupy(&node, &pod, Some(resource), sink);
    }

    pub(super) fn refuse(&mut self, uid: &AskId, why: &str, sink: &mut dyn Sink) {
        let Some(task) = self.tasks.get(uid) else { return };
        match task.stage {
            Stage::Bound(_) => self.leave_over(uid, sink),
            Stage::Pending | Stage::Blocked => {
                let pod = Arc::clone(&task.pod);
                self.set(uid, Stage::Refused(why.to_owned()));
                self.report(&pod, Weight::Warning, "TaskRejected", "TaskRejected", why.to_owned());
            }
            _ => {}
        }
    }

    /// Pods that name a node that has come are on it (K8S-158).
    pub(super) fn adopt_orphans(&mut self, node: &str, sink: &mut dyn Sink) {
        if !self.started {
            return;
        }
        let here: Vec<Arc<Pod>> =
            self.cluster.pods.values().filter(|pod| pod.node() == Some(node)).map(Arc::clone).collect();
        for pod in here {
            let uid = AskId::from(pod.metadata.uid.as_str());
            if self.is_own(&pod) {
                self.enter(&uid, sink);
            } else {
                self.put_other(&pod, None, sink);
            }
        }
    }

    pub(super) fn storage_changed(&mut self, sink: &mut dyn Sink) {
        self.reattach = true;
        let with_claims = |task: &Task| {
            task.pod.spec.volumes.iter().any(|volume| !volume.claim.is_empty() || volume.kind == "ephemeral")
        };
        let uids: Vec<AskId> =
            self.tasks.iter().filter(|(_, task)| with_claims(task)).map(|(uid, _)| uid.clone()).collect();
        for uid in uids {
            let Some(Task { pod, stage, .. }) = self.tasks.get(&uid) else { continue };
            let pod = Arc::clone(pod);
            match stage {
                Stage::Left(_) => self.enter(&uid, sink),
                Stage::Pending if not_yet(&pod, self.cluster.storage()).is_some() => {
                    self.cancel(&uid, sink);
                    self.enter(&uid, sink);
                }
                stage if stage.is_seen() => self.see(&pod, sink),
                _ => {}
            }
        }
    }

    pub(super) fn see(&self, pod: &Arc<Pod>, sink: &mut dyn Sink) {
        if self.started {
            let labels = self.cluster.labels_of(&pod.metadata.namespace);
            let storage = self.cluster.storage();
            sink.filters(&mut |filters| filters.put_pods(&[pod], &labels, storage));
        }
    }

    pub(super) fn set(&mut self, uid: &AskId, stage: Stage) {
        if let Some(task) = self.tasks.get_mut(uid) {
            task.stage = stage;
        }
    }

    pub(super) fn report(
        &mut self,
        pod: &Pod,
        weight: Weight,
        reason: &'static str,
        action: &'static str,
        message: String,
    ) {
        let pod = PodName::of(&pod.metadata);
        self.do_later(Deed::Report(Report { pod, weight, reason, action, message }));
    }

    pub(super) fn delete(&mut self, uid: &AskId) {
        let Some(task) = self.tasks.get_mut(uid).filter(|task| !task.deleting) else { return };
        task.deleting = true;
        let pod = PodName::of(&task.pod.metadata);
        self.do_later(Deed::Delete { pod });
    }
}

fn differs(before: &Pod, now: &Pod) -> bool {
    let (one, other) = (&before.spec, &now.spec);
    before.metadata.labels != now.metadata.labels
        || before.metadata.deletion_timestamp.is_some() != now.metadata.deletion_timestamp.is_some()
        || one.tolerations != other.tolerations
        || one.node_selector != other.node_selector
        || one.affinity != other.affinity
}
