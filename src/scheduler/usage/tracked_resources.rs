//! What an application has used: amounts times seconds of what has ended, by the kind of machine (`rest.md` section 5.4).

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::{Resource, Time};
use crate::scheduler::interface::event::ReleaseReason;
use crate::scheduler::state::app::Ask;
use crate::scheduler::state::node::Node;

/// The attribute that names the kind of a node.
const INSTANCE_TYPE: &str = "si/instance-type";
/// Nodes that name none.
const UNKNOWN: &str = "UNKNOWN";

/// Amounts times seconds, by the kind of machine.
pub type ByInstance = BTreeMap<Arc<str>, Resource>;

/// What an application has used so far. Counted when an allocation ends.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Past {
    /// By allocations.
    #[serde(with = "crate::model::saved::text_map")]
    pub used: ByInstance,
    /// By allocations that were preempted.
    #[serde(with = "crate::model::saved::text_map")]
    pub preempted: ByInstance,
    /// By placeholders.
    #[serde(with = "crate::model::saved::text_map")]
    pub placeholders: ByInstance,
}

impl Past {
    /// Counts an allocation that ends now.
    pub(in crate::scheduler) fn count(&mut self, now: Time, ended: &Ask, node: &Node, reason: ReleaseReason) {
        let Some(allocation) = &ended.allocation else { return };
        let by_instance = if ended.placeholder {
            &mut self.placeholders
        } else if reason == ReleaseReason::Preempted {
            &mut self.preempted
        } else {
            &mut self.used
        };
        let seconds = i64::try_from(now.since(allocation.since).as_secs()).unwrap_or(i64::MAX);
        let kind = node.attributes.get(INSTANCE_TYPE).map_or(UNKNOWN, String::as_str);
        if !by_instance.contains_key(kind) {
            by_instance.insert(Arc::from(kind), Resource::new());
        }
        let Some(sum) = by_instance.get_mut(kind) else { return };
        for (name, amount) in ended.resource.iter() {
            sum.set(name, sum.amount(name).saturating_add(amount.saturating_mul(seconds)));
        }
    }
}
