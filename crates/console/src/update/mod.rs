//! Changes the state: `update(&mut State, Action) -> Vec<Effect>`, pure, one file per area.
//!
//! Invariants:
//! - no clock, no IO: time arrives as [`Action::Clock`], cluster updates as [`Action::Feed`];
//! - afterwards the cursor is visible for every terminal size ([`settle`]);
//! - rows are rebuilt only after a change of set, order, filter, or folds; an order by changing values once per
//!   [`lists::PERIOD`];
//! - long lists are made outside of the draw loop ([`long`]); other costs are proportional to the visible rows.

pub mod action;
pub mod aftermath;
pub mod alerts;
mod answers;
pub mod apps;
pub mod attempt;
mod attention;
pub mod audit;
pub mod board;
pub mod bulk;
pub mod change;
mod clusters;
mod column_picker;
pub mod columns;
mod command_line;
pub(crate) mod completion;
pub mod config;
pub mod contexts;
pub mod events;
pub mod explain;
pub mod fairness;
pub mod feed;
pub mod form;
pub mod hand_out;
pub mod job;
pub mod job_names;
pub mod jumping;
pub mod jumps;
pub mod key;
pub(crate) mod known_names;
pub mod leave;
pub mod limits_used;
mod list_job;
pub mod lists;
pub mod long;
pub mod make_real;
pub mod mouse;
mod move_watch;
pub mod names;
pub mod navigate;
pub mod nodes;
pub mod notices;
pub mod orders;
pub mod overview;
pub mod own_command;
mod owners;
mod page;
mod pages;
pub mod past;
pub mod placement;
pub mod pod;
mod pods;
mod question;
pub mod queues;
pub mod refresh;
pub mod revisions;
mod run;
pub(crate) mod search;
mod settle;
pub mod shadow;
mod shown_metrics;
pub mod simulate;
mod stack;
mod tabs;
pub mod trends;
pub mod trial;
pub mod usage;
pub mod users;
pub mod workload;
pub mod write;

use std::sync::Arc;
use std::time::Duration;

use crate::present::layout;
use crate::state::effect::Effect;
use crate::state::reply::Reply;
use crate::state::{Grade, State};
use crate::update::action::Action;
use model::Time;
use source::{BoardSnapshot, OwnHealth, TrialStatus};
use view::EventPage;

/// The source's data at the start of a state.
pub struct SourceSnapshot {
    /// The cluster's time.
    pub at: Time,
    /// The scheduler's own health report.
    pub health: OwnHealth,
    /// The recent duration of a cycle.
    pub cycle: Option<Duration>,
    /// Any past time is available.
    pub has_past: bool,
    /// The status of the what-if, in a what-if.
    pub trial: Option<TrialStatus>,
    /// The source is a local job daemon.
    pub has_jobs: bool,
    /// The number of the next event.
    pub next_event: u64,
    /// What is alerted about.
    pub alerts: Option<Arc<BoardSnapshot>>,
}

/// Initializes a new state and its first rows.
pub fn start(state: &mut State, source: SourceSnapshot) -> Vec<Effect> {
    let cluster = &mut state.cluster;
    cluster.at = source.at.max(cluster.at);
    cluster.health = source.health;
    cluster.cycle = source.cycle;
    cluster.past.retained = source.has_past;
    cluster.trial = source.trial;
    cluster.has_jobs = source.has_jobs;
    // Earlier changes are not new.
    cluster.alerts_seen = source.alerts.as_ref().map(|snapshot| snapshot.next_change);
    cluster.alerts = source.alerts;
    cluster.past.see(&cluster.view, source.next_event);
    lists::rebuild(state, true);
    state.take_effects()
}

/// Applies an action. Returns the effects in order.
pub fn update(state: &mut State, action: Action) -> Vec<Effect> {
    if action.is_input() {
        state.pressed.clear();
        state.turn += 1;
    }
    // The target of a click or paste is invisible.
    let blind = matches!(action, Action::Mouse(_) | Action::Paste(_)) && layout::regions(state).is_none();
    if !blind {
        apply(state, action);
        make_real::next(state);
        revisions::want(state);
        explain::want(state);
        overview::want_board(state);
        usage::want(state);
        shadow::want(state);
        job::want(state);
        pod::want(state);
        contexts::want(state);
        settle::settle(state);
        job_names::want(state);
    }
    state.take_effects()
}

