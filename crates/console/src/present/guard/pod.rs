//! Conditions and targets of pod commands.

use std::sync::Arc;

use crate::present::subject;
use crate::state::State;
use crate::state::page::{Page, Subject};
use crate::state::pod::PodPart;
use model::AppId;
use view::kubernetes::{Kubernetes, ListState, ObjectKind, PodRow};

/// The pod of the page, of the selected request or allocation, or of an application the one in trouble, otherwise the
/// oldest.
pub fn target(state: &State) -> Option<Arc<PodRow>> {
    let all = state.cluster.view.kubernetes.as_ref()?;
    match state.page() {
        Page::Pod(page) => Some(Arc::clone(&page.row)),
        Page::App(page) => match subject::ask(page) {
            Some(ask) => all.pod_of(&ask.id).cloned(),
            None => of_app(all, &page.id),
        },
        Page::Node(page) => all.pod(subject::allocation(page)?.ask.as_str()).cloned(),
        _ => match subject::of(state)? {
            Subject::App(row) | Subject::Why(row) => of_app(all, &row.id),
            _ => None,
        },
    }
}

fn of_app(all: &Kubernetes, app: &AppId) -> Option<Arc<PodRow>> {
    all.pods_of(app).min_by_key(|pod| (pod.problem(true).is_none(), pod.created, Arc::clone(&pod.name))).cloned()
}

/// Whether a part of the pod can be shown.
///
/// # Errors
/// Why not.
pub fn can_show(state: &State, part: PodPart) -> Result<(), String> {
    let Some(all) = &state.cluster.view.kubernetes else {
        return Err("no pods here: attach to a scheduler in Kubernetes with k8s://CONTEXT".to_owned());
    };
    if target(state).is_none() {
        return Err(match all.lists.get(ObjectKind::Pods) {
            ListState::Refused(why) => why.to_string(),
            ListState::Awaited => format!("waiting for {}", ObjectKind::Pods.words()),
            ListState::Live | ListState::Stale(..) => "no pod selected".to_owned(),
        });
    }
    let past = state.cluster.past.shown.is_some() || state.cluster.trial.is_some();
    match part {
        PodPart::Log | PodPart::Text if past => {
            Err("logs and YAML are only of the present; :live returns there".to_owned())
        }
        _ => Ok(()),
    }
}

/// Whether a log is shown.
pub fn on_log(state: &State) -> Result<(), String> {
    match state.page() {
        Page::Pod(page) if page.part == PodPart::Log => Ok(()),
        _ => Err("only in the log of a pod; l shows it".to_owned()),
    }
}

/// Whether other containers exist.
pub fn several_containers(state: &State) -> Result<(), String> {
    on_log(state)?;
    match state.page() {
        Page::Pod(page) if page.row.containers.len() > 1 => Ok(()),
        _ => Err("the pod has one container".to_owned()),
    }
}

/// Whether a search is active.
pub fn searches(state: &State) -> Result<(), String> {
    match state.page() {
        Page::Pod(page) if !page.find.is_empty() => Ok(()),
        _ => Err("no search; / starts one".to_owned()),
    }
}

/// The pods of the same application by name.
pub fn siblings(state: &State, row: &PodRow) -> Vec<Arc<PodRow>> {
    let (Some(all), Some(app)) = (&state.cluster.view.kubernetes, &row.app) else { return Vec::new() };
    let mut pods: Vec<Arc<PodRow>> = all.pods_of(&AppId::from(&**app)).cloned().collect();
    pods.sort_by(|a, b| (&a.namespace, &a.name).cmp(&(&b.namespace, &b.name)));
    pods
}

/// Whether other pods exist.
pub fn several_pods(state: &State) -> Result<(), String> {
    match state.page() {
        Page::Pod(page) if siblings(state, &page.row).len() > 1 => Ok(()),
        Page::Pod(_) => Err("its application has no other pod".to_owned()),
        _ => Err("only on the page of a pod".to_owned()),
    }
}
