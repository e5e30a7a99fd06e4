//! Conversion of a [`View`](view::View) to transfer types, and in [`read`] from transfer types.
//!
//! If YuniKorn has no order, queues are sorted by path, applications by submission and ID, and everything else by name
//! (`rest.md` section 10).
//!
//! Invariants:
//! - pure: no IO and no clock; only [`Wall`] converts the scheduler's time to the wall clock;
//! - an answer uses one view, so its values are consistent.

mod app;
pub mod audit;
mod config;
mod duration;
mod event;
pub mod explain;
mod followed;
mod grounds;
pub mod native;
mod node;
mod partition;
pub mod placement;
mod queue;
mod queue_text;
pub mod read;
mod rule;
mod shadow;
mod tracked;
mod usage;
mod used;
mod wall;
pub mod whatif;
mod yaml;

pub use app::{application, applications, is_in_state, newest};
pub use config::{config, faults};
pub use event::{app_history, container_history, event, health, read_health};
pub use followed::followed_report;
pub use node::{node, nodes, utilization, utilizations};
pub use partition::{clusters, partition, partitions};
pub use queue::{queue, queue_tree};
pub use queue_text::queue_tree_text;
pub use rule::placement_rules;
pub use shadow::{shadow_report, shadow_sheet};
pub use tracked::{ended_use, tracked_report};
pub use usage::{group, groups, user, users};
pub use used::usage_report;
pub use wall::Wall;
pub use yaml::config_yaml;

/// Data of an answer that is not in the view.
#[derive(Clone, Debug)]
pub struct Context {
    /// The ID of the resource manager, which is this process.
    pub cluster_id: String,
    /// The mapping of scheduler time to the wall clock.
    pub wall: Wall,
}
