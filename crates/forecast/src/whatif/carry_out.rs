//! Applies changes and steps to a fork.

use std::sync::Arc;
use std::time::Duration;

use super::change::Change;
use super::meaning::{Meaning, meaning};
use super::pair::{RefusedStep, Step, Unfinished};
use super::world::World;
use ::config::{self, Severity};
use scenario::{Cycles, StepKind};
use scheduler::{Command, Copies, Event, EventKind, PartitionCommand};

/// Other changes take no time, so that both runs decide at the same times.
const STEP: Duration = Duration::from_millis(1);

impl World<'_> {
    /// Records rejections, and continues.
    pub fn carry_out(&mut self, steps: &[Step]) -> Result<(), Unfinished> {
        for (number, step) in steps.iter().enumerate() {
            self.step = i64::try_from(number).unwrap_or(i64::MAX);
            if matches!(step, Step::Scenario(_)) {
                self.now = self.now + STEP;
            }
            let refused = match step {
                Step::Change(change) => self.change(change)?,
                Step::Config(text) => self.configure(text)?,
                Step::Scenario(kind) => self.scenario_step(kind)?,
            };
            if let Err(why) = refused {
                self.refused.push(RefusedStep { step: number, what: step.to_string(), why });
            }
        }
        self.step = -1;
        Ok(())
    }

    /// Advances the clock like the leading scenario steps, so that the run without the changes decides at the same
    /// times.
    pub fn wait_for(&mut self, steps: &[Step]) {
        let quick = |step: &&Step| !matches!(step, Step::Scenario(StepKind::Advance(_) | StepKind::Schedule(_)));
        let first = steps.iter().take_while(quick).filter(|step| matches!(step, Step::Scenario(_)));
        first.for_each(|_| self.now = self.now + STEP);
    }

    fn scenario_step(&mut self, kind: &StepKind) -> Result<Result<(), String>, Unfinished> {
        match kind {
            StepKind::Command(command) => self.all(vec![command.clone()]),
            StepKind::Clean => self.apply(&Command::Clean).map(|_| Ok(())),
            StepKind::Config(text) => self.configure(text.text()),
            StepKind::Advance(by) => self.until(self.now + *by).map(Ok),
            StepKind::Schedule(Cycles::Count(cycles)) => self.cycle_often(u64::from(*cycles)).map(Ok),
            StepKind::Schedule(Cycles::Idle) => self.until(self.now).map(Ok),
            StepKind::Snapshot(_) => Ok(Ok(())),
        }
    }

    fn change(&mut self, change: &Change) -> Result<Result<(), String>, Unfinished> {
        let meaning = match self.part() {
            Some(part) => meaning(part, self.text.as_deref(), change),
            None => Err("the partition was removed".to_owned()),
        };
        match meaning {
            Ok(Meaning::Config(text)) => self.configure(&text),
            Ok(Meaning::Commands(commands, copies)) => {
                self.expect(&copies);
                self.all(commands)
            }
            Err(why) => Ok(Err(why)),
        }
    }

    fn expect(&mut self, copies: &Copies) {
        let parts = self.scheduler.partitions_mut();
        if let Some(part) = parts.iter_mut().find(|part| part.name == self.partition) {
            part.nodes.expect_copies(copies);
        }
    }

    fn all(&mut self, commands: Vec<PartitionCommand>) -> Result<Result<(), String>, Unfinished> {
        let mut refused = Ok(());
        for command in commands {
            let events = self.give(command)?;
            if let Some(why) = events.iter().find_map(refusal) {
                refused = refused.and(Err(why));
            }
        }
        Ok(refused)
    }

    fn configure(&mut self, text: &str) -> Result<Result<(), String>, Unfinished> {
        let reading = config::read(text, self.profile());
        let Some(config) = reading.config else {
            let first = reading.faults.iter().find(|fault| fault.severity == Severity::Error);
            return Ok(Err(first.map_or_else(|| "cannot read the configuration".to_owned(), ToString::to_string)));
        };
        let events = self.apply(&Command::Configure(Arc::new(config)))?;
        match events.iter().find_map(refusal) {
            Some(why) => Ok(Err(why)),
            None => {
                self.text = Some(Arc::from(text));
                Ok(Ok(()))
            }
        }
    }
}

/// Returns why a command was rejected, if it was.
pub fn refusal(event: &Event) -> Option<String> {
    match &event.kind {
        EventKind::ConfigRejected { message }
        | EventKind::NodeRejected { message, .. }
        | EventKind::AppRejected { message, .. }
        | EventKind::AskRejected { message, .. }
        | EventKind::Denied { message, .. }
        | EventKind::Refused { message } => Some(message.clone()),
        _ => None,
    }
}
