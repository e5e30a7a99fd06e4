//! Orders to Apache YuniKorn in Kubernetes: its configuration is a ConfigMap, its applications are pods.
//!
//! The view's active access lists are checked first; then the API server decides.

mod acl;
mod configure;
mod in_force;
mod kill;
mod note;
mod owners;

pub use acl::waived;
pub use configure::{checksum_of, entry, keep, seen_by};
pub use kill::look_up_pods;
pub use owners::{chains, suspend};

use std::sync::Arc;

use client::Client;
use cluster::kube::{Cluster, KubeFault};
use model::{Identity, NodeId};
use view::View;
use view::act::{Act, Actor, ActsFrom, ClusterRights, Code, Done, NodeDone, Order, PartitionAct, Refusal};
use view::placement::access;

/// The actor of orders through a cluster.
pub fn actor(cluster: &Cluster, view: &View) -> Actor {
    let identity = identity(cluster);
    // YuniKorn has no scheduler ACL: the administrators of every root count as its members.
    let admin = |root: &view::PartitionView| access::admin(root, "root", &identity).is_some();
    let waived = waived(cluster, view);
    let judged_elsewhere = waived.is_some();
    let scheduler_admin = judged_elsewhere || (!view.partitions.is_empty() && view.partitions.iter().all(admin));
    let mut rights = cluster.rights();
    if judged_elsewhere {
        // An unknown user name matters only to access lists.
        rights = Arc::new(ClusterRights { unknown: None, waived, ..(*rights).clone() });
    }
    let (from, cluster) = (ActsFrom::Console, Some(rights));
    Actor { identity, scheduler_admin, read_only: None, from, judged_elsewhere, cluster }
}

/// The user of the API server; empty while unknown.
pub fn identity(cluster: &Cluster) -> Identity {
    cluster.user().map_or_else(Identity::default, |who| Identity { user: who.user.clone(), groups: who.groups.clone() })
}

/// Checks that the access lists, which are part of the configuration, are loaded: otherwise they would appear empty.
///
/// # Errors
/// Returns a rejection if they are not loaded.
pub fn lists_known(cluster: &Cluster, view: &View, act: &Act) -> Result<(), Refusal> {
    if view.configuration.is_some() || waived(cluster, view).is_some() {
        return Ok(());
    }
    let why = "the access lists of the queues are not loaded yet: the active configuration was not read";
    Err(Refusal::new(Code::Unavailable, format!("cannot {act}"), why))
}

/// Executes an order.
///
/// # Errors
/// Returns the rejection, or what part was not executed.
pub async fn perform(client: &Client, cluster: &Cluster, view: &View, order: &Order) -> Result<Done, Refusal> {
    // The reason for an unknown user is reported by the check of an access list.
    let _ = cluster.who().await;
    let actor = actor(cluster, view);
    let outcome = match lists_known(cluster, view, &order.act) {
        Ok(()) => carry_out(client, cluster, view, &actor, order).await,
        Err(refusal) => Err(refusal),
    };
    note::order(cluster, view, &actor, order, &outcome).await;
    outcome
}

/// Records an order that was rejected before it was sent.
pub fn refused_before(cluster: &Cluster, view: &View, order: &Order, refusal: &Refusal) {
    note::refusal(cluster, &actor(cluster, view), order, refusal);
}

/// Checks an order against the view.
///
/// # Errors
/// Returns the rejection; for an access list, with the line that would allow the order.
pub fn may(view: &View, actor: &Actor, act: &Act) -> Result<(), Refusal> {
    let partition = act.partition().map(|name| &**name);
    view.may(actor, act).map_err(|refusal| acl::with_remedy(view, actor, partition, refusal))
}

async fn carry_out(
    client: &Client,
    cluster: &Cluster,
    view: &View,
    actor: &Actor,
    order: &Order,
) -> Result<Done, Refusal> {
    may(view, actor, &order.act)?;
    match &order.act {
        Act::Configure { text, base, dry_run } => {
            let change = configure::Change { text, base: base.as_deref(), dry_run: *dry_run, of: None };
            configure::perform(client, cluster, view, actor, order, change).await
        }
        Act::Rollback { revision, base, dry_run } => {
            let text = configure::text_of(cluster, *revision)
                .await
                .map_err(|why| Refusal::new(Code::NotFound, format!("cannot {}", order.act), why))?;
            let change =
                configure::Change { text: &text, base: base.as_deref(), dry_run: *dry_run, of: Some(*revision) };
            configure::perform(client, cluster, view, actor, order, change).await
        }
        Act::In { partition, act: PartitionAct::Kill { app, .. } } => {
            let part = view.partitions.iter().find(|part| part.name == *partition);
            let part = part.ok_or_else(|| Refusal::not_found("partition", partition))?;
            let row = part.app_by_id(app).ok_or_else(|| Refusal::not_found("application", app.as_str()))?;
            kill::perform(cluster, &order.act, view, row).await
        }
        Act::In { act: PartitionAct::DrainNode(node), .. } => cordon(cluster, &order.act, node, true).await,
        Act::In { act: PartitionAct::ResumeNode(node), .. } => cordon(cluster, &order.act, node, false).await,
        act => Err(refused(act, &KubeFault::new("that is not possible in a cluster"))),
    }
}

async fn cordon(cluster: &Cluster, act: &Act, node: &NodeId, cordoned: bool) -> Result<Done, Refusal> {
    cluster.cordon(node.as_str(), cordoned).await.map_err(|fault| refused(act, &fault))?;
    Ok(Done::Node(NodeDone { node: node.clone(), released: Vec::new() }))
}

pub(super) fn refused(act: &Act, fault: &KubeFault) -> Refusal {
    Refusal::new(code(fault), format!("cannot {act}"), fault.to_string())
}

fn code(fault: &KubeFault) -> Code {
    match fault.status {
        Some(401) => Code::Unauthenticated,
        Some(403) => Code::AclDenied,
        Some(404) => Code::NotFound,
        Some(409) => Code::ChecksumMismatch,
        Some(429) => Code::RateLimited,
        Some(400..500) => Code::BadRequest,
        Some(_) | None => Code::Unavailable,
    }
}
