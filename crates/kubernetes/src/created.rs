//! Completes the pods of manifests, and creates those of other objects.

use std::collections::BTreeMap;

use super::admission::Admission;
use super::cluster::Cluster;
use super::objects::{Node, NodeSelector, NodeTerm, Object, Pod, Requirement, Toleration};
use super::predicates::suits;
use super::rejections::Rejections;
use super::validity::{self, API_SERVER};
use super::workloads::{MOST_PODS, Owned, PodSet, Refused, Templates, Workload};

const TOLERATED: [(&str, &str); 6] = [
    ("node.kubernetes.io/not-ready", "NoExecute"),
    ("node.kubernetes.io/unreachable", "NoExecute"),
    ("node.kubernetes.io/disk-pressure", "NoSchedule"),
    ("node.kubernetes.io/memory-pressure", "NoSchedule"),
    ("node.kubernetes.io/pid-pressure", "NoSchedule"),
    ("node.kubernetes.io/unschedulable", "NoSchedule"),
];

pub(super) struct Created<'c> {
    cluster: &'c mut Cluster,
    admission: &'c mut Admission,
    scheduler_names: &'c [String],
    total: u64,
    by_kind: BTreeMap<String, (u64, u64)>,
    notes: BTreeMap<String, (u64, String)>,
    elsewhere: BTreeMap<String, u64>,
    rejections: Rejections,
}

impl<'c> Created<'c> {
    pub fn new(cluster: &'c mut Cluster, admission: &'c mut Admission, scheduler_names: &'c [String]) -> Self {
        let (by_kind, notes, elsewhere) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let rejections = Rejections::default();
        Self { cluster, admission, scheduler_names, total: 0, by_kind, notes, elsewhere, rejections }
    }

    /// Adds a pod. `is_new`: it has not been in a cluster. `submitted`: a what-if submits it.
    ///
    /// # Errors
    /// A pod of this name exists.
    pub fn put(&mut self, mut pod: Box<Pod>, is_new: bool, submitted: bool) -> Result<(), String> {
        let named = is_new && pod.metadata.uid.is_empty();
        let faulty = Some(&pod.metadata.name).filter(|_| named).and_then(|name| validity::of_name("Pod", name));
        let rejected = match faulty {
            Some(why) => Some((API_SERVER.to_owned(), why)),
            None => self.admission.admit((&mut pod, 1), is_new, self.cluster, self.scheduler_names),
        };
        if let Some(by) = rejected {
            self.rejections.add(by, 1, &pod.metadata.path());
            return Ok(());
        }
        self.add(pod, is_new, submitted)
    }

    fn add(&mut self, pod: Box<Pod>, is_new: bool, submitted: bool) -> Result<(), String> {
        if let Some(by) = self.admission.quotas.count(&pod, is_new) {
            self.rejections.add(by, 1, &pod.metadata.path());
            return Ok(());
        }
        let name = &pod.spec.scheduler_name;
        if pod.node().is_none() && !pod.is_terminated() && !self.scheduler_names.contains(name) {
            *self.elsewhere.entry(name.clone()).or_default() += 1;
        }
        if submitted {
            self.cluster.note_submitted(&pod.metadata);
        }
        self.cluster.add(Object::Pod(pod))
    }

    /// Creates pods; `owned` is by the UID of the owner.
    pub fn expand(
        &mut self,
        workloads: &[Workload],
        templates: &[Workload],
        owned: &BTreeMap<String, Owned>,
        faults: &mut Vec<String>,
    ) {
        let templates = Templates::of(templates);
        for workload in workloads {
            let owned = owned.get(workload.uid()).copied().unwrap_or_default();
            let expansion = match workload.expand(&templates, owned) {
                Ok(expansion) => expansion,
                Err(rejected) => {
                    let (at, label) = (workload.place(rejected.line), workload.label());
                    faults.push(format!("{at}: {label}: {}: {}", rejected.path, rejected.why));
                    continue;
                }
            };
            for note in expansion.notes {
                self.notes.entry(note).or_insert_with(|| (0, workload.label())).0 += 1;
            }
            for Refused { by, why, pods } in expansion.refused {
                self.rejections.add((by, why), pods, &workload.label());
            }
            if !self.is_allowed(workload, &expansion.sets) {
                continue;
            }
            let before = self.total;
            for set in expansion.sets {
                if let Err(why) = self.set(workload, set) {
                    faults.push(format!("{}: {}: {why}", workload.place(0), workload.label()));
                    break;
                }
            }
            if self.total > before {
                let count = self.by_kind.entry(workload.kind().to_owned()).or_default();
                *count = (count.0 + 1, count.1 + self.total - before);
            }
        }
    }

