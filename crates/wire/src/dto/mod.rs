//! The transfer types of the YuniKorn API: what Apache YuniKorn answers, and what is sent to it.
//!
//! Each type is written as 1.8.0 writes it and read as any release from 1.4 to 1.9 writes it (`rest.md` sections 2, 5 and 7). A field
//! is named as its key, in this crate's spelling; what it means is at the field. Reading is tolerant in one way for all:
//! missing, `null`, `[]` and `{}` are the same, integers never pass through a double, and a key that is unknown is kept in `other`,
//! from where it is written again.
//!
//! Invariants:
//! - plain data: no type here decides anything, and none is used outside this crate;
//! - reading what was written gives the same value again.

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

/// A word of a known few, such as a state: those that the server writes are not allocated, others are carried unchanged.
pub type Word = Cow<'static, str>;

/// Keys that no release up to 1.9 has, with their values.
pub type Other = BTreeMap<String, serde_json::Value>;
