//! Orders to an Apache YuniKorn in Kubernetes: its configuration is a ConfigMap, its applications are pods, its nodes are nodes.
//!
//! Each is checked here first, by the access lists in force as the view has them; then the API server decides by its own rules.

mod audit;
mod configure;

pub use configure::{checksum_of, entry};

use std::collections::HashSet;
use std::sync::Arc;

use crate::api::client::Client;
use crate::kube::{Cluster, KubeFault, PodOutcome, PodRef};
use crate::model::{AppId, AskId, Identity, NodeId};
use crate::view::act::{Act, Actor, ActsFrom, Code, Done, Killed, NodeDone, Order, PartitionAct, Refusal};
use crate::view::placement::access;
use crate::view::{AppRow, AskRow, AskState, View};

/// Whether an act is one that is done to objects of the cluster, and why not.
///
/// # Errors
/// What can be done instead.
pub fn offers(act: &Act) -> Result<(), Refusal> {
    let cannot = |why: &str| Err(Refusal::new(Code::NotSupported, format!("cannot {act}"), why));
    match act {
        Act::Configure { .. } => Ok(()),
        Act::In {
            act: PartitionAct::Kill { .. } | PartitionAct::DrainNode(_) | PartitionAct::ResumeNode(_), ..
        } => Ok(()),
        Act::In { act: PartitionAct::Move { .. }, .. } => cannot(
            "YuniKorn places an application once, when its first pod comes; a pod's queue cannot be changed. Instead: suspend or delete \
             its owner, set the label yunikorn.apache.org/queue (or queue) in its pod template, and submit it again",
        ),
        Act::Rollback { .. } => cannot("open the older configuration, copy its text, and apply that"),
        _ => cannot("in Kubernetes that is done to pods and nodes, not here"),
    }
}

/// Whether an order would be refused, as far as the view and the rights that were reviewed say it.
///
/// # Errors
/// Why it would be, and by whom.
pub fn may(cluster: &Cluster, view: &View, actor: &Actor, act: &Act) -> Result<(), Refusal> {
    offers(act)?;
    if let Some(refusal) = Refusal::read_only(actor, act) {
        return Err(refusal);
    }
    let right = match act {
        Act::Configure { .. } => cluster.found().map(|found| Cluster::writing(&found.namespace)),
        Act::In { act: PartitionAct::DrainNode(_) | PartitionAct::ResumeNode(_), .. } => Some(Cluster::cordoning()),
        _ => None,
    };
    if matches!(act, Act::In { .. }) {
        if cluster.enforces_acl() {
            known(cluster, act)?;
        }
        view.may(actor, act)?;
    }
    if let Act::In { partition, act: PartitionAct::Kill { app, .. } } = act
        && let Some(row) =
            view.partitions.iter().find(|part| part.name == *partition).and_then(|part| part.app_by_id(app))
        && let Some(Err(right)) = namespace(row).map(|namespace| cluster.may_kill(&namespace))
    {
        return Err(refused(act, &KubeFault::answered(403, "", &right, cluster.user().as_deref())));
    }
    match right.filter(|right| cluster.is_allowed(right) == Some(false)) {
        Some(right) => Err(refused(act, &KubeFault::answered(403, "", &right, cluster.user().as_deref()))),
        None => Ok(()),
    }
}

/// The namespace of an application, as its first pod had it.
pub fn namespace(row: &AppRow) -> Option<String> {
    let own = row.tags.get("namespace").cloned();
    own.or_else(|| row.asks.values().next()?.tags.get("kubernetes.io/meta/namespace").map(str::to_owned))
}

/// Access lists name users: without one's own name they allow nothing.
fn known(cluster: &Cluster, act: &Act) -> Result<(), Refusal> {
    if cluster.user().is_some() {
        return Ok(());
    }
    let why = match cluster.unknown() {
        Some(fault) => format!(
            "{fault}; so adminacl allows nothing. enforce-acl = false in the context of your settings leaves it to RBAC"
        ),
        None => "who you are is not known yet".to_owned(),
    };
    Err(Refusal::new(Code::Unauthenticated, format!("cannot {act}"), why))
}

/// Who gives orders through a cluster.
pub fn actor(cluster: &Cluster, view: &View) -> Actor {
    let identity = identity(cluster);
    // YuniKorn has no access list of the scheduler: the administrators of every root count as its members.
    let admin = |root: &crate::view::PartitionView| access::admin(root, "root", &identity).is_some();
    let judged_elsewhere = !cluster.enforces_acl();
    let scheduler_admin = judged_elsewhere || (!view.partitions.is_empty() && view.partitions.iter().all(admin));
    Actor { identity, scheduler_admin, read_only: None, from: ActsFrom::Console, judged_elsewhere }
}

/// Who one is for the API server; nobody while that is not known.
pub fn identity(cluster: &Cluster) -> Identity {
    cluster.user().map_or_else(Identity::default, |who| Identity { user: who.user.clone(), groups: who.groups.clone() })
}

/// Has an order carried out.
///
/// # Errors
/// Why it was not, or not all of it.
pub async fn perform(client: &Client, cluster: &Cluster, view: &View, order: &Order) -> Result<Done, Refusal> {
    // Why one is not known is reported where an access list is asked.
    let _ = cluster.who().await;
    let actor = actor(cluster, view);
    let outcome = carry_out(client, cluster, view, &actor, order).await;
    audit::note(cluster, &actor, order, &outcome);
    outcome
}

