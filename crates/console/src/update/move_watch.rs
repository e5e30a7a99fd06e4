//! The expected result of a move while its target is typed.

use std::sync::Arc;

use crate::input::command;
use crate::input::command::{CommandId, OrderCommand};
use crate::present::guard::bulk::{PLAIN, marked};
use crate::present::guard::orders::within;
use crate::state::State;
use crate::state::layer::{CommandLine, Layer, Off};
use crate::state::orders::{MoveSummary, Purpose, Watched};
use crate::update::orders::{move_act, move_refused, send};
use model::QueuePath;
use view::AppRow;
use view::act::{Act, Done, PartitionAct, Refusal};

/// Tests a move if its target is an allowed queue.
pub fn watch_move(state: &mut State) {
    if state.cluster.has_jobs {
        return;
    }
    let Some(Layer::Command(line)) = state.layers.last() else { return };
    let Some(to) = written_target(line) else { return };
    let fits = |candidate: &&crate::state::layer::Candidate| candidate.word == to && candidate.off.is_none();
    if !line.candidates.iter().any(|candidate| fits(&candidate)) {
        return;
    }
    let to = to.to_owned();
    let marked = marked(state);
    if !marked.is_empty() {
        return watch(state, &marked, &to);
    }
    state.orders.watched = None;
    if let Some(act) = move_act(state, &to, true) {
        send(state, act.into(), Purpose::Watch);
    }
}

fn written_target(line: &CommandLine) -> Option<&str> {
    let (name, to) = line.line.text().split_once(' ')?;
    let to = to.trim();
    (command::by_name(name)?.id == CommandId::Order(OrderCommand::Move) && !to.is_empty()).then_some(to)
}

pub(super) fn watched(state: &mut State, act: &Act, outcome: &Result<Done, Refusal>) {
    let Act::In { act: PartitionAct::Move { app, to, .. }, .. } = act else { return };
    // It may belong to the previous command line.
    if state.orders.watched.is_none() && state.command_target.as_ref().map(|aim| &aim.id) != Some(app) {
        return;
    }
    let Some(Layer::Command(line)) = state.layers.last_mut() else { return };
    if written_target(line) != Some(to.as_str()) {
        return;
    }
    let Some(candidate) = line.candidates.iter_mut().find(|candidate| candidate.word == to.as_str()) else {
        return;
    };
    if let Some(watched) = state.orders.watched.as_mut().filter(|watched| watched.to == *to) {
        watched.take(act.object(), outcome.as_ref().err().map(Refusal::reason));
        match watched.summary() {
            Some(message) if message.all => candidate.off = Some(Off::Refused(message.words)),
            Some(message) => candidate.doc = message.words,
            None => {}
        }
        return state.redraw();
    }
    match outcome {
        Ok(Done::Moved(would)) => candidate.doc = format!("would fit: {}", would.effects.join("; ")),
        Ok(_) => {}
        Err(refusal) => candidate.off = Some(Off::Refused(refusal.reason())),
    }
    state.redraw();
}

/// The limit of (application, queue) checks, because a key press waits for them.
const MOST_EXAMINED: usize = 5_000;

/// The number of offered queues to check.
pub fn judged(apps: usize) -> usize {
    (MOST_EXAMINED / apps.max(1)).max(1)
}

/// Why the view rejects a move.
pub fn rejected_by_target(state: &State, apps: &[Arc<AppRow>], to: &str) -> Option<MoveSummary> {
    let mut watched = Watched { to: QueuePath::new(to), of: apps.len(), fit: 0, refused: Vec::new() };
    for app in apps {
        watched.take(app.id.as_str(), move_refused(state, app, to));
    }
    watched.summary().filter(|_| !watched.refused.is_empty())
}

fn watch(state: &mut State, apps: &[Arc<AppRow>], to: &str) {
    let to = QueuePath::new(to);
    state.orders.watched = Some(Watched { to: to.clone(), of: apps.len(), fit: 0, refused: Vec::new() });
    for app in apps.iter().take(PLAIN) {
        let (app, expect_queue) = (app.id.clone(), Some(app.queue.clone()));
        if let Some(act) = within(state, PartitionAct::Move { app, to: to.clone(), expect_queue, dry_run: true }) {
            send(state, act.into(), Purpose::Watch);
        }
    }
}
