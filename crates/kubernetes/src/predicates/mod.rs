//! The filters of Kubernetes over a snapshot of a cluster (K8S-160 to K8S-186).
//!
//! Invariants:
//! - an answer is a function of the pod, the node, and the snapshot, which contains each decision at once;
//! - an unsupported condition rejects with a message that starts with `kornsole does not support`;
//! - the core checks free resources, from the same sums.
//!
//! Conditions on nodes alone are computed once for all equal ones (`conditions`); conditions on other pods use counts
//! by domain (`counters`). So one answer costs a few lookups.

mod conditions;
mod copies;
mod counters;
mod labels;
mod limits;
mod live;
mod matchers;
mod nodes;
mod pods;
mod ports;
mod refusal;
#[cfg(test)]
pub(crate) mod tests;
mod volumes;

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

use imbl::{OrdMap, OrdSet, Vector};

use self::conditions::Conditions;
use self::counters::{Counter, Counts, What};
pub(crate) use self::labels::{Labels, NamespaceLabels};
use self::limits::Attached;
pub(crate) use self::live::NodeChange;
use self::nodes::{NodeFacts, NodeTable};
use self::pods::{Gathering, PodFacts};
use self::ports::HostPort;
use self::refusal::{Filter, Refusal};
pub(crate) use self::volumes::{Storage, chosen_late, waits_for};
use super::objects::{Node as NodeObject, Pod};
use model::{AskId, NodeId};
use scheduler::Predicates;
use scheduler::index::Index;
use scheduler::state::ask::Ask;
use scheduler::state::node::Node;

const BARRED: &str = "binding to this node failed several times, so it is skipped temporarily";

/// Constant facts, and the state that decisions change. Copies share unchanged parts.
#[derive(Clone, Debug)]
pub struct Snapshot {
    facts: Arc<Facts>,
    counts: Vector<Counts>,
    ports: OrdMap<usize, Vector<HostPort>>,
    in_use: OrdMap<usize, u32>,
    attached: Attached,
    placed: OrdMap<usize, usize>,
    barred: OrdSet<(usize, usize)>,
    /// Changes that may unblock pods without a count: ports, claims, nodes, conditions.
    freed: u64,
}

/// Facts that decisions do not change.
#[derive(Clone, Debug, Default)]
struct Facts {
    known: Gathering,
    pods: Vec<PodFacts>,
    by_uid: Index<AskId, usize>,
    free: Vec<usize>,
    counting: Vec<Vec<usize>>,
    carrying: Vec<Vec<usize>>,
}

pub(crate) fn suits(pod: &Pod, node: &NodeObject) -> bool {
    Conditions::of(pod, Ok(Vec::new())).refusal(&NodeFacts::of(node), true).is_none()
}

