//! A naive implementation of the filters, without indexes.

use std::collections::{BTreeMap, BTreeSet};

use crate::Cluster;
use crate::objects::{LabelSelector, Meta, Node, NodeSelector, Pod, PodTerm, Requirement, SpreadConstraint};

type Labels = BTreeMap<String, String>;

/// A cluster with its bound pods.
pub struct World<'c> {
    pub cluster: &'c Cluster,
    /// Bound pods with their nodes.
    pub placed: Vec<(&'c Pod, &'c Node)>,
}

fn is_met(one: &Requirement, labels: &Labels) -> bool {
    let value = labels.get(&one.key);
    match one.operator.as_str() {
        "In" => value.is_some_and(|value| one.values.contains(value)),
        "NotIn" => !value.is_some_and(|value| one.values.contains(value)),
        "Exists" => value.is_some(),
        "DoesNotExist" => value.is_none(),
        "Gt" | "Lt" => {
            let numbers = value.and_then(|value| value.parse::<i64>().ok()).zip(one.values[0].parse::<i64>().ok());
            numbers.is_some_and(|(value, than)| if one.operator == "Gt" { value > than } else { value < than })
        }
        _ => false,
    }
}

fn selects(selector: Option<&LabelSelector>, labels: &Labels) -> bool {
    selector.is_some_and(|selector| {
        selector.match_labels.iter().all(|(key, value)| labels.get(key) == Some(value))
            && selector.match_expressions.iter().all(|one| is_met(one, labels))
    })
}

fn node_matches(selector: &NodeSelector, node: &Node) -> bool {
    selector.node_selector_terms.iter().any(|term| {
        let empty = term.match_expressions.is_empty() && term.match_fields.is_empty();
        !empty
            && term.match_expressions.iter().all(|one| is_met(one, &node.metadata.labels))
            && term.match_fields.iter().all(|one| {
                let named = one.values[0] == node.metadata.name;
                if one.operator == "In" { named } else { !named }
            })
    })
}

fn wants(pod: &Pod, node: &Node) -> bool {
    let selected = pod.spec.node_selector.iter().all(|(key, value)| node.metadata.labels.get(key) == Some(value));
    let required = &pod.spec.affinity.node_affinity.required;
    selected && required.as_ref().is_none_or(|required| node_matches(required, node))
}

fn tolerated(pod: &Pod, key: &str, value: &str, effect: &str) -> bool {
    pod.spec.tolerations.iter().any(|one| {
        let equal = matches!(one.operator.as_str(), "" | "Equal") && one.value == value;
        (one.effect.is_empty() || one.effect == effect)
            && (one.key.is_empty() || one.key == key)
            && (equal || one.operator == "Exists")
    })
}

fn taints(pod: &Pod, node: &Node) -> bool {
    let hard = node.spec.taints.iter().filter(|taint| taint.effect != "PreferNoSchedule");
    hard.into_iter().all(|taint| tolerated(pod, &taint.key, &taint.value, &taint.effect))
}

fn host_ports(pod: &Pod) -> Vec<(i32, String, String)> {
    let or = |text: &str, usual: &str| if text.is_empty() { usual.to_owned() } else { text.to_owned() };
    let ports = pod.spec.containers.iter().flat_map(|container| &container.ports).filter(|port| port.host_port > 0);
    ports.map(|port| (port.host_port, or(&port.protocol, "TCP"), or(&port.host_ip, "0.0.0.0"))).collect()
}

impl<'c> World<'c> {
    /// Returns true if every filter accepts the node.
    pub fn lets(&self, pod: &Pod, node: &Node) -> bool {
        let cordoned = node.spec.unschedulable && !tolerated(pod, "node.kubernetes.io/unschedulable", "", "NoSchedule");
        !cordoned
            && taints(pod, node)
            && wants(pod, node)
            && self.ports(pod, node)
            && self.claims(pod, node)
            && self.attached(pod, node)
            && self.spread(pod, node)
            && self.affinity(pod, node)
            && self.anti_affinity(pod, node)
    }

    fn ports(&self, pod: &Pod, node: &Node) -> bool {
        let here = self.placed.iter().filter(|(_, at)| at.metadata.name == node.metadata.name);
        let taken: Vec<_> = here.flat_map(|(pod, _)| host_ports(pod)).collect();
        host_ports(pod).iter().all(|(port, protocol, ip)| {
            !taken.iter().any(|(other, kind, at)| {
                other == port && kind == protocol && (at == ip || at == "0.0.0.0" || ip == "0.0.0.0")
            })
        })
    }

    fn claims(&self, pod: &Pod, node: &Node) -> bool {
        let storage = self.cluster.storage();
        pod.spec.volumes.iter().filter(|volume| !volume.claim.is_empty()).all(|wanted| {
            let key = (pod.metadata.namespace.clone(), wanted.claim.clone());
            let Some(claim) = storage.claims.get(&key).filter(|claim| claim.is_bound()) else { return false };
            let Some(volume) = storage.volumes.get(&claim.spec.volume_name) else { return false };
            let reached = volume.spec.node_affinity.required.as_ref().is_none_or(|terms| node_matches(terms, node));
            let (zone, here) = ("topology.kubernetes.io/zone", &node.metadata.labels);
            let at = volume.metadata.labels.get(zone);
            let near = !here.contains_key(zone)
                || at.is_none_or(|at| here.get(zone).is_some_and(|zone| at.split("__").any(|one| one == zone)));
            let uses = |other: &Pod| {
                other.metadata.namespace == key.0 && other.spec.volumes.iter().any(|volume| volume.claim == key.1)
            };
            let in_use = claim.is_for_one_pod() && self.placed.iter().any(|(other, _)| uses(other));
            reached && near && !in_use
        })
    }

