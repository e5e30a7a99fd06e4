//! Reports the results of operations by their purpose.

use crate::state::layer::{Confirm, Layer, Question};
use crate::state::orders::{Purpose, QuestionOrigin, Ticket};
use crate::state::{Grade, State};
use crate::update::orders::{ask_move, result_text};
use crate::update::{aftermath, attempt, bulk, change, config, make_real, move_watch, revisions, workload};
use view::act::{Act, Code, Done, Order, Refusal};

/// Reports the result of an order.
pub fn answer(state: &mut State, number: u64, outcome: Result<Done, Refusal>) {
    let Some(ticket) = state.orders.answered(number) else { return };
    if matches!(ticket.act, Act::Configure { dry_run: false, .. }) {
        config::ordered(state, number, outcome.is_ok());
        let applied = outcome.is_ok();
        report_result(state, &ticket, outcome);
        change::ordered(state, number, applied);
        return;
    }
    report_result(state, &ticket, outcome);
}

fn report_result(state: &mut State, ticket: &Ticket, outcome: Result<Done, Refusal>) {
    let act = &ticket.act;
    match (ticket.purpose, outcome) {
        (Purpose::Report, Ok(done)) => {
            state.orders.keep_moved(&done, ticket.number);
            state.report(Grade::Info, result_text(&done));
            aftermath::expect(state, vec![act.clone()], ticket.since);
        }
        (Purpose::Batch(number), outcome) => bulk::answered(state, ticket, number, &outcome),
        (Purpose::Watch, outcome) => return move_watch::watched(state, act, &outcome),
        (Purpose::Ask(asked), Ok(would)) => question(state, act, asked, would),
        (Purpose::Report | Purpose::Ask(_), Err(refusal)) => {
            if matches!(ticket.purpose, Purpose::Ask(_)) {
                attempt::note(state, act.clone(), &refusal);
                state.orders.real.examined = None;
            }
            let failed = matches!(refusal.code, Code::Unavailable | Code::NotDurable);
            state.report(if failed { Grade::Error } else { Grade::Refusal }, refusal.to_string());
            if let Some(text) = refusal.details.put_back.clone() {
                offer_back(state, &refusal, text);
            }
        }
    }
    state.redraw();
}

/// Another text was rejected. The question opens by itself, so it accepts no answer for a moment.
fn offer_back(state: &mut State, refusal: &Refusal, text: String) {
    if !state.layers.is_empty() {
        return;
    }
    let lines = vec![
        format!("{}.", refusal.message),
        format!("{}.", refusal.description),
        "The active text can be restored in the ConfigMap; it replaces the one that is not active.".to_owned(),
    ];
    let base = Some(::config::checksum(text.as_bytes()));
    let order = Order::new(Act::Configure { text, base, dry_run: false }, "restored: it did not become active");
    let mut question = Confirm::new(
        "Restore the previous configuration?".to_owned(),
        lines,
        "Restore",
        Question::Order(Box::new(order)),
    );
    question.from = state.now + Confirm::MOMENT;
    state.ask(question);
}

/// Opens it unless the user does something else now: it would receive other keys.
fn question(state: &mut State, act: &Act, asked: QuestionOrigin, would: Done) {
    let elsewhere = asked.turn != state.turn && state.orders.real.examined.is_none();
    if !state.layers.is_empty() && make_real::put_back(state) {
        return;
    }
    if elsewhere || !state.layers.is_empty() {
        let message = format!("{act} was not confirmed because you left the page; repeat the command");
        return state.report(Grade::Info, message);
    }
    match would {
        Done::Moved(would) => ask_move(state, act.clone(), would),
        Done::Cleaned(would) => workload::ask_clean(state, act.clone(), &would),
        Done::Configured(would) if matches!(act, Act::Configure { .. }) => make_real::ask_configure(state, act, &would),
        Done::Configured(would) => revisions::ask(state, act, &would),
        _ => {}
    }
    make_real::shown(state);
    let late = state.now > asked.at;
    if let Some(Layer::Confirm(confirm)) = state.layers.last_mut().filter(|_| late) {
        confirm.from = state.now + Confirm::MOMENT;
    }
}
