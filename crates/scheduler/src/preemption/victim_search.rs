//! The selection of victims for a request and of their node (SCH-156 to SCH-160, `profiles.md` section 4.1).

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::fence::Fence;
use super::snapshot::{LevelKey, OfferResult, PreemptionSnapshot};
use crate::index::{AppKey, AskKey, NodeKey};
use crate::interface::grounds::WhyRetained;
use crate::interface::switches::{AskQueueSpace, Switches};
use crate::state::ask::{Allocation, Ask};
use crate::state::node::Node;
use crate::state::partition::Partition;
use model::{AskId, Resource, Time};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PreemptionPlan {
    /// The node of the request.
    pub node: NodeKey,
    /// At least one.
    pub victims: Vec<(AppKey, AskKey)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoVictims {
    BeyondGuarantee,
    NoCandidates,
    NotEnough,
}

pub(super) struct VictimSearch<'a> {
    partition: &'a Partition,
    app: AppKey,
    key: AskKey,
    ask: &'a Ask,
    snapshot: PreemptionSnapshot<'a>,
    candidates: Vec<VictimCandidate<'a>>,
}

struct VictimCandidate<'a> {
    app: AppKey,
    key: AskKey,
    ask: &'a Ask,
    allocation: Allocation,
    leaf: LevelKey,
}

/// Opted in, not an originator, newest by some clock, last allocated.
type VictimRank = (bool, bool, Reverse<Time>, Reverse<u64>);

impl VictimCandidate<'_> {
    fn rank(&self, clock: Time) -> VictimRank {
        (!self.ask.allow_preempt_self, self.ask.originator, Reverse(clock), Reverse(self.allocation.number))
    }
}

impl<'a> VictimSearch<'a> {
    /// Starts a search; `None` if no victims are possible.
    pub(super) fn new(partition: &'a Partition, app: AppKey, key: AskKey) -> Option<Self> {
        Self::prepare(partition, app, key).ok()
    }

    /// # Errors
    /// The first reason why no victims are possible.
    pub(super) fn prepare(partition: &'a Partition, app: AppKey, key: AskKey) -> Result<Self, NoVictims> {
        let application = &partition.apps[app];
        let ask = &application.asks[key];
        let (queues, switches) = (&partition.queues, &partition.switches);
        let snapshot = PreemptionSnapshot::new(queues, switches, application.queue, &ask.resource);
        if switches.ask_queue_space == AskQueueSpace::Within && !snapshot.leaf_has_space() {
            return Err(NoVictims::BeyondGuarantee);
        }
        let mut search = Self { partition, app, key, ask, snapshot, candidates: Vec::new() };
        let fence = Fence::around(queues, application.queue, (ask.priority, &ask.resource), switches.max_is_fence);
        for queue_with_victims in fence.victim_queues(queues) {
            let leaf = search.snapshot.level(queue_with_victims.leaf);
            if search.snapshot.gives(leaf) {
                search.gather(&queues[queue_with_victims.leaf].apps, leaf, queue_with_victims.up_to);
            }
        }
        if search.candidates.is_empty() {
            Err(NoVictims::NoCandidates)
        } else if search.is_possible() {
            Ok(search)
        } else {
            Err(NoVictims::NotEnough)
        }
    }

    pub(super) fn candidates(&self) -> usize {
        self.candidates.len()
    }

    /// The allocations of a leaf that may go (SCH-153).
    fn gather(&mut self, apps: &'a imbl::OrdSet<AppKey>, leaf: LevelKey, up_to: i64) {
        let switches = &self.partition.switches;
        for app in apps.iter().map(|app| &self.partition.apps[*app]) {
            for key in app.allocations.values() {
                let ask = &app.asks[*key];
                let Some(allocation) = ask.allocation else { continue };
                if why_retained(switches, ask, &allocation, &self.ask.resource, up_to).is_none() {
                    self.candidates.push(VictimCandidate { app: app.key, key: *key, ask, allocation, leaf });
                }
            }
        }
    }

