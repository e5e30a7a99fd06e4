//! The workload of a scenario's run.

use std::io;

use forecast::simulate::Workload;
use forecast::simulate::input::recorded::{Fates, Gangs, read};
use model::Time;
use scenario::{RunOutcome, Runner, Scenario, Sink, StepKind};
use scheduler::{Event, PartitionCommand, Scheduler};

#[derive(Default)]
pub(super) struct Recorded {
    commands: Vec<(Time, PartitionCommand)>,
    fates: Fates,
}

impl Recorded {
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

    pub fn workload(self) -> Workload {
        let Self { commands, fates } = self;
        read(commands, None, |_| Gangs::Simulated, |app, ask| fates.ended(app, ask))
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
