//! What was used over time (E13).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was used over time. Amounts are base units (thousandths of a core, bytes) times seconds, rounded to the nearest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct UsageReport {
    /// What the rows are split by, in this order.
    pub by: Vec<String>,
    /// From when on.
    pub from: i64,
    /// Up to when.
    pub to: i64,
    /// For how long the scheduler's time ran between them, in nanoseconds: without the gaps, and as fast as it ran.
    pub counted: i64,
    /// Before this time applications are summed up by queue and user; missing where all are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applications_from: Option<i64>,
    /// When nothing was counted, between `from` and `to`; the oldest first.
    pub gaps: Vec<UsageGap>,
    /// One row for each combination of the keys that were asked for, by key.
    pub rows: Vec<UsageReportRow>,
    /// The sum of all rows.
    pub total: UsageReportRow,
    /// Only what was allocated is known, not what waited, was borrowed or guaranteed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub only_allocated: bool,
    /// What is not known or counted otherwise, in sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// When hours begin that are not exact: in them a list of an Apache YuniKorn differed from what its events had said.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inexact: Vec<i64>,
    /// What ended allocations of live applications used, beside what an Apache YuniKorn counted itself (`resourceHistory`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub compared: Vec<UsageCompared>,
}

/// What the ended allocations of a live application used, by the ledger and by an Apache YuniKorn's own count.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct UsageCompared {
    /// The partition that it was submitted to.
    pub partition: String,
    /// The leaf that it is in.
    pub queue: String,
    /// Who submitted it.
    pub user: String,
    /// The id that it was submitted with.
    pub application: String,
    /// By the ledger, of allocations that it saw begin and end.
    pub ours: BTreeMap<String, u64>,
    /// By `resourceHistory`, since the ledger first saw the application.
    pub theirs: BTreeMap<String, u64>,
    /// How many allocations the ledger saw begin and end.
    pub allocations: u64,
    /// How many ended that it did not see begin, or whose size changed.
    pub before: u64,
    /// Whether both agree but for the seconds that are rounded off.
    pub agrees: bool,
    /// Why they differ, as far as that is known, in a sentence.
    pub why: String,
}

/// A time in which nothing was counted. Where the wall clock was set back it ends before it begins.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct UsageGap {
    /// When the counting stopped.
    pub from: i64,
    /// When it began again.
    pub to: i64,
    /// Why the counting stood, in a sentence for people.
    pub why: String,
}

/// What one combination of the keys used and waited for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct UsageReportRow {
    /// When its hour begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hour: Option<i64>,
    /// The partition, where the report is by partition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition: Option<String>,
    /// The leaf; by tree the queue with all below it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<String>,
    /// The user, where the report is by user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The group that it counts under; empty for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The application; empty where they are summed up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub application: Option<String>,
    /// The priority of the asks, where the report is by priority.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<i32>,
    /// What was in use, placeholders too.
    pub allocated: BTreeMap<String, u64>,
    /// What was asked for and not allocated.
    pub waited: BTreeMap<String, u64>,
    /// What was guaranteed; by tree, or by queue, hour and partition only.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub guaranteed: BTreeMap<String, u64>,
    /// What was in use beyond the guarantee: of the queue itself by tree. Otherwise its share, hour by hour, in what was borrowed by the
    /// nearest queue upwards with a guarantee of the resource; all where there is none.
    pub borrowed: BTreeMap<String, u64>,
}
