//! The workload that a scenario's run shows.

use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use crate::model::{AppId, AskId, Time};
use crate::scenario::{RunOutcome, Runner, Scenario, Sink, StepKind};
use crate::scheduler::{Event, EventKind, PartitionCommand, Scheduler};
use crate::simulate::{Workload, input};

/// What a run of a scenario shows: the commands with their times, and how long each ask ran.
#[derive(Default)]
pub(super) struct Recorded {
    commands: Vec<(Time, PartitionCommand)>,
    begun: BTreeMap<(AppId, AskId), Time>,
    ran: BTreeMap<(AppId, AskId), Duration>,
}

impl Recorded {
    /// Runs the steps and notes what came in.
    pub fn run(&mut self, runner: &mut Runner, scenario: &Scenario, config: crate::config::Reading) -> io::Result<()> {
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

    /// What came in, as jobs.
    pub fn workload(self) -> Workload {
        let Self { commands, ran, .. } = self;
        input::recorded::read(commands, None, |app, ask| ran.get(&(app.clone(), ask.clone())).copied())
    }
}

impl Sink for Recorded {
    fn events(&mut self, _step: i64, events: &[Event]) -> io::Result<()> {
        for Event { at, kind } in events {
            match kind {
                EventKind::Allocated { app, ask, .. } => {
                    self.begun.insert((app.clone(), ask.clone()), *at);
                }
                EventKind::Released { app, ask, .. } => {
                    let key = (app.clone(), ask.clone());
                    if let Some(begun) = self.begun.remove(&key) {
                        self.ran.insert(key, at.since(begun));
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn snapshot(&mut self, _step: i64, _label: &str, _scheduler: &Scheduler) -> io::Result<()> {
        Ok(())
    }
}
