//! The tracked resources of an application: amounts times seconds of its ended allocations, by instance type (`rest.md` section 5.4).

use std::collections::BTreeMap;
use std::sync::Arc;

use model::Resource;

/// Amounts times seconds, by the kind of machine.
pub type ByInstance = BTreeMap<Arc<str>, Resource>;

/// What an application has used so far. Counted when an allocation ends.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct TrackedResources {
    /// By allocations: resource times seconds for each instance type.
    #[serde(with = "model::saved::text_map")]
    pub used: ByInstance,
    /// By allocations that were preempted.
    #[serde(with = "model::saved::text_map")]
    pub preempted: ByInstance,
    /// By placeholders: resource times seconds for each instance type.
    #[serde(with = "model::saved::text_map")]
    pub placeholders: ByInstance,
}
