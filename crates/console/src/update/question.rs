//! Questions: opening one, answering it, and writing the reason of its order.
//!
//! Invariants:
//! - every question opens on the answer that changes nothing;
//! - a letter never moves between the answers, and one that means nothing keeps a question from being answered for a moment: it was
//!   written for something else;
//! - what was typed for one question does not answer the next: after one that requested a name, the next takes no answer for a moment.

use crate::state::effect::{Effect, WhatIfStep};
use crate::state::layer::{Confirm, Layer, Question};
use crate::state::line_edit::LineEdit;
use crate::state::page::Page;
use crate::state::{Grade, State};
use crate::update::{bulk, change, config, job, navigate, orders, own_command, owners};
use source::SuspendOrder;
use view::act::Order;

/// Lets the question on top be answered: by the answer that is chosen, or by the name that was typed.
pub fn accept(state: &mut State) {
    let Some(Layer::Confirm(question)) = state.layers.last() else { return };
    match &question.typed {
        Some(typed) if typed.line.text() != typed.want => {
            let message = format!("type {} to confirm, or press esc to cancel", typed.want);
            state.say(Grade::Refusal, message);
        }
        None if !question.accepting => {
            state.layers.pop();
        }
        _ => yes(state),
    }
}

/// Does what was asked about.
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

/// A question no longer exists: what was typed for it may still be on its way.
pub fn closed(state: &mut State, question: &Confirm) {
    if question.typed.is_some() {
        state.typed_until = state.now + Confirm::MOMENT;
    }
}

/// Chooses the other answer.
pub fn other_answer(state: &mut State) {
    if let Some(Layer::Confirm(question)) = state.layers.last_mut() {
        question.accepting = !question.accepting;
    }
}

/// A letter that means nothing in a question of two answers.
pub fn stray(state: &mut State) {
    let now = state.now;
    if let Some(Layer::Confirm(question)) = state.layers.last_mut() {
        question.accepting = false;
        question.from = now + Confirm::MOMENT;
        state.say(Grade::Refusal, "press y for yes, n or esc for no, tab to choose");
        state.redraw();
    }
}

/// Starts to write the reason.
pub fn write_reason(state: &mut State) {
    if let Some(Layer::Confirm(Confirm { reason: Some(reason), .. })) = state.layers.last() {
        let line = LineEdit::new(reason.clone());
        state.layers.push(Layer::Reason { line });
    }
}

/// Takes the reason that was written.
pub fn take_reason(state: &mut State) {
    let Some(Layer::Reason { line }) = state.layers.pop() else { return };
    if let Some(Layer::Confirm(question)) = state.layers.last_mut() {
        question.reason = Some(line.text().trim().to_owned());
    }
}
