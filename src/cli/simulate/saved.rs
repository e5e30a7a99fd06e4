//! The workload that a scenario's run shows.

use std::io;

use forecast::simulate::Workload;
use forecast::simulate::input::recorded::{Fates, Gangs, read};
use model::Time;
use scenario::{RunOutcome, Runner, Scenario, Sink, StepKind};
use scheduler::{Event, PartitionCommand, Scheduler};

/// What a run of a scenario shows: the commands with their times, and what became of each ask.
#[derive(Default)]
pub(super) struct Recorded {
    commands: Vec<(Time, PartitionCommand)>,
    fates: Fates,
}

impl Recorded {
    /// Runs the steps and notes what arrived.
    pub fn run(&mut self, runner: &mut Runner, scenario: &Scenario, config: config::Reading) -> io::Result<()> {
        if runner.load(config, self)? == RunOutcome::Refused {
            return Ok(());
        }
        for step in &scenario.steps {
            runner.step(step, self)?;
            if let StepKind::Command(command) = &step.kind {
                self.commands.push((runner.now(), command.clone()));
            }
        }
        Ok(())
    }

    /// What arrived, as jobs.
    pub fn workload(self) -> Workload {
        let Self { commands, fates } = self;
        read(commands, None, Gangs::Recorded, |app, ask| fates.ended(app, ask))
    }
}

impl Sink for Recorded {
    fn events(&mut self, _step: i64, events: &[Event]) -> io::Result<()> {
        self.fates.take(events);
        Ok(())
    }

    fn snapshot(&mut self, _step: i64, _label: &str, _scheduler: &Scheduler) -> io::Result<()> {
        Ok(())
    }
}
