//! The allowed values of configuration keys, one table for each type (see [`model::allowed_value`]).
//!
//! A new placement rule or policy is a variant and a row here. No match over these enums has a wildcard arm, so the
//! compiler reports every place that must handle it.

pub mod boolean;
pub mod placement_rule;
pub mod policy;

#[cfg(test)]
mod tests;

pub use placement_rule::{RuleKind, RuleValue};
pub use policy::{AppSortPolicy, FilterType, NodeSortPolicy, PreemptionPolicy, PrioritySorting};

use super::properties::PropertyKey;
use model::{AllowedValue, Profile};

/// The allowed values of `key` under `parent`; empty if any text is allowed.
pub fn values_at(parent: &str, key: &str, profile: Profile) -> Vec<&'static str> {
    let allowed: &[AllowedValue] = match (parent, key) {
        (_, "create" | "enabled" | "quotapreemptionenabled") | ("queues", "parent") => {
            return boolean::names().to_vec();
        }
        ("placementrules" | "parent", "name") => RuleKind::ALLOWED,
        ("nodesortpolicy", "type") => NodeSortPolicy::ALLOWED,
        ("filter", "type") => FilterType::ALLOWED,
        ("properties", property) => PropertyKey::parse(property).map_or(&[], PropertyKey::allowed),
        _ => &[],
    };
    allowed.iter().filter(|value| value.is_read_by(profile)).map(|value| value.name).collect()
}
