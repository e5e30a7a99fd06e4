//! Preemption for a required node (SCH-167): guaranteed resources, fences, and queue properties protect nothing here.

use std::cmp::Reverse;
use std::sync::Arc;

use super::victim_search::shares_name;
use crate::index::{AppKey, AskKey, NodeKey};
use crate::interface::event::{Event, EventKind};
use crate::state::ask::{Ask, report_again};
use crate::state::node::Node;
use crate::state::partition::Partition;
use model::{Priority, Resource, Time};

struct VictimCandidate<'a> {
    key: (AppKey, AskKey),
    ask: &'a Ask,
}

impl VictimCandidate<'_> {
    /// Regular allocations, then those that opted out, then originators; then the lowest priority, then the newest
    /// request.
    fn rank(&self) -> (u8, Priority, Reverse<Time>) {
        let kind = match (self.ask.originator, self.ask.allow_preempt_self) {
            (true, _) => 3,
            (false, false) => 2,
            (false, true) => 1,
        };
        (kind, self.ask.priority, Reverse(self.ask.created))
    }
}

impl Partition {
    pub(crate) fn preempt_on_required(
        &mut self,
        now: Time,
        app: AppKey,
        ask: AskKey,
        node: NodeKey,
        events: &mut Vec<Event>,
    ) {
        let preemptor = &self.apps[app].asks[ask];
        if preemptor.rare.required_node.is_none() || preemptor.preempted_others || !self.is_loaded() {
            return;
        }
        let victims = self.victims_on(&self.nodes[node], preemptor);
        if victims.is_empty() {
            return self.report_no_victim(now, app, ask, node, events);
        }
        let grounds = Arc::new(self.grounds_on_required(app, ask, node, &victims));
        for victim in victims {
            self.preempt_one(now, victim, (app, ask), &grounds, events);
        }
        self.apps[app].asks[ask].preempted_others = true;
    }

    /// Empty if they are not enough.
    fn victims_on(&self, node: &Node, preemptor: &Ask) -> Vec<(AppKey, AskKey)> {
        let mut sum = Resource::new();
        let mut victims = Vec::new();
        for candidate in self.candidates_on(node, preemptor) {
            if sum.fit_in(&preemptor.resource) {
                break;
            }
            sum.add_assign(&candidate.ask.resource);
            victims.push(candidate.key);
        }
        if sum.add(&node.available).fit_in(&preemptor.resource) { victims } else { Vec::new() }
    }

    fn candidates_on(&self, node: &Node, preemptor: &Ask) -> Vec<VictimCandidate<'_>> {
        let there = node.allocations.values().rev().filter_map(|(app, key)| {
            let ask = &self.apps[*app].asks[*key];
            let preempted = ask.allocation?.preempted;
            (!preempted).then_some(VictimCandidate { key: (*app, *key), ask })
        });
        let mut candidates: Vec<_> = there
            .filter(|VictimCandidate { ask, .. }| {
                ask.rare.required_node.is_none()
                    && ask.priority <= preemptor.priority
                    && !ask.continues_anyway()
                    && shares_name(&ask.resource, &preemptor.resource)
            })
            .collect();
        candidates.sort_by_key(VictimCandidate::rank);
        // Size is not a total order (SCH-002): insertion sort among equal keys.
        for i in 1..candidates.len() {
            let mut at = i;
            while at > 0 && candidates[at - 1].rank() == candidates[at].rank() {
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

    /// Reports that no one on the node can make room, but not again and again (SCH-222).
    fn report_no_victim(&mut self, now: Time, app: AppKey, ask: AskKey, node: NodeKey, events: &mut Vec<Event>) {
        let application = &mut self.apps[app];
        let preemptor = &mut application.asks[ask];
        if report_again(now, &mut preemptor.rare.no_victim_reported) {
            let (app, ask, node) = (application.id.clone(), preemptor.id.clone(), self.nodes[node].id.clone());
            events.push(Event::new(now, EventKind::NoVictim { app, ask, node, resource: preemptor.resource.clone() }));
        }
    }
}
