//! Preemption for an ask that requires a node (SCH-167): guarantees, fences and switches of queues protect nobody here.

use std::cmp::Reverse;

use super::select::shares_name;
use crate::model::{Priority, Resource, Time};
use crate::scheduler::index::{AppKey, AskKey, NodeKey};
use crate::scheduler::interface::event::{Event, EventKind};
use crate::scheduler::state::ask::{Allocation, Ask, tell_again};
use crate::scheduler::state::node::Node;
use crate::scheduler::state::partition::Partition;

/// Something on the node that may go.
struct Candidate<'a> {
    key: (AppKey, AskKey),
    ask: &'a Ask,
    allocation: Allocation,
}

impl Candidate<'_> {
    /// What decides before size does: regular ones, then those that wish to stay, then those that started their application; the
    /// least important first; the newest first.
    fn turn(&self, by_ask: bool) -> (u8, Priority, Reverse<Time>) {
        let kind = match (self.ask.originator, self.ask.allow_preempt_self) {
            (true, _) => 3,
            (false, false) => 2,
            (false, true) => 1,
        };
        let clock = if by_ask { self.ask.created } else { self.allocation.since };
        (kind, self.ask.priority, Reverse(clock))
    }
}

impl Partition {
    /// Makes room for an ask on the node that it requires and that is kept for it, if that was not done before.
    pub(in crate::scheduler) fn preempt_on_required(
        &mut self,
        now: Time,
        app: AppKey,
        ask: AskKey,
        node: NodeKey,
        events: &mut Vec<Event>,
    ) {
        let wish = &self.apps[app].asks[ask];
        if wish.required_node.is_none() || wish.preempted_others || !self.is_loaded() {
            return;
        }
        let victims = self.victims_on(&self.nodes[node], wish);
        if victims.is_empty() {
            return self.tell_no_victim(now, app, ask, node, events);
        }
        for victim in victims {
            self.preempt_one(now, victim, (app, ask), events);
        }
        self.apps[app].asks[ask].preempted_others = true;
    }

    /// The victims that make room for an ask on one node; none if they cannot. The room that there is counts only in the end.
    fn victims_on(&self, node: &Node, wish: &Ask) -> Vec<(AppKey, AskKey)> {
        let mut sum = Resource::new();
        let mut victims = Vec::new();
        for candidate in self.candidates_on(node, wish) {
            if sum.fit_in(&wish.resource) {
                break;
            }
            sum.add_assign(&candidate.ask.resource);
            victims.push(candidate.key);
        }
        if sum.add(&node.available).fit_in(&wish.resource) { victims } else { Vec::new() }
    }

    fn candidates_on(&self, node: &Node, wish: &Ask) -> Vec<Candidate<'_>> {
        let there = node.allocations.values().rev().filter_map(|(app, key)| {
            let ask = &self.apps[*app].asks[*key];
            Some(Candidate { key: (*app, *key), ask, allocation: ask.allocation? })
        });
        let mut candidates: Vec<_> = there
            .filter(|Candidate { ask, allocation, .. }| {
                ask.required_node.is_none()
                    && ask.priority <= wish.priority
                    && !allocation.preempted
                    && !ask.goes_anyway()
                    && shares_name(&ask.resource, &wish.resource)
            })
            .collect();
        let by_ask = self.switches.victim_age;
        candidates.sort_by_key(|candidate| candidate.turn(by_ask));
        // Size is no total order (SCH-002): insertion sort, within what the other keys leave equal.
        for i in 1..candidates.len() {
            let mut at = i;
            while at > 0 && candidates[at - 1].turn(by_ask) == candidates[at].turn(by_ask) {
                let (before, after) = (&candidates[at - 1].ask.resource, &candidates[at].ask.resource);
                if before == after || after.strictly_greater(before) {
                    break;
                }
                candidates.swap(at - 1, at);
                at -= 1;
            }
        }
        candidates
    }

    /// Tells that nobody on the node can make room, but not again and again (SCH-222).
    fn tell_no_victim(&mut self, now: Time, app: AppKey, ask: AskKey, node: NodeKey, events: &mut Vec<Event>) {
        let application = &mut self.apps[app];
        let wish = &mut application.asks[ask];
        if tell_again(now, &mut wish.no_victim_told) {
            let (app, ask, node) = (application.id.clone(), wish.id.clone(), self.nodes[node].id.clone());
            events.push(Event::new(now, EventKind::NoVictim { app, ask, node, resource: wish.resource.clone() }));
        }
    }
}
