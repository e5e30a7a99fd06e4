//! Active placement rules (`rest.md` 5.6).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::lenient::{is_empty, read};
use super::{Other, Word};

/// An active placement rule.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct PlacementRule {
    /// `provided`, `user`, `fixed`, `tag`, `recovery`.
    #[serde(deserialize_with = "read")]
    pub name: Word,
    /// The settings; every value is text.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub parameters: BTreeMap<String, String>,
    /// `None` for everyone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<RuleFilter>,
    /// The rule for the parent queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_rule: Option<Box<PlacementRule>>,
    /// Other fields of the answer.
    #[serde(flatten)]
    pub other: Other,
}

/// The users and groups that a placement rule applies to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct RuleFilter {
    /// `allow` or `deny`.
    #[serde(rename = "type", deserialize_with = "read")]
    pub kind: Word,
    /// Users by name.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub user_list: Vec<String>,
    /// Groups by name.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub group_list: Vec<String>,
    /// Users by a regular expression.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub user_exp: String,
    /// Groups by a regular expression.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub group_exp: String,
}
