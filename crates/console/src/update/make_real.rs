//! Applies the changes of a what-if to the cluster, each with its usual question.
//!
//! A question opens after the previous operation has a result, so that it shows the effect on the current cluster.
//! Unconfirmed changes are skipped.

use std::collections::VecDeque;

use crate::present::format;
use crate::present::guard::orders::part;
use crate::state::layer::{Confirm, Layer, Question};
use crate::state::orders::{Purpose, QuestionOrigin, RealChanges};
use crate::state::{Grade, State};
use crate::update::{config, orders, revisions, workload};
use source::TrialChange;
use view::act::{Act, Configured, Order, PartitionAct};

const NAMED: usize = 8;

/// Starts with the first change.
pub fn make(state: &mut State, changes: Vec<TrialChange>) {
    state.orders.real = RealChanges { of: changes.len(), left: VecDeque::from(changes), examined: None };
    next(state);
    state.redraw();
}

/// Asks about the next change if no question or operation is open.
pub fn next(state: &mut State) {
    let busy = !state.layers.is_empty() || !state.orders.open.is_empty() || state.cluster.trial.is_some();
    if busy || state.orders.real.left.is_empty() {
        return;
    }
    let Some(change) = state.orders.real.left.pop_front() else { return };
    state.orders.real.examined = Some(change.clone());
    match change.orders.as_slice() {
        [order] => ask(state, &change.words, order),
        orders => ask_all(state, &change.words, orders),
    }
    // The scheduler's answer opens the question.
    if !state.layers.is_empty() || state.orders.open.is_empty() {
        shown(state);
    }
    state.redraw();
}

pub(super) fn shown(state: &mut State) {
    if state.orders.real.examined.take().is_none() {
        return;
    }
    let RealChanges { left, of, .. } = &state.orders.real;
    let (number, of) = (of.saturating_sub(left.len()), *of);
    let late = state.now + Confirm::MOMENT;
    if let Some(Layer::Confirm(question)) = state.layers.last_mut()
        && of > 1
    {
        question.title = format!("{number} of {of}: {}", question.title);
        if number > 1 {
            question.from = late;
        }
    }
}

pub(super) fn put_back(state: &mut State) -> bool {
    let change = state.orders.real.examined.take();
    let is_one = change.is_some();
    if let Some(change) = change {
        state.orders.real.left.push_front(change);
    }
    is_one
}

fn ask(state: &mut State, words: &str, order: &Order) {
    let left_out = |state: &mut State, why: &str| state.report(Grade::Refusal, format!("{words} is skipped: {why}"));
    match &order.act {
        Act::In { act: PartitionAct::Kill { app, .. }, .. } => {
            let live = part(state).and_then(|part| part.app_by_id(app)).filter(|row| !row.state.is_ended()).cloned();
            match live {
                Some(row) => orders::ask_kill(state, &row, order.clone()),
                None => left_out(state, "application not found"),
            }
        }
        Act::In { act: PartitionAct::DrainNode(id) | PartitionAct::ResumeNode(id), .. } => {
            let drain = matches!(&order.act, Act::In { act: PartitionAct::DrainNode(_), .. });
            match part(state).and_then(|part| part.nodes.get(id)).cloned() {
                Some(node) => workload::ask_drain(state, &node, drain, order.clone()),
                None => left_out(state, "node not found"),
            }
        }
        Act::In { act: PartitionAct::Move { .. } | PartitionAct::Clean { .. }, .. } | Act::Configure { .. } => {
            let asked = QuestionOrigin { turn: state.turn, at: state.now };
            let order = Order { act: only_tried(order.act.clone()), ..order.clone() };
            orders::send(state, order, Purpose::Ask(asked));
        }
        Act::In { act: PartitionAct::Submit(submission), .. } => {
            let placed = part(state).map(|part| workload::placed(part, submission));
            let lines = placed.map(|placed| placed.unwrap_or_else(|why| vec![why])).unwrap_or_default();
            orders::ask(state, format!("Submit {}?", submission.app), lines, "Submit", order.clone());
        }
        act => {
            let lines = meaning(state, act);
            orders::ask(state, format!("{}?", capital(words)), lines, "Do it", order.clone());
        }
    }
}

fn only_tried(mut act: Act) -> Act {
    match &mut act {
        Act::Configure { dry_run, .. }
        | Act::In { act: PartitionAct::Move { dry_run, .. } | PartitionAct::Clean { dry_run, .. }, .. } => {
            *dry_run = true
        }
        _ => {}
    }
    act
}

fn meaning(state: &State, act: &Act) -> Vec<String> {
    let Act::In { act, .. } = act else { return Vec::new() };
    match act {
        PartitionAct::AddNode(spec) => vec![format!("It has {}.", format::resource(&spec.capacity))],
        PartitionAct::UpdateNode { capacity: Some(capacity), .. } => {
            vec![format!("It then has {}.", format::resource(capacity))]
        }
        PartitionAct::RemoveNode { id, .. } => {
            let node = part(state).and_then(|part| part.nodes.get(id));
            let allocations = node.map_or(0, |node| node.allocations.len() as u64);
            vec![format!("{} on it are released.", format::count(allocations, "allocation"))]
        }
        PartitionAct::Ask { asks, .. } => {
            let each = asks.iter().take(NAMED).map(|ask| format!("{}: {}", ask.id, format::resource(&ask.resource)));
            each.collect()
        }
        _ => Vec::new(),
    }
}

fn ask_all(state: &mut State, words: &str, orders: &[Order]) {
    if orders.is_empty() {
        return;
    }
    let mut lines = vec![format!("{}:", format::count(orders.len() as u64, "order"))];
    lines.extend(orders.iter().take(NAMED).map(|order| order.act.to_string()));
    if orders.len() > NAMED {
        lines.push(format!("and {} more", orders.len() - NAMED));
    }
    let what = Question::Orders(orders.to_vec());
    state.ask(Confirm::new(format!("{}?", capital(words)), lines, "Do it", what));
}

pub(super) fn ask_configure(state: &mut State, act: &Act, would: &Configured) {
    let Act::Configure { text, base, .. } = act else { return };
    if would.checksum == would.previous {
        return state.report(Grade::Info, "the configuration of the what-if is already active");
    }
    let mut lines = revisions::against_running(state, would);
    lines.push("It is applied immediately.".to_owned());
    let want = would.removal.is_large().then(|| would.removal.queues.to_string());
    if want.is_some() {
        lines.push(format!("In all {}.", would.removal));
    }
    let act = Act::Configure { text: text.clone(), base: base.clone(), dry_run: false };
    let order = config::order(act, "", &would.removal);
    let what = Question::Order(Box::new(order));
    state.ask(Confirm::new("Apply the configuration of the what-if?".to_owned(), lines, "Apply", what).typing(want));
}

fn capital(words: &str) -> String {
    let mut rest = words.chars();
    rest.next().map_or_else(String::new, |first| first.to_uppercase().chain(rest).collect())
}
