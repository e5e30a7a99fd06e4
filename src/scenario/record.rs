//! Writing down what a workload does, as the steps of a scenario that gives the same allocations.

use std::sync::{Arc, Mutex, PoisonError};

use super::file::{Cycles, StepKind};
use super::run::STEP;
use super::workload::Workload;
use crate::model::Time;
use crate::scheduler::{Command, Event, EventKind};

/// A workload that is written down while it acts.
pub struct Recorder<W> {
    inner: W,
    tape: Arc<Mutex<Tape>>,
}

/// The steps written down so far; stays when the recorder is gone.
#[derive(Clone, Debug)]
pub struct Recording(Arc<Mutex<Tape>>);

impl Recording {
    /// The steps so far.
    pub fn steps(&self) -> Vec<StepKind> {
        let mut tape = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tape.schedule();
        tape.steps.clone()
    }
}

#[derive(Debug, Default)]
struct Tape {
    steps: Vec<StepKind>,
    /// The scenario's clock after the last step.
    clock: Time,
    /// Something happened since the last step that ran cycles.
    stirred: bool,
}

impl Tape {
    fn push(&mut self, step: StepKind) {
        if let StepKind::Advance(by) = step {
            self.clock = self.clock + by;
        }
        self.clock = self.clock + STEP;
        self.steps.push(step);
    }

    /// The cycles that ran since something happened.
    fn schedule(&mut self) {
        if std::mem::take(&mut self.stirred) {
            self.push(StepKind::Schedule(Cycles::Idle));
        }
    }

    /// Catches up with the time that it is, with room for the steps themselves.
    fn reach(&mut self, now: Time) {
        let behind = now.since(self.clock + STEP);
        if behind >= STEP {
            self.schedule();
            let behind = now.since(self.clock + STEP);
            self.push(StepKind::Advance(behind));
        }
    }
}

impl<W: Workload> Recorder<W> {
    /// Writes down what `inner` does.
    pub fn new(inner: W) -> (Self, Recording) {
        let tape = Arc::default();
        (Self { inner, tape: Arc::clone(&tape) }, Recording(tape))
    }

    fn tape(&self) -> std::sync::MutexGuard<'_, Tape> {
        self.tape.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W: Workload> Workload for Recorder<W> {
    fn next(&self) -> Option<Time> {
        self.inner.next()
    }

    fn act(&mut self, now: Time) -> Vec<Command> {
        let commands = self.inner.act(now);
        let mut tape = self.tape();
        tape.schedule();
        tape.reach(now);
        for command in &commands {
            match command {
                Command::In { command, .. } => tape.push(StepKind::Command(command.clone())),
                Command::Clean => tape.push(StepKind::Clean),
                // Cycles are written down where they came to something; a reload has no text here.
                Command::Cycle | Command::Tick | Command::Configure(_) => {}
            }
        }
        tape.stirred |= !commands.is_empty();
        drop(tape);
        commands
    }

    fn observe(&mut self, now: Time, events: &[Event]) {
        let mut tape = self.tape();
        // The queue cleaner runs by itself; what it took away must be gone at the same place in the scenario.
        if events.iter().any(|event| matches!(event.kind, EventKind::QueueRemoved { .. })) {
            tape.reach(now);
            tape.push(StepKind::Clean);
        }
        if events.iter().any(Event::is_activity) && !tape.stirred {
            tape.reach(now);
            tape.stirred = true;
        }
        drop(tape);
        self.inner.observe(now, events);
    }

    fn runs_cycles(&self) -> bool {
        self.inner.runs_cycles()
    }
}
