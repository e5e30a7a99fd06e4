//! Updates a snapshot. Only removed nodes and changed labels require a rebuild.

use std::sync::Arc;

use super::counters::{Counts, What};
use super::labels::{Labels, NamespaceLabels};
use super::nodes::NodeFacts;
use super::pods::PodFacts;
use super::{Facts, Snapshot, Storage};
use crate::objects::{Node, Pod};
use model::AskId;

/// Rebuild from this many indexes of removed pods on, and this many per existing pod.
const MANY_GONE: usize = 4096;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeChange {
    Taken,
    /// Its labels changed: the snapshot must be rebuilt.
    Start,
}

impl Snapshot {
    pub(crate) fn put_pods(&mut self, pods: &[&Arc<Pod>], namespaces: &NamespaceLabels, storage: Storage<'_>) {
        let none = Arc::new(Labels::new());
        let mut places = Vec::new();
        let mut arrived = Vec::new();
        for pod in pods {
            let uid = AskId::from(pod.metadata.uid.as_str());
            let known = self.facts.by_uid.get(uid.as_str()).copied();
            if let Some((number, node)) = known.and_then(|number| Some((number, *self.placed.get(&number)?))) {
                self.change(number, node, false);
                places.push((number, node));
            }
            // Its conditions on nodes may have changed.
            self.freed += u64::from(known.is_some());
            let facts = Arc::make_mut(&mut self.facts);
            let number = known.unwrap_or_else(|| facts.new_number(uid));
            let labels = namespaces.get(&pod.metadata.namespace).unwrap_or(&none);
            let mut of_pod = facts.known.pod(pod, labels, storage, number);
            of_pod.pod = Some((Arc::clone(pod), Arc::clone(labels)));
            facts.pods[number] = of_pod;
            arrived.push(number);
        }
        self.settle(&arrived);
        places.into_iter().for_each(|(number, node)| self.change(number, node, true));
    }

    fn settle(&mut self, arrived: &[usize]) {
        let before = self.counts.len();
        let facts = Arc::make_mut(&mut self.facts);
        facts.index_counters(before);
        for counter in &facts.known.counters[before..] {
            self.counts.push_back(Counts::of(counter, &facts.known.table, &facts.known.eligible));
        }
        if before == facts.known.counters.len() {
            arrived.iter().for_each(|number| facts.find_meaning(*number));
            return;
        }
        (0..facts.pods.len()).for_each(|number| facts.find_meaning(number));
        let placed: Vec<(usize, usize)> = self.placed.iter().map(|(number, node)| (*number, *node)).collect();
        for (number, node) in placed {
            self.count(number, node, true, before);
        }
    }

    /// Removes a pod.
    pub fn drop_pod(&mut self, uid: &str) {
        let Some(number) = self.facts.by_uid.get(uid).copied() else { return };
        if let Some(node) = self.placed.get(&number).copied() {
            self.change(number, node, false);
        }
        let barred: Vec<(usize, usize)> = self.barred.range((number, 0)..(number + 1, 0)).copied().collect();
        for pair in barred {
            self.barred.remove(&pair);
        }
        let facts = Arc::make_mut(&mut self.facts);
        facts.by_uid.remove(uid);
        facts.pods[number] = PodFacts::default();
        facts.free.push(number);
    }

    /// Too many indexes belong to removed pods.
    pub(crate) fn is_stale(&self) -> bool {
        let Facts { free, pods, known, .. } = &*self.facts;
        let there = pods.len() - free.len();
        let shared = known.conditions.len() + known.counters.len();
        free.len().max(shared) > MANY_GONE + 2 * there
    }

    pub(crate) fn put_node(&mut self, node: &Node) -> NodeChange {
        let new = NodeFacts::of(node);
        let Some(number) = self.facts.known.table.find(new.id.as_str()) else {
            self.new_node(new);
            return NodeChange::Taken;
        };
        let old = &self.facts.known.table.nodes[number];
        if *old == new {
            return NodeChange::Taken;
        }
        let spreads = self.facts.known.counters.iter().any(|counter| matches!(counter.what, What::Spread(_)));
        if old.labels != new.labels || spreads {
            return NodeChange::Start;
        }
        let known = &mut Arc::make_mut(&mut self.facts).known;
        known.table.nodes[number] = new;
        known.judge(number);
        self.freed += 1;
        NodeChange::Taken
    }

