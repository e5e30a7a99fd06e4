//! Drives a fork, in the order of the engine.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::arrivals::{Arrival, Arrivals};
use super::fork::{Fork, Pace};
use super::pair::{Bounds, LONG_WAIT, RefusedStep, Unfinished};
use super::runtimes::Runtimes;
use super::tally::Tally;
use crate::simulate::node_groups::{Autoscaler, GroupsReport, NodeGroup};
use model::{AppId, AskId, NodeId, Profile, Time};
use scenario::{Sink, Trace};
use scheduler::{Command, Event, EventKind, Partition, PartitionCommand, Scheduler};

/// How often a cycle is tried again while something is pending (SCH-040).
const RETRY_EVERY: Duration = Duration::from_millis(100);
const ASK_EVERY: u64 = 64;
/// Idle after this time without an event, if nothing is due within an hour.
const QUIET: Duration = Duration::from_secs(60);
const SOON: Duration = Duration::from_secs(3600);

/// Returns false to cancel.
pub(super) type GoOn<'a> = &'a (dyn Fn() -> bool + Sync);

/// Before the command with this number, or before the first command after a time.
#[derive(Clone, Copy, Debug)]
pub(super) struct StopBefore {
    pub command: u64,
    pub after: Time,
}

type Ending = (AppId, AskId, u64);

pub(super) struct World<'a> {
    pub scheduler: Scheduler,
    pub partition: Arc<str>,
    pub now: Time,
    pub text: Option<Arc<str>>,
    pub tally: Tally,
    pub cycles: u64,
    pub refused: Vec<RefusedStep>,
    pub runtimes: Runtimes,
    pace: Pace,
    ends: BTreeMap<(Time, u64), Ending>,
    ends_set: u64,
    last_event: Time,
    trace: Option<Trace<Vec<u8>>>,
    bounds: Bounds,
    go_on: GoOn<'a>,
    commands: u64,
    /// Arrivals, the last one first.
    arrivals: Vec<Arrival>,
    pub stop: Option<StopBefore>,
    scaler: Option<Autoscaler>,
    /// The step or change that is being carried out; -1 between them.
    pub step: i64,
}

impl<'a> World<'a> {
    pub fn new(fork: Fork, runtimes: Runtimes, bounds: Bounds, traced: bool, go_on: GoOn<'a>) -> Self {
        let tally = fork.partition().map(|part| Tally::initial(part, fork.now, LONG_WAIT)).unwrap_or_default();
        let Fork { scheduler, partition, now, pace, text } = fork;
        let mut world = Self {
            scheduler,
            partition,
            now,
            text,
            tally,
            cycles: 0,
            refused: Vec::new(),
            runtimes,
            pace,
            ends: BTreeMap::new(),
            ends_set: 0,
            last_event: now,
            trace: traced.then(|| Trace::new(Vec::new())),
            bounds,
            go_on,
            commands: 0,
            arrivals: Vec::new(),
            stop: None,
            scaler: None,
            step: -1,
        };
        let running: Vec<(Time, Ending)> = world.part().map(|part| world.running(part)).unwrap_or_default();
        running.into_iter().for_each(|(at, ending)| world.end_at(at, ending));
        world
    }

    #[must_use]
    pub fn counting_long_waits(mut self, from: Duration) -> Self {
        self.tally.long_wait = from;
        self
    }

    #[must_use]
    pub fn with_arrivals(mut self, arrivals: &Arrivals) -> Self {
        self.arrivals.extend(arrivals.list.iter().rev().cloned());
        self.arrivals.iter_mut().for_each(|arrival| arrival.after += self.now.since(Time::ZERO));
        self
    }

    /// The same with an autoscaler. Nodes that exist are of the group with their instance type.
    pub fn scaled(mut self, groups: &[NodeGroup]) -> Result<Self, Unfinished> {
        if let Some(part) = self.part().filter(|_| !groups.is_empty()) {
            let nodes = part.nodes.iter().map(|node| (&node.id, &*node.attributes));
            // No one requests again what ran on a node that is removed.
            let scaler = Autoscaler::new(groups.to_vec(), nodes, self.now, false);
            for node in scaler.first_nodes() {
                self.announce(&scaler, &node.id);
                self.give(PartitionCommand::AddNode(node))?;
            }
            self.scaler = Some(scaler);
        }
        Ok(self)
    }

