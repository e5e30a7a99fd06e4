//! Queue configurations: YAML with the position of every value, typed, checked, compared, stored.
//!
//! Invariants:
//! - reading never panics and never stops at the first fault: all faults of a text come back, each with its place;
//! - a text with an error yields no [`Config`], so nothing is ever half applied;
//! - no IO but in `store` (writing) and in whoever hands in the text.

pub mod fault;
pub mod node;
pub mod properties;
pub mod types;
pub mod yaml;

pub use fault::{Fault, Faults, Severity, Source};
pub use types::{
    Config, FilterConfig, LimitConfig, NodeSortConfig, NodeSortPolicy, PartitionConfig, Place, Placed, QueueConfig,
    RuleConfig, RuleKind, TemplateConfig,
};
