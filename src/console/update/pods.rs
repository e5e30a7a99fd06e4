//! The effect of a kill on pods, for its question: how many are deleted, and who creates them again.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::console::present::format;
use crate::console::state::State;
use crate::view::AppRow;
use crate::view::kubernetes::{OwnerName, PodRow};

/// How many owners are named.
const NAMED: usize = 3;

/// The lines of a question about killing these applications; none where no cluster is asked.
pub(super) fn lines<'a>(state: &State, apps: impl Iterator<Item = &'a AppRow>) -> Vec<String> {
    let Some(all) = &state.cluster.view.kubernetes else { return Vec::new() };
    let (mut count, mut waiting) = (0_u64, 0_u64);
    let mut namespaces: BTreeMap<Arc<str>, u64> = BTreeMap::new();
    let mut owners: BTreeMap<(Arc<str>, Option<OwnerName>), u64> = BTreeMap::new();
    for app in apps {
        for pod in all.doomed(app) {
            count += 1;
            waiting += u64::from(!app.asks.values().any(|ask| *ask.id.as_str() == *pod.uid));
            *namespaces.entry(Arc::clone(&pod.namespace)).or_default() += 1;
            *owners.entry(owner(&pod)).or_default() += 1;
        }
    }
    if count == 0 {
        return Vec::new();
    }
    let places: Vec<String> = namespaces.into_iter().map(|(name, count)| format!("{count} in {name}")).collect();
    let mut lines =
        vec![format!("Deletes {}: {}; each has its own grace period.", format::count(count, "pod"), places.join(", "))];
    if waiting > 0 {
        lines.push(format!("{} of them the scheduler was not given yet.", waiting));
    }
    let more = owners.len().saturating_sub(NAMED);
    lines.extend(owners.into_iter().take(NAMED).map(|((namespace, owner), count)| match owner {
        None => format!("Nobody makes {} of {namespace} again.", format::count(count, "pod")),
        Some(owner) => {
            let stop = owner.stopped_by().map(|stop| format!("; {stop} stops it")).unwrap_or_default();
            format!(
                "{} {namespace}/{} ({}) {}{stop}.",
                owner.kind,
                owner.name,
                format::count(count, "pod"),
                owner.after_deletion()
            )
        }
    }));
    if more > 0 {
        lines.push(format!("And {} more that made some of them.", format::count(more as u64, "owner")));
    }
    lines
}

fn owner(pod: &PodRow) -> (Arc<str>, Option<OwnerName>) {
    (Arc::clone(&pod.namespace), pod.owner.clone())
}
