//! Usage over time (E13).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Usage over time. Amounts are base units (thousandths of a core, bytes) times seconds, rounded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct UsageReport {
    /// The keys that split the rows, in this order.
    pub by: Vec<String>,
    /// The start of the period.
    pub from: i64,
    /// The end of the period.
    pub to: i64,
    /// The scheduler time between them, in nanoseconds: without gaps, at the speed of its clock.
    pub counted: i64,
    /// Before this time, applications are summed by queue and user; missing if all are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applications_from: Option<i64>,
    /// The gaps between `from` and `to`, oldest first.
    pub gaps: Vec<UsageGap>,
    /// One row for each combination of the keys, by key.
    pub rows: Vec<UsageReportRow>,
    /// The sum of all rows.
    pub total: UsageReportRow,
    /// Whether only allocated resources are known, without waits, borrowed, and guaranteed resources.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub only_allocated: bool,
    /// Unknown or differently counted values, as sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The start of each approximate hour: in them, a list of Apache YuniKorn differed from its events.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inexact: Vec<i64>,
    /// The usage of ended allocations of active applications, compared with Apache YuniKorn's own count (`resourceHistory`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub compared: Vec<UsageCompared>,
}

/// The usage of ended allocations of an active application, by the ledger and by Apache YuniKorn's own count.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct UsageCompared {
    /// The partition that it was submitted to.
    pub partition: String,
    /// The leaf of the application.
    pub queue: String,
    /// The user of the application.
    pub user: String,
    /// The id that it was submitted with.
    pub application: String,
    /// By the ledger, of allocations that it saw start and end.
    #[serde(rename = "ours")]
    pub local: BTreeMap<String, u64>,
    /// By `resourceHistory`, since the ledger first saw the application.
    #[serde(rename = "theirs")]
    pub remote: BTreeMap<String, u64>,
    /// The number of allocations that the ledger saw start and end.
    pub allocations: u64,
    /// The number of ended allocations that the ledger did not see start, or that changed their size.
    pub before: u64,
    /// Whether both agree, except for rounding to seconds.
    pub agrees: bool,
    /// The known reason of a difference.
    pub why: String,
}

/// A gap. If the wall clock was set back, it ends before it starts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct UsageGap {
    /// The start of the gap.
    pub from: i64,
    /// The end of the gap.
    pub to: i64,
    /// The reason, as a sentence.
    pub why: String,
}

/// The usage and waits of one combination of the keys.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct UsageReportRow {
    /// The start of its hour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hour: Option<i64>,
    /// The partition, if the report is split by partition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition: Option<String>,
    /// The leaf; for tree, the queue with its subtree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<String>,
    /// The user, if the report is split by user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The group that it counts under; empty for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The application; empty if applications are summed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub application: Option<String>,
    /// The priority of the requests, if the report is split by priority.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<i32>,
    /// The usage, including placeholders.
    pub allocated: BTreeMap<String, u64>,
    /// The pending requests.
    pub waited: BTreeMap<String, u64>,
    /// The guaranteed resources; only for tree, or by queue, hour, and partition.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub guaranteed: BTreeMap<String, u64>,
    /// The usage above the guarantee: of the queue itself by tree; otherwise its hourly share of the usage that the nearest parent
    /// with a guarantee of the resource borrowed; all of it without such a parent.
    pub borrowed: BTreeMap<String, u64>,
}
