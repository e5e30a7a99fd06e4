//! Applying commands: due timers first, then the handler of the command.

use std::borrow::Cow;
use std::sync::Arc;

use crate::index::{AppKey, AskKey};
#[cfg(debug_assertions)]
use crate::inspect::invariants::assert_due;
use crate::interface::command::{Command, PartitionCommand, Submission};
use crate::interface::event::{Event, EventKind, ReleaseReason};
use crate::state::partition::Partition;
use crate::state::scheduler::Scheduler;
use crate::state::timer::{Timer, TimerKey};
use config::Config;
use model::Time;

impl Scheduler {
    /// Applies one command after all timers that are due by `now`.
    ///
    /// Time must not decrease between calls.
    pub fn apply(&mut self, now: Time, command: &Command) -> Vec<Event> {
        let mut events = Vec::new();
        for partition in &mut self.partitions {
            partition.run_timers(now, &mut events);
        }
        match command {
            Command::Configure(config) => {
                self.partitions.iter_mut().for_each(|p| p.finish_ending(now, &mut events));
                self.configure(now, config, &mut events);
            }
            Command::Cycle => {
                self.partitions.iter_mut().for_each(|p| p.finish_ending(now, &mut events));
                let most = self.tuning.allocations_per_cycle;
                self.partitions.iter_mut().for_each(|p| p.cycle_with_batch(now, most, &mut events));
            }
            Command::Clean => self.partitions.iter_mut().for_each(|p| {
                p.clean(now, &mut events);
                p.alert_stuck(now, self.tuning.stuck_after, &mut events);
            }),
            Command::Tick => {}
            Command::Continue => {
                if let Some(partition) = self.partitions.iter_mut().find(|p| p.is_unfinished()) {
                    partition.go_on_ending(now, &mut events);
                }
            }
            Command::In { partition, command } => {
                let command = &*self.with_known_groups(now, command);
                let found = match partition {
                    None => self.partitions.first_mut(),
                    Some(name) => self.partitions.iter_mut().find(|p| p.name == *name),
                };
                match found {
                    Some(partition) => partition.apply(now, command, &mut events),
                    None => {
                        let message = match partition {
                            Some(name) => format!("partition {name:?} not found"),
                            None => "no partition".to_owned(),
                        };
                        events.push(Event::new(now, nowhere(command, message)));
                    }
                }
            }
        }
        #[cfg(debug_assertions)]
        assert_due(self);
        events
    }

    /// The groups of an earlier submission that a release would use for this one (N-07).
    pub fn known_groups(&self, now: Time, submission: &Submission) -> Option<&[String]> {
        self.named_groups.cached(now, &self.switches, submission)
    }

    /// A submission with the groups that an earlier one named, where the release uses them (N-07).
    fn with_known_groups<'a>(&mut self, now: Time, command: &'a PartitionCommand) -> Cow<'a, PartitionCommand> {
        let PartitionCommand::Submit(submission) = command else { return Cow::Borrowed(command) };
        self.named_groups.remember(now, &self.switches, submission);
        match self.known_groups(now, submission) {
            Some(groups) => {
                let mut submission = submission.clone();
                submission.who.groups = groups.to_vec();
                Cow::Owned(PartitionCommand::Submit(submission))
            }
            None => Cow::Borrowed(command),
        }
    }

    /// Loads a configuration: the first one, or a reload (SCH-177).
    fn configure(&mut self, now: Time, config: &Arc<Config>, events: &mut Vec<Event>) {
        let outcome = self.reload(now, config, events);
        let kind = match outcome {
            Ok(()) => EventKind::ConfigAccepted,
            Err(message) => EventKind::ConfigRejected { message },
        };
        events.push(Event { at: now, kind });
    }
}

/// In the releases, a node registration for an unknown partition is answered.
fn nowhere(command: &PartitionCommand, message: String) -> EventKind {
    match command {
        PartitionCommand::AddNode(spec) => EventKind::NodeRejected { node: spec.id.clone(), message },
        _ => EventKind::Refused { message },
    }
}

