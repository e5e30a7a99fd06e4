//! Records orders in the journal, and replays the journal.
//!
//! Invariants:
//! - restore and replay give the recorded state: the same scheduler, notices, and audit;
//! - a replay does no IO: the records contain the content of files.

use std::sync::Arc;

use super::active_config::ConfigText;
use super::clock::ClockRun;
use super::journal::record::{CheckedOrder, OrderRecord, Record, RecordedCommand, RecordedRefusal, WallTime};
use super::journal::refused;
use super::prepared::{Prepared, PreparedConfig};
use super::setup::Setup;
use super::state::State;
use super::{audit, config_load, configure, orders, run_loop};
use config::settings::EventConfig;
use model::Time;
use scheduler::Command;
use view::act::{Actor, Code, Done, Order, Refusal};

/// Records the settings of a run that starts, or continues after a disk failure.
pub(super) fn start_run(state: &mut State, setup: &Setup, speed: f64) {
    let Setup { tuning, clean_every, paused, .. } = *setup;
    let (at, wall, policy_group) = (state.now, WallTime::now(), setup.policy_group.clone());
    let record = Record::Start { at, wall, speed, tuning, clean_every, paused, policy_group };
    replay(state, record.clone());
    state.record(|_| record);
}

/// Checks an order; returns its record and the data for its execution.
pub(super) fn prepare_order(
    state: &State,
    actor: &Actor,
    order: &Order,
    refused: Option<&Refusal>,
) -> (OrderRecord, Prepared) {
    let prepared = match refused {
        Some(refusal) => Err(refusal.clone()),
        None if orders::refused_at_once(actor, order).is_some() => Ok(Prepared::default()),
        None => configure::prepare(state, actor, order),
    };
    let wall = WallTime::now();
    let prepared = prepared.unwrap_or_else(Prepared::refused);
    let checked = match (&prepared.refusal, &prepared.config) {
        (Some(refusal), _) => Some(CheckedOrder::refused(refusal)),
        (None, Some(config)) => {
            let (file_before, text) = (prepared.file_before.clone(), Some(config.text.to_string()));
            Some(CheckedOrder { file_before, text, refused: None })
        }
        (None, None) => None,
    };
    let prepared = Prepared { wall: Some(wall), ..prepared };
    let known = prepared.refusal.as_deref().cloned().or_else(|| orders::refused_at_once(actor, order));
    let (actor, order) = (actor.clone(), order.clone());
    let record = OrderRecord { at: state.now, wall, actor, order, checked, omitted: None };
    match known {
        Some(refusal) => (refused::short(record, &refusal), prepared),
        None => (record, prepared),
    }
}

/// Executes a recorded order.
///
/// # Errors
/// Returns the rejection. Only the audit entry was added.
pub(super) fn carry_out_order(
    state: &mut State,
    actor: &Actor,
    order: &Order,
    mut prepared: Prepared,
) -> Result<Done, Refusal> {
    if let Some(refusal) = prepared.refusal {
        audit::enter_refusal(state, actor, order, &refusal, prepared.wall);
        return Err(*refusal);
    }
    let file_before = prepared.file_before.take();
    let outcome = orders::perform(state, actor, order, prepared);
    if outcome.is_ok() && file_before.is_some() {
        state.file_before = file_before;
    }
    outcome
}

fn recorded(wall: WallTime, checked: Option<CheckedOrder>) -> Prepared {
    let mut prepared = Prepared { wall: Some(wall), ..Prepared::default() };
    let Some(CheckedOrder { file_before, text, refused }) = checked else { return prepared };
    prepared.refusal = refused.map(|RecordedRefusal { code, message, description }| {
        Box::new(Refusal::new(Code::named(&code).unwrap_or(Code::BadRequest), message, description))
    });
    prepared.config = text.map(|text| PreparedConfig { text: Arc::from(text), checked: None, staged: None });
    prepared.file_before = file_before;
    prepared
}

pub(super) fn replay(state: &mut State, record: Record) {
    state.now = state.now.max(record.at());
    match record {
        Record::Start { at, wall, speed, tuning, clean_every, paused, policy_group } => {
            state.clock_history.push(ClockRun { at, wall, speed });
            state.scheduler.set_tuning(tuning);
            state.deadlines.clean_every = clean_every;
            state.policy_group = policy_group;
            state.pause_after_workload |= paused;
            state.deadlines.next_clean = state.deadlines.next_clean.min(state.now + clean_every);
        }
        Record::Cycles { n, .. } => (0..n).for_each(|_| run_loop::cycle(state)),
        Record::Clean { .. } => run_loop::clean(state),
        Record::Tick { .. } => run_loop::run_command(state, &Command::Tick, None),
        Record::Continue { .. } => run_loop::run_command(state, &Command::Continue, None),
        Record::Sample { .. } => run_loop::sample(state),
        Record::Work { commands, .. } => {
            if let Some(workload) = &mut state.workload {
                // Its commands are recorded; the workload only advances.
                workload.act(state.now);
            }
            for command in commands {
                let (command, text) = command_of(state, command);
                run_loop::run_command(state, &command, text);
            }
        }
        Record::Give { command, .. } => {
            let (command, text) = command_of(state, command);
            config_load::apply(state, &command, text);
        }
        Record::Order(order) => {
            let OrderRecord { wall, actor, order, checked, .. } = *order;
            // A rejection is in the audit again; no caller waits for the answer.
            let _ = carry_out_order(state, &actor, &order, recorded(wall, checked));
        }
        Record::Reload { wall, name, text, refused, .. } => {
            config_load::reload_recorded(state, &name, &text, wall, refused);
        }
        Record::Rest { .. } => state.pause(),
        Record::Notice { weight, title, text, .. } => state.show_notice(weight, title, text),
        Record::PlayResult { state: progress, .. } => state.workload_progress = Some(progress),
    }
}

fn command_of(state: &State, command: RecordedCommand) -> (Command, Option<ConfigText>) {
    let (command, text) = command.command();
    (command, text.map(|text| ConfigText::new(&text, &state.policy_group)))
}

/// Records the progress of the workload. Returns the record number; 0 without a journal.
pub(super) fn record_progress(state: &mut State) -> u64 {
    let record = Record::PlayResult { at: state.now, state: state.workload_progress() };
    let Some(recorder) = &mut state.recorder else { return 0 };
    recorder.record(&record);
    recorder.next() - 1
}

pub(super) fn collect_events(state: &mut State) {
    state.outbox.log().configure(&EventConfig { tracking_enabled: true, ..EventConfig::default() });
    state.outbox.hold();
}

pub(super) fn take_records(state: &mut State) -> Vec<view::Record> {
    state.outbox.flush();
    let profile = state.profile();
    state.outbox.take().iter().flat_map(|events| view::record::records(events, profile)).collect()
}

/// Advances to a time; nothing else happened until then.
pub(super) fn advance_to(state: &mut State, time: Time) {
    state.now = state.now.max(time);
}
