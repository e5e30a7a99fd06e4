//! The contexts of the kubeconfig for the console, and their answers.

use std::time::{Duration, Instant};

use client::{Limits, Target};
use cluster::kube::{Cluster, Known, SCHEME};
use console::state::contexts::{ContextEntry, ContextFacts, ContextOrigin};
use source::remote::once::Once;

/// Timeout of a context, including its credentials.
const PATIENCE: Duration = Duration::from_secs(20);

/// The contexts of the kubeconfig, or the cluster of this pod; may be empty.
///
/// # Errors
/// Invalid kubeconfig, with file, line, and reason.
pub fn of_kubeconfig() -> Result<Vec<ContextEntry>, String> {
    let Some(known) = Known::read_if_exists().map_err(|fault| fault.to_string())? else { return Ok(Vec::new()) };
    let all = known.contexts();
    if all.is_empty() && known.files().is_empty() {
        let address = "the cluster of this pod".to_owned();
        let (name, user) = (SCHEME.to_owned(), "its service account".to_owned());
        let origin = ContextOrigin::Kubeconfig;
        return Ok(vec![ContextEntry { name, address, user, origin, current: true, ..ContextEntry::default() }]);
    }
    let entry = |one: cluster::kube::ContextInfo| ContextEntry {
        name: format!("{SCHEME}{}", one.name),
        address: one.server,
        user: one.user,
        namespace: one.namespace.unwrap_or_default(),
        origin: ContextOrigin::Kubeconfig,
        current: one.current,
        plugin: one.plugin,
    };
    Ok(all.into_iter().map(entry).collect())
}

/// Asks a context for its version, user, and scheduler.
///
/// # Errors
/// Why it does not answer.
pub fn ask(target: &Target) -> Result<ContextFacts, String> {
    let started_at = Instant::now();
    if let Some(cluster) = target.cluster() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        let asked = async { tokio::time::timeout(PATIENCE, ask_cluster(cluster, started_at)).await };
        return runtime.block_on(asked).unwrap_or_else(|_| Err("no response within 20 s".to_owned()));
    }
    let mut once = Once::connect(target, Limits::default()).map_err(|fault| fault.to_string())?;
    let (took, version) = (started_at.elapsed(), once.remote().to_string());
    let user = match once.who() {
        Ok(Some(who)) if who.authenticated => Ok(who.identity().to_string()),
        Ok(_) => Err("no token".to_owned()),
        Err(fault) => Err(fault.to_string()),
    };
    Ok(ContextFacts { took, version, user, scheduler: None })
}

async fn ask_cluster(cluster: &Cluster, started_at: Instant) -> Result<ContextFacts, String> {
    let version = cluster.version().await.map_err(|fault| fault.to_string())?;
    let took = started_at.elapsed();
    let user = cluster.who().await.map_err(|fault| fault.to_string());
    let user = user.map(|who| {
        if who.groups.is_empty() { who.user.clone() } else { format!("{} ({})", who.user, who.groups.join(", ")) }
    });
    let scheduler = Some(cluster.scheduler().await.map_err(|fault| fault.to_string()));
    Ok(ContextFacts { took, version: format!("Kubernetes {version}"), user, scheduler })
}
