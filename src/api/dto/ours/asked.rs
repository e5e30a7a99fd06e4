//! What a client of our own verbs sends. A key that is not known is refused.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What is to be checked (E3).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checks {
    /// Each by itself.
    pub checks: Vec<Check>,
}

/// One thing that one would like to do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Check {
    /// `kill`, `move`, `submit` or `config`.
    pub action: String,
    /// The application.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub application: Option<String>,
    /// The partition; without it the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition: Option<String>,
    /// The target of a move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The queue of a submission.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<String>,
    /// The text of a configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// How an application is to be killed (E4).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Kill {
    /// Why, for the record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Where it must be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expect_queue: Option<String>,
}

/// Where an application is to be moved (E4).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Move {
    /// The full path of a leaf.
    pub to: String,
    /// Why, for the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Where it must be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect_queue: Option<String>,
    /// Only tell what would happen.
    #[serde(default)]
    pub dry_run: bool,
}

/// One verb for many applications (E4).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BulkAction {
    /// `kill` or `move`.
    pub action: String,
    /// The applications, at most 1000.
    pub ids: Vec<String>,
    /// The target of a move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Why, for the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A submission that is not made (E6).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlacementQuestion {
    /// Who submits.
    pub user: String,
    /// His groups.
    #[serde(default)]
    pub groups: Vec<String>,
    /// The queue asked for.
    #[serde(default)]
    pub queue: String,
    /// Tags.
    #[serde(default)]
    pub tags: BTreeMap<String, String>,
    /// A configuration to try instead of the running one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<String>,
}

/// An application to submit (E8).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Submit {
    /// The id.
    pub app: String,
    /// The queue asked for.
    pub queue: String,
    /// Tags.
    pub tags: BTreeMap<String, String>,
    /// `Soft` or `Hard`.
    pub gang_style: Option<String>,
    /// How long a gang may take, in seconds.
    pub placeholder_timeout: Option<u64>,
    /// Total of all task groups.
    pub placeholder_ask: BTreeMap<String, Quantity>,
    /// Why, for the record.
    pub reason: Option<String>,
}

/// An amount: a text with a unit, or a whole number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Quantity {
    /// Without a unit.
    Number(u64),
    /// As in a configuration: `500m`, `2Gi`.
    Text(String),
}

/// An ask (E8).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Ask {
    /// The id; with a count above 1 the asks are `id-1`, `id-2` and so on.
    pub id: String,
    /// How often.
    pub count: u32,
    /// How much.
    pub resource: BTreeMap<String, Quantity>,
    /// The priority.
    pub priority: i32,
    /// The only node that will do.
    pub required_node: Option<String>,
    /// May be preempted.
    pub allow_preempt_self: bool,
    /// May preempt others.
    pub allow_preempt_other: bool,
    /// Began its application.
    pub originator: bool,
    /// Holds room for a gang.
    pub placeholder: bool,
    /// The task group.
    pub task_group: Option<String>,
    /// What there is to say of it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tags: BTreeMap<String, String>,
}

impl Default for Ask {
    fn default() -> Self {
        Self {
            id: String::new(),
            count: 1,
            resource: BTreeMap::new(),
            priority: 0,
            required_node: None,
            allow_preempt_self: true,
            allow_preempt_other: false,
            originator: false,
            placeholder: false,
            task_group: None,
            tags: BTreeMap::new(),
        }
    }
}

/// A node to register, or what is to be changed of one (E8).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NodeBody {
    /// The id; not in a change, where the path has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity: Option<BTreeMap<String, Quantity>>,
    /// What others use of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub occupied: Option<BTreeMap<String, Quantity>>,
    /// Attributes.
    pub attributes: BTreeMap<String, String>,
    /// Registered without new allocations on it, until it is resumed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub drained: bool,
    /// Why, for the record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Why, and nothing else.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OnlyReason {
    /// Why, for the record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What is to be cleaned up (E9).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Cleanup {
    /// `queues`, `applications`.
    pub what: Vec<String>,
    /// Only tell what would happen.
    #[serde(default)]
    pub dry_run: bool,
    /// Why, for the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}
