//! The tracked resources of an application: resources times seconds of ended allocations, by instance type (`rest.md`
//! section 5.4).

use std::collections::BTreeMap;
use std::sync::Arc;

use model::Resource;

/// Resources times seconds, by instance type.
pub type ByInstance = BTreeMap<Arc<str>, Resource>;

/// An allocation is counted when it ends.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct TrackedResources {
    /// By allocations: resource times seconds for each instance type.
    #[serde(with = "model::saved::text_map")]
    pub used: ByInstance,
    /// Of preempted allocations.
    #[serde(with = "model::saved::text_map")]
    pub preempted: ByInstance,
    /// By placeholders: resource times seconds for each instance type.
    #[serde(with = "model::saved::text_map")]
    pub placeholders: ByInstance,
}
