//! Queue configurations: YAML with the position of every value, typed, checked, compared, and stored.
//!
//! [`read`] runs all steps: [`yaml`] builds a tree with positions, `decode` extracts the values unchanged (`raw`),
//! `check` applies every rule, `build` normalizes.
//!
//! Invariants:
//! - reading never panics and returns all errors, each with its location;
//! - a text with an error yields no [`Config`];
//! - no IO except in `store`, which writes.

mod allow;
mod build;
mod check;
pub mod csv;
mod decode;
pub mod diff;
pub mod edit;
pub mod fault;
pub mod input;
pub mod lines;
pub mod lint;
pub mod manifest;
pub mod merge;
pub mod node;
mod passes;
pub mod properties;
mod raw;
mod reading;
pub mod release_keys;
pub mod removal;
mod schema;
pub mod settings;
pub mod store;
pub mod toml_table;
pub mod types;
pub mod values;
pub mod yaml;

pub use allow::without_allowed;
pub use decode::{keys_below, preemption_keys};
pub use diff::{Diff, diff};
pub use fault::{Fault, Faults, Severity, Source};
pub use manifest::{DEFAULT_POLICY_GROUP, move_places, read_file};
pub use properties::{MergedProperties, Property, PropertyKey, QueueProperties, inherit, parse_duration};
pub use reading::{
    DEFAULT_CONFIG, Reading, carried_checksum, checksum, is_empty_text, read, read_bytes, without_checksum,
};
pub use removal::{AllowedRemoval, Removal};
pub use schema::schema;
pub use settings::{SchedulerConfig, Settings};
pub use types::{
    Config, FilterConfig, LimitConfig, NodeSortConfig, PartitionConfig, Place, Placed, QueueConfig, RuleConfig,
    TemplateConfig,
};
pub use values::{
    AppSortPolicy, FilterType, NodeSortPolicy, PreemptionPolicy, PrioritySorting, RuleKind, RuleValue, values_at,
};
