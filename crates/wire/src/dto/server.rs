//! Errors, validation, health, and history (`rest.md` 3, 5.9, 5.13, 5.14).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::lenient::{is_empty, read};
use super::{Other, Word};

/// An error answer, also as the last line of an event stream with status 200.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ApiError {
    /// The HTTP status.
    #[serde(deserialize_with = "read")]
    pub status_code: i32,
    /// The error in YuniKorn's words.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub message: String,
    /// The same text or a longer one.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub description: String,
    /// Other fields of the answer.
    #[serde(flatten)]
    pub other: Other,
}

/// The result of a validation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Validation {
    /// Whether it is valid.
    #[serde(deserialize_with = "read")]
    pub allowed: bool,
    /// The first error.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub reason: String,
    /// The checksum of the submitted text (after 1.9).
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub checksum: String,
    /// Whether the submitted checksum matches (after 1.9).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checksum_match: Option<bool>,
    /// All errors; only from a kornsole server.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub faults: Vec<Fault>,
    /// Other fields of the answer.
    #[serde(flatten)]
    pub other: Other,
}

/// An error of a configuration with its location (`rest.md` E5).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Fault {
    /// The rule, for example `CFG-043`.
    #[serde(deserialize_with = "read")]
    pub code: String,
    /// `error` or `warning`.
    #[serde(deserialize_with = "read")]
    pub severity: Word,
    /// The error message.
    #[serde(deserialize_with = "read")]
    pub message: String,
    /// The line, from 1.
    #[serde(deserialize_with = "read")]
    pub line: u64,
    /// The column, from 1.
    #[serde(deserialize_with = "read")]
    pub column: u64,
    /// The path in the configuration.
    #[serde(deserialize_with = "read")]
    pub path: String,
    /// The suggested fix.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub hint: String,
}

/// The last health check.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct Health {
    /// Whether all checks succeeded.
    #[serde(deserialize_with = "read")]
    pub healthy: bool,
    /// The individual checks.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub health_checks: Vec<HealthCheck>,
}

/// A part of the health check, identified by name and description.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct HealthCheck {
    /// The name, not unique.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub name: Word,
    /// Whether it succeeded.
    #[serde(deserialize_with = "read")]
    pub succeeded: bool,
    /// The checked property.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub description: Word,
    /// The result of the check.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub diagnosis_message: String,
}

/// Running applications at one time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct AppSample {
    /// Time in ns.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub timestamp: i64,
    /// The number, as text on the wire; -1: unknown.
    #[serde(serialize_with = "count_as_text", deserialize_with = "read")]
    pub total_applications: i64,
}

/// Allocations at one time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ContainerSample {
    /// Time in ns.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub timestamp: i64,
    /// The number, as text on the wire.
    #[serde(serialize_with = "count_as_text", deserialize_with = "read")]
    pub total_containers: i64,
}

fn count_as_text<S: serde::Serializer>(count: &i64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(count)
}
