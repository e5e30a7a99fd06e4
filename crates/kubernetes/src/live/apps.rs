//! Applications and gangs (K8S-115, K8S-127, K8S-131, K8S-138, K8S-202, K8S-220 to K8S-224).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::deeds::{Deed, Failure, Placeholder, PodName, Weight};
use super::stage::{Stage, Task};
use super::{Live, Sink};
use crate::application;
use crate::gang::{self, TaskGroup};
use crate::making::members;
use crate::objects::Pod;
use model::{AppId, AppState, AskId};
use scheduler::{PartitionCommand, Submission};

const GANG: &str = "GangScheduling";
const NOT_TOGETHER: &str = "ResourceReservationTimeout";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Running,
    Reserving,
    /// Timed out; real pods are requested when the placeholders have ended.
    Resuming,
}

/// An application, until neither the scheduler nor the cluster has anything of it.
#[derive(Clone, Debug)]
pub(super) struct App {
    pub first: Arc<Pod>,
    pub groups: Vec<TaskGroup>,
    pub phase: Phase,
    /// UID of the pod that started it (K8S-127).
    originator: Option<String>,
    pub members: BTreeSet<AskId>,
    pub refused: Option<String>,
    over: Option<AppState>,
    creating: BTreeMap<String, String>,
    made: u64,
}

impl Live {
    /// Submits the application with the first pod. Returns true if the pod started it.
    pub(super) fn join(&mut self, id: &AppId, uid: &AskId, pod: &Arc<Pod>, sink: &mut dyn Sink) -> bool {
        // A pod that comes after the end starts a new application; a failed one is not restarted while it has pods
        // (K8S-138).
        let is_over = |app: &App| match app.over {
            Some(AppState::Failed | AppState::Failing) => app.members.is_empty(),
            over => over.is_some(),
        };
        if self.apps.get(id).is_none_or(is_over) {
            let before = self.apps.remove(id).map(|app| app.members).unwrap_or_default();
            self.submit(id, pod, sink);
            if let Some(app) = self.apps.get_mut(id) {
                app.members.extend(before);
            }
        }
        let Some(app) = self.apps.get_mut(id) else { return false };
        app.members.insert(uid.clone());
        app.creating.remove(&pod.metadata.name);
        !gang::is_placeholder(&pod.metadata) && app.originator.as_deref() == Some(uid.as_str())
    }

    fn submit(&mut self, id: &AppId, first: &Arc<Pod>, sink: &mut dyn Sink) {
        let mut groups = Vec::new();
        if self.settings.gangs {
            match gang::task_groups(&first.metadata) {
                Ok(found) => groups = found,
                Err(why) => self.report(first, Weight::Warning, GANG, "TaskGroupsError", why),
            }
        }
        let is_gang = !groups.is_empty() && !self.has_started(id);
        let namespace = self.cluster.namespaces.get(&first.metadata.namespace);
        let of_gang = if is_gang { groups.as_slice() } else { &[] };
        let (submission, bad) = application::submission(id, first, namespace, of_gang, self.settings.users);
        if let Some(why) = bad {
            self.report(first, Weight::Warning, "Scheduling", "Scheduling", why);
        }
        let owner = first.metadata.owner_references.first().map(|owner| owner.uid.clone());
        let is_placeholder = gang::is_placeholder(&first.metadata);
        let app = App {
            first: Arc::clone(first),
            groups,
            phase: if is_gang { Phase::Reserving } else { Phase::Running },
            originator: if is_placeholder { owner } else { Some(first.metadata.uid.clone()) },
            members: BTreeSet::new(),
            refused: None,
            over: None,
            creating: BTreeMap::new(),
            made: 0,
        };
        self.apps.insert(id.clone(), app);
        let created = Some(self.created(first));
        sink.apply(PartitionCommand::Submit(Submission { created, ..submission }));
    }

    /// A real pod has a node, which ends the gang phase (K8S-223).
    fn has_started(&self, id: &AppId) -> bool {
        let is_member = |pod: &Pod| application::id(&pod.metadata, self.settings.unique_ids) == id.as_str();
        let pods = self.cluster.pods.values().filter(|pod| self.is_own(pod) && !pod.is_terminated());
        pods.filter(|pod| pod.node().is_some() && !gang::is_placeholder(&pod.metadata)).any(|pod| is_member(pod))
    }

    /// Returns true if the pod must wait for the placeholders of its gang.
    pub(super) fn add_to_gang(&mut self, id: &AppId, pod: &Arc<Pod>, sink: &mut dyn Sink) -> bool {
        let uid = AskId::from(pod.metadata.uid.as_str());
        self.join(id, &uid, pod, sink);
        let waits = self.apps.get(id).is_some_and(|app| app.phase != Phase::Running && app.refused.is_none());
        waits && !gang::is_placeholder(&pod.metadata)
    }

