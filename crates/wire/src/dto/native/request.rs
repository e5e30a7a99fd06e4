//! Request bodies of the native API. Unknown and duplicate keys are rejected.

use std::collections::BTreeMap;
use std::fmt;

use schemars::{JsonSchema, Schema, json_schema};
use serde::de::{Deserializer, Visitor};
use serde::{Deserialize, Serialize};

use super::strict_map::{optional_unique_keys, unique_keys};

/// The actions to check (E3).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Checks {
    /// Each action is checked by itself.
    pub checks: Vec<Check>,
}

/// One action to check.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("required" = ["action"]))]
pub struct Check {
    /// `kill`, `move`, `submit` or `config`.
    pub action: String,
    /// The id of the application of the action.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub application: Option<String>,
    /// The partition; default: the first one.
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

/// A request to kill an application (E4).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Kill {
    /// The reason, for the audit.
    #[schemars(length(max = 500))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The expected queue of the application.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expect_queue: Option<String>,
}

/// A request to move an application (E4).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Move {
    /// The full path of a leaf.
    pub to: String,
    /// The reason, for the audit.
    #[schemars(length(max = 500))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The expected queue of the application.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect_queue: Option<String>,
    /// Only show the effects.
    #[serde(default)]
    pub dry_run: bool,
}

/// One action for many applications (E4).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BulkAction {
    /// `kill` or `move`.
    #[schemars(extend("enum" = ["kill", "move"]))]
    pub action: String,
    /// The applications, at most 1000.
    pub ids: Vec<String>,
    /// The target of a move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The reason, for the audit.
    #[schemars(length(max = 500))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A submission to preview (E6).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlacementQuestion {
    /// The user; placement rules and access lists use it.
    pub user: String,
    /// The groups of that user, the primary one first.
    #[serde(default)]
    pub groups: Vec<String>,
    /// The requested queue.
    #[serde(default)]
    pub queue: String,
    /// Tags of the application, for example `namespace`; the placement rule `tag` reads them.
    #[serde(default)]
    #[serde(deserialize_with = "unique_keys")]
    pub tags: BTreeMap<String, String>,
    /// A configuration to try instead of the running one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<String>,
}

/// An application to submit: the value of the scenario's step (E8).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("required" = ["app"]))]
pub struct Submit {
    /// The id of the application; it must not be in use in the partition.
    pub app: String,
    /// The requested queue.
    pub queue: String,
    /// The user; must be the user of the token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The groups; must be those of the token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<Vec<String>>,
    /// Tags of the application, for example `namespace`; the placement rule `tag` reads them.
    #[serde(deserialize_with = "unique_keys")]
    pub tags: BTreeMap<String, String>,
    /// The tag with the type of the application.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// `Soft` or `Hard`.
    #[schemars(extend("enum" = ["Soft", "Hard"]))]
    pub gang_style: Option<String>,
    /// The timeout of a gang.
    pub placeholder_timeout: Option<Span>,
    /// Total of all task groups; default: the sum of [`Self::task_groups`].
    #[serde(deserialize_with = "optional_unique_keys")]
    pub placeholder: Option<BTreeMap<String, Quantity>>,
    /// The task groups of the gang.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub task_groups: Vec<TaskGroup>,
    /// The reason, for the audit.
    #[schemars(length(max = 500))]
    pub reason: Option<String>,
}

/// A part of a gang.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("required" = ["name", "minResource"]))]
pub struct TaskGroup {
    /// The name that requests use for their group.
    pub name: String,
    /// The minimum number of members; default: one.
    pub min_member: Option<u32>,
    /// The resources of each member.
    #[serde(deserialize_with = "unique_keys")]
    pub min_resource: BTreeMap<String, Quantity>,
}

/// A quantity: a string with a unit, or an integer.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline, transform = number_or_text)]
pub enum Quantity {
    /// Without a unit.
    Number(u64),
    /// As in a configuration: `500m`, `2Gi`.
    Text(String),
}

