use std::collections::BTreeMap;
use std::sync::Arc;

use super::conditions::{Conditions, Verdict};
use super::counters::{Counter, What};
use super::labels::Labels;
use super::limits::VolumeTable;
use super::matchers::{Matchers, Term};
use super::nodes::{Bits, NodeFacts, NodeTable};
use super::ports::{self, HostPort};
use super::refusal::{Filter, Refusal};
use super::volumes::{self, Storage};
use crate::objects::{Pod, SpreadConstraint};

#[derive(Clone, Debug, Default)]
pub(super) struct PodFacts {
    pub number: usize,
    /// With namespace labels; `None` after its removal.
    pub pod: Option<(Arc<Pod>, Arc<Labels>)>,
    /// `None` if bound and not copied.
    pub conditions: Option<usize>,
    pub meant: Vec<usize>,
    pub carries: Vec<usize>,
    pub retained_off: Vec<usize>,
    pub ports: Vec<HostPort>,
    pub alone: Vec<usize>,
    pub volumes: Vec<usize>,
    pub spread: Vec<Spread>,
    pub near: Vec<usize>,
    pub near_itself: bool,
    /// Counters of pods that it must avoid.
    pub away: Vec<usize>,
    pub leaving: bool,
    /// The unsupported part: it fits no node.
    pub nowhere: Option<Refusal>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Spread {
    pub counter: usize,
    pub max_skew: u64,
    pub min_domains: u64,
    /// 1 if the pod itself matches the constraint.
    pub own: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rule {
    conditions: usize,
    /// Topology keys that a node must have.
    keys: Vec<usize>,
    by_affinity: bool,
    by_taints: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Gathering {
    pub table: NodeTable,
    pub matchers: Matchers,
    pub counters: Vec<Counter>,
    known_counters: BTreeMap<Counter, usize>,
    pub conditions: Vec<Conditions>,
    pub verdicts: Vec<Verdict>,
    known_conditions: BTreeMap<Conditions, usize>,
    claims: BTreeMap<String, usize>,
    pub volumes: VolumeTable,
    rules: Vec<Rule>,
    known_rules: BTreeMap<Rule, usize>,
    pub eligible: Vec<Bits>,
    copies: bool,
}

impl Gathering {
    /// Starts without pods; `copies`: bound pods may be requested again.
    pub fn over(table: NodeTable, copies: bool) -> Self {
        Self { table, copies, ..Self::default() }
    }

    /// Extracts facts, except those that need all counters.
    pub fn pod(&mut self, pod: &Pod, namespace: &Labels, storage: Storage<'_>, number: usize) -> PodFacts {
        let mut facts = PodFacts {
            number,
            ports: ports::of(pod),
            leaving: pod.metadata.deletion_timestamp.is_some(),
            ..PodFacts::default()
        };
        for claim in volumes::for_one_pod(pod, storage) {
            let next = self.claims.len();
            facts.alone.push(*self.claims.entry(claim).or_insert(next));
        }
        let volumes = volumes::attached(pod, storage).into_iter();
        facts.volumes = volumes.map(|(driver, handle)| self.volumes.volume(&driver, handle)).collect();
        facts.volumes.sort_unstable();
        facts.volumes.dedup();
        let anti = &pod.spec.affinity.pod_anti_affinity.required;
        for term in anti {
            let read = Term::of(term, &pod.metadata).unwrap_or_else(|_| Term::everything());
            let matcher = self.matchers.number(vec![read]);
            facts.carries.push(self.counter(matcher, &term.topology_key, What::Carries));
        }
        if pod.node().is_none() || self.copies {
            let conditions = Conditions::of(pod, volumes::places(pod, storage));
            let number = self.condition(conditions);
            facts.conditions = Some(number);
            let needs = self.spread(pod, number, namespace, &mut facts);
            let needs = needs.and_then(|()| self.affinity(pod, namespace, &mut facts));
            facts.nowhere = needs.err();
        }
        facts
    }

    fn condition(&mut self, conditions: Conditions) -> usize {
        if let Some(number) = self.known_conditions.get(&conditions) {
            return *number;
        }
        let number = self.conditions.len();
        self.verdicts.push(conditions.verdict(&self.table));
        self.conditions.push(conditions.clone());
        self.known_conditions.insert(conditions, number);
        number
    }

    fn counter(&mut self, matcher: usize, key: &str, what: What) -> usize {
        let counter = Counter { matcher, key: self.table.key(key), what };
        if let Some(number) = self.known_counters.get(&counter) {
            return *number;
        }
        let number = self.counters.len();
        self.counters.push(counter.clone());
        self.known_counters.insert(counter, number);
        number
    }

    fn affinity(&mut self, pod: &Pod, namespace: &Labels, facts: &mut PodFacts) -> Result<(), Refusal> {
        let refused = |why| Refusal::new(Filter::InterPodAffinity, why);
        let near = &pod.spec.affinity.pod_affinity.required;
        if !near.is_empty() {
            let terms = near.iter().map(|term| Term::of(term, &pod.metadata));
            let terms: Vec<Term> = terms.collect::<Result<_, _>>().map_err(refused)?;
            let matcher = self.matchers.number(terms);
            facts.near_itself = self.matchers.means(matcher, &pod.metadata, namespace);
            facts.near = near.iter().map(|term| self.counter(matcher, &term.topology_key, What::Meant)).collect();
        }
        for term in &pod.spec.affinity.pod_anti_affinity.required {
            let matcher = self.matchers.number(vec![Term::of(term, &pod.metadata).map_err(refused)?]);
            facts.away.push(self.counter(matcher, &term.topology_key, What::Meant));
        }
        Ok(())
    }

    fn spread(
        &mut self,
        pod: &Pod,
        conditions: usize,
        namespace: &Labels,
        facts: &mut PodFacts,
    ) -> Result<(), Refusal> {
        let refused = |why| Refusal::new(Filter::PodTopologySpread, why);
        let mut hard: Vec<&SpreadConstraint> = Vec::new();
        for constraint in &pod.spec.topology_spread_constraints {
            match constraint.when_unsatisfiable.as_str() {
                "DoNotSchedule" | "" => hard.push(constraint),
                "ScheduleAnyway" => {}
                other => return Err(refused(format!("kornsole does not support whenUnsatisfiable {other:?}"))),
            }
        }
        let keys: Vec<usize> = hard.iter().map(|constraint| self.table.key(&constraint.topology_key)).collect();
        for constraint in hard {
            let by_affinity = policy(&constraint.node_affinity_policy, true).map_err(refused)?;
            let by_taints = policy(&constraint.node_taints_policy, false).map_err(refused)?;
            let rule = self.rule(Rule { conditions, keys: keys.clone(), by_affinity, by_taints });
            let matcher = self.matchers.number(vec![Term::of_spread(constraint, &pod.metadata).map_err(refused)?]);
            let own = self.matchers.means(matcher, &pod.metadata, namespace);
            let counter = self.counter(matcher, &constraint.topology_key, What::Spread(rule));
            let positive = |number: i64| u64::try_from(number).unwrap_or(0);
            facts.spread.push(Spread {
                counter,
                max_skew: positive(constraint.max_skew),
                min_domains: positive(constraint.min_domains.unwrap_or(1)),
                own: own.into(),
            });
        }
        Ok(())
    }

    fn rule(&mut self, rule: Rule) -> usize {
        if let Some(number) = self.known_rules.get(&rule) {
            return *number;
        }
        let number = self.rules.len();
        self.eligible.push(Bits::of(self.table.len(), 0..self.table.len(), |node| self.counts(&rule, node)));
        self.known_rules.insert(rule.clone(), number);
        self.rules.push(rule);
        number
    }

    fn counts(&self, rule: &Rule, node: usize) -> bool {
        let (facts, conditions) = (&self.table.nodes[node], &self.conditions[rule.conditions]);
        rule.keys.iter().all(|key| self.table.topology(*key).of(node).is_some())
            && (!rule.by_affinity || conditions.wants(facts))
            && (!rule.by_taints || conditions.untolerated(facts).is_none())
    }

    /// Adds a node, also to the verdicts and rules.
    pub fn add_node(&mut self, node: NodeFacts) -> usize {
        let number = self.table.add(node);
        self.judge(number);
        number
    }

    /// Recomputes the conditions and rules of a node.
    pub fn judge(&mut self, node: usize) {
        let facts = &self.table.nodes[node];
        for (conditions, verdict) in self.conditions.iter().zip(&mut self.verdicts) {
            verdict.judge(conditions, facts, node);
        }
        for at in 0..self.rules.len() {
            let counts = self.counts(&self.rules[at], node);
            self.eligible[at].put(node, counts);
        }
    }
}

/// True for `Honor`; `usual` is the default.
fn policy(text: &str, usual: bool) -> Result<bool, String> {
    match text {
        "" => Ok(usual),
        "Honor" => Ok(true),
        "Ignore" => Ok(false),
        other => Err(format!("kornsole does not support the policy {other:?} of a topology spread")),
    }
}
