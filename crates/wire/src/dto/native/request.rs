//! What a client of the verbs of a kornsole sends. A key that is not known is refused, and so is one that stands twice.

use std::collections::BTreeMap;
use std::fmt;

use schemars::{JsonSchema, Schema, json_schema};
use serde::de::{Deserializer, Visitor};
use serde::{Deserialize, Serialize};

use super::strict_map::{unique_keys, unique_keys_if_there};

/// What is to be checked (E3).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Checks {
    /// Each by itself.
    pub checks: Vec<Check>,
}

/// One thing that one would like to do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("required" = ["action"]))]
pub struct Check {
    /// `kill`, `move`, `submit` or `config`.
    pub action: String,
    /// The id of the application that the act would be about.
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Kill {
    /// Why, for the record.
    #[schemars(length(max = 500))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Where it must be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expect_queue: Option<String>,
}

/// Where an application is to be moved (E4).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Move {
    /// The full path of a leaf.
    pub to: String,
    /// Why, for the record.
    #[schemars(length(max = 500))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Where it must be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect_queue: Option<String>,
    /// Only say what would happen.
    #[serde(default)]
    pub dry_run: bool,
}

/// One verb for many applications (E4).
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
    /// Why, for the record.
    #[schemars(length(max = 500))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A submission that is not made (E6).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlacementQuestion {
    /// Who would submit; placement rules and access lists read it.
    pub user: String,
    /// The groups of that user, the first is the primary one.
    #[serde(default)]
    pub groups: Vec<String>,
    /// The queue asked for.
    #[serde(default)]
    pub queue: String,
    /// Tags of the application, as `namespace`; the placement rule `tag` reads them.
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
    /// The queue asked for.
    pub queue: String,
    /// The user, who can only be the one of the token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Their groups, which can only be those of the token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<Vec<String>>,
    /// Tags of the application, as `namespace`; the placement rule `tag` reads them.
    #[serde(deserialize_with = "unique_keys")]
    pub tags: BTreeMap<String, String>,
    /// The tag that says what kind of application it is.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// `Soft` or `Hard`.
    #[schemars(extend("enum" = ["Soft", "Hard"]))]
    pub gang_style: Option<String>,
    /// How long a gang may take.
    pub placeholder_timeout: Option<Span>,
    /// Total of all task groups; without it the sum of [`Self::task_groups`].
    #[serde(deserialize_with = "unique_keys_if_there")]
    pub placeholder: Option<BTreeMap<String, Quantity>>,
    /// What the gang is made of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub task_groups: Vec<TaskGroup>,
    /// Why, for the record.
    #[schemars(length(max = 500))]
    pub reason: Option<String>,
}

/// A part of a gang.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("required" = ["name", "minResource"]))]
pub struct TaskGroup {
    /// The name by which asks name their group.
    pub name: String,
    /// How many there must be at least; one where nothing is said.
    pub min_member: Option<u32>,
    /// What each of them asks for.
    #[serde(deserialize_with = "unique_keys")]
    pub min_resource: BTreeMap<String, Quantity>,
}

/// An amount: a text with a unit, or a whole number.
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
    /// The application, which can only be that of the path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app: Option<String>,
    /// The id; with a count above 1 the asks are `id-1`, `id-2` and so on.
    pub id: String,
    /// How many asks like this one are made.
    #[schemars(range(min = 1))]
    pub count: u32,
    /// The amounts of each, as `{"vcore": "500m", "memory": "2Gi"}`.
    #[serde(deserialize_with = "unique_keys")]
    pub resource: BTreeMap<String, Quantity>,
    /// A higher one is tried first.
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

/// A node to register, or what is to be changed of one (E8).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NodeBody {
    /// The id; not in a change, where the path has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "unique_keys_if_there")]
    pub capacity: Option<BTreeMap<String, Quantity>>,
    /// What others use of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "unique_keys_if_there")]
    pub occupied: Option<BTreeMap<String, Quantity>>,
    /// Labels of the node, as the resource manager names them.
    #[serde(deserialize_with = "unique_keys")]
    pub attributes: BTreeMap<String, String>,
    /// Registered without new allocations on it, until it is resumed.
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
    /// What is to be cleaned: `queues`, `applications`, or both.
    #[schemars(extend("items" = { "type": "string", "enum": ["queues", "applications"] }))]
    pub what: Vec<String>,
    /// Only say what would happen.
    #[serde(default)]
    pub dry_run: bool,
    /// Why, for the record.
    #[schemars(length(max = 500))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}