fn apply(state: &mut State, action: Action) {
    match action {
        Action::Press(keys) => {
            state.pressed = keys;
            state.redraw();
        }
        Action::Run(id, argument) => run::run(state, id, argument.as_deref()),
        Action::Refuse(reason) => {
            state.report(Grade::Refusal, reason);
            state.redraw();
        }
        Action::Off(id, reason) => {
            attempt::refuse(state, id, reason);
            state.redraw();
        }
        Action::Write(key) => write::key(state, key),
        Action::Select(index) => lists::go_to(state, index),
        Action::Mouse(mouse) => mouse::act(state, mouse),
        Action::Paste(text) => write::paste(state, &text),
        Action::Resize(size) => {
            state.size = size;
            state.redraw();
        }
        Action::Feed(news) => feed::take(state, *news),
        Action::Give(orders) => trial::give(state, orders),
        Action::MakeReal(changes) => make_real::make(state, changes),
        Action::Events(page) => take_events(state, page),
        Action::EarlierEvents(of, records) => events::take_earlier(state, of, records),
        Action::Aftermath(page) => {
            if aftermath::take(state, &page) {
                state.redraw();
            }
        }
        Action::Records(records) => {
            audit::take(state, records);
            state.redraw();
        }
        Action::Clusters(rows) => clusters::take(state, rows),
        Action::Trends(known) => trends::take(state, known),
        Action::OrderSent(number, next_event) => state.orders.sent(number, next_event),
        Action::Reply(reply) => take_reply(state, reply),
        Action::Clock(now) => feed::clock(state, now),
    }
}

fn take_reply(state: &mut State, reply: Reply) {
    match reply {
        Reply::OrderAnswered(number, result) => return answers::answer(state, number, result),
        Reply::RevisionText(number, text) => state.cluster.ledger.take_text(number, text),
        Reply::Explained(question, sheet) => explain::take(state, &question, sheet),
        Reply::OverviewMade(made) => overview::take(state, made),
        Reply::JobSeen(app, seen) => job::take(state, &app, *seen),
        Reply::JobsNamed(named) => job_names::take(state, named),
        Reply::ContextAnswered(name, answer) => contexts::take(state, name, answer),
        Reply::PodEvents(uid, events) => pod::take_events(state, &uid, events),
        Reply::PodText(uid, text) => pod::take_text(state, &uid, text),
        Reply::ObjectCopied(text) => pod::copied(state, text),
        Reply::PodLog(of, part) => {
            pod::take_log(state, &of, part);
        }
        Reply::JobChanged(order, outcome) => job::changed(state, &order, outcome),
        Reply::OwnersFound(app, chains) => owners::found(state, app, chains),
        Reply::OwnersSuspended(order, outcome) => owners::done(state, *order, outcome),
        Reply::QuotasPreviewed(text, found) => return change::quotas_previewed(state, text, found),
        Reply::PastView(at, found) => past::take_view(state, at, found),
        Reply::PastSpan(at, step, found) => past::take_span(state, at, step, found),
        Reply::MomentsFound(page) => past::take_moments(state, page),
        Reply::ClusterOpened(..) => {}
        Reply::ContextOpened(name, opened) => navigate::stay(state, &name, opened.err()),
        Reply::WhatIfOpened(_, opened) => trial::not_opened(state, opened.err()),
        Reply::ConfigRead(name, read) => return placement::take(state, &name, read),
        Reply::ListMade(listed) => return long::take(state, *listed),
        Reply::NamesFound(names) => return command_line::take_names(state, names),
        Reply::EventsRead(page) => return take_events(state, page),
        Reply::EditChecked(checked) => config::checked(state, *checked),
        Reply::Forecast(version, found) => config::forecast(state, version, found),
        Reply::FormDrafted(drafted) => change::drafted(state, *drafted),
        Reply::TextEdited(text) => config::edited(state, text),
        Reply::CheckedUp(made) => navigate::checked_up(state, made),
        Reply::RevisionsCompared(compared) => revisions::take(state, compared),
        Reply::SimulationProgress(number, progress) => simulate::progress(state, number, progress),
        Reply::ShadowKnown(answer) => shadow::take(state, *answer),
        Reply::UsageKnown(question, answer) => usage::take(state, &question, *answer),
        Reply::Simulated(number, answer) => simulate::take(state, number, *answer),
        Reply::SilenceChanged(Ok(message)) => state.report(Grade::Info, message),
        Reply::SilenceChanged(Err(message)) => state.report(Grade::Refusal, message),
        Reply::OwnEnded(Ok(message)) => state.report(Grade::Info, message),
        Reply::OwnEnded(Err(message)) => state.report(Grade::Error, message),
        Reply::FileWritten(Ok(message)) => state.report(Grade::Info, message),
        Reply::FileWritten(Err(message)) => state.report(Grade::Refusal, message),
    }
    state.redraw();
}

fn take_events(state: &mut State, page: EventPage) {
    if events::take(state, page) {
        state.redraw();
    }
}