impl Snapshot {
    /// Contains the nodes, and the pods with a node or a request, with UIDs. `copies`: a what-if may request copies of
    /// bound pods.
    pub(crate) fn of<'o>(
        nodes: impl Iterator<Item = &'o NodeObject>,
        pods: &[&Arc<Pod>],
        namespaces: &NamespaceLabels,
        storage: Storage<'_>,
        copies: bool,
    ) -> Self {
        let known = Gathering::over(NodeTable::of(nodes), copies);
        let facts = Facts { known, pods: Vec::with_capacity(pods.len()), ..Facts::default() };
        let mut snapshot = Self {
            facts: Arc::new(facts),
            counts: Vector::new(),
            ports: OrdMap::new(),
            in_use: OrdMap::new(),
            attached: Attached::default(),
            placed: OrdMap::new(),
            barred: OrdSet::new(),
            freed: 0,
        };
        storage.csi_nodes.iter().for_each(|(node, csi_node)| snapshot.put_limits(node, Some(csi_node)));
        snapshot.put_attachments(storage);
        snapshot.put_pods(pods, namespaces, storage);
        for pod in pods {
            if let Some(node) = pod.node() {
                snapshot.place(&AskId::from(pod.metadata.uid.as_str()), node, true);
            }
        }
        snapshot
    }

    /// Returns true for the same answer on every node.
    pub fn treats_identical(&self, one: &AskId, other: &AskId) -> bool {
        let facts = |uid: &AskId| self.facts.by_uid.get(uid.as_str()).map(|number| &self.facts.pods[*number]);
        let (Some(one), Some(other)) = (facts(one), facts(other)) else { return false };
        one.conditions == other.conditions
            && one.nowhere == other.nowhere
            && one.ports == other.ports
            && one.alone == other.alone
            && one.volumes == other.volumes
            && one.retained_off == other.retained_off
            && one.away == other.away
            && (&one.near, one.near_itself) == (&other.near, other.near_itself)
            && one.spread == other.spread
            && self.bars_of(one).eq(self.bars_of(other))
    }

    fn bars_of(&self, pod: &PodFacts) -> impl Iterator<Item = usize> {
        self.barred.range((pod.number, 0)..(pod.number + 1, 0)).map(|(_, node)| *node)
    }

    /// Returns the reason in the words of K8S-162.
    pub fn why_not(&self, pod: &AskId, node: &NodeId) -> Option<String> {
        let Some((facts, node)) = self.known(pod, node) else {
            return Some("kornsole does not support pods and nodes that it has not seen".to_owned());
        };
        self.first_refusal(facts, node, true).map(|refusal| refusal.to_string())
    }

    fn known(&self, pod: &AskId, node: &NodeId) -> Option<(&PodFacts, usize)> {
        let pod = self.facts.by_uid.get(pod.as_str())?;
        Some((&self.facts.pods[*pod], self.facts.known.table.find(node.as_str())?))
    }

    fn first_refusal(&self, pod: &PodFacts, node: usize, allocate: bool) -> Option<Refusal> {
        if pod.nowhere.is_some() {
            return pod.nowhere.clone();
        }
        let conditions = &self.facts.known.conditions[pod.conditions?];
        let at = &self.facts.known.table.nodes[node];
        let words = |(filter, message): (Filter, &str)| Refusal::new(filter, message);
        conditions
            .refusal(at, false)
            .or_else(|| self.taken_port(pod, node).map(words))
            .or_else(|| self.claim_in_use(pod).filter(|_| allocate).map(words))
            .or_else(|| self.too_many_volumes(pod, node).filter(|_| allocate).map(words))
            .or_else(|| conditions.refusal(at, allocate))
            .or_else(|| self.by_other_pods(pod, node).map(words))
            .or_else(|| self.is_barred(pod, node).then(|| Refusal::new(Filter::Before, BARRED)))
    }

    fn is_barred(&self, pod: &PodFacts, node: usize) -> bool {
        !self.barred.is_empty() && self.barred.contains(&(pod.number, node))
    }

    fn lets(&self, pod: &PodFacts, node: usize, allocate: bool) -> bool {
        let Some(verdict) = pod.conditions.map(|number| &self.facts.known.verdicts[number]) else { return false };
        let nodes = if allocate { &verdict.allocate } else { &verdict.reserve };
        nodes.has(node)
            && pod.nowhere.is_none()
            && self.taken_port(pod, node).is_none()
            && (!allocate || self.claim_in_use(pod).is_none() && self.too_many_volumes(pod, node).is_none())
            && self.by_other_pods(pod, node).is_none()
            && !self.is_barred(pod, node)
    }

    fn taken_port(&self, pod: &PodFacts, node: usize) -> Option<(Filter, &'static str)> {
        if pod.ports.is_empty() {
            return None;
        }
        let taken = self.ports.get(&node)?;
        let conflict = taken.iter().any(|taken| pod.ports.iter().any(|wanted| wanted.conflicts(taken)));
        conflict.then_some((Filter::NodePorts, "node(s) didn't have free ports for the requested pod ports"))
    }

    fn claim_in_use(&self, pod: &PodFacts) -> Option<(Filter, &'static str)> {
        let used = pod.alone.iter().any(|claim| self.in_use.get(claim).is_some_and(|pods| *pods > 0));
        let message = "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode";
        used.then_some((Filter::VolumeRestrictions, message))
    }

    fn by_other_pods(&self, pod: &PodFacts, node: usize) -> Option<(Filter, &'static str)> {
        let spread = |message| Some((Filter::PodTopologySpread, message));
        for constraint in &pod.spread {
            let Some((counts, domain)) = self.counted(constraint.counter, node) else {
                return spread("node(s) didn't match pod topology spread constraints (missing required label)");
            };
            let there = counts.in_domain(domain) + constraint.own;
            if there > counts.lowest(constraint.min_domains).saturating_add(constraint.max_skew) {
                return spread("node(s) didn't match pod topology spread constraints");
            }
        }
        let refused = |message| Some((Filter::InterPodAffinity, message));
        let any = |counter: &usize| self.counted(*counter, node).is_some_and(|(counts, at)| counts.in_domain(at) > 0);
        let has_keys = pod.near.iter().all(|counter| self.counted(*counter, node).is_some());
        let first = || pod.near_itself && pod.near.iter().all(|counter| self.counts[*counter].total() == 0);
        if !has_keys || !(pod.near.iter().all(any) || first()) {
            return refused("node(s) didn't match pod affinity rules");
        }
        if pod.away.iter().any(any) {
            return refused("node(s) didn't match pod anti-affinity rules");
        }
        if pod.retained_off.iter().any(any) {
            return refused("node(s) didn't satisfy existing pods anti-affinity rules");
        }
        None
    }

    /// The counts, and the domain of the node; `None` for a node without the key.
    fn counted(&self, counter: usize, node: usize) -> Option<(&Counts, u32)> {
        let domain = self.facts.known.table.topology(self.facts.known.counters[counter].key).of(node)?;
        Some((self.counts.get(counter)?, domain))
    }

    fn change(&mut self, number: usize, node: usize, added: bool) {
        match (self.placed.get(&number).copied(), added) {
            (None, true) => self.placed.insert(number, node),
            (Some(at), false) if at == node => self.placed.remove(&number),
            _ => return,
        };
        self.count(number, node, added, 0);
        let facts = Arc::clone(&self.facts);
        let pod = &facts.pods[number];
        self.change_volumes(pod, node, added);
        let is_restricted = !(pod.alone.is_empty() && pod.ports.is_empty());
        if is_restricted && !added {
            self.freed += 1;
        }
        for claim in &pod.alone {
            let users = self.in_use.entry(*claim).or_default();
            *users = if added { *users + 1 } else { users.saturating_sub(1) };
        }
        if pod.ports.is_empty() {
            return;
        }
        let taken = self.ports.entry(node).or_default();
        for port in &pod.ports {
            if added {
                taken.push_back(port.clone());
            } else if let Some(at) = taken.iter().position(|one| one == port) {
                taken.remove(at);
            }
        }
    }

    fn count(&mut self, number: usize, node: usize, added: bool, from: usize) {
        let facts = Arc::clone(&self.facts);
        let pod = &facts.pods[number];
        let meant = pod.meant.iter().flat_map(|matcher| &facts.counting[*matcher]);
        for counter in meant.chain(&pod.carries).filter(|counter| **counter >= from) {
            let Counter { key, what, .. } = &facts.known.counters[*counter];
            let counted = match what {
                What::Meant | What::Carries => true,
                What::Spread(rule) => !pod.leaving && facts.known.eligible[*rule].has(node),
            };
            let domain = facts.known.table.topology(*key).of(node).filter(|_| counted);
            if let (Some(domain), Some(counts)) = (domain, self.counts.get_mut(*counter)) {
                counts.change(domain, added);
            }
        }
    }
}

