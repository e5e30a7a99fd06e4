//! What an autoscaler sees of a scheduler: the requests that wait for a node.

use std::collections::BTreeMap;

use super::admission::Admission;
use scheduler::Partition;
use scheduler::state::app::Application;
use scheduler::state::ask::Ask;

/// The most requests that are examined at one time; the others are after them.
const MOST_REQUESTS: usize = 20_000;

pub(super) struct Wanted<'p> {
    pub app: &'p Application,
    pub ask: &'p Ask,
}

/// The pending requests that queues, limits, and counts admit, oldest application first, without requests that
/// placeholders of their gang can serve, and those for one node.
pub(super) fn waiting(part: &Partition) -> Vec<Wanted<'_>> {
    let mut apps: Vec<_> = part.apps.iter().map(|(_, app)| app).filter(|app| !app.pending_order.is_empty()).collect();
    apps.sort_by(|one, other| (one.submitted, &one.id).cmp(&(other.submitted, &other.id)));
    let mut admission = Admission::new(part);
    let mut found = Vec::new();
    for app in apps {
        let mut path = admission.path(app);
        let mut space = placeholders(app);
        for (.., key) in &app.pending_order {
            let ask = &app.asks[*key];
            let group = ask.rare.task_group.as_deref().filter(|_| !ask.placeholder);
            if let Some(left) = group.and_then(|group| space.get_mut(group)).filter(|left| **left > 0) {
                *left -= 1;
                continue;
            }
            if ask.rare.required_node.is_some() || !admission.admit(&mut path, &ask.resource) {
                continue;
            }
            found.push(Wanted { app, ask });
            if found.len() == MOST_REQUESTS {
                return found;
            }
        }
    }
    found
}

fn placeholders(app: &Application) -> BTreeMap<&str, u64> {
    let mut space: BTreeMap<&str, u64> = BTreeMap::new();
    let asks = app.allocations.values().map(|key| &app.asks[*key]);
    for ask in asks.filter(|ask| ask.placeholder && !ask.released) {
        *space.entry(ask.rare.task_group.as_deref().unwrap_or_default()).or_default() += 1;
    }
    space
}
