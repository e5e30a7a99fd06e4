//! Records a workload as the steps of an equivalent scenario.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::file::{Cycles, EmbeddedText, StepKind};
use super::run::STEP;
use super::workload::Workload;
use config::Config;
use model::{AppId, AskId, Time};
use scheduler::{Command, Event, EventKind, PartitionCommand};

/// It must act like a scenario: one command at a time, each in its own millisecond, with its own cycles.
pub struct Recorder<W> {
    inner: W,
    tape: Arc<Mutex<Tape>>,
}

/// The recorded steps; they survive the recorder.
#[derive(Clone, Debug)]
pub struct Recording(Arc<Mutex<Tape>>);

impl Recording {
    /// The steps so far.
    pub fn steps(&self) -> Vec<StepKind> {
        let mut tape = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tape.settle();
        tape.steps.clone()
    }
}

#[derive(Debug, Default)]
struct Tape {
    steps: Vec<StepKind>,
    clock: Time,
    cycles: Option<(Time, bool)>,
    /// Applications that may preempt, with their pending requests.
    preemptors: BTreeSet<AppId>,
    seeking: BTreeSet<(AppId, AskId)>,
}

impl Tape {
    fn push(&mut self, now: Time, step: StepKind) {
        let at = now.max(self.clock + STEP);
        // The step that advances the clock also takes a millisecond.
        if at > self.clock + STEP {
            self.steps.push(StepKind::Advance((at - STEP - STEP).since(self.clock)));
        }
        self.clock = at;
        self.steps.push(step);
    }

    fn follow(&mut self, event: &Event) {
        match &event.kind {
            EventKind::AskAdded { app, ask, .. } if self.preemptors.contains(app) => {
                self.seeking.insert((app.clone(), ask.clone()));
            }
            EventKind::Allocated { app, ask, .. } | EventKind::AskRemoved { app, ask, .. } => {
                self.seeking.remove(&(app.clone(), ask.clone()));
            }
            EventKind::AppState { app, state, .. } if state.is_ended() => {
                self.preemptors.remove(app);
            }
            _ => {}
        }
    }

    /// Records the cycles, unless they had no effect.
    fn settle(&mut self) {
        if let Some((at, true)) = self.cycles.take() {
            self.push(at, StepKind::Schedule(Cycles::Idle));
        }
    }
}

impl<W: Workload> Recorder<W> {
    /// Writes down what `inner` does.
    pub fn new(inner: W) -> (Self, Recording) {
        let tape = Arc::default();
        (Self { inner, tape: Arc::clone(&tape) }, Recording(tape))
    }

    fn tape(&self) -> MutexGuard<'_, Tape> {
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
        if tape.cycles.is_some_and(|(at, _)| at != now) {
            tape.settle();
        }
        for command in &commands {
            match command {
                Command::In { command, .. } => {
                    if let PartitionCommand::Ask(spec) = command
                        && spec.allow_preempt_other
                    {
                        tape.preemptors.insert(spec.app.clone());
                    }
                    tape.push(now, StepKind::Command(command.clone()));
                }
                Command::Clean => tape.push(now, StepKind::Clean),
                Command::Configure(config) => {
                    if let Some(text) = self.inner.text_of(config) {
                        tape.push(now, StepKind::Config(EmbeddedText::unplaced(text)));
                    }
                }
                Command::Cycle => {
                    // A failed search for victims stores its time without an event.
                    let effect = !tape.seeking.is_empty();
                    tape.cycles.get_or_insert((now, effect));
                }
                // These happen by themselves.
                Command::Tick | Command::Continue => {}
            }
        }
        drop(tape);
        commands
    }

    fn observe(&mut self, now: Time, events: &[Event]) {
        let mut tape = self.tape();
        if let Some((at, effect)) = &mut tape.cycles {
            *effect |= *at == now && events.iter().any(is_effect);
        }
        events.iter().for_each(|event| tape.follow(event));
        // The queue cleaner runs by itself; the scenario must remove its queues at the same point.
        if events.iter().any(|event| matches!(event.kind, EventKind::QueueRemoved { .. })) {
            tape.settle();
            tape.push(now, StepKind::Clean);
        }
        drop(tape);
        self.inner.observe(now, events);
    }

    fn runs_cycles(&self) -> bool {
        self.inner.runs_cycles()
    }

    fn text_of(&self, config: &Config) -> Option<&str> {
        self.inner.text_of(config)
    }
}

/// Whether an event of a cycle affects later cycles. All do, except for informational ones.
fn is_effect(event: &Event) -> bool {
    !matches!(
        event.kind,
        EventKind::AppRunnable { .. }
            | EventKind::AskFitsLimits { .. }
            | EventKind::AskFitsQueue { .. }
            | EventKind::NoVictim { .. }
    )
}
