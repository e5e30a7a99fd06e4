//! The transfer types of the YuniKorn API.
//!
//! They are written like 1.8.0 and read like 1.4 to 1.9 (`rest.md` sections 2, 5, and 7): missing, `null`, `[]`, and
//! `{}` are equal, integers never pass through a double, and an unknown key is kept in `other` and written again.
//!
//! Invariants:
//! - plain data without logic;
//! - reading a written value gives the same value.

mod app;
pub mod audit;
mod cluster;
mod config;
mod dump;
mod event;
mod grounds;
pub mod json;
mod lenient;
pub mod native;
mod node;
mod queue;
mod resource;
mod rule;
mod salvage;
mod server;
pub mod time;
mod usage;

use std::borrow::Cow;
use std::collections::BTreeMap;

pub use app::{Allocation, Application, LogEntry, PlaceholderData, Request, Reservation, ResourceHistory, StateChange};
pub use cluster::{Capacity, Cluster, NodeSortingPolicy, Partition};
pub use config::{
    ChildTemplate, Config, Filter, Limit, NodeSortPolicy, PartitionConfig, Preemption, QueueConfig, Resources, Rule,
    UserGroupResolver,
};
pub use dump::{EventStream, PartitionNodes, PartitionRules, StateDump};
pub use event::{EventBatch, EventRecord, StreamStart};
pub use grounds::{EventGrounds, QueueUsageState, RetainedAllocations};
pub use lenient::List;
pub use node::{Bucket, ForeignAllocation, Node, NodeUtilization, PartitionUtilization};
pub use queue::{Queue, Template};
pub(super) use resource::by_name;
pub use resource::{EventResource, ResourceMap, UsageByType};
pub use rule::{PlacementRule, RuleFilter};
pub use salvage::{Unreadable, none_read, plain, salvage, salvage_list};
pub use server::{ApiError, AppSample, ContainerSample, Fault, Health, HealthCheck, Validation};
pub use time::Deadline;
pub use usage::{GroupUsage, QueueUsage, UserUsage};
pub use view::unread::Unknown;

/// A word with few known values, which are not allocated; others are kept.
pub type Word = Cow<'static, str>;

/// Unknown keys with their values.
pub type Other = BTreeMap<String, serde_json::Value>;
