//! Kills an application by deleting its pods by UID.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{code, refused};
use cluster::kube::{Cluster, KubeFault, PodOutcome, PodRef};
use view::act::{Act, Code, Details, Done, Killed, PodEnd, Reason, Refusal, rights};
use view::kubernetes::{Kubernetes, PodRow};
use view::{AppRow, AskRow, AskState, View};

const NAMED: usize = 3;

struct Doomed {
    pod: PodRef,
    rank: u8,
}

/// Deletes the pods of an application: first those without a node, then placeholders, then the rest; the originator
/// last (K8S-094).
pub async fn perform(cluster: &Cluster, act: &Act, view: &View, row: &AppRow) -> Result<Done, Refusal> {
    let all = view.kubernetes.as_deref();
    let (doomed, retained) = doomed(all, row);
    if doomed.is_empty() && retained.is_empty() {
        let why = "the scheduler lists none of its pods; delete its unbound pods in Kubernetes";
        return Err(Refusal::new(Code::NotSupported, format!("cannot {act}"), why));
    }
    let refs: Vec<PodRef> = doomed.into_iter().map(|doomed| doomed.pod).collect();
    let outcomes = cluster.delete(&refs).await;
    let asks: BTreeMap<&str, &Arc<AskRow>> = row.asks.values().map(|ask| (ask.id.as_str(), ask)).collect();
    let (mut released, mut canceled) = (Vec::new(), Vec::new());
    let mut faults: Vec<(String, KubeFault)> = Vec::new();
    let mut pods: Vec<(String, PodEnd)> = Vec::new();
    for (pod, outcome) in outcomes {
        let name = format!("{}/{}", pod.namespace, pod.name);
        let end = match (outcome, asks.get(pod.uid.as_str())) {
            (PodOutcome::Deleted, ask) => {
                match ask {
                    Some(ask) if waits(ask) => canceled.push(ask.id.clone()),
                    Some(ask) => released.push(ask.id.clone()),
                    None => {}
                }
                PodEnd::Deleted
            }
            (PodOutcome::Gone, _) => PodEnd::Gone,
            (PodOutcome::Replaced, _) => PodEnd::Replaced,
            (PodOutcome::Refused(fault), _) => {
                faults.push((name.clone(), fault.clone()));
                PodEnd::Refused(fault.to_string())
            }
        };
        pods.push((name, end));
    }
    pods.extend(retained.into_iter().map(|(name, kind)| (name, PodEnd::Retained(kind))));
    if faults.is_empty() {
        let left = row.asks.len().saturating_sub(refs.len());
        let (app, queue, state) = (row.id.clone(), row.queue.clone(), row.state);
        return Ok(Done::Killed(Killed { app, queue, state, released, canceled, left, pods }));
    }
    Err(partly(act, row, &faults, &pods))
}

fn partly(act: &Act, row: &AppRow, faults: &[(String, KubeFault)], pods: &[(String, PodEnd)]) -> Refusal {
    let first = faults.first().map_or(Code::Unavailable, |(_, fault)| code(fault));
    let ended = pods.iter().filter(|(_, end)| *end == PodEnd::Deleted).count();
    let reason = |(name, end): &(String, PodEnd)| {
        let code = faults.iter().find(|(of, _)| of == name).map_or(Code::NotFound, |(_, fault)| code(fault));
        Reason { code, queue: None, text: format!("{name}: {end}") }
    };
    let details = Details { reasons: pods.iter().map(reason).collect(), ..Details::default() };
    if ended == 0 && faults.len() == pods.len() {
        let fault = faults.first().map(|(_, fault)| fault.clone()).unwrap_or_default();
        return refused(act, &fault).with(details);
    }
    let message =
        format!("{} of the {} pods of {} stay; the deletion of {ended} has started", faults.len(), pods.len(), row.id);
    let mut why: Vec<String> = faults.iter().take(NAMED).map(|(name, fault)| format!("{name}: {fault}")).collect();
    if faults.len() > NAMED {
        why.push(format!("and {} more", faults.len() - NAMED));
    }
    Refusal::new(first, message, why.join("; ")).with(details)
}

fn waits(ask: &AskRow) -> bool {
    matches!(ask.state, AskState::Pending { .. })
}

/// The pods to delete in order, and those that stay, with the kind of their owner.
fn doomed(all: Option<&Kubernetes>, row: &AppRow) -> (Vec<Doomed>, Vec<(String, String)>) {
    let (mut doomed, mut retained) = (Vec::new(), Vec::new());
    // The newest first.
    let asks = row.asks.iter().rev().filter_map(|(key, ask)| Some((key, ask, pod(ask)?)));
    for (key, ask, pod) in asks {
        if let Some(kind) = all.and_then(|all| all.pod_of(&ask.id)).and_then(|pod| pod.retained_by()) {
            retained.push((format!("{}/{}", pod.namespace, pod.name), kind.to_owned()));
            continue;
        }
        let rank = match (waits(ask), ask.placeholder, row.notes.get(key).is_some_and(|notes| notes.originator)) {
            (true, ..) => 0,
            (_, true, _) => 1,
            (_, _, false) => 2,
            (_, _, true) => 3,
        };
        doomed.push(Doomed { pod, rank });
    }
    // Pods that the scheduler did not get, if the pods are known.
    let given: BTreeSet<&str> = row.asks.values().map(|ask| ask.id.as_str()).collect();
    let others = all.map(|all| all.doomed(row)).unwrap_or_default();
    let others = others.iter().filter(|pod| !given.contains(&*pod.uid));
    doomed.extend(others.map(|pod| Doomed { pod: reference(pod), rank: u8::from(pod.node.is_some()) }));
    doomed.sort_by_key(|doomed| doomed.rank);
    (doomed, retained)
}

fn reference(pod: &PodRow) -> PodRef {
    PodRef { namespace: pod.namespace.to_string(), name: pod.name.to_string(), uid: pod.uid.to_string() }
}

fn pod(ask: &AskRow) -> Option<PodRef> {
    let name = ask.tags.pod()?;
    let (namespace, name) = name.split_once('/')?;
    Some(PodRef { namespace: namespace.to_owned(), name: name.to_owned(), uid: ask.id.as_str().to_owned() })
}

/// Lists the pods of an application, if pods are not watched.
///
/// # Errors
/// Returns an error if they cannot be listed.
pub async fn look_up_pods(cluster: &Cluster, row: &AppRow) -> Result<Kubernetes, KubeFault> {
    let of_asks = row.asks.values().filter_map(|ask| pod(ask)).map(|pod| pod.namespace);
    let namespaces: BTreeSet<String> = of_asks.chain(rights::namespace(row)).collect();
    let mut all = Kubernetes::default();
    for pod in cluster.pods_of(row.id.as_str(), &namespaces).await? {
        all.put_pod(pod);
    }
    Ok(all)
}