    fn announce(&mut self, scaler: &Autoscaler, node: &NodeId) {
        let parts = self.scheduler.partitions_mut();
        if let Some(part) = parts.iter_mut().find(|part| part.name == self.partition) {
            scaler.announce(part, node);
        }
    }

    /// `ends`: nothing counts after now.
    pub fn node_groups(&mut self, ends: bool) -> Option<GroupsReport> {
        Some(self.scaler.take()?.until(ends.then_some(self.now)).report(self.now))
    }

    pub fn part(&self) -> Option<&Partition> {
        self.scheduler.partitions().iter().find(|part| part.name == self.partition)
    }

    pub fn profile(&self) -> Profile {
        self.scheduler.switches().profile
    }

    fn running(&self, part: &Partition) -> Vec<(Time, Ending)> {
        let mut found = Vec::new();
        for (_, app) in part.apps.iter() {
            for key in app.allocations.values() {
                let ask = &app.asks[*key];
                let Some(allocation) = ask.allocation.filter(|_| !ask.placeholder) else { continue };
                let end = self.runtimes.end(app, ask.id.as_str(), allocation.since, self.now);
                found.extend(end.map(|end| (end, (app.id.clone(), ask.id.clone(), allocation.number))));
            }
        }
        found
    }

    fn end_at(&mut self, at: Time, ending: Ending) {
        self.ends_set += 1;
        self.ends.insert((at, self.ends_set), ending);
    }

    /// Returns the trace, and whether it is cut off.
    pub fn take_trace(&mut self) -> (String, bool) {
        let bytes = self.trace.take().and_then(|trace| trace.finish().ok()).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let retained: String = text.split_inclusive('\n').take(self.bounds.trace_lines).collect();
        let cut = retained.len() < text.len();
        (retained, cut)
    }

    pub fn give(&mut self, command: PartitionCommand) -> Result<Vec<Event>, Unfinished> {
        self.apply(&Command::In { partition: Some(Arc::clone(&self.partition)), command })
    }

    /// Applies a command and its pending work.
    pub fn apply(&mut self, command: &Command) -> Result<Vec<Event>, Unfinished> {
        if self.stop.is_some_and(|stop| self.commands + 1 >= stop.command || self.now > stop.after) {
            return Err(Unfinished::Stopped);
        }
        self.commands += 1;
        self.tally.command = self.commands;
        if self.commands.is_multiple_of(ASK_EVERY) && !(self.go_on)() {
            return Err(Unfinished::Stopped);
        }
        let mut events = self.scheduler.apply(self.now, command);
        while self.scheduler.is_unfinished() {
            events.extend(self.scheduler.apply(self.now, &Command::Continue));
        }
        if !matches!(command, Command::Cycle) {
            self.pace.cycle_due = true;
        }
        if !events.is_empty() {
            self.last_event = self.now;
        }
        self.tally.observe(&events, &self.scheduler);
        for event in &events {
            if let EventKind::Allocated { app, ask, placeholder: false, .. } = &event.kind {
                self.starts(event.at, app, ask);
            }
        }
        if let Some(trace) = &mut self.trace {
            // Writing to a vector cannot fail.
            let _written = trace.events(self.step, &events);
        }
        Ok(events)
    }

    fn starts(&mut self, at: Time, app: &AppId, ask: &AskId) {
        let found = self.part().and_then(|part| {
            let app = part.app(app)?;
            let number = app.asks.get(app.ask_key(ask)?)?.allocation?.number;
            Some((self.runtimes.end(app, ask.as_str(), at, at)?, number))
        });
        if let Some((end, number)) = found {
            self.end_at(end, (app.clone(), ask.clone(), number));
        }
    }

    pub fn until(&mut self, until: Time) -> Result<(), Unfinished> {
        loop {
            if self.pace.cycle_due {
                self.cycle()?;
                continue;
            }
            match self.next_due().filter(|due| *due <= until) {
                None => {
                    self.now = self.now.max(until);
                    return Ok(());
                }
                Some(due) => {
                    self.now = self.now.max(due);
                    self.run_due()?;
                }
            }
        }
    }

