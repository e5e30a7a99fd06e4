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
    /// Before this time applications are summed up by queue and user; missing where all are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applications_from: Option<i64>,
    /// One row for each combination of the keys that were asked for, by key.
    pub rows: Vec<UsageReportRow>,
    /// The sum of all rows.
    pub total: UsageReportRow,
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
    /// What was in use, placeholders too.
    pub allocated: BTreeMap<String, u64>,
    /// What was asked for and not allocated.
    pub waited: BTreeMap<String, u64>,
    /// What was guaranteed; by tree only.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub guaranteed: BTreeMap<String, u64>,
    /// What was in use beyond the guarantee; by tree only.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub borrowed: BTreeMap<String, u64>,
}