impl Predicates for Snapshot {
    fn pass(&self, ask: &Ask, node: &Node, allocate: bool) -> bool {
        self.known(&ask.id, &node.id).is_some_and(|(pod, at)| self.lets(pod, at, allocate))
    }

    fn bars(&self, ask: &Ask, node: &Node) -> bool {
        // Removed pods do not affect the conditions on nodes alone.
        let Some((pod, at)) = self.known(&ask.id, &node.id) else { return true };
        let verdict = pod.conditions.map(|number| &self.facts.known.verdicts[number]);
        pod.nowhere.is_some() || verdict.is_none_or(|verdict| !verdict.allocate.has(at))
    }

    fn passes_without(&self, ask: &Ask, node: &Node, there: &[&AskId], least: usize) -> Option<usize> {
        let (pod, at) = self.known(&ask.id, &node.id)?;
        if self.lets(pod, at, true) {
            return Some(least);
        }
        let mut rest = self.clone();
        for (gone, victim) in there.iter().enumerate() {
            rest.place(victim, node.id.as_str(), false);
            if gone + 1 >= least && rest.lets(pod, at, true) {
                return Some(gone + 1);
            }
        }
        None
    }

    fn refusal(&self, ask: &Ask, node: &Node) -> Option<String> {
        self.why_not(&ask.id, &node.id)
    }

