//! Passes the live mapping's commands to a shadow, and detects decisions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::shim::CoreSink;
use engine::Core;
use forecast::shadow::free::Free;
use forecast::shadow::tally::Tally;
use forecast::shadow::{Comparison, Decision, Input, Shadow, Source};
use kubernetes::live::Sink;
use kubernetes::predicates::Snapshot;
use model::{AppId, AskId, NodeId, Time};
use scheduler::{Event, Partition, PartitionCommand, Predicates};

/// Follows a live mapping.
#[derive(Debug)]
pub struct Following {
    /// In the state of the other scheduler.
    pub shadow: Shadow,
    /// Gets the same inputs and decides by itself.
    pub free: Free,
    /// All counts so far.
    pub tally: Tally,
    /// Time of the current inputs.
    pub now: Time,
    /// Known decision times of the current pods.
    pub times: BTreeMap<AskId, (Time, Source)>,
    /// The initial state is loaded: later bindings are new decisions.
    started: bool,
    /// Not in the tally yet: their pod names come from the caller.
    pub found: Vec<Comparison>,
    /// Deferred removal of a pod: the mapping removes a newly bound pod and adds it again.
    deferred: Vec<PartitionCommand>,
    /// Pods that left the cluster and that the free scheduler still has.
    retained: BTreeSet<(AppId, AskId)>,
}

impl Following {
    /// Creates it without any state.
    pub fn new(shadow: Shadow, free: Free, now: Time) -> Self {
        let (tally, times, found, deferred, retained) = Default::default();
        Self { shadow, free, tally, now, times, started: false, found, deferred, retained }
    }

    /// Marks the initial state as loaded.
    pub fn start(&mut self) {
        self.flush();
        self.started = true;
        self.free.start();
    }

    /// Applies deferred commands.
    pub fn flush(&mut self) {
        for command in std::mem::take(&mut self.deferred) {
            self.see(Input::Command(command));
        }
    }

    /// Handles an input other than a decision.
    pub fn see(&mut self, input: Input) {
        self.free.see(self.now, &input);
        self.shadow.see(self.now, input);
        self.take_checks();
    }

    fn take_checks(&mut self) {
        for check in self.shadow.take_checks() {
            for (app, ask) in &check.victims {
                self.free.preempted(check.at, &(app.clone(), ask.clone()));
            }
            self.tally.take_check(&check);
        }
    }

    /// Returns true if the deferred commands only remove and re-add an unchanged pending pod.
    fn is_same_again(&self, of: &(AppId, AskId)) -> bool {
        match self.deferred.as_slice() {
            [PartitionCommand::Release { app, ask }, PartitionCommand::Ask(spec)] => {
                (app, ask) == (&of.0, &of.1) && (&spec.app, &spec.id) == (&of.0, &of.1)
            }
            _ => false,
        }
    }

    fn placed(&mut self, app: AppId, ask: AskId, node: NodeId) {
        let of = (app.clone(), ask.clone());
        if self.is_same_again(&of) {
            self.deferred.clear();
        } else {
            self.flush();
        }
        if !self.started {
            return self.see(Input::Runs { app, ask, node });
        }
        let (at, source) = self.times.remove(&ask).unwrap_or((self.now, Source::Watch));
        self.free.decided(at, &of);
        let comparison = self.shadow.decided(&Decision { at, app, ask, node, source });
        self.take_checks();
        self.found.push(comparison);
    }

    /// Runs what is due, and records missed decisions.
    pub fn pass(&mut self, at: Time) {
        self.now = self.now.max(at);
        self.free.turn_to(self.now);
        let missed = self.shadow.pass(self.now);
        self.take_checks();
        self.found.extend(missed);
    }

    /// Runs the queue cleaner, and compares shares.
    pub fn tidy(&mut self) {
        self.shadow.clean(self.now);
        if let Some(part) = self.shadow.partition() {
            self.free.sample(part);
        }
        let over: Vec<(AppId, AskId)> = self.retained.iter().filter(|of| !self.free.has(of)).cloned().collect();
        for of in over {
            change_filters(self.free.partition_mut(), &mut |filters| filters.drop_pod(of.1.as_str()));
            self.retained.remove(&of);
        }
    }
}

fn change_filters(part: Option<&mut Partition>, change: &mut dyn FnMut(&mut Snapshot)) {
    let Some(part) = part else { return };
    part.nodes.change_predicates(|predicates| {
        if let Some(filters) = predicates.as_any().and_then(|any| any.downcast_mut()) {
            change(filters);
        }
    });
}

impl Sink for Following {
    fn apply(&mut self, command: PartitionCommand) {
        match command {
            PartitionCommand::Adopt { app, ask, node } => self.placed(app, ask, node),
            release @ PartitionCommand::Release { .. } => {
                self.flush();
                self.deferred.push(release);
            }
            ask @ PartitionCommand::Ask(_) if self.deferred.len() == 1 => self.deferred.push(ask),
            command => {
                self.flush();
                self.see(Input::Command(command));
            }
        }
    }

    fn set_filters(&mut self, filters: Snapshot) {
        self.flush();
        let filters: Arc<dyn Predicates> = Arc::new(filters);
        // The free scheduler has pods elsewhere. Pods that left the cluster are unknown from now on.
        self.free.give_up(std::mem::take(&mut self.retained));
        if let Some(part) = self.free.partition_mut() {
            let own = part.nodes.predicates().and_then(|own| filters.placed_as(&**own));
            part.nodes.set_predicates(own.unwrap_or_else(|| Arc::clone(&filters)));
        }
        if let Some(part) = self.shadow.partition_mut() {
            part.nodes.set_predicates(filters);
        }
    }

    fn filters(&mut self, change: &mut dyn FnMut(&mut Snapshot)) {
        // The shadow last: the mapping reads the result of the last change.
        change_filters(self.free.partition_mut(), change);
        change_filters(self.shadow.partition_mut(), change);
    }

    fn forget_pod(&mut self, uid: &str) {
        let released = self.deferred.iter().find_map(|command| match command {
            PartitionCommand::Release { app, ask } if ask.as_str() == uid => Some((app.clone(), ask.clone())),
            _ => None,
        });
        self.flush();
        change_filters(self.shadow.partition_mut(), &mut |filters| filters.drop_pod(uid));
        match released.filter(|of| self.free.has(of)) {
            Some(of) => drop(self.retained.insert(of)),
            None => change_filters(self.free.partition_mut(), &mut |filters| filters.drop_pod(uid)),
        }
    }

    fn take_events(&mut self) -> Vec<Event> {
        self.shadow.take_received()
    }
}

pub(super) struct Both<'a> {
    pub following: &'a mut Following,
    pub core: Option<&'a mut Core>,
}

impl Sink for Both<'_> {
    fn apply(&mut self, command: PartitionCommand) {
        if let Some(core) = &mut self.core {
            CoreSink(core).apply(command.clone());
        }
        self.following.apply(command);
    }

    fn set_filters(&mut self, filters: Snapshot) {
        if let Some(core) = &mut self.core {
            CoreSink(core).set_filters(filters.clone());
        }
        self.following.set_filters(filters);
    }

    fn filters(&mut self, change: &mut dyn FnMut(&mut Snapshot)) {
        if let Some(core) = &mut self.core {
            CoreSink(core).filters(change);
        }
        self.following.filters(change);
    }

    fn forget_pod(&mut self, uid: &str) {
        if let Some(core) = &mut self.core {
            CoreSink(core).forget_pod(uid);
        }
        self.following.forget_pod(uid);
    }

    fn take_events(&mut self) -> Vec<Event> {
        self.following.take_events()
    }
}