    fn tasks_of(&self, id: &AppId) -> Vec<(AskId, &Task)> {
        let members = self.apps.get(id).map(|app| &app.members);
        members.into_iter().flatten().filter_map(|uid| Some((uid.clone(), self.tasks.get(uid)?))).collect()
    }

    pub(super) fn check_gang(&mut self, id: &AppId, sink: &mut dyn Sink) {
        let Some(app) = self.apps.get(id).filter(|app| app.phase != Phase::Running) else { return };
        let (phase, groups) = (app.phase, app.groups.clone());
        let tasks = self.tasks_of(id);
        let is_bound = |task: &Task| matches!(task.stage, Stage::Bound(_));
        let started = tasks.iter().any(|(_, task)| is_bound(task) && !task.is_placeholder());
        let allocated = |group: &TaskGroup| {
            let of_group = tasks.iter().filter(|(_, task)| {
                task.is_placeholder() && is_bound(task) && gang::group_of(&task.pod.metadata) == group.name
            });
            of_group.count() as u64
        };
        let whole = phase == Phase::Reserving && groups.iter().all(|group| allocated(group) >= members(group));
        let given_up = phase == Phase::Resuming && !tasks.iter().any(|(_, task)| task.is_placeholder());
        if !(started || whole || given_up) {
            return self.create_missing(id);
        }
        let first = Arc::clone(&app.first);
        if whole {
            let message = "all placeholders of the gang are allocated: its pods replace them".to_owned();
            self.report(&first, Weight::Normal, GANG, "GangReservationComplete", message);
        }
        self.release_held(id, sink);
    }

    fn release_held(&mut self, id: &AppId, sink: &mut dyn Sink) {
        if let Some(app) = self.apps.get_mut(id) {
            app.phase = Phase::Running;
        }
        let blocked: Vec<AskId> = self
            .tasks_of(id)
            .into_iter()
            .filter(|(_, task)| task.stage == Stage::Blocked)
            .map(|(uid, _)| uid)
            .collect();
        for uid in blocked {
            self.set(&uid, Stage::Left(String::new()));
            self.enter(&uid, sink);
        }
    }

    /// Creates the placeholders that a gang lacks (K8S-220, K8S-223).
    pub(super) fn create_missing(&mut self, id: &AppId) {
        if !self.started {
            return;
        }
        // A failed or completed application gets no new placeholders for deleted ones.
        let wants = |app: &&App| app.phase == Phase::Reserving && app.refused.is_none() && app.over.is_none();
        let Some(app) = self.apps.get(id).filter(wants) else { return };
        let (first, groups, raw) = (Arc::clone(&app.first), app.groups.clone(), raw_groups(&app.first));
        let mut there: BTreeMap<String, u64> = BTreeMap::new();
        let placed = self.tasks_of(id);
        let names = placed.iter().filter(|(_, task)| task.is_placeholder());
        for group in
            names.map(|(_, task)| gang::group_of(&task.pod.metadata)).chain(app.creating.values().map(String::as_str))
        {
            *there.entry(group.to_owned()).or_default() += 1;
        }
        let mut deeds = Vec::new();
        let Some(app) = self.apps.get_mut(id) else { return };
        for (at, group) in groups.iter().enumerate() {
            for _ in there.get(&group.name).copied().unwrap_or(0)..members(group) {
                app.made += 1;
                let suffix = suffix(&first.metadata.uid, app.made);
                let pod = gang::placeholder(id.as_str(), &first, group, &suffix);
                app.creating.insert(pod.metadata.name.clone(), group.name.clone());
                let owner = PodName::of(&first.metadata);
                let group = raw.get(at).cloned().unwrap_or_default();
                let pull_secrets = first.spec.image_pull_secrets.iter().map(|secret| secret.name.clone()).collect();
                let app = id.to_string();
                deeds.push(Deed::Create(Box::new(Placeholder { pod, owner, app, group, pull_secrets })));
            }
        }
        if !deeds.is_empty() {
            let message = format!("{} placeholders are created for the gang", deeds.len());
            self.report(&first, Weight::Normal, GANG, "CreatingPlaceholders", message);
        }
        self.deeds.extend(deeds);
    }

    /// The application runs without a gang (K8S-220).
    pub(super) fn not_created(&mut self, id: &str, why: &Failure, sink: &mut dyn Sink) {
        let id = AppId::from(id);
        let Some(app) = self.apps.get_mut(&id).filter(|app| app.phase == Phase::Reserving) else { return };
        app.creating.clear();
        let first = Arc::clone(&app.first);
        let message = format!("cannot create a placeholder of the gang, so the gang runs without placeholders: {why}");
        self.report(&first, Weight::Warning, GANG, "PlaceholderCreateFailed", message);
        self.delete_placeholders(&id);
        self.release_held(&id, sink);
    }

