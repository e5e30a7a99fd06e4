//! The what-if: a copy of the cluster, and the way back.

use std::time::Duration;

use crate::present::format;
pub use crate::present::guard::trial::applies;
use crate::state::command::TrialCommand;
use crate::state::effect::{Effect, WhatIfStep};
use crate::state::layer::{Confirm, Layer, Metric, Metrics, Question};
use crate::state::page::{DetailsPage, Page, Subject};
use crate::state::past::span;
use crate::state::{Grade, State};
use crate::update::stack::{pop, push};
use crate::update::{bulk, config, orders};
use view::act::{Act, Order};

const MINUTE: Duration = Duration::from_secs(60);
const NAMED: usize = 8;

/// Runs a what-if command.
pub fn run(state: &mut State, id: TrialCommand, argument: Option<&str>) {
    match id {
        TrialCommand::WhatIf => open(state, Vec::new()),
        TrialCommand::TryThis => try_this(state),
        TrialCommand::Forward => forward(state, argument),
        TrialCommand::Suppose => {
            state.emit(Effect::WhatIf(WhatIfStep::Suppose(argument.unwrap_or_default().trim().to_owned())));
        }
        TrialCommand::OtherSide => turn_over(state),
        TrialCommand::Compare => compare(state),
        TrialCommand::Changes => list(state),
        TrialCommand::TakeBack => take_back(state, argument),
    }
}

fn open(state: &mut State, orders: Vec<Order>) {
    state.report(Grade::Info, "copying the cluster");
    state.emit(Effect::WhatIf(WhatIfStep::Open(orders)));
}

/// Reports a failure to open.
pub fn not_opened(state: &mut State, why: Option<String>) {
    if let Some(why) = why {
        state.report(Grade::Refusal, format!("no what-if: {why}"));
    }
}

fn try_this(state: &mut State) {
    let orders = match state.layers.pop() {
        Some(Layer::Confirm(asked)) => match asked.what {
            Question::Order(order) => vec![*order],
            Question::Orders(orders) => orders,
            _ => of_page(state),
        },
        Some(other) => return state.layers.push(other),
        None => of_page(state),
    };
    open(state, orders);
}

fn of_page(state: &State) -> Vec<Order> {
    let (text, base, removal) = match state.page() {
        Page::Config(page) => (page.buffer.text(), page.base.as_ref(), &page.checked.removal),
        Page::Change(page) => match &page.drafted.text {
            Some(text) => (text.to_string(), page.drafted.base.as_ref(), &page.drafted.checked.removal),
            None => return Vec::new(),
        },
        _ => return Vec::new(),
    };
    let act = Act::Configure { text, base: base.map(|base| base.checksum.clone()), dry_run: false };
    vec![config::order(act, "", removal)]
}

/// Sends operations that were decided elsewhere.
pub fn give(state: &mut State, mut orders: Vec<Order>) {
    match orders.len() {
        0 => {}
        1 => orders.drain(..).for_each(|order| orders::yes(state, order)),
        _ => bulk::yes(state, orders),
    }
    state.redraw();
}

fn forward(state: &mut State, by: Option<&str>) {
    let by = match by.map(str::trim).filter(|by| !by.is_empty()) {
        None => Some(MINUTE),
        Some(text) => span(text).filter(|by| !by.is_zero()),
    };
    match by {
        Some(by) => state.emit(Effect::WhatIf(WhatIfStep::Advance(by))),
        None => state.report(Grade::Refusal, "write a duration, for example 10m, 1h30m, or 2d"),
    }
}

/// Toggles the comparison of both sides.
pub fn compare(state: &mut State) {
    if matches!(state.page(), Page::Details(DetailsPage { subject: Subject::Sides, .. })) {
        return pop(state);
    }
    push(state, Page::Details(DetailsPage { subject: Subject::Sides, top: 0 }));
    state.emit(Effect::WhatIf(WhatIfStep::Compare));
}

/// Shows the other side.
pub fn turn_over(state: &mut State) {
    state.emit(Effect::WhatIf(WhatIfStep::TurnOver));
}

fn take_back(state: &mut State, number: Option<&str>) {
    let Some(trial) = &state.cluster.trial else { return };
    let last = trial.changes.len();
    let number = number.map(str::trim).filter(|text| !text.is_empty()).map_or(Some(last), |text| text.parse().ok());
    match number.filter(|number| (1..=last).contains(number)) {
        Some(number) => state.emit(Effect::WhatIf(WhatIfStep::TakeBack(number))),
        None => state.report(Grade::Refusal, format!("change not found; the what-if has {last}; :changes lists them")),
    }
}

fn list(state: &mut State) {
    let Some(trial) = &state.cluster.trial else { return };
    let change = |(number, words): (usize, &String)| Metric {
        title: (number + 1).to_string(),
        shown: words.clone(),
        why: format!(":take-back {} removes it and replays the rest", number + 1),
    };
    let mut list: Vec<Metric> = trial.changes.iter().enumerate().map(change).collect();
    list.push(Metric {
        title: String::new(),
        shown: trial.assumed.to_string(),
        why: "when running applications end here".to_owned(),
    });
    state.layers.push(Layer::Metrics(Metrics { of: "the changes of this what-if".to_owned(), at: None, list, top: 0 }));
}

fn named(changes: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = changes.iter().take(NAMED).cloned().collect();
    if changes.len() > NAMED {
        lines.push(format!("and {} more", changes.len() - NAMED));
    }
    lines
}

/// Asks whether to apply the changes to the cluster.
pub fn ask_apply(state: &mut State) {
    let Some(trial) = &state.cluster.trial else { return };
    let count = format::count(trial.changes.len() as u64, "change");
    let title = format!("Apply {count} in {}?", state.cluster.about.name);
    let asked = if trial.changes.len() == 1 { "about it" } else { "for each of them" };
    let mut lines = vec![format!("You leave the what-if and confirm {asked}:")];
    lines.extend(named(&trial.changes));
    state.ask(Confirm::new(title, lines, "Apply changes", Question::LeaveWhatIf(true)));
}

/// Leaves; asks first if changes exist.
pub fn leave(state: &mut State) {
    let Some(trial) = &state.cluster.trial else { return };
    if trial.changes.is_empty() {
        return state.emit(Effect::WhatIf(WhatIfStep::Leave(false)));
    }
    let mut lines = vec![
        "These changes exist only in the what-if and would be lost; :apply applies them to the \
        cluster:"
            .to_owned(),
    ];
    lines.extend(named(&trial.changes));
    state.ask(Confirm::new("Leave the what-if?".to_owned(), lines, "Leave", Question::LeaveWhatIf(false)));
    state.redraw();
}