    /// SCH-156. Each removal can only help: one check is enough.
    fn is_possible(&mut self) -> bool {
        if self.snapshot.has_guarantee_left() {
            return true;
        }
        let mark = self.snapshot.mark();
        self.snapshot.add_ask();
        for candidate in &self.candidates {
            self.snapshot.remove(candidate.leaf, &candidate.ask.resource);
        }
        let possible = self.snapshot.ask_queue_is_well();
        self.snapshot.rewind(mark);
        possible
    }

    pub(super) fn plan(mut self, nodes_tried: bool) -> Option<PreemptionPlan> {
        let (node, mut victims) = self.best_node(nodes_tried)?;
        let more = self.more_victims(&victims)?;
        victims.extend(more);
        if self.partition.switches.final_cut {
            victims = self.cut(node, &victims)?;
        }
        let victims: Vec<_> =
            victims.into_iter().map(|at| (self.candidates[at].app, self.candidates[at].key)).collect();
        (!victims.is_empty()).then_some(PreemptionPlan { node, victims })
    }

    /// The fewest victims, then the first id (SCH-157, SCH-159).
    fn best_node(&mut self, nodes_tried: bool) -> Option<(NodeKey, Vec<usize>)> {
        let mut by_node: BTreeMap<NodeKey, Vec<usize>> = BTreeMap::new();
        for (at, candidate) in self.candidates.iter().enumerate() {
            by_node.entry(candidate.allocation.node).or_default().push(at);
        }
        let partition = self.partition;
        let mut best: Option<(&Node, Vec<usize>)> = None;
        for node in partition.nodes.iter() {
            if !self.is_open(node) {
                continue;
            }
            let mut there = by_node.remove(&node.key).unwrap_or_default();
            there.sort_by_cached_key(|at| self.candidates[*at].rank(self.candidates[*at].ask.created));
            let Some(victims) = self.victims_on_node(node, &there) else { continue };
            let better = best.as_ref().is_none_or(|(b, v)| (victims.len(), &node.id) < (v.len(), &b.id));
            if better && !(victims.is_empty() && nodes_tried) {
                best = Some((node, victims));
            }
        }
        best.map(|(node, victims)| (node.key, victims))
    }

    fn is_open(&self, node: &Node) -> bool {
        let one = |ask: AskKey| self.partition.apps[self.app].are_one(ask, self.key);
        let own = |(app, ask): &(AppKey, AskKey)| *app == self.app && one(*ask);
        node.schedulable
            && (node.reservations.is_empty() || node.reservations.iter().any(own))
            && (self.partition.switches.victims_on_any_node || node.total.fit_in(&self.ask.resource))
            && !self.partition.nodes.bars(self.ask, node.key)
    }

    /// Empty if none are needed; `None` if they are not enough (SCH-158).
    fn victims_on_node(&mut self, node: &Node, there: &[usize]) -> Option<Vec<usize>> {
        let wanted = &self.ask.resource;
        if node.available.fit_in(wanted) {
            return self.partition.nodes.lets(self.ask, node.key, false).then(Vec::new);
        }
        let (mut head, mut tail) = (Vec::new(), Vec::new());
        let mut space = node.available.clone();
        let start = self.snapshot.mark();
        for at in there {
            let mark = self.snapshot.mark();
            match self.offer(*at, true) {
                OfferResult::Taken => {}
                OfferResult::Stays => continue,
                OfferResult::Unpaid => break,
            }
            let after = space.add(&self.candidates[*at].ask.resource);
            if wanted.sub_eliminate_negative(&space) == wanted.sub_eliminate_negative(&after) {
                self.snapshot.rewind(mark);
                tail.push(*at);
            } else {
                space = after;
                head.push(*at);
            }
        }
        self.snapshot.rewind(start);
        let mut victims = Vec::new();
        let mut space = node.available.clone();
        let mut fits = None;
        for at in head.into_iter().chain(tail) {
            if self.offer(at, false) != OfferResult::Taken {
                continue;
            }
            space.add_assign(&self.candidates[at].ask.resource);
            victims.push(at);
            if self.is_enough(&space) {
                fits = fits.or(Some(victims.len()));
            }
            // Later victims matter only for the resource manager's predicates.
            if fits.is_some() && !self.partition.nodes.has_predicates() {
                break;
            }
        }
        self.snapshot.rewind(start);
        let there: Vec<&AskId> = victims.iter().map(|at| &self.candidates[*at].ask.id).collect();
        let needed = self.partition.nodes.lets_without(self.ask, node.key, &there, fits?)?;
        victims.truncate(needed);
        Some(victims)
    }