    /// Returns false if that takes longer than `most`.
    pub fn until_idle(&mut self, most: Time) -> Result<bool, Unfinished> {
        while self.now < most {
            if self.pace.cycle_due {
                self.cycle()?;
                continue;
            }
            let scales = self.scaler.is_some();
            let awaits = self.scaler.as_ref().is_some_and(Autoscaler::awaits_nodes);
            let soon = self.scheduler.next_timer().is_some_and(|timer| timer <= self.now + SOON);
            if self.ends.is_empty()
                && self.arrivals.is_empty()
                && !soon
                && !awaits
                && (self.now.since(self.last_event) >= QUIET || (self.pace.retry.is_none() && !scales))
            {
                return Ok(true);
            }
            let Some(due) = self.next_due() else { return Ok(true) };
            self.now = self.now.max(due);
            self.run_due()?;
        }
        Ok(false)
    }

    /// Runs cycles, fewer if nothing is left.
    pub fn cycle_often(&mut self, cycles: u64) -> Result<(), Unfinished> {
        for _ in 0..cycles {
            self.cycle()?;
            if !self.pace.cycle_due && !self.scheduler.has_work() {
                break;
            }
        }
        Ok(())
    }

    fn cycle(&mut self) -> Result<(), Unfinished> {
        self.cycles += 1;
        if self.cycles > self.bounds.cycles {
            return Err(Unfinished::Cycles(self.bounds.cycles));
        }
        let events = self.apply(&Command::Cycle)?;
        self.pace.cycle_due = events.iter().any(Event::is_activity);
        let retries = !self.pace.cycle_due && self.scheduler.has_work();
        self.pace.retry = retries.then(|| self.next_retry());
        Ok(())
    }

    /// Skips retries that are known to find nothing.
    fn next_retry(&self) -> Time {
        let every = RETRY_EVERY.as_micros() as u64;
        let quiet = self.scheduler.quiet_until().unwrap_or(self.now).0.saturating_sub(self.now.0);
        Time(self.now.0.saturating_add(quiet.div_ceil(every).max(1).saturating_mul(every)))
    }

    fn next_due(&self) -> Option<Time> {
        let end = self.ends.first_key_value().map(|((at, _), _)| *at);
        let arrival = self.arrivals.last().map(|arrival| Time::ZERO + arrival.after);
        let look = self.scaler.as_ref().map(Autoscaler::next_look);
        let due = [end, arrival, self.scheduler.next_timer(), self.pace.retry, Some(self.pace.next_clean), look];
        due.into_iter().flatten().min()
    }

    fn run_due(&mut self) -> Result<(), Unfinished> {
        while let Some(entry) = self.ends.first_entry()
            && entry.key().0 <= self.now
        {
            let (app, ask, number) = entry.remove();
            self.end_one(app, ask, number)?;
        }
        while let Some(arrival) = self.arrivals.pop_if(|arrival| Time::ZERO + arrival.after <= self.now) {
            self.give(arrival.command)?;
        }
        if self.pace.next_clean <= self.now {
            self.pace.next_clean = self.now + self.pace.clean_every;
            self.apply(&Command::Clean)?;
        }
        if self.scheduler.next_timer().is_some_and(|timer| timer <= self.now) {
            self.apply(&Command::Tick)?;
        }
        if let Some(mut scaler) = self.scaler.take_if(|scaler| scaler.next_look() <= self.now) {
            let commands = self.part().map(|part| scaler.look(self.now, part)).unwrap_or_default();
            for command in &commands {
                if let PartitionCommand::AddNode(node) = command {
                    self.announce(&scaler, &node.id);
                }
            }
            self.scaler = Some(scaler);
            for command in commands {
                self.give(command)?;
            }
        }
        if self.pace.retry.is_some_and(|retry| retry <= self.now) {
            self.pace.retry = None;
            self.pace.cycle_due = true;
        }
        Ok(())
    }

    fn end_one(&mut self, app: AppId, ask: AskId, number: u64) -> Result<(), Unfinished> {
        let runs = self.part().and_then(|part| {
            let app = part.app(&app)?;
            app.asks.get(app.ask_key(&ask)?)?.allocation
        });
        if runs.is_some_and(|allocation| allocation.number == number) {
            self.give(PartitionCommand::Release { app, ask })?;
        }
        Ok(())
    }
}