    fn attached(&self, pod: &Pod, node: &Node) -> bool {
        let storage = self.cluster.storage();
        let of_volume = |name: &str| storage.volumes.get(name)?.attached_by();
        let of_pod = |pod: &Pod| -> Vec<(&str, &str)> {
            let claims = pod.spec.volumes.iter().map(|volume| (pod.metadata.namespace.clone(), volume.claim.clone()));
            let claims = claims.filter_map(|key| storage.claims.get(&key));
            claims.filter_map(|claim| of_volume(&claim.spec.volume_name)).collect()
        };
        let name = &node.metadata.name;
        let here = self.placed.iter().filter(|(_, at)| at.metadata.name == *name).flat_map(|(pod, _)| of_pod(pod));
        let there = storage.attachments.values().filter(|one| one.spec.node_name == *name);
        let there = there.filter_map(|one| of_volume(&one.spec.source.persistent_volume_name));
        let before: BTreeSet<(&str, &str)> = here.chain(there).collect();
        let after: BTreeSet<(&str, &str)> = before.iter().copied().chain(of_pod(pod)).collect();
        let drivers = storage.csi_nodes.get(name).map(|csi_node| csi_node.spec.drivers.as_slice()).unwrap_or_default();
        drivers.iter().all(|driver| {
            let of = |all: &BTreeSet<(&str, &str)>| all.iter().filter(|(by, _)| *by == driver.name).count();
            let limit = driver.allocatable.count.map_or(usize::MAX, |count| count as usize);
            of(&after) == of(&before) || of(&after) <= limit
        })
    }

    fn spread(&self, pod: &Pod, node: &Node) -> bool {
        let all = &pod.spec.topology_spread_constraints;
        let hard: Vec<&SpreadConstraint> = all.iter().filter(|one| one.when_unsatisfiable == "DoNotSchedule").collect();
        let has_keys = |node: &Node| hard.iter().all(|one| node.metadata.labels.contains_key(&one.topology_key));
        hard.iter().all(|one| {
            let key = &one.topology_key;
            let counts = |at: &Node| {
                has_keys(at)
                    && (one.node_affinity_policy == "Ignore" || wants(pod, at))
                    && (one.node_taints_policy != "Honor" || taints(pod, at))
            };
            let eligible = self.cluster.nodes.values().filter(|at| counts(at));
            let mut domains: BTreeMap<&str, i64> = eligible.map(|at| (at.metadata.labels[key].as_str(), 0)).collect();
            for (other, at) in &self.placed {
                let meant = other.metadata.namespace == pod.metadata.namespace
                    && other.metadata.deletion_timestamp.is_none()
                    && selects(one.label_selector.as_ref(), &other.metadata.labels);
                if meant && counts(at) {
                    *domains.entry(&at.metadata.labels[key]).or_default() += 1;
                }
            }
            let Some(domain) = node.metadata.labels.get(key) else { return false };
            let few = (domains.len() as i64) < one.min_domains.unwrap_or(1);
            let lowest = if few { 0 } else { domains.values().copied().min().unwrap_or(0) };
            let own = i64::from(selects(one.label_selector.as_ref(), &pod.metadata.labels));
            domains.get(domain.as_str()).copied().unwrap_or(0) + own - lowest <= one.max_skew
        })
    }

    fn means(&self, term: &PodTerm, owner: &Meta, other: &Meta) -> bool {
        let labels = self.cluster.namespace_labels();
        let own = term.namespaces.is_empty() && term.namespace_selector.is_none();
        let none = std::sync::Arc::new(Labels::new());
        let by_labels = term.namespace_selector.as_ref();
        let here = own && other.namespace == owner.namespace
            || term.namespaces.contains(&other.namespace)
            || by_labels.is_some_and(|one| selects(Some(one), labels.get(&other.namespace).unwrap_or(&none)));
        here && selects(term.label_selector.as_ref(), &other.labels)
    }

    fn same_domain(term: &PodTerm, one: &Node, other: &Node) -> bool {
        let (one, other) = (one.metadata.labels.get(&term.topology_key), other.metadata.labels.get(&term.topology_key));
        one.is_some() && one == other
    }

    fn affinity(&self, pod: &Pod, node: &Node) -> bool {
        let terms = &pod.spec.affinity.pod_affinity.required;
        if !terms.iter().all(|term| node.metadata.labels.contains_key(&term.topology_key)) {
            return false;
        }
        let matches_all = |other: &Pod| terms.iter().all(|term| self.means(term, &pod.metadata, &other.metadata));
        let matching: Vec<_> = self.placed.iter().filter(|(other, _)| matches_all(other)).collect();
        let near = |term: &PodTerm| matching.iter().any(|(_, at)| Self::same_domain(term, node, at));
        // A pod on a node without any of the keys does not count.
        let counted = |at: &Node| terms.iter().any(|term| at.metadata.labels.contains_key(&term.topology_key));
        let first = matches_all(pod) && !matching.iter().any(|(_, at)| counted(at));
        terms.iter().all(near) || first
    }

    fn anti_affinity(&self, pod: &Pod, node: &Node) -> bool {
        let own = &pod.spec.affinity.pod_anti_affinity.required;
        self.placed.iter().all(|(other, at)| {
            let remote = &other.spec.affinity.pod_anti_affinity.required;
            let hates = |term: &PodTerm, owner: &Pod, meant: &Pod| {
                self.means(term, &owner.metadata, &meant.metadata) && Self::same_domain(term, node, at)
            };
            !own.iter().any(|term| hates(term, pod, other)) && !remote.iter().any(|term| hates(term, other, pod))
        })
    }
}
