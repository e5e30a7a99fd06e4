//! Ended allocations: by either scheduler, or for an unknown reason.
//!
//! A removed pod may be a replaced placeholder or a victim, which is visible only when the pod that needs its resources
//! gets a node. Until then it is held: it counts as removed only for that pod.

use std::collections::{BTreeMap, BTreeSet};

use super::follow::{Shadow, take_over};
use super::foresee::{AskOf, foresee, part};
use super::seen::Input;
use super::verdict::PreemptionCheck;
use model::{AppId, AskId, NodeId, Time};
use scheduler::{Event, EventKind, PartitionCommand, ReleaseReason};

#[derive(Debug, Default)]
pub(super) struct Released {
    /// Removed for an unknown purpose, since this time.
    pending: BTreeMap<AskOf, Time>,
    /// Ended by kornsole, with time and node; not yet seen to end in the cluster.
    own: BTreeMap<AskOf, (Time, Option<NodeId>)>,
}

impl Released {
    pub fn is_pending(&self, of: &AskOf) -> bool {
        self.pending.contains_key(of)
    }

    pub fn pending_of<'a>(&'a self, app: &'a AppId) -> impl Iterator<Item = &'a AskId> {
        self.pending.keys().filter(move |(pending, _)| pending == app).map(|(_, ask)| ask)
    }

    /// Records what kornsole ended by itself.
    pub fn note(&mut self, events: &[Event]) {
        for event in events {
            if let EventKind::Released { app, ask, node, reason, .. } = &event.kind
                && matches!(reason, ReleaseReason::Timeout | ReleaseReason::Preempted)
            {
                self.own.insert((app.clone(), ask.clone()), (event.at, Some(node.clone())));
            }
        }
    }
}

impl Shadow {
    pub(super) fn gone(&mut self, at: Time, of: AskOf) {
        self.specs.remove(&of);
        self.passed_over.remove(&of);
        if self.released.own.remove(&of).is_some() {
            return;
        }
        if self.waits_for_placeholder(&of) {
            self.released.pending.insert(of, at);
        } else if self.runs(&of) && self.state.has_work() {
            self.perhaps_a_victim(at, of);
        } else {
            self.end(at, &of);
        }
    }

    pub(super) fn end(&mut self, at: Time, (app, ask): &AskOf) {
        self.released.pending.remove(&(app.clone(), ask.clone()));
        let release = PartitionCommand::Release { app: app.clone(), ask: ask.clone() };
        self.take(at, Input::Command(release));
    }

    /// It is a placeholder, and a request of its task group is pending.
    fn waits_for_placeholder(&self, (app, ask): &AskOf) -> bool {
        let found = self.partition().and_then(|part| {
            let app = part.app(app)?;
            let pending = app.asks.get(app.ask_key(ask)?).filter(|ask| ask.placeholder && ask.allocation.is_some())?;
            let waits = |(.., key): &(_, _, _, _)| {
                let ask = &app.asks[*key];
                !ask.placeholder && ask.rare.task_group == pending.rare.task_group
            };
            Some(pending.rare.task_group.is_some() && app.pending_order.iter().any(waits))
        });
        found.unwrap_or_default()
    }

    fn runs(&self, (app, ask): &AskOf) -> bool {
        let found = self.partition().and_then(|part| {
            let app = part.app(app)?;
            Some(app.asks.get(app.ask_key(ask)?)?.allocation.is_some())
        });
        found.unwrap_or_default()
    }

    /// A preemption that kornsole would also do now, or another reason.
    fn perhaps_a_victim(&mut self, at: Time, of: AskOf) {
        let Self { state, released, partition, .. } = self;
        let gone = |of: &AskOf| released.is_pending(of);
        let Some(foreseen) = foresee(state, partition, at, &gone) else { return };
        let Some(next) = foreseen.next.filter(|next| next.frees.contains(&of)) else {
            return self.end(at, &of);
        };
        self.released.pending.insert(of, at);
        // An allocation of the same cycle is seen later and confirms them.
        if next.allocates.is_none() && next.frees.iter().all(|of| self.released.is_pending(of)) {
            self.state = next.after;
            self.cycles += foreseen.cycles;
            self.confirm(at, next.frees);
        }
    }

    /// kornsole freed these with a decision that the other scheduler also made.
    pub(super) fn confirm(&mut self, at: Time, frees: BTreeSet<AskOf>) {
        let mut victims = Vec::new();
        for of in frees {
            match self.released.pending.remove(&of) {
                Some(_) => victims.push(of),
                None => drop(self.released.own.insert(of, (at, None))),
            }
        }
        if !victims.is_empty() {
            self.check(at, victims.clone(), victims);
        }
    }

    /// Records a preemption for one request or queue.
    pub fn freed(&mut self, at: Time, victims: &BTreeSet<AskOf>) {
        let at = self.turn_to(at);
        let listed: Vec<AskOf> = victims.iter().cloned().collect();
        victims.iter().for_each(|of| drop(self.specs.remove(of)));
        if victims.iter().all(|of| self.released.own.contains_key(of)) {
            victims.iter().for_each(|of| drop(self.released.own.remove(of)));
            return self.check(at, listed.clone(), listed);
        }
        let Self { state, released, partition, .. } = self;
        let gone = |of: &AskOf| released.is_pending(of);
        let Some(foreseen) = foresee(state, partition, at, &gone) else { return };
        self.cycles += foreseen.cycles;
        match foreseen.next {
            Some(next) if next.allocates.is_none() && next.frees == *victims => {
                self.state = next.after;
                self.check(at, listed.clone(), listed);
            }
            next => {
                let local = next.map(|next| next.frees.into_iter().collect()).unwrap_or_default();
                self.check(at, listed.clone(), local);
                self.state = foreseen.quiet;
                for of in listed {
                    if self.released.own.remove(&of).is_none() {
                        self.end(at, &of);
                    }
                }
            }
        }
    }

    fn check(&mut self, at: Time, victims: Vec<AskOf>, local: Vec<AskOf>) {
        // Ended placeholders are not victims.
        let queue = victims.first().map(|(app, _)| self.leaf(app)).unwrap_or_default();
        self.checks.push(PreemptionCheck { at, victims, local, queue });
    }

    pub(super) fn forget_gone(&mut self) {
        let Self { released, state, partition, .. } = self;
        let Some(part) = part(state, partition) else { return };
        released.pending.retain(|(app, ask), _| part.app(app).is_some_and(|app| app.ask_key(ask).is_some()));
    }

    /// Old held allocations end, and those that only kornsole ended return.
    pub(super) fn let_go(&mut self, at: Time) {
        let late = |since: Time| since + self.settings.hold <= at;
        let pending: Vec<AskOf> =
            self.released.pending.iter().filter(|(_, since)| late(**since)).map(|(of, _)| of.clone()).collect();
        let own: Vec<AskOf> =
            self.released.own.iter().filter(|(_, (since, _))| late(*since)).map(|(of, _)| of.clone()).collect();
        for of in pending {
            self.end(at, &of);
        }
        for of in own {
            let Some((_, node)) = self.released.own.remove(&of) else { continue };
            // The other scheduler did not end it.
            let Some((spec, node)) = self.specs.get(&of).cloned().zip(node) else { continue };
            self.take(at, Input::Command(PartitionCommand::Ask(spec)));
            // Fails if kornsole also ended the application.
            let _ = take_over(&mut self.state, at, &self.partition, &of, &node, None);
            self.check(at, Vec::new(), vec![of]);
        }
    }
}
