//! Questions and their answers.
//!
//! Invariants:
//! - every question preselects the answer that changes nothing;
//! - a letter never moves between answers, and one without meaning blocks answers for a moment: it was typed for
//!   something else;
//! - text typed for one question does not answer the next, which accepts no answer for a moment.

use crate::state::effect::{Effect, WhatIfStep};
use crate::state::layer::{Confirm, Layer, Question};
use crate::state::line_edit::LineEdit;
use crate::state::page::Page;
use crate::state::{Grade, State};
use crate::update::{bulk, change, config, job, navigate, orders, own_command, owners};
use source::SuspendOrder;
use view::act::Order;

/// Answers with the selected button or the typed name.
pub fn accept(state: &mut State) {
    let Some(Layer::Confirm(question)) = state.layers.last() else { return };
    match &question.typed {
        Some(typed) if typed.line.text() != typed.want => {
            let message = format!("type {} to confirm, or press esc to cancel", typed.want);
            state.report(Grade::Refusal, message);
        }
        None if !question.accepting => {
            state.layers.pop();
        }
        _ => yes(state),
    }
}

/// Carries out the question.
pub fn yes(state: &mut State) {
    let Some(Layer::Confirm(question)) = state.layers.pop() else { return };
    closed(state, &question);
    let reason = question.reason.unwrap_or_default();
    let with_reason = |order: Order| Order { reason: reason.clone(), ..order };
    match question.what {
        Question::Quit => return state.emit(Effect::Quit),
        Question::Apply if matches!(state.page(), Page::Change(_)) => change::apply(state, &reason),
        Question::Apply => config::apply(state, &reason),
        Question::LeaveWhatIf(apply) => return state.emit(Effect::WhatIf(WhatIfStep::Leave(apply))),
        Question::Context(name) => navigate::open_context(state, &name),
        Question::Jobs(orders) => job::yes(state, orders),
        Question::Suspend(order) => owners::yes(state, SuspendOrder { reason, ..*order }),
        Question::Own(run) => own_command::start(state, *run),
        Question::Orders(orders) => bulk::yes(state, orders.into_iter().map(with_reason).collect()),
        Question::Order(order) => orders::yes(state, with_reason(*order)),
    }
    state.redraw();
}

/// Keys typed for it may still arrive.
pub fn closed(state: &mut State, question: &Confirm) {
    if question.typed.is_some() {
        state.typed_until = state.now + Confirm::MOMENT;
    }
}

/// Selects the other button.
pub fn other_answer(state: &mut State) {
    if let Some(Layer::Confirm(question)) = state.layers.last_mut() {
        question.accepting = !question.accepting;
    }
}

/// A letter without meaning in a question.
pub fn stray(state: &mut State) {
    let now = state.now;
    if let Some(Layer::Confirm(question)) = state.layers.last_mut() {
        question.accepting = false;
        question.from = now + Confirm::MOMENT;
        state.report(Grade::Refusal, "press y for yes, n or esc for no, tab to choose");
        state.redraw();
    }
}

/// Starts typing the reason.
pub fn write_reason(state: &mut State) {
    if let Some(Layer::Confirm(Confirm { reason: Some(reason), .. })) = state.layers.last() {
        let line = LineEdit::new(reason.clone());
        state.layers.push(Layer::Reason { line });
    }
}

/// Takes the typed reason.
pub fn take_reason(state: &mut State) {
    let Some(Layer::Reason { line }) = state.layers.pop() else { return };
    if let Some(Layer::Confirm(question)) = state.layers.last_mut() {
        question.reason = Some(line.text().trim().to_owned());
    }
}
