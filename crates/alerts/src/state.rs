//! [`Alerts`], a state machine.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use imbl::OrdMap;

use super::rule::{Rules, Severity};
use super::silence::Silence;
use super::subject::Subject;
use model::{NodeId, Resource, Time};
use view::NodeRow;

/// The maximum number of alerts per rule; the excess is counted.
pub const MOST: usize = 200;
/// The maximum number of stored resolved alerts.
pub const MOST_ENDED: usize = 500;
pub(super) const MOST_LOST: usize = 1_000;

/// The stage of an alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// The condition is true, but not for long enough.
    Pending,
    /// The condition was true for long enough.
    Firing,
}

/// Why a firing alert is not reported.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Muted {
    /// Inhibited by this rule.
    Inhibited(String),
    /// Silenced by the silence with this number.
    Silenced(u64),
}

/// An alert: a rule and a subject for which its condition is true.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Alert {
    /// The name of the rule.
    pub rule: String,
    /// How bad it is.
    pub severity: Severity,
    /// What it is about.
    pub subject: Subject,
    /// How far it is.
    pub stage: Stage,
    /// Since when the condition is true.
    pub since: Time,
    /// When it fired.
    pub fired: Option<Time>,
    /// Since when the condition is false, while it fires.
    pub clear: Option<Time>,
    /// The value that is compared with the threshold.
    pub value: f64,
    /// The text with values.
    pub text: String,
    /// The firing was reported.
    pub reported: bool,
    /// Why it is not reported.
    #[serde(rename = "held")]
    pub muted: Option<Muted>,
    /// The variable object of the subject, for example the first application of a queue: a change restarts the
    /// condition.
    pub which: String,
}

impl Alert {
    /// Whether it fires and is neither inhibited nor silenced.
    pub fn is_on(&self) -> bool {
        self.stage == Stage::Firing && self.muted.is_none()
    }

    /// The rule and the subject, in words.
    pub fn title(&self) -> String {
        format!("{}: {}", self.rule, self.subject)
    }
}

/// The kind of a reported change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    /// The alert fires.
    Firing,
    /// The alert resolved.
    Resolved,
}

/// A change to report.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Change {
    /// Counts up by one over all changes, across restarts.
    pub number: u64,
    /// Whether it fires or has ended.
    pub kind: ChangeKind,
    /// The cluster time.
    pub at: Time,
    /// The alert at that time.
    pub alert: Alert,
}

/// A resolved alert.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Ended {
    /// Its last state.
    pub alert: Alert,
    /// When it resolved.
    pub at: Time,
}

#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct LostNode {
    pub partition: String,
    pub node: String,
    pub at: Time,
    pub had: Resource,
}

/// Data from the previous step.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    /// The last step with a visible cluster.
    pub at: Option<Time>,
    /// The allocation counter at that step.
    pub made: Option<u64>,
    /// The nodes at that step, by partition.
    pub nodes: BTreeMap<Arc<str>, OrdMap<NodeId, Arc<NodeRow>>>,
    pub lost: Vec<LostNode>,
}

/// The alerts of a cluster.
#[derive(Clone, Debug, Default)]
pub struct Alerts {
    pub(super) rules: Arc<Rules>,
    /// The last step; `None` before the first one and after a restore: the time in between counts nothing.
    pub(super) at: Option<Time>,
    pub(super) alerts: BTreeMap<(String, Subject), Alert>,
    /// The number of alerts beyond [`MOST`], by rule.
    pub(super) beyond: BTreeMap<String, u64>,
    pub(super) ended: VecDeque<Ended>,
    pub(super) silences: Vec<Silence>,
    pub(super) next_silence: u64,
    pub(super) next_change: u64,
    pub(super) memory: Memory,
}

impl Alerts {
    /// Starts without alerts.
    pub fn new(rules: Arc<Rules>) -> Self {
        Self { rules, next_silence: 1, next_change: 1, ..Self::default() }
    }

    /// The active rules.
    pub fn rules(&self) -> &Arc<Rules> {
        &self.rules
    }

    /// The alerts, firing ones first, then by severity and age.
    pub fn list(&self) -> Vec<Alert> {
        let mut all: Vec<Alert> = self.alerts.values().cloned().collect();
        all.sort_by(|one, other| {
            let firing = |alert: &Alert| (alert.stage, alert.muted.is_none(), alert.severity);
            firing(other).cmp(&firing(one)).then_with(|| one.since.cmp(&other.since))
        });
        all
    }

    /// The cluster time of the last step.
    pub fn stepped(&self) -> Option<Time> {
        self.at
    }

    /// The number of the next change.
    pub fn next_change(&self) -> u64 {
        self.next_change
    }

    /// The resolved alerts, the newest first.
    pub fn ended(&self) -> impl Iterator<Item = &Ended> {
        self.ended.iter().rev()
    }

    /// The number of alerts beyond the maximum, by rule.
    pub fn beyond(&self) -> &BTreeMap<String, u64> {
        &self.beyond
    }
}