    /// By its name, and by quotas on object counts; existing objects count.
    fn is_allowed(&mut self, workload: &Workload, sets: &[PodSet]) -> bool {
        let quotas = &mut self.admission.quotas;
        let mut names = workload.counted_as();
        let faulty = workload.faulty_name().map(|why| (API_SERVER.to_owned(), why));
        let rejected = faulty
            .or_else(|| names.find_map(|name| quotas.count_object(workload.namespace(), &name, workload.is_new())));
        let Some(by) = rejected else { return true };
        let pods = sets.iter().fold(0_u64, |sum, set| sum.saturating_add(set.total()));
        self.rejections.add(by, pods, &workload.label());
        false
    }

    fn set(&mut self, workload: &Workload, mut set: PodSet) -> Result<(), String> {
        let per_node = set.is_per_node().then(|| self.of_nodes(set.prototype(workload)));
        let count = per_node.as_ref().map_or(set.total(), |nodes| nodes.len() as u64);
        if self.total.saturating_add(count) > MOST_PODS {
            return Err(format!(
                "cannot create {count} pods: all objects together may create {MOST_PODS}; lower the number of replicas"
            ));
        }
        let prototype = set.prototype(workload);
        let rejected = self.admission.admit((prototype, count), true, self.cluster, self.scheduler_names);
        if let Some(by) = rejected {
            self.rejections.add(by, count, &workload.label());
            return Ok(());
        }
        match per_node {
            None => set.pods().try_for_each(|pod| self.named(pod, workload.submitted)),
            Some(nodes) => nodes.into_iter().enumerate().try_for_each(|(number, node)| {
                let mut pod = set.pod(0, number as u64);
                pod.spec.affinity.node_affinity.required = Some(node);
                self.named(pod, workload.submitted)
            }),
        }
    }

    fn of_nodes(&self, pod: &mut Pod) -> Vec<NodeSelector> {
        pod.spec.tolerations.extend(TOLERATED.map(|(key, effect)| Toleration {
            key: key.to_owned(),
            operator: "Exists".to_owned(),
            effect: effect.to_owned(),
            ..Toleration::default()
        }));
        self.cluster.nodes.values().filter(|node| suits(pod, node)).map(|node| of_node(node)).collect()
    }

    fn named(&mut self, mut pod: Pod, submitted: bool) -> Result<(), String> {
        let name = pod.metadata.name.clone();
        let mut number = 1_u64;
        while self.cluster.has_pod(&pod.metadata.namespace, &pod.metadata.name) {
            number += 1;
            pod.metadata.name = format!("{name}-{number}");
        }
        self.total += 1;
        self.add(Box::new(pod), true, submitted)
    }

    /// Describes created pods, what is not evaluated, and rejected pods.
    pub fn notices(self) -> [Vec<String>; 3] {
        let plural = |count: u64| if count == 1 { "" } else { "s" };
        let created = self.by_kind.iter().map(|(kind, (objects, pods))| {
            format!("created {pods} pod{} for {objects} {kind} object{}", plural(*pods), plural(*objects))
        });
        let notes = self.notes.iter().map(|(note, (count, first))| match count {
            1 => format!("{first}: {note}"),
            count => format!("{first} and {} more: {note}", count - 1),
        });
        let elsewhere = self.elsewhere.iter().map(|(name, count)| {
            let (plural, verb) = if *count == 1 { ("", "is") } else { ("s", "are") };
            format!("{count} pod{plural} with schedulerName {name} {verb} not scheduled; use --scheduler-name {name}")
        });
        let admission = self.admission.notices().into_iter().chain(self.admission.quotas.notices());
        [created.collect(), notes.chain(elsewhere).chain(admission).collect(), self.rejections.words()]
    }
}

fn of_node(node: &Node) -> NodeSelector {
    let name = Requirement {
        key: "metadata.name".to_owned(),
        operator: "In".to_owned(),
        values: vec![node.metadata.name.clone()],
    };
    NodeSelector { node_selector_terms: vec![NodeTerm { match_fields: vec![name], ..NodeTerm::default() }] }
}