    fn identical(&self, one: &Ask, other: &Ask) -> bool {
        self.treats_identical(&one.id, &other.id)
    }

    fn loosened(&self, ask: &Ask) -> Option<u64> {
        let pod = &self.facts.pods[*self.facts.by_uid.get(ask.id.as_str())?];
        pod.conditions?;
        let spread = pod.spread.iter().map(|spread| &spread.counter);
        let counters = pod.near.iter().chain(&pod.away).chain(&pod.retained_off).chain(spread);
        let counted = counters.filter_map(|counter| self.counts.get(*counter)).map(Counts::loosened).sum::<u64>();
        // A large step, so that changed counts also change the result.
        Some(counted.wrapping_add(self.freed.wrapping_mul(1 << 40)))
    }

    fn candidates(&self, ask: &Ask) -> Option<Vec<NodeId>> {
        let pod = &self.facts.pods[*self.facts.by_uid.get(ask.id.as_str())?];
        let verdict = &self.facts.known.verdicts[pod.conditions?];
        (!verdict.few.is_empty() || verdict.allocate.count() == 0).then(|| verdict.few.clone())
    }

    fn placed(&mut self, ask: &AskId, node: &NodeId) {
        self.place(ask, node.as_str(), true);
    }

    fn gone(&mut self, ask: &AskId, node: &NodeId) {
        self.place(ask, node.as_str(), false);
    }

    fn as_any(&mut self) -> Option<&mut dyn Any> {
        Some(self)
    }

    fn placed_as(&self, other: &dyn Predicates) -> Option<Arc<dyn Predicates>> {
        let other = other.as_any_ref()?.downcast_ref::<Self>()?;
        let mut copy = self.clone();
        copy.copy_from(other);
        Some(Arc::new(copy))
    }

    fn as_any_ref(&self) -> Option<&dyn Any> {
        Some(self)
    }

    fn ask_like(&mut self, like: &AskId, new: &AskId) {
        self.add_pod(like, new);
    }

    fn node_like(&mut self, like: &NodeId, new: &NodeId) {
        self.add_node(like, new);
    }

    fn node_with(&mut self, new: &NodeId, labels: &BTreeMap<String, String>) {
        self.new_node(copies::with_labels(new, labels));
    }

    fn suits_new(&self, ask: &Ask, like: Option<&Node>, labels: &BTreeMap<String, String>) -> bool {
        match like {
            Some(like) => !self.bars(ask, like),
            None => self.suits_labels(&ask.id, labels),
        }
    }

    fn copy(&self) -> Option<Arc<dyn Predicates>> {
        Some(Arc::new(self.clone()))
    }
}
