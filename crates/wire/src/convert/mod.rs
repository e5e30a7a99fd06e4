//! The read model as transfer types: what a [`View`](view::View) says, in the words of the wire; and [`read`], the other way
//! round.
//!
//! Everything is sorted where YuniKorn has no order: queues by path, applications by submission and then id, everything else by
//! name (`rest.md` section 10).
//!
//! Invariants:
//! - pure: no IO and no clock; the scheduler's time becomes the wall clock's in [`Wall`] and nowhere else;
//! - an answer is made from one view, so the numbers in it agree with each other.

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

/// What an answer says next to what the view knows.
#[derive(Clone, Debug)]
pub struct Context {
    /// The id of the resource manager: this process is its own.
    pub cluster_id: String,
    /// What the scheduler's time is by the wall clock.
    pub wall: Wall,
}
