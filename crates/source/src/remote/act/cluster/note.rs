//! Records orders: in the local audit, and as an Event on the scheduler's ConfigMap if permitted.

use crate::SuspendOrder;
use crate::remote::stored::Retained;
use cluster::kube::Cluster;
use view::View;
use view::act::{Act, Actor, Done, Order, PartitionAct, Refusal};
use view::audit::{AuditEntry, Facts, LONGEST_WHY, action, object};
use view::kubernetes::OwnerDone;

const PODS: usize = 100;

/// Records an order with its result; a dry run only if it was rejected.
pub async fn order(cluster: &Cluster, view: &View, actor: &Actor, order: &Order, outcome: &Result<Done, Refusal>) {
    match outcome {
        Ok(_) if order.act.is_dry_run() => {}
        Ok(done) => {
            let mut entry = entry(cluster, actor, order);
            entry.before.extend(before(view, &order.act, done));
            entry.after = after(done);
            keep(cluster, AuditEntry { allowed: true, ..entry }).await;
            event(cluster, word(&order.act), &sentence(actor, order, done)).await;
        }
        Err(refusal) => keep(cluster, denied(entry(cluster, actor, order), refusal)).await,
    }
}

/// Records a rejection without an order.
pub fn refusal(cluster: &Cluster, actor: &Actor, order: &Order, refusal: &Refusal) {
    if let Some(retained) = Retained::of(&cluster.context().name) {
        retained.note(denied(entry(cluster, actor, order), refusal));
    }
}

/// Records that owners were suspended or resumed.
pub async fn suspension(
    cluster: &Cluster,
    actor: &Actor,
    order: &SuspendOrder,
    outcome: &Result<Vec<OwnerDone>, Refusal>,
) {
    let verb = if order.suspended { "suspend" } else { "unsuspend" };
    let mut entry = AuditEntry {
        action: verb.to_owned(),
        partition: order.partition.to_string(),
        object: order.app.to_string(),
        reason: order.reason.clone(),
        ..by(cluster, actor)
    };
    match outcome {
        Err(refusal) => entry = denied(entry, refusal),
        Ok(done) => {
            let fact = |one: &OwnerDone| {
                let result = one.why_not.clone().unwrap_or_else(|| format!("spec.suspend: {}", order.suspended));
                (one.owner.words(), result)
            };
            entry.after = done.iter().map(fact).collect();
            entry.allowed = true;
        }
    }
    let (allowed, owners) = (entry.allowed, entry.after.clone());
    keep(cluster, entry).await;
    if allowed {
        let owners: Vec<String> = owners.into_iter().map(|(owner, result)| format!("{owner}: {result}")).collect();
        let message = format!("{} of {}, by {}: {}", verb, order.app, actor.user(), owners.join(", "));
        event(cluster, if order.suspended { "OwnersSuspended" } else { "OwnersResumed" }, &message).await;
    }
}

fn by(cluster: &Cluster, actor: &Actor) -> AuditEntry {
    let mut before = Facts::new();
    if let Some(waived) = actor.cluster.as_ref().and_then(|rights| rights.waived) {
        let (list, why) = waived.split_once(": ").unwrap_or(("adminacl", waived));
        before.push((list.to_owned(), why.to_owned()));
    }
    AuditEntry {
        user: actor.identity.user.clone(),
        groups: actor.identity.groups.clone(),
        address: format!("k8s://{}", cluster.context().name),
        before,
        ..AuditEntry::default()
    }
}

fn entry(cluster: &Cluster, actor: &Actor, order: &Order) -> AuditEntry {
    AuditEntry {
        action: action(&order.act).to_owned(),
        partition: order.act.partition().map(ToString::to_string).unwrap_or_default(),
        object: object(&order.act).to_owned(),
        reason: order.reason.clone(),
        ..by(cluster, actor)
    }
}

fn denied(entry: AuditEntry, refusal: &Refusal) -> AuditEntry {
    let code = refusal.code.name().to_owned();
    AuditEntry { allowed: false, code, why: refusal.to_string().chars().take(LONGEST_WHY).collect(), ..entry }
}

fn fact(name: &str, value: impl Into<String>) -> (String, String) {
    (name.to_owned(), value.into())
}

fn before(view: &View, act: &Act, done: &Done) -> Facts {
    match (act, done) {
        (_, Done::Configured(done)) => {
            let versions = done.resource_versions.as_ref().map(|(old, _)| fact("resourceVersion", old.as_str()));
            std::iter::once(fact("checksum", done.previous.as_str())).chain(versions).collect()
        }
        (Act::In { partition, act: PartitionAct::Kill { app, .. } }, _) => {
            let part = view.partitions.iter().find(|part| part.name == *partition);
            let Some(row) = part.and_then(|part| part.app_by_id(app)) else { return Facts::new() };
            vec![
                fact("queue", row.queue.as_str()),
                fact("state", row.state.name()),
                fact("user", row.who.user.as_str()),
            ]
        }
        _ => Facts::new(),
    }
}

fn after(done: &Done) -> Facts {
    match done {
        Done::Configured(done) => {
            let versions = done.resource_versions.as_ref().map(|(_, new)| fact("resourceVersion", new.as_str()));
            std::iter::once(fact("checksum", done.checksum.as_str())).chain(versions).collect()
        }
        Done::Killed(killed) => {
            killed.pods.iter().take(PODS).map(|(pod, end)| fact(&format!("pod {pod}"), end.to_string())).collect()
        }
        _ => Facts::new(),
    }
}

/// The reason of an Event, in one word as is usual in Kubernetes.
fn word(act: &Act) -> &'static str {
    match act {
        Act::Configure { .. } => "ConfigurationApplied",
        Act::Rollback { .. } => "ConfigurationRolledBack",
        Act::In { act: PartitionAct::Kill { .. }, .. } => "ApplicationKilled",
        Act::In { act: PartitionAct::DrainNode(_), .. } => "NodeCordoned",
        Act::In { act: PartitionAct::ResumeNode(_), .. } => "NodeUncordoned",
        _ => "Changed",
    }
}

fn sentence(actor: &Actor, order: &Order, done: &Done) -> String {
    let what = match done {
        Done::Configured(done) => format!("{}, checksum {}", order.act, done.checksum),
        Done::Killed(killed) => format!("{}, {} pods", order.act, killed.pods.len()),
        _ => order.act.to_string(),
    };
    let reason = if order.reason.is_empty() { String::new() } else { format!(": {}", order.reason) };
    format!("{what}, by {}{reason}", actor.user())
}

async fn keep(cluster: &Cluster, entry: AuditEntry) {
    let Some(retained) = Retained::of(&cluster.context().name) else { return };
    // The disk may be slow; failures are logged.
    let _ = tokio::task::spawn_blocking(move || retained.note(entry)).await;
}

async fn event(cluster: &Cluster, word: &str, message: &str) {
    // Without the right to create Events, the local audit still has the order.
    if let Err(fault) = cluster.add_event(word, message).await {
        tracing::debug!("cannot write its event: {fault}");
    }
}
