//! The run loop: cycles, workload, cleaner, timers, and samples, each at its own time in that order.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::active_config::ConfigText;
use super::journal::record::{Record, RecordedCommand};
use super::state::State;
use super::{audit, workload_config};
use model::Time;
use scheduler::{Command, Event};
use view::View;
use view::history::SAMPLE_EVERY;

/// The retry interval of cycles while requests are pending (SCH-040).
const RETRY_EVERY: Duration = Duration::from_millis(100);

/// The progress of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The steps were used up before the time.
    Busy,
    /// Everything due is done.
    Reached,
}

pub(super) fn next_wake(state: &State) -> Option<Time> {
    if state.paused && !state.scheduler.is_unfinished() {
        return None;
    }
    [next_due(state), state.views.next_change()].into_iter().flatten().min()
}

pub(super) fn next_due(state: &State) -> Option<Time> {
    if state.scheduler.is_unfinished() {
        return Some(state.now);
    }
    if state.paused {
        return None;
    }
    if may_cycle(state) {
        return Some(state.now);
    }
    let workload = state.workload.as_ref().and_then(|workload| workload.next());
    let periodic = [Some(state.deadlines.next_clean), Some(state.deadlines.next_sample)];
    let due = [workload, state.scheduler.next_timer(), state.deadlines.retry].into_iter().chain(periodic);
    due.flatten().min()
}

/// Executes what is scheduled until `until`, in order, each at its own time; at most `steps` cycles and commands.
/// During a pause, time stops, and only started work is completed.
pub(super) fn run_until(state: &mut State, until: Time, steps: usize) -> Progress {
    let progress = run(state, until, steps);
    // Time is stopped during a pause.
    let due = if state.paused { Some(state.now) } else { next_due(state) };
    state.ledger.set_next_due(due);
    state.outbox.flush();
    progress
}

fn run(state: &mut State, until: Time, steps: usize) -> Progress {
    let mut left = steps;
    while left > 0 {
        left -= 1;
        if state.scheduler.is_unfinished() {
            state.record(|at| Record::Continue { at });
            run_command(state, &Command::Continue, None);
            continue;
        }
        if state.paused || pauses_now(state) {
            if !state.paused {
                state.record(|at| Record::Rest { at });
            }
            state.pause();
            return Progress::Reached;
        }
        if may_cycle(state) {
            if let Some(recorder) = &mut state.recorder {
                recorder.cycle(state.now);
            }
            cycle(state);
            continue;
        }
        match next_due(state).filter(|due| *due <= until) {
            None => {
                state.now = state.now.max(until);
                return Progress::Reached;
            }
            Some(due) => {
                state.now = state.now.max(due);
                left = left.saturating_sub(run_due(state));
            }
        }
    }
    Progress::Busy
}

/// Whether a cycle is due: it may find work, and the workload does not run cycles itself.
fn may_cycle(state: &State) -> bool {
    let decides = !state.follows;
    state.deadlines.cycle_due && decides && !state.workload.as_ref().is_some_and(|workload| workload.runs_cycles())
}

fn pauses_now(state: &State) -> bool {
    state.pause_after_workload && state.workload.as_ref().is_none_or(|workload| workload.next().is_none())
}

/// Runs a cycle. After an empty one, cycles wait for an event or the next retry (SCH-040).
pub(super) fn cycle(state: &mut State) {
    let started_at = Instant::now();
    let events = state.scheduler.apply(state.now, &Command::Cycle);
    state.counters.cycle(started_at.elapsed());
    state.counters.count(&events);
    state.ledger.observe(state.now, &events, &state.scheduler);
    if let Some(course) = &mut state.course {
        course.observe(&events, &state.scheduler);
    }
    state.deadlines.cycle_due = events.iter().any(Event::is_activity);
    if let Some(workload) = &mut state.workload {
        workload.observe(state.now, &events);
    }
    state.outbox.push(events);
    let retries = !state.deadlines.cycle_due && state.scheduler.has_work();
    state.deadlines.retry = retries.then(|| state.now + RETRY_EVERY);
}

/// Runs a command of the workload or a timer; `text` is the text of a configuration that the workload does not know.
pub(super) fn run_command(state: &mut State, command: &Command, text: Option<ConfigText>) {
    if let Command::Configure(config) = command {
        return workload_config::load_step(state, config, text);
    }
    let order = audit::workload_order(state, command);
    let events = state.carry_out(command);
    audit::enter_workload_order(state, order, &events);
    state.outbox.push(events);
}

pub(super) fn clean(state: &mut State) {
    state.deadlines.next_clean = state.now + state.deadlines.clean_every;
    run_command(state, &Command::Clean, None);
}

pub(super) fn sample(state: &mut State) {
    state.deadlines.next_sample = state.deadlines.next_sample + SAMPLE_EVERY;
    state.views.sample(state.now, &state.scheduler);
}

fn workload_commands(state: &mut State) -> Vec<Command> {
    let due = |next: Time| next <= state.now;
    let Some(workload) = state.workload.as_mut().filter(|workload| workload.next().is_some_and(due)) else {
        return Vec::new();
    };
    let commands = workload.act(state.now);
    if state.recorder.is_some() {
        let text = |command: &Command| match command {
            Command::Configure(config) => state.workload_text(config),
            _ => None,
        };
        let recorded = commands.iter().map(|command| RecordedCommand::new(command, text(command))).collect();
        state.record(|at| Record::Work { at, commands: recorded });
    }
    commands
}

fn run_due(state: &mut State) -> usize {
    let commands = workload_commands(state);
    let count = commands.len();
    for command in commands {
        run_command(state, &command, None);
    }
    if state.deadlines.next_clean <= state.now {
        state.record(|at| Record::Clean { at });
        clean(state);
    }
    if state.scheduler.next_timer().is_some_and(|timer| timer <= state.now) {
        state.record(|at| Record::Tick { at });
        run_command(state, &Command::Tick, None);
    }
    if state.deadlines.next_sample <= state.now {
        state.record(|at| Record::Sample { at });
        sample(state);
    }
    if state.deadlines.retry.is_some_and(|retry| retry <= state.now) {
        state.deadlines.retry = None;
        state.deadlines.cycle_due = true;
    }
    count
}

pub(super) fn take_view(state: &mut State) -> Option<Arc<View>> {
    state.views.update(state.now, &mut state.scheduler)
}
