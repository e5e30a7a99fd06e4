//! The owners of an application's pods, and their suspension.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::acl::remedy;
use super::{actor, code, note};
use crate::SuspendOrder;
use cluster::kube::Cluster;
use view::act::{Code, Refusal};
use view::kubernetes::{Chain, Kubernetes, OwnerDone, OwnerName, OwnerObject};
use view::placement::access;
use view::{AppRow, View};

const MOST: usize = 20;

/// Returns the owners of an application's pods, each nearest owner once; for the first ones, up to the topmost.
pub async fn chains(cluster: &Cluster, all: &Kubernetes, row: &AppRow) -> Vec<Chain> {
    let mut nearest: BTreeMap<(Arc<str>, Option<OwnerName>), usize> = BTreeMap::new();
    for pod in all.doomed(row) {
        *nearest.entry((Arc::clone(&pod.namespace), pod.owner.clone())).or_default() += 1;
    }
    let mut chains = Vec::new();
    for (at, ((namespace, owner), pods)) in nearest.into_iter().enumerate() {
        let Some(owner) = owner else {
            chains.push(Chain { pods, ..Chain::default() });
            continue;
        };
        let others = all.count_of_others(&namespace, &owner, &row.id);
        let (owners, unknown) = if at < MOST {
            cluster.owners_from(&namespace, &owner).await
        } else {
            let unread = OwnerObject { namespace, name: owner, ..OwnerObject::default() };
            (vec![unread], Some(format!("only {MOST} owners are read")))
        };
        chains.push(Chain { pods, owners, unknown, others });
    }
    chains
}

/// Suspends or resumes owners of an application's pods; one result for each.
///
/// # Errors
/// Returns a rejection of the whole operation by an access list or because of an unknown user.
pub async fn suspend(cluster: &Cluster, view: &View, order: &SuspendOrder) -> Result<Vec<OwnerDone>, Refusal> {
    let _ = cluster.who().await;
    let actor = actor(cluster, view);
    let verb = if order.suspended { "suspend" } else { "resume" };
    let outcome = async {
        if let Some(why) = actor.cluster.as_ref().and_then(|rights| rights.unknown.clone()) {
            return Err(Refusal::new(
                Code::Unauthenticated,
                format!("cannot {verb} the owners of {}", order.app),
                &*why,
            ));
        }
        let part = view.partitions.iter().find(|part| part.name == order.partition);
        let part = part.ok_or_else(|| Refusal::not_found("partition", &order.partition))?;
        if !actor.judged_elsewhere && access::admin(part, order.queue.as_str(), &actor.identity).is_none() {
            let message = format!("{} may not {verb} the owners of {}", actor.user(), order.app);
            let remedy = remedy(view, &actor, Some(&part.name), &order.queue);
            let why = format!("needs admin access on {} or a parent; {remedy}", order.queue);
            return Err(Refusal::new(Code::AclDenied, message, why));
        }
        let (mut done, mut first) = (Vec::new(), None);
        for owner in &order.owners {
            let outcome = cluster.suspend(owner, order.suspended).await;
            let why_not = outcome.err().map(|fault| {
                first.get_or_insert_with(|| code(&fault));
                fault.to_string()
            });
            let suspended = if why_not.is_none() { Some(order.suspended) } else { owner.suspended };
            done.push(OwnerDone { owner: OwnerObject { suspended, ..owner.clone() }, why_not });
        }
        match (first, done.iter().any(|one| one.why_not.is_none())) {
            (Some(code), false) => {
                let reported = |one: &OwnerDone| Some(format!("{}: {}", one.owner.words(), one.why_not.as_ref()?));
                let why: Vec<String> = done.iter().filter_map(reported).collect();
                Err(Refusal::new(code, format!("cannot {verb} the owners of {}", order.app), why.join("; ")))
            }
            _ => Ok(done),
        }
    }
    .await;
    note::suspension(cluster, &actor, order, &outcome).await;
    outcome
}
