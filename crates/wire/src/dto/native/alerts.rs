//! Alerts on the wire: `GET /kornsole/v1/alerts`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The alerts of a scheduler.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Alerts {
    /// Time of the last evaluation, in nanoseconds since 1970; missing before the first one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evaluated: Option<i64>,
    /// The alerts: firing alerts first, then by severity.
    pub alerts: Vec<Alert>,
    /// The number of alerts that are not stored, by rule.
    pub beyond: BTreeMap<String, u64>,
    /// The silences, newest first, including ended ones.
    pub silences: Vec<Silence>,
    /// The receivers, by name.
    pub receivers: Vec<AlertReceiver>,
    /// The problems of the alerting itself, one sentence each.
    #[serde(rename = "trouble")]
    pub problem: Vec<String>,
}

/// One alert with its values.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Alert {
    /// The name of its rule.
    pub rule: String,
    /// `info`, `warning` or `critical`.
    pub severity: String,
    /// `pending` or `firing`.
    pub state: String,
    /// The subject, as text.
    pub subject: String,
    /// The subject, as labels.
    pub labels: BTreeMap<String, String>,
    /// The start of its condition, in nanoseconds since 1970.
    pub since: i64,
    /// The time when it started to fire.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fired: Option<i64>,
    /// The value that is compared with the threshold of its rule.
    pub value: f64,
    /// The situation, with values.
    pub text: String,
    /// The reason why it is not sent: `inhibited by RULE` or `silence N`; empty if it is sent.
    #[serde(rename = "held")]
    pub muted: String,
}

/// One silence, active or ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Silence {
    /// Increases by one.
    pub id: u64,
    /// The silenced alerts, as text.
    pub of: String,
    /// Its start, in nanoseconds since 1970.
    pub from: i64,
    /// Its end, in nanoseconds since 1970.
    pub until: i64,
    /// The user who silenced.
    pub by: String,
    /// The reason of the user.
    pub reason: String,
    /// Whether it is active.
    pub active: bool,
}

/// The alerts to silence. Without a rule, it applies to all rules; without a subject, to all subjects. One of the two is required.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct SilenceOrder {
    /// The name of a rule.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub rule: String,
    /// The subject of a current alert, as text: `node n2`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub subject: String,
    /// The duration: `2h`; at most 30 days.
    pub lasts: String,
    /// The reason of the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A receiver of alerts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct AlertReceiver {
    /// Its name in the rules.
    pub name: String,
    /// The number of changes that it accepted since the start.
    pub taken: u64,
    /// The number of queued changes.
    pub waiting: u64,
    /// The number of changes that were dropped because the queue was full.
    pub dropped: u64,
    /// The reason why the last attempt failed; empty after a success.
    pub failure: String,
}
