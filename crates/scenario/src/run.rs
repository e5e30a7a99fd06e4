//! Runs a scenario: one scheduler and one virtual clock, step by step.

use std::io;
use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::time::Duration;

use super::file::{ConfigSource, Cycles, EmbeddedText, Scenario, ScenarioStep, StepKind};
use super::trace::{LOAD, Sink};
use ::config::{self, Config, Faults, Severity};
use model::{Profile, Time};
use scheduler::{Command, Event, EventKind, Scheduler, Switches, Tuning};

pub(super) const STEP: Duration = Duration::from_millis(1);
/// The last time, about 290,000 years: later timers still fit.
const END_OF_TIME: Time = Time(u64::MAX / 2);

impl EmbeddedText {
    /// Parses the configuration. Errors have locations in the scenario file, where they are fixed; values have
    /// locations in their own text, which is then active and shown.
    pub fn read(&self, profile: Profile) -> config::Reading {
        let config::Reading { config, faults } = config::read(self.text(), profile);
        let mut outer = Faults::new(profile);
        outer.embed(faults, |at| self.outer(at));
        config::Reading { config, faults: outer.into_sorted() }
    }
}

impl Scenario {
    /// Parses the embedded configuration; `None` if there is none or it is in a file.
    pub fn embedded_config(&self, profile: Profile) -> Option<config::Reading> {
        match &self.config {
            Some(ConfigSource::Text(text)) => Some(text.read(profile)),
            _ => None,
        }
    }
}

/// The outcome of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunOutcome {
    /// All steps were executed.
    Done,
    /// The initial configuration was rejected; nothing was executed.
    Refused,
}

/// Fails if the sink does.
pub fn run(
    scenario: &Scenario,
    config: config::Reading,
    profile: Profile,
    sink: &mut impl Sink,
) -> io::Result<RunOutcome> {
    Runner::new(profile).run(scenario, config, sink)
}

/// As [`run`], for a process that exits afterwards: memory is not freed, which is faster.
pub fn run_last(
    scenario: &Scenario,
    config: config::Reading,
    profile: Profile,
    sink: &mut impl Sink,
) -> io::Result<RunOutcome> {
    let mut runner = ManuallyDrop::new(Runner::new(profile));
    runner.run(scenario, config, sink)
}

/// A scheduler driven step by step, with a virtual clock from zero.
pub struct Runner {
    scheduler: Scheduler,
    profile: Profile,
    now: Time,
    step: i64,
}

impl Runner {
    /// Creates a runner for a profile, without a configuration.
    pub fn new(profile: Profile) -> Self {
        Self::switched(Switches::of(profile), profile)
    }

    /// Creates a runner with separate switches; configurations are parsed for `profile`.
    pub fn switched(switches: Switches, profile: Profile) -> Self {
        let scheduler = Scheduler::switched(switches, Tuning::default());
        Self { scheduler, profile, now: Time::ZERO, step: LOAD }
    }

    /// Creates a runner that continues at a time, after `done` steps.
    pub fn continuing(scheduler: Scheduler, now: Time, done: usize) -> Self {
        let profile = scheduler.switches().profile;
        Self { scheduler, profile, now, step: LOAD + i64::try_from(done).unwrap_or(i64::MAX - 1) }
    }

    /// The scheduler, to look at.
    pub fn scheduler(&self) -> &Scheduler {
        &self.scheduler
    }

    /// The virtual time.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Fails if the sink does.
    pub fn run(
        &mut self,
        scenario: &Scenario,
        config: config::Reading,
        sink: &mut impl Sink,
    ) -> io::Result<RunOutcome> {
        if self.load(config, sink)? == RunOutcome::Refused {
            return Ok(RunOutcome::Refused);
        }
        for step in &scenario.steps {
            self.step(step, sink)?;
        }
        Ok(RunOutcome::Done)
    }

    /// Applies the initial configuration, before any step.
    ///
    /// # Errors
    /// Returns an error of the sink.
    pub fn load(&mut self, config: config::Reading, sink: &mut impl Sink) -> io::Result<RunOutcome> {
        let accepted = self.configure(config, sink)?;
        Ok(if accepted { RunOutcome::Done } else { RunOutcome::Refused })
    }

    /// Executes the next step.
    ///
    /// # Errors
    /// Returns an error of the sink.
    pub fn step(&mut self, step: &ScenarioStep, sink: &mut impl Sink) -> io::Result<()> {
        self.step += 1;
        self.advance(STEP, sink)?;
        let done = match &step.kind {
            StepKind::Command(command) => self.apply(&Command::from(command.clone()), sink).map(drop),
            StepKind::Schedule(cycles) => self.schedule(*cycles, sink),
            StepKind::Config(text) => self.configure(text.read(self.profile), sink).map(drop),
            StepKind::Clean => self.apply(&Command::Clean, sink).map(drop),
            StepKind::Advance(by) => self.advance(*by, sink),
            StepKind::Snapshot(label) => sink.snapshot(self.step, label, &self.scheduler),
        };
        sink.time(self.now);
        done
    }

    fn apply(&mut self, command: &Command, sink: &mut impl Sink) -> io::Result<Vec<Event>> {
        let mut events = self.scheduler.apply(self.now, command);
        while self.scheduler.is_unfinished() {
            events.extend(self.scheduler.apply(self.now, &Command::Continue));
        }
        sink.events(self.step, &events)?;
        Ok(events)
    }

    /// Advances the clock; each timer on the way runs at its own time.
    fn advance(&mut self, by: Duration, sink: &mut impl Sink) -> io::Result<()> {
        let until = (self.now + by).min(END_OF_TIME);
        while let Some(due) = self.scheduler.next_timer().filter(|due| *due <= until) {
            self.now = self.now.max(due);
            self.apply(&Command::Tick, sink)?;
        }
        self.now = until;
        Ok(())
    }

    fn schedule(&mut self, cycles: Cycles, sink: &mut impl Sink) -> io::Result<()> {
        let (most, idle) = match cycles {
            Cycles::Count(count) => (count, false),
            Cycles::Idle => (Cycles::MOST, true),
        };
        for _ in 0..most {
            let progress = self.apply(&Command::Cycle, sink)?.iter().any(Event::is_activity);
            // Without work, the remaining cycles would have no effect.
            if !progress && (idle || !self.scheduler.has_work()) {
                break;
            }
        }
        Ok(())
    }

    /// Returns whether it is active.
    fn configure(&mut self, reading: config::Reading, sink: &mut impl Sink) -> io::Result<bool> {
        let Some(config) = reading.config else {
            let kind = EventKind::ConfigRejected { message: refusal(&reading.faults) };
            sink.events(self.step, &[Event { at: self.now, kind }])?;
            return Ok(false);
        };
        let config: Arc<Config> = Arc::new(config);
        let events = self.apply(&Command::Configure(config), sink)?;
        Ok(!events.iter().any(|event| matches!(event.kind, EventKind::ConfigRejected { .. })))
    }
}

/// The first error in one line, and their number.
fn refusal(faults: &[config::Fault]) -> String {
    let mut errors = faults.iter().filter(|fault| fault.severity == Severity::Error);
    let Some(first) = errors.next() else { return "cannot read the configuration".to_owned() };
    match errors.count() {
        0 => first.to_string(),
        1 => format!("{first}; and one more error"),
        more => format!("{first}; and {more} more errors"),
    }
}

#[cfg(test)]
mod tests;
