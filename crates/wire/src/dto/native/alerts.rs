//! Alerts on the wire: `GET /kornsole/v1/alerts`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The alerts of a scheduler.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Alerts {
    /// When they were evaluated last, in nanoseconds since 1970; missing before the first time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evaluated: Option<i64>,
    /// The alerts: those that fire first, the worst first.
    pub alerts: Vec<Alert>,
    /// How many more alerts of a rule there are than are kept.
    pub beyond: BTreeMap<String, u64>,
    /// The silences, the newest first, those that are over among them.
    pub silences: Vec<Silence>,
    /// The receivers, by name.
    pub receivers: Vec<AlertReceiver>,
    /// What is wrong with the alerts themselves, a sentence each.
    pub trouble: Vec<String>,
}

/// One alert with its figures.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Alert {
    /// The name of its rule.
    pub rule: String,
    /// `info`, `warning` or `critical`.
    pub severity: String,
    /// `pending` or `firing`.
    pub state: String,
    /// What it is about, in words.
    pub subject: String,
    /// The same as labels.
    pub labels: BTreeMap<String, String>,
    /// Since when its condition holds, in nanoseconds since 1970.
    pub since: i64,
    /// When it began to fire.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fired: Option<i64>,
    /// The figure beside the threshold of its rule.
    pub value: f64,
    /// What is so, with figures.
    pub text: String,
    /// What keeps it from being reported: `inhibited by RULE`, `silence N`; empty where nothing does.
    pub held: String,
}

/// One silence, in force or over.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Silence {
    /// Counts up by one.
    pub id: u64,
    /// What it silences, in words.
    pub of: String,
    /// When it began, in nanoseconds since 1970.
    pub from: i64,
    /// When it ends, or ended.
    pub until: i64,
    /// The user who silenced.
    pub by: String,
    /// Why, in words.
    pub reason: String,
    /// It is in force.
    pub active: bool,
}

/// What is to be silenced. Without a rule alerts of all rules are, without a subject those about everything; one of the two is needed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct SilenceOrder {
    /// The name of a rule.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub rule: String,
    /// What an alert that there is now is about, in its words: `node n2`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub subject: String,
    /// For how long: `2h`; at most 30 days.
    pub lasts: String,
    /// Why, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What alerts are sent to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct AlertReceiver {
    /// Its name in the rules.
    pub name: String,
    /// How many changes it took since the start.
    pub taken: u64,
    /// How many changes wait for it.
    pub waiting: u64,
    /// How many were given up because too many waited.
    pub dropped: u64,
    /// Why the last try failed; empty after one that did not.
    pub failure: String,
}