async fn carry_out(
    client: &Client,
    cluster: &Cluster,
    view: &View,
    actor: &Actor,
    order: &Order,
) -> Result<Done, Refusal> {
    may(cluster, view, actor, &order.act)?;
    match &order.act {
        Act::Configure { .. } => configure::perform(client, cluster, view, actor, order).await,
        Act::In { partition, act: PartitionAct::Kill { app, .. } } => {
            let part = view.partitions.iter().find(|part| part.name == *partition);
            let part = part.ok_or_else(|| Refusal::not_found("partition", partition))?;
            let row = part.app_by_id(app).ok_or_else(|| Refusal::not_found("application", app.as_str()))?;
            kill(cluster, &order.act, view, (app, row)).await
        }
        Act::In { act: PartitionAct::DrainNode(node), .. } => cordon(cluster, &order.act, node, true).await,
        Act::In { act: PartitionAct::ResumeNode(node), .. } => cordon(cluster, &order.act, node, false).await,
        act => Err(refused(act, &KubeFault::new("that is not done in a cluster"))),
    }
}

async fn cordon(cluster: &Cluster, act: &Act, node: &NodeId, cordoned: bool) -> Result<Done, Refusal> {
    cluster.cordon(node.as_str(), cordoned).await.map_err(|fault| refused(act, &fault))?;
    Ok(Done::Node(NodeDone { node: node.clone(), released: Vec::new() }))
}

/// Deletes the pods of an application in this order: pods that the scheduler does not have, pending ones, and the others, the newest first.
async fn kill(cluster: &Cluster, act: &Act, view: &View, (app, row): (&AppId, &AppRow)) -> Result<Done, Refusal> {
    let waits = |ask: &AskRow| matches!(ask.state, AskState::Pending { .. });
    let mut asks: Vec<&Arc<AskRow>> = row.asks.values().rev().collect();
    asks.sort_by_key(|ask| (!waits(ask), !ask.placeholder));
    let pods: Vec<(PodRef, &AskRow)> = asks.iter().filter_map(|ask| Some((pod(ask)?, &***ask))).collect();
    if pods.is_empty() && not_given(view, row).next().is_none() {
        let why = "the scheduler names no pod of it; what is not bound to it yet is deleted in Kubernetes";
        return Err(Refusal::new(Code::NotSupported, format!("cannot {act}"), why));
    }
    let refs: Vec<PodRef> = not_given(view, row).chain(pods.iter().map(|(pod, _)| pod.clone())).collect();
    let outcomes = cluster.delete(&refs).await;
    let (mut released, mut withdrawn) = (Vec::new(), Vec::new());
    let mut first: Option<KubeFault> = None;
    let mut failed = 0_usize;
    for (pod, outcome) in &outcomes {
        let of = pods.iter().find(|(one, _)| one == pod).map(|(_, ask)| *ask);
        match (outcome, of) {
            (PodOutcome::Refused(fault), _) => {
                failed += 1;
                first.get_or_insert_with(|| fault.clone());
            }
            (PodOutcome::Deleted, Some(ask)) if waits(ask) => withdrawn.push(ask.id.clone()),
            (PodOutcome::Deleted, Some(ask)) => released.push(ask.id.clone()),
            // What was gone already was ended by somebody else.
            (PodOutcome::Gone, _) | (_, None) => {}
        }
    }
    match first {
        Some(fault) if failed == outcomes.len() => Err(refused(act, &fault)),
        Some(fault) => {
            let deleted = outcomes.len() - failed;
            let message = format!("{failed} of the {} pods of {app} stay, {deleted} are deleted", outcomes.len());
            Err(Refusal::new(Code::AclDenied, message, fault.to_string()))
        }
        None => Ok(Done::Killed(Killed {
            app: app.clone(),
            queue: row.queue.clone(),
            state: row.state,
            released,
            withdrawn,
            left: row.asks.len().saturating_sub(pods.len()),
        })),
    }
}

/// The pods of an application that the scheduler has no ask for, where the pods are known.
fn not_given(view: &View, row: &AppRow) -> impl Iterator<Item = PodRef> {
    let all = view.kubernetes.as_ref().map(|all| all.doomed(row)).unwrap_or_default();
    let given: HashSet<Arc<str>> = row.asks.values().map(|ask| Arc::from(ask.id.as_str())).collect();
    all.into_iter().filter(move |pod| !given.contains(&pod.uid)).map(|pod| PodRef {
        namespace: pod.namespace.to_string(),
        name: pod.name.to_string(),
        uid: pod.uid.to_string(),
    })
}

/// The pod of an ask: its key is the UID.
fn pod(ask: &AskRow) -> Option<PodRef> {
    let name = ask.tags.pod()?;
    let (namespace, name) = name.split_once('/')?;
    Some(PodRef { namespace: namespace.to_owned(), name: name.to_owned(), uid: uid(&ask.id) })
}

fn uid(ask: &AskId) -> String {
    ask.as_str().to_owned()
}

/// What the API server refused, as a refusal.
pub(super) fn refused(act: &Act, fault: &KubeFault) -> Refusal {
    let code = match fault.status {
        Some(401) => Code::Unauthenticated,
        Some(403) => Code::AclDenied,
        Some(404) => Code::NotFound,
        Some(409) => Code::ChecksumMismatch,
        Some(429) => Code::RateLimited,
        Some(400..500) => Code::BadRequest,
        Some(_) | None => Code::Unavailable,
    };
    Refusal::new(code, format!("cannot {act}"), fault.to_string())
}
