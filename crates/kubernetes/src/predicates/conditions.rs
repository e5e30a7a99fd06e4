//! Conditions of a pod on nodes alone: NodeUnschedulable, TaintToleration, NodeAffinity, and volume locations (K8S-171
//! to K8S-176). Pods with equal conditions share one verdict. NodeName (K8S-174) decides nothing: such a pod is bound
//! already.

use super::labels::{Labels, NodeTerms};
use super::nodes::{Bits, NodeFacts, NodeTable};
use super::refusal::{Filter, Refusal};
use super::volumes::VolumePlace;
use crate::objects::{Pod, Taint, Toleration};
use model::NodeId;

/// Implied by a cordon.
const CORDONED: &str = "node.kubernetes.io/unschedulable";

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Conditions {
    selector: Labels,
    terms: Option<NodeTerms>,
    tolerations: Vec<Toleration>,
    volumes: Vec<VolumePlace>,
    nowhere: Option<Refusal>,
}

impl Conditions {
    /// Extracts conditions; `volumes` are the locations, or why they are unknown.
    pub fn of(pod: &Pod, volumes: Result<Vec<VolumePlace>, Refusal>) -> Self {
        let required = pod.spec.affinity.node_affinity.required.as_ref();
        let terms = required.map(NodeTerms::of).transpose();
        let unsupported = terms.as_ref().err().map(|why| Refusal::new(Filter::NodeAffinity, why.clone()));
        let claims = "kornsole does not support resource claims";
        let dynamic = (!pod.spec.resource_claims.is_empty()).then(|| Refusal::new(Filter::DynamicResources, claims));
        let (volumes, unplaced) = match volumes {
            Ok(volumes) => (volumes, None),
            Err(refusal) => (Vec::new(), Some(refusal)),
        };
        Self {
            selector: pod.spec.node_selector.clone(),
            terms: terms.unwrap_or_default(),
            tolerations: pod.spec.tolerations.clone(),
            volumes,
            nowhere: unsupported.or(unplaced).or(dynamic),
        }
    }

    /// Compares labels and name (K8S-173).
    pub fn wants(&self, node: &NodeFacts) -> bool {
        let labeled = self.selector.iter().all(|(key, value)| node.labels.get(key) == Some(value));
        labeled && self.terms.as_ref().is_none_or(|terms| terms.matches(node.id.as_str(), &node.labels))
    }

    /// Returns the first one (K8S-171).
    pub fn untolerated<'n>(&self, node: &'n NodeFacts) -> Option<&'n Taint> {
        let excludes = |taint: &&Taint| taint.effect != "PreferNoSchedule" && !self.tolerates(taint);
        node.taints.iter().find(excludes)
    }

    fn tolerates(&self, taint: &Taint) -> bool {
        let known = matches!(taint.effect.as_str(), "NoSchedule" | "NoExecute");
        known && self.tolerations.iter().any(|toleration| tolerates(toleration, taint))
    }

    /// Returns the first rejection; `allocate` includes the filters that do not apply to a reservation.
    pub fn refusal(&self, node: &NodeFacts, allocate: bool) -> Option<Refusal> {
        if self.nowhere.is_some() {
            return self.nowhere.clone();
        }
        let cordon = Taint { key: CORDONED.to_owned(), effect: "NoSchedule".to_owned(), ..Taint::default() };
        if node.unschedulable && !self.tolerates(&cordon) {
            return Some(Refusal::new(Filter::NodeUnschedulable, "node(s) were unschedulable"));
        }
        if let Some(Taint { key, value, effect }) = self.untolerated(node) {
            let message = match effect.as_str() {
                "NoSchedule" | "NoExecute" => format!("node(s) had untolerated taint {{{key}: {value}}}"),
                _ => format!("kornsole does not support the effect {effect:?} of the taint {key:?}"),
            };
            return Some(Refusal::new(Filter::TaintToleration, message));
        }
        if !self.wants(node) {
            let message = "node(s) didn't match Pod's node affinity/selector";
            return Some(Refusal::new(Filter::NodeAffinity, message));
        }
        if !allocate {
            return None;
        }
        let places = || self.volumes.iter();
        let place = places().find_map(|volume| volume.wrong_place(node));
        place.or_else(|| places().find_map(|volume| volume.wrong_zone(node)))
    }

    /// Returns the verdict over all nodes.
    pub fn verdict(&self, table: &NodeTable) -> Verdict {
        let count = table.len();
        let nowhere = || Verdict { allocate: Bits::none(count), reserve: Bits::none(count), few: Vec::new() };
        if self.nowhere.is_some() {
            return nowhere();
        }
        let candidates = self.candidates(table);
        let nodes: Vec<usize> = candidates.as_ref().map_or_else(|| (0..count).collect(), |bits| bits.iter().collect());
        let passes =
            |allocate| Bits::of(count, nodes.iter().copied(), |at| self.refusal(&table.nodes[at], allocate).is_none());
        let (allocate, reserve) = (passes(true), passes(false));
        let few = if allocate.count() * 8 < count {
            allocate.iter().map(|node| table.nodes[node].id.clone()).collect()
        } else {
            Vec::new()
        };
        Verdict { allocate, reserve, few }
    }

    /// From the label index or by name; `None` for all nodes.
    fn candidates(&self, table: &NodeTable) -> Option<Bits> {
        let mut found = table.with_labels(&self.selector);
        if let Some(names) = self.terms.as_ref().and_then(NodeTerms::names) {
            let named = Bits::of(table.len(), names.iter().filter_map(|name| table.find(name)), |_| true);
            found = Some(match found {
                Some(mut found) => {
                    found.keep(&named);
                    found
                }
                None => named,
            });
        }
        found
    }
}

fn tolerates(toleration: &Toleration, taint: &Taint) -> bool {
    let Toleration { key, operator, value, effect } = toleration;
    (effect.is_empty() || *effect == taint.effect)
        && (key.is_empty() || *key == taint.key)
        && match operator.as_str() {
            "" | "Equal" => *value == taint.value,
            "Exists" => true,
            // `Lt` and `Gt` are off in every followed release.
            _ => false,
        }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Verdict {
    pub allocate: Bits,
    pub reserve: Bits,
    pub few: Vec<NodeId>,
}

impl Verdict {
    /// Updates a new or changed node.
    pub fn judge(&mut self, conditions: &Conditions, node: &NodeFacts, number: usize) {
        self.reserve.put(number, conditions.refusal(node, false).is_none());
        let (was_in, is_in) = (self.allocate.has(number), conditions.refusal(node, true).is_none());
        // While they are few, all of them are listed.
        let listed = !self.few.is_empty() || self.allocate.count() == 0;
        if listed && was_in != is_in {
            self.few.retain(|few| *few != node.id);
            self.few.extend(is_in.then(|| node.id.clone()));
        }
        self.allocate.put(number, is_in);
    }
}
