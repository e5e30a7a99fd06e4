//! Pod names for UIDs that the scheduler uses.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::state::Cluster;
use model::{AppId, NodeId};
use view::{ObjectType, Record};

/// `namespace/pod` by request id: from Kubernetes, otherwise from tags.
pub fn of<'r>(records: impl Iterator<Item = &'r Record>, cluster: &Cluster) -> HashMap<Arc<str>, Arc<str>> {
    let (mut names, mut seen) = (HashMap::<Arc<str>, Arc<str>>::new(), HashSet::<&str>::new());
    let Some(part) = cluster.part() else { return names };
    for record in records {
        let (ask, within) = match record.kind {
            ObjectType::REQUEST => (&record.object, &record.reference),
            ObjectType::APP | ObjectType::NODE => (&record.reference, &record.object),
            _ => continue,
        };
        if ask.is_empty() || names.contains_key(ask) {
            continue;
        }
        if let Some(pod) = cluster.view.kubernetes.as_ref().and_then(|all| all.pod(ask)) {
            names.insert(Arc::clone(ask), Arc::from(pod.full_name()));
        } else if seen.insert(within) {
            let node = part.nodes.get(&NodeId::from(&**within)).filter(|_| record.kind == ObjectType::NODE);
            let on_node = node.into_iter().flat_map(|node| node.allocations.values());
            names.extend(on_node.filter_map(|one| Some((Arc::from(one.ask.as_str()), one.pod.clone()?))));
            let app = part.app_by_id(&AppId::from(&**within)).filter(|_| record.kind != ObjectType::NODE);
            let asks = app.into_iter().flat_map(|app| app.asks.values());
            names.extend(asks.filter_map(|ask| Some((Arc::from(ask.id.as_str()), Arc::from(ask.tags.pod()?)))));
        }
    }
    names
}