    pub(super) fn new_node(&mut self, node: NodeFacts) {
        self.freed += 1;
        let known = &mut Arc::make_mut(&mut self.facts).known;
        let number = known.add_node(node);
        for (counter, counts) in known.counters.iter().zip(self.counts.iter_mut()) {
            let What::Spread(rule) = counter.what else { continue };
            let domain = known.table.topology(counter.key).of(number);
            if let Some(domain) = domain.filter(|_| known.eligible[rule].has(number)) {
                counts.add_domain(domain);
            }
        }
    }

    pub(crate) fn place(&mut self, pod: &AskId, node: &str, added: bool) {
        let pod = self.facts.by_uid.get(pod.as_str());
        if let (Some(pod), Some(node)) = (pod.copied(), self.facts.known.table.find(node)) {
            self.change(pod, node, added);
        }
    }

    /// Excludes a node for a pod temporarily, or ends that.
    pub(crate) fn bar(&mut self, pod: &AskId, node: &str, barred: bool) {
        let pod = self.facts.by_uid.get(pod.as_str());
        if let (Some(pod), Some(node)) = (pod.copied(), self.facts.known.table.find(node)) {
            if barred {
                self.barred.insert((pod, node));
            } else if self.barred.remove(&(pod, node)).is_some() {
                self.freed += 1;
            }
        }
    }

    /// Objects that are unknown to the other snapshot keep their placement.
    pub(crate) fn copy_from(&mut self, of: &Self) {
        let facts = Arc::clone(&self.facts);
        let there = |pod: &usize| {
            let (pod, _) = facts.pods[*pod].pod.as_ref()?;
            let known = of.facts.by_uid.get(pod.metadata.uid.as_str())?;
            Some(of.placed.get(known).map(|node| of.facts.known.table.nodes[*node].id.as_str()))
        };
        let here = |node: &usize| facts.known.table.nodes[*node].id.as_str();
        let moved = |(pod, node): &(&usize, &usize)| there(pod).is_some_and(|there| there != Some(here(node)));
        let moved: Vec<(usize, usize)> = self.placed.iter().filter(moved).map(|(pod, node)| (*pod, *node)).collect();
        moved.into_iter().for_each(|(pod, node)| self.change(pod, node, false));
        self.take_places(of);
    }

    pub(crate) fn take_places(&mut self, of: &Self) {
        let name = |number: &usize| of.facts.pods[*number].pod.as_ref().map(|(pod, _)| pod.metadata.uid.as_str());
        let node = |number: &usize| of.facts.known.table.nodes[*number].id.as_str();
        for (pod, at) in &of.placed {
            name(pod).into_iter().for_each(|uid| self.place(&AskId::from(uid), node(at), true));
        }
        for (pod, at) in &of.barred {
            name(pod).into_iter().for_each(|uid| self.bar(&AskId::from(uid), node(at), true));
        }
    }
}

impl Facts {
    fn new_number(&mut self, uid: AskId) -> usize {
        let number = self.free.pop().unwrap_or_else(|| {
            self.pods.push(PodFacts::default());
            self.pods.len() - 1
        });
        self.by_uid.insert(uid, number);
        number
    }

    fn index_counters(&mut self, from: usize) {
        self.counting.resize(self.known.matchers.len(), Vec::new());
        self.carrying.resize(self.known.matchers.len(), Vec::new());
        for (number, counter) in self.known.counters.iter().enumerate().skip(from) {
            let lists = if counter.what == What::Carries { &mut self.carrying } else { &mut self.counting };
            lists[counter.matcher].push(number);
        }
    }

    fn find_meaning(&mut self, number: usize) {
        let Some((pod, labels)) = &self.pods[number].pod else { return };
        let mut meant = self.known.matchers.meaning(&pod.metadata, labels);
        let retained_off: Vec<usize> = meant.iter().flat_map(|matcher| &self.carrying[*matcher]).copied().collect();
        meant.retain(|matcher| !self.counting[*matcher].is_empty());
        let facts = &mut self.pods[number];
        facts.retained_off = if facts.conditions.is_some() { retained_off } else { Vec::new() };
        facts.meant = meant;
    }
}
