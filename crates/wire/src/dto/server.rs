//! Errors, validation, health and history (`rest.md` 3, 5.9, 5.13, 5.14).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::lenient::{is_empty, read};
use super::{Other, Word};

/// An error in place of the answer. Also the last line of an event stream, then with status 200.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ApiError {
    /// As the HTTP status.
    #[serde(deserialize_with = "read")]
    pub status_code: i32,
    /// The refusal as a sentence, as YuniKorn words it.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub message: String,
    /// The same text, or more of it.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub description: String,
    /// Other fields of the answer.
    #[serde(flatten)]
    pub other: Other,
}

/// Whether a configuration is valid.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Validation {
    /// Whether it is.
    #[serde(deserialize_with = "read")]
    pub allowed: bool,
    /// The first fault.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub reason: String,
    /// The checksum of the text that was sent (after 1.9).
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub checksum: String,
    /// Whether the checksum that was sent along is that one (after 1.9).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checksum_match: Option<bool>,
    /// All faults; of a kornsole server only.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub faults: Vec<Fault>,
    /// Other fields of the answer.
    #[serde(flatten)]
    pub other: Other,
}

/// A fault of a configuration, with its place (`rest.md` E5).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Fault {
    /// The rule, such as `CFG-043`.
    #[serde(deserialize_with = "read")]
    pub code: String,
    /// `error` or `warning`.
    #[serde(deserialize_with = "read")]
    pub severity: Word,
    /// What is wrong.
    #[serde(deserialize_with = "read")]
    pub message: String,
    /// The line, from 1.
    #[serde(deserialize_with = "read")]
    pub line: u64,
    /// The column, from 1.
    #[serde(deserialize_with = "read")]
    pub column: u64,
    /// The way to it through the configuration.
    #[serde(deserialize_with = "read")]
    pub path: String,
    /// What would be right.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub hint: String,
}

/// The last health check.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct Health {
    /// Whether all succeeded.
    #[serde(deserialize_with = "read")]
    pub healthy: bool,
    /// One by one.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub health_checks: Vec<HealthCheck>,
}

/// One part of the health check; named by name and description together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct HealthCheck {
    /// The name, not unique.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub name: Word,
    /// Whether it succeeded.
    #[serde(deserialize_with = "read")]
    pub succeeded: bool,
    /// What is checked.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub description: Word,
    /// What was found.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub diagnosis_message: String,
}

/// How many applications ran at one time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct AppSample {
    /// When, in nanoseconds.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub timestamp: i64,
    /// How many, as text on the wire; -1: not known.
    #[serde(serialize_with = "count_as_text", deserialize_with = "read")]
    pub total_applications: i64,
}

/// How many allocations there were at one time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ContainerSample {
    /// When, in nanoseconds.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub timestamp: i64,
    /// How many, as text on the wire.
    #[serde(serialize_with = "count_as_text", deserialize_with = "read")]
    pub total_containers: i64,
}

fn count_as_text<S: serde::Serializer>(count: &i64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(count)
}