/// A duration: a text with units, or whole seconds.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline, transform = number_or_text)]
pub enum Span {
    /// A plain number is seconds.
    Seconds(u64),
    /// As in a scenario: `10s`, `1m30s`.
    Text(String),
}

/// The schema of a value that may be a number or a text.
fn number_or_text(schema: &mut Schema) {
    *schema = json_schema!({ "type": ["string", "integer"] });
}

/// Reads a whole number or a text, whichever it is.
struct NumberOrText<T> {
    due: &'static str,
    number: fn(u64) -> T,
    text: fn(String) -> T,
}

impl<T> Visitor<'_> for NumberOrText<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.due)
    }

    fn visit_u64<E>(self, number: u64) -> Result<T, E> {
        Ok((self.number)(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<T, E> {
        Ok((self.text)(text.to_owned()))
    }
}

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let due = "a quantity: an integer of 0 or more, or a string such as \"500m\" or \"2Gi\"";
        from.deserialize_any(NumberOrText { due, number: Self::Number, text: Self::Text })
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let due = "a duration: whole seconds, or a string such as \"10s\" or \"1m30s\"";
        from.deserialize_any(NumberOrText { due, number: Self::Seconds, text: Self::Text })
    }
}

/// An ask: the value of the scenario's step (E8).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("required" = ["id", "resource"]))]
pub struct Ask {
    /// The application; must be the one of the path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app: Option<String>,
    /// The id; with a count above 1, the ids are `id-1`, `id-2`, and so on.
    pub id: String,
    /// The number of identical requests.
    #[schemars(range(min = 1))]
    pub count: u32,
    /// The resources of each request, as `{"vcore": "500m", "memory": "2Gi"}`.
    #[serde(deserialize_with = "unique_keys")]
    pub resource: BTreeMap<String, Quantity>,
    /// Higher priorities are tried first.
    pub priority: i32,
    /// The required node.
    pub required_node: Option<String>,
    /// Whether it can be preempted.
    pub allow_preempt_self: bool,
    /// Whether it can preempt others.
    pub allow_preempt_other: bool,
    /// Whether it is the originator of its application.
    pub originator: bool,
    /// Whether it is a placeholder of a gang.
    pub placeholder: bool,
    /// The task group.
    pub task_group: Option<String>,
    /// What there is to say of it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[serde(deserialize_with = "unique_keys")]
    pub tags: BTreeMap<String, String>,
}

impl Default for Ask {
    fn default() -> Self {
        Self {
            app: None,
            id: String::new(),
            count: 1,
            resource: BTreeMap::new(),
            priority: 0,
            required_node: None,
            allow_preempt_self: false,
            allow_preempt_other: false,
            originator: false,
            placeholder: false,
            task_group: None,
            tags: BTreeMap::new(),
        }
    }
}

/// A node to register, or a change of a node (E8).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NodeBody {
    /// The id; not in a change, where the path has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The capacity of the node.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "optional_unique_keys")]
    pub capacity: Option<BTreeMap<String, Quantity>>,
    /// The usage by other schedulers.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "optional_unique_keys")]
    pub occupied: Option<BTreeMap<String, Quantity>>,
    /// Labels of the node, with the names of the resource manager.
    #[serde(deserialize_with = "unique_keys")]
    pub attributes: BTreeMap<String, String>,
    /// Whether it is registered without new allocations, until it is resumed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub drained: bool,
    /// Why, for the record.
    #[schemars(length(max = 500))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Why, and nothing else.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OnlyReason {
    /// Why, for the record.
    #[schemars(length(max = 500))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What is to be cleaned up (E9).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Cleanup {
    /// The objects to clean up: `queues`, `applications`, or both.
    #[schemars(extend("items" = { "type": "string", "enum": ["queues", "applications"] }))]
    pub what: Vec<String>,
    /// Only show the effects.
    #[serde(default)]
    pub dry_run: bool,
    /// The reason, for the audit.
    #[schemars(length(max = 500))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}