    /// 1.5.1 treats a name that the node does not have as unlimited.
    fn is_enough(&self, space: &Resource) -> bool {
        let unlimited = self.partition.switches.victims_on_any_node;
        if unlimited { space.fit_in_max_undef(&self.ask.resource) } else { space.fit_in(&self.ask.resource) }
    }

    fn offer(&mut self, at: usize, paying: bool) -> OfferResult {
        let candidate = &self.candidates[at];
        self.snapshot.offer(candidate.leaf, &candidate.ask.resource, paying)
    }

    /// On any node; `None` if they are not enough (SCH-160).
    fn more_victims(&mut self, chosen: &[usize]) -> Option<Vec<usize>> {
        let within = self.partition.switches.ask_queue_space == AskQueueSpace::Within;
        if within {
            self.snapshot.add_ask();
        }
        for at in chosen {
            let candidate = &self.candidates[*at];
            self.snapshot.remove(candidate.leaf, &candidate.ask.resource);
        }
        if within && self.snapshot.ask_queue_is_well() {
            return Some(Vec::new());
        }
        let mut others: Vec<usize> = (0..self.candidates.len()).filter(|at| !chosen.contains(at)).collect();
        let by_allocation = !self.partition.switches.victim_age;
        others.sort_by_cached_key(|at| {
            let candidate = &self.candidates[*at];
            candidate.rank(if by_allocation { candidate.allocation.since } else { candidate.ask.created })
        });
        let mut more = Vec::new();
        for at in others {
            if within && self.snapshot.ask_queue_is_well() {
                break;
            }
            let (mark, space) = (self.snapshot.mark(), self.snapshot.ask_queue_space());
            match self.offer(at, true) {
                OfferResult::Taken if self.snapshot.ask_queue_space() == space => self.snapshot.rewind(mark),
                OfferResult::Taken => more.push(at),
                OfferResult::Stays => {}
                OfferResult::Unpaid => break,
            }
        }
        let no_victims = !within && more.is_empty();
        (no_victims || self.snapshot.ask_queue_is_well()).then_some(more)
    }

    /// P-13; `profiles.md` section 4.1, step 7.
    fn cut(&self, node: NodeKey, victims: &[usize]) -> Option<Vec<usize>> {
        let wanted = &self.ask.resource;
        let anywhere = self.partition.nodes[node].available.fit_in(wanted);
        let mut sum = Resource::new();
        let mut retained = Vec::new();
        for at in victims {
            let candidate = &self.candidates[*at];
            if !anywhere && candidate.allocation.node != node {
                continue;
            }
            if is_above(wanted, &sum) {
                retained.push(*at);
            }
            sum.add_assign(&candidate.ask.resource);
        }
        (!is_above(wanted, &sum)).then_some(retained)
    }
}