impl Partition {
    pub(crate) fn apply(&mut self, now: Time, command: &PartitionCommand, events: &mut Vec<Event>) {
        self.quiet = None;
        match command {
            PartitionCommand::AddNode(spec) => self.add_node(now, spec, events),
            PartitionCommand::UpdateNode { id, capacity, occupied } => {
                self.update_node(now, id, capacity.as_ref(), occupied.as_ref(), events);
            }
            PartitionCommand::RemoveNode(id) => self.remove_node(now, id, events),
            PartitionCommand::DrainNode(id) => self.set_schedulable(now, id, false, events),
            PartitionCommand::ResumeNode(id) => self.set_schedulable(now, id, true, events),
            PartitionCommand::SetForeign { node, foreign } => self.set_foreign(now, node, foreign, events),
            PartitionCommand::Submit(submission) => self.submit(now, submission, events),
            PartitionCommand::Ask(spec) => self.ask(now, spec, events),
            PartitionCommand::Adopt { app, ask, node } => self.adopt(now, app, ask, node, events),
            PartitionCommand::Release { app, ask } => self.release(now, app, ask, events),
            PartitionCommand::Remove { app } => self.remove_app(now, app, events),
            PartitionCommand::Kill { app, by, reason } => self.kill(now, app, by, reason, events),
            PartitionCommand::Clean { queues, applications } => self.clean_up(now, *queues, *applications, events),
            PartitionCommand::Move { app, to, by } => self.move_app(now, app, to, by, events),
        }
        self.confirm_stopped(now, events);
        self.run_timers(now, events);
    }

    pub(crate) fn forget_shortcuts(&mut self) {
        self.end_all_backoffs();
        self.queues.forget_order();
        self.nodes.lower_bounds();
        self.nodes.forget_refused();
    }

    /// Asks the resource manager to stop an allocation, which counts until that is confirmed (SCH-046).
    pub(crate) fn stop(&mut self, app: AppKey, ask: AskKey, reason: ReleaseReason) {
        let stopped = &mut self.apps[app].asks[ask];
        stopped.released = true;
        self.stopping.push_back((app, ask, stopped.arrival, reason));
    }

    pub(crate) fn confirm_stopped(&mut self, now: Time, events: &mut Vec<Event>) {
        while let Some((app, ask, arrival, reason)) = self.stopping.pop_front() {
            let application = self.apps.get_mut(app);
            let there = application.and_then(|app| app.asks.get_mut(ask)).filter(|ask| ask.arrival == arrival);
            let Some(stopped) = there else { continue };
            if !self.tuning.awaits_stops {
                self.end_stopped(now, app, ask, reason, events);
                continue;
            }
            let Some(node) = stopped.allocation.map(|allocation| allocation.node) else { continue };
            stopped.rare.stopping = Some(reason);
            let (node, ask) = (self.nodes[node].id.clone(), stopped.id.clone());
            let kind = EventKind::Stopping { app: self.apps[app].id.clone(), ask, node, reason };
            events.push(Event::new(now, kind));
        }
    }

    pub(crate) fn end_stopped(
        &mut self,
        now: Time,
        app: AppKey,
        ask: AskKey,
        reason: ReleaseReason,
        events: &mut Vec<Event>,
    ) {
        let spent = (reason != ReleaseReason::Timeout).then(|| self.spent(app, ask)).flatten();
        if reason == ReleaseReason::Replaced {
            self.end_replacement(now, app, ask, reason, events);
        } else {
            self.end_allocation(now, app, ask, reason, events);
        }
        events.extend(spent.map(|spent| Event::new(now, spent)));
    }

    /// Runs the timers that are due by `now`, in the order of their times.
    pub(crate) fn run_timers(&mut self, now: Time, events: &mut Vec<Event>) {
        // Mutable access would copy what a fork shares.
        while self.next_timer().is_some_and(|due| due <= now)
            && let Some(((due, _), timer)) = self.timers.pop_first()
        {
            self.quiet = None;
            match timer {
                Timer::AppState(app) => self.state_timer(due, app, events),
                Timer::Placeholder(app) => self.placeholder_timeout(due, app, events),
                Timer::Forget => self.forget_ended(due, events),
                Timer::Quota => self.enforce_quotas(due, events),
            }
            self.confirm_stopped(due, events);
        }
    }

    pub(crate) fn set_timer(&mut self, due: Time, timer: Timer) -> TimerKey {
        self.timers_set += 1;
        let key = (due, self.timers_set);
        self.timers.insert(key, timer);
        key
    }
}