    fn delete_placeholders(&mut self, id: &AppId) {
        let there: Vec<AskId> =
            self.tasks_of(id).into_iter().filter(|(_, task)| task.is_placeholder()).map(|(uid, _)| uid).collect();
        there.iter().for_each(|uid| self.delete(uid));
    }

    pub(super) fn member_gone(&mut self, id: &AppId, uid: &AskId, sink: &mut dyn Sink) {
        let Some(app) = self.apps.get_mut(id) else { return };
        app.members.remove(uid);
        if app.members.is_empty() && (app.over.is_some() || app.refused.is_some()) {
            self.apps.remove(id);
            return;
        }
        self.check_gang(id, sink);
    }

    /// Its pods stay, and are retried after changes of queues or quotas (K8S-203).
    pub(super) fn app_refused(&mut self, id: &AppId, why: &str, sink: &mut dyn Sink) {
        let Some(app) = self.apps.get_mut(id) else { return };
        app.refused = Some(why.to_owned());
        let members = app.members.clone();
        members.iter().for_each(|uid| self.refuse(uid, why, sink));
    }

    pub(super) fn try_refused_again(&mut self, sink: &mut dyn Sink) {
        self.apps.retain(|_, app| app.refused.is_none());
        let is_refused = |task: &Task| match &task.stage {
            Stage::Refused(_) => true,
            // Only if its application is gone: it could not become an allocation.
            Stage::Leftover(_) => !self.apps.contains_key(&task.app),
            _ => false,
        };
        let refused: Vec<AskId> =
            self.tasks.iter().filter(|(_, task)| is_refused(task)).map(|(uid, _)| uid.clone()).collect();
        for uid in refused {
            if let Some(Task { stage: Stage::Leftover(node), .. }) = self.tasks.get(&uid) {
                let node = node.clone();
                self.vacate(&node, uid.as_str(), sink);
            }
            self.set(&uid, Stage::Left(String::new()));
            self.enter(&uid, sink);
        }
    }

    pub(super) fn app_state(&mut self, id: &AppId, state: AppState, message: &str, sink: &mut dyn Sink) {
        let Some(app) = self.apps.get_mut(id) else { return };
        match state {
            AppState::Resuming => {
                app.phase = Phase::Resuming;
                app.creating.clear();
                let first = Arc::clone(&app.first);
                let message = "the gang timed out: its pods are scheduled one by one".to_owned();
                self.report(&first, Weight::Warning, GANG, "PlaceholderTimeOut", message);
                self.delete_placeholders(id);
                self.check_gang(id, sink);
            }
            AppState::Failing | AppState::Failed => {
                app.over = Some(state);
                self.app_failed(id, message, sink);
            }
            AppState::Completed | AppState::Expired => {
                app.over = Some(state);
                self.delete_placeholders(id);
                if self.apps.get(id).is_some_and(|app| app.members.is_empty()) {
                    self.apps.remove(id);
                }
            }
            _ => {}
        }
    }

    /// Deletes placeholders, and fails pods that wait for an incomplete gang (K8S-203).
    fn app_failed(&mut self, id: &AppId, message: &str, sink: &mut dyn Sink) {
        self.delete_placeholders(id);
        let waiting: Vec<(AskId, Arc<Pod>)> = self
            .tasks_of(id)
            .into_iter()
            .filter(|(_, task)| task.stage.node().is_none() && !task.is_placeholder())
            .map(|(uid, task)| (uid, Arc::clone(&task.pod)))
            .collect();
        let words = format!("its application failed: {message}");
        for (uid, pod) in waiting {
            self.cancel(&uid, sink);
            let known = self.tasks.get(&uid).is_some_and(|task| task.stage == Stage::Refused(words.clone()));
            self.set(&uid, Stage::Refused(words.clone()));
            if !known {
                self.report(&pod, Weight::Warning, "ApplicationFailed", "ApplicationFailed", words.clone());
                if message.contains(NOT_TOGETHER) {
                    let pod = PodName::of(&pod.metadata);
                    self.do_later(Deed::Fail { pod, reason: NOT_TOGETHER, message: words.clone() });
                }
            }
        }
    }
}

fn raw_groups(first: &Pod) -> Vec<serde_json::Value> {
    let text = first.metadata.annotation(&crate::names::own(crate::names::TASK_GROUPS));
    serde_json::from_str(text).unwrap_or_default()
}

/// Stable for a placeholder, so that it is not created twice.
fn suffix(uid: &str, number: u64) -> String {
    use sha2::{Digest as _, Sha256};
    const SYMBOLS: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";
    let digest = Sha256::digest(format!("{uid}/{number}").as_bytes());
    digest.iter().take(10).map(|byte| char::from(SYMBOLS[usize::from(*byte) % SYMBOLS.len()])).collect()
}