/// `None`: it is a candidate (SCH-153). `up_to`: the highest priority of victims in its leaf.
pub(super) fn why_retained(
    switches: &Switches,
    ask: &Ask,
    allocation: &Allocation,
    wanted: &Resource,
    up_to: i64,
) -> Option<WhyRetained> {
    if ask.rare.required_node.is_some() {
        Some(WhyRetained::RequiresNode)
    } else if ask.continues_anyway() {
        Some(WhyRetained::Ending)
    } else if allocation.preempted && !switches.victim_again {
        Some(WhyRetained::Preempted)
    } else if switches.victim_shares_name && !shares_name(&ask.resource, wanted) {
        Some(WhyRetained::NothingShared)
    } else {
        (i64::from(ask.priority.0) > up_to).then_some(WhyRetained::Important)
    }
}

pub(super) fn shares_name(one: &Resource, other: &Resource) -> bool {
    one.iter().any(|(name, _)| other.get(name).is_some())
}

/// As in 1.8.0: one exceeded name makes the sum enough.
fn is_above(wanted: &Resource, sum: &Resource) -> bool {
    if sum.is_empty() {
        return wanted.iter().all(|(_, amount)| amount > 0);
    }
    let common = || wanted.iter().filter_map(|(name, wanted)| Some((wanted, sum.get(name)?)));
    if common().any(|(wanted, have)| have > wanted) {
        return false;
    }
    common().next().is_none() || common().any(|(wanted, have)| have != wanted)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;
    use crate::interface::command::{AskSpec, Command, NodeSpec, PartitionCommand, Submission};
    use crate::interface::event::EventKind;
    use crate::state::predicates::Predicates;
    use crate::state::scheduler::Scheduler;
    use model::{Identity, Profile};

    #[derive(Debug)]
    struct KeepOff;

    impl Predicates for KeepOff {
        fn pass(&self, ask: &Ask, node: &Node, _allocate: bool) -> bool {
            !(ask.id.as_str() == "b" && node.id.as_str() == "n1")
        }
    }

    #[test]
    fn a_node_that_predicates_refuse_is_passed_over() {
        let config = "partitions: [{name: default, queues: [{name: root, submitacl: '*', queues: [
            {name: a}, {name: b, resources: {guaranteed: {vcore: 1}}, properties: {preemption.delay: 1s}}]}]}]";
        let config = config::read(config, Profile::Kornsole).config.expect("the configuration is valid");
        let mut scheduler = Scheduler::new(Profile::Kornsole);
        scheduler.apply(Time::ZERO, &Command::Configure(Arc::new(config)));
        let one: Resource = [("vcore", 1000)].into_iter().collect();
        let node = |id: &str| NodeSpec { id: id.into(), capacity: one.clone(), ..NodeSpec::default() };
        let mut commands: Vec<Command> = ["n1", "n2"].map(|id| PartitionCommand::AddNode(node(id)).into()).into();
        for (app, count) in [("a", 2), ("b", 1)] {
            let who = Identity::new("sue", ["dev"]);
            let submission = Submission { app: app.into(), queue: format!("root.{app}"), who, ..Submission::default() };
            commands.push(PartitionCommand::Submit(submission).into());
            let ask = AskSpec {
                app: app.into(),
                id: app.into(),
                count,
                resource: one.clone(),
                allow_preempt_other: true,
                ..AskSpec::default()
            };
            commands.extend([PartitionCommand::Ask(ask).into(), Command::Cycle, Command::Cycle]);
        }
        for command in &commands {
            scheduler.apply(Time::ZERO, command);
        }
        let late = Time::ZERO + Duration::from_secs(1);
        let mut refusing = scheduler.clone();
        refusing.partitions_mut()[0].nodes.set_predicates(Arc::new(KeepOff));
        for (scheduler, chosen) in [(&mut scheduler, "n1"), (&mut refusing, "n2")] {
            let events = scheduler.apply(late, &Command::Cycle);
            let reserved = events.iter().find_map(|event| match &event.kind {
                EventKind::Reserved { node, .. } => Some(node.as_str()),
                _ => None,
            });
            assert_eq!(reserved, Some(chosen));
        }
    }
}
