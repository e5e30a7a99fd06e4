//! The owners of an application's pods.

use std::sync::Arc;

use crate::present::format;
use crate::present::guard::orders::{part, target};
use crate::state::effect::{Effect, OwnersWork};
use crate::state::layer::{Confirm, Layer, Question};
use crate::state::orders::{FoundOwners, QuestionOrigin};
use crate::state::{Grade, State};
use crate::update::{orders, pods};
use model::AppId;
use source::SuspendOrder;
use view::act::{Act, Code, PartitionAct, Refusal};
use view::kubernetes::{Chain, OwnerDone, OwnerObject};

const NAMED: usize = 6;

/// Updates an open question when the pods are loaded.
pub fn follow(state: &mut State) {
    let asked = match state.layers.last() {
        Some(Layer::Confirm(Confirm { what: Question::Order(order), .. })) => match &order.act {
            Act::In { act: PartitionAct::Kill { app, .. }, .. } => app.clone(),
            _ => return,
        },
        _ => return,
    };
    if state.cluster.newest.kubernetes.is_some() && state.orders.owners_asked.as_ref() != Some(&asked) {
        pods::ask_for(state, &asked);
    }
}

/// Takes owners for the kill question, or to suspend them.
pub fn found(state: &mut State, app: AppId, chains: Result<Vec<Chain>, String>) {
    let wanted = state.orders.suspending.take_if(|(of, _)| *of == app);
    state.orders.owners = Some(FoundOwners { app: app.clone(), chains: chains.clone() });
    if let Some((_, origin)) = wanted {
        match chains {
            Ok(chains) => ask(state, &app, origin, &chains),
            Err(why) => state.report(Grade::Refusal, format!("{app}: {why}")),
        }
    } else {
        refresh_question(state, &app);
    }
    state.redraw();
}

fn refresh_question(state: &mut State, app: &AppId) {
    let Some(Layer::Confirm(Confirm { what: Question::Order(order), .. })) = state.layers.last() else { return };
    let Act::In { act: PartitionAct::Kill { app: asked, .. }, .. } = &order.act else { return };
    if asked != app {
        return;
    }
    let Some(row) = part(state).and_then(|part| part.app_by_id(app)).cloned() else { return };
    let lines = orders::kill_lines(state, &row);
    if let Some(Layer::Confirm(question)) = state.layers.last_mut() {
        question.lines = lines;
    }
}

/// Asks once the owners are known.
pub fn suspend(state: &mut State) {
    let Some(app) = target(state) else { return };
    state.orders.suspending = Some((app.id.clone(), QuestionOrigin { turn: state.turn, at: state.now }));
    pods::look_up(state, &app.id);
    if state.orders.owners_asked.is_none() {
        state.orders.suspending = None;
        let why = pods::known(state).err().unwrap_or_else(|| "loading".to_owned());
        state.report(Grade::Refusal, format!("the pods of {} are unknown: {why}", app.id));
    }
}

fn ask(state: &mut State, app: &AppId, origin: QuestionOrigin, chains: &[Chain]) {
    if origin.turn != state.turn || !state.layers.is_empty() {
        let message = format!("the owners of {app} were loaded after you left the page; repeat :suspend-owners");
        return state.report(Grade::Info, message);
    }
    let Some((partition, row)) =
        part(state).and_then(|part| Some((Arc::clone(&part.name), part.app_by_id(app).cloned()?)))
    else {
        return state.report(Grade::Refusal, format!("{app} no longer exists"));
    };
    let mut owners: Vec<OwnerObject> = chains.iter().flat_map(Chain::suspendable).cloned().collect();
    owners.sort();
    owners.dedup();
    if owners.is_empty() {
        let all: Vec<String> = chains.iter().take(NAMED).map(Chain::after_deletion).collect();
        return state.report(Grade::Refusal, format!("{app}: no owner can be suspended. {}", all.join(" ")));
    }
    owners.retain(|owner| owner.suspended != Some(true));
    if owners.is_empty() {
        return state.report(Grade::Refusal, format!("{app}: its owners are already suspended"));
    }
    let pods: usize = chains.iter().map(|chain| chain.pods).sum();
    let mut lines = named(&owners, "spec.suspend becomes true");
    lines.push(format!(
        "Their controllers delete {} and create no new pods; running work is lost.",
        format::count(pods as u64, "pod")
    ));
    lines.extend(chains.iter().filter(|chain| chain.others > 0).take(1).map(|chain| {
        format!("{} also has {} of other applications.", chain.words(), format::count(chain.others as u64, "pod"))
    }));
    lines.push(":unsuspend resumes them; they restart.".to_owned());
    lines.extend(super::orders::waived(state));
    let order = SuspendOrder {
        partition,
        app: app.clone(),
        queue: row.queue.clone(),
        owners,
        suspended: true,
        reason: String::new(),
    };
    let mut question =
        Confirm::new(format!("Suspend the owners of {app}?"), lines, "Suspend", Question::Suspend(Box::new(order)));
    if state.now > origin.at {
        question.from = state.now + Confirm::MOMENT;
    }
    state.ask(question);
}

fn named(owners: &[OwnerObject], what: &str) -> Vec<String> {
    let mut lines: Vec<String> = owners.iter().take(NAMED).map(|owner| format!("{}: {what}.", owner.words())).collect();
    if owners.len() > NAMED {
        lines.push(format!("And {} more.", owners.len() - NAMED));
    }
    lines
}

/// Asks whether to resume the last suspended owners.
pub fn unsuspend(state: &mut State) {
    let Some(last) = state.orders.suspended.clone() else { return };
    let mut lines = named(&last.owners, "spec.suspend becomes false");
    lines.push("Their pods are recreated and restart.".to_owned());
    let title = format!("Resume the owners of {}?", last.app);
    let order = SuspendOrder { suspended: false, reason: String::new(), ..last };
    state.ask(Confirm::new(title, lines, "Run again", Question::Suspend(Box::new(order))));
}

/// Suspends or resumes owners.
pub fn yes(state: &mut State, order: SuspendOrder) {
    state.emit(Effect::Owners(OwnersWork::Suspend(Box::new(order))));
}

/// Takes the results for the owners.
pub fn done(state: &mut State, order: SuspendOrder, outcome: Result<Vec<OwnerDone>, Refusal>) {
    let (verb, app) = (if order.suspended { "suspended" } else { "running again" }, &order.app);
    match outcome {
        Err(refusal) => {
            let failed = refusal.code == Code::Unavailable;
            state.report(if failed { Grade::Error } else { Grade::Refusal }, refusal.to_string());
        }
        Ok(done) => {
            let (good, bad): (Vec<OwnerDone>, Vec<OwnerDone>) = done.into_iter().partition(|one| one.why_not.is_none());
            let names: Vec<String> = good.iter().map(|one| one.owner.words()).collect();
            let undo = if order.suspended { "; :unsuspend undoes it" } else { "" };
            let mut message = format!("{app}: {verb}: {}{undo}", names.join(", "));
            for one in &bad {
                message +=
                    &format!("; {} is unchanged: {}", one.owner.words(), one.why_not.as_deref().unwrap_or_default());
            }
            state.report(if bad.is_empty() { Grade::Info } else { Grade::Warning }, message);
            let owners = good.into_iter().map(|one| one.owner).collect();
            state.orders.suspended = order.suspended.then_some(SuspendOrder { owners, ..order });
        }
    }
    state.redraw();
}
