//! The requests that an autoscaler sees.

use std::collections::BTreeMap;

use super::group::fits_where_named;
use model::{Resource, Time};
use scheduler::Partition;
use scheduler::state::app::Application;

/// The most requests that are examined at one time; the others are after them.
const MOST_REQUESTS: usize = 20_000;

pub(super) struct Wanted {
    pub app: String,
    pub wants: Resource,
    pub since: Time,
}

/// The pending requests that their queues admit, oldest application first, without requests that placeholders of their
/// gang can serve.
pub(super) fn waiting(part: &Partition) -> Vec<Wanted> {
    let mut apps: Vec<_> = part.apps.iter().map(|(_, app)| app).filter(|app| !app.pending_order.is_empty()).collect();
    apps.sort_by(|one, other| (one.submitted, &one.id).cmp(&(other.submitted, &other.id)));
    let mut left: BTreeMap<&str, Option<Resource>> = BTreeMap::new();
    let mut found = Vec::new();
    for app in apps {
        let headroom = left.entry(app.queue_path.as_str()).or_insert_with(|| admitted(part, app.queue));
        let mut space = placeholders(app);
        for (.., key) in &app.pending_order {
            let ask = &app.asks[*key];
            let group = ask.rare.task_group.as_deref().filter(|_| !ask.placeholder);
            if let Some(left) = group.and_then(|group| space.get_mut(group)).filter(|left| **left > 0) {
                *left -= 1;
                continue;
            }
            let wants = &ask.resource;
            if headroom.as_ref().is_some_and(|headroom| !fits_where_named(wants, headroom)) {
                continue;
            }
            if let Some(headroom) = headroom {
                *headroom = headroom.sub_only_existing(wants);
            }
            found.push(Wanted { app: app.id.to_string(), wants: wants.clone(), since: ask.created });
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

/// The root's maximum is that of the nodes, which can grow.
fn admitted(part: &Partition, queue: scheduler::index::QueueKey) -> Option<Resource> {
    let mut admitted: Option<Resource> = None;
    let mut at = part.queues.get(queue);
    while let Some(queue) = at {
        let parent = queue.parent.and_then(|parent| part.queues.get(parent));
        if let (Some(max), Some(_)) = (&queue.max, parent) {
            let mut rest = max.clone();
            for (name, amount) in max.iter() {
                rest.set(name, amount.saturating_sub(queue.allocated.amount(name)));
            }
            admitted = Some(match admitted {
                Some(below) => below.min_permissive(&rest),
                None => rest,
            });
        }
        at = parent;
    }
    admitted
}
