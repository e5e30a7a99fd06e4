//! What became of each rule and subject: [`Alerts`], a state machine that is stepped.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use imbl::OrdMap;

use super::rule::{Rules, Severity};
use super::silence::Silence;
use super::subject::Subject;
use model::{NodeId, Resource, Time};
use view::NodeRow;

/// How many alerts of one rule are kept at the same time; those beyond it are counted.
pub const MOST: usize = 200;
/// How many alerts that are over are kept.
pub const MOST_ENDED: usize = 500;
/// How many lost nodes are remembered.
pub(super) const MOST_LOST: usize = 1_000;

/// How far an alert is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// Its condition holds, not yet for long enough.
    Pending,
    /// Its condition has reserved for long enough.
    Firing,
}

/// Why an alert that fires is not reported.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Held {
    /// A rule of this name holds, which inhibits it.
    Inhibited(String),
    /// A silence of this number matches it.
    Silenced(u64),
}

/// One alert: a rule whose condition holds of a subject.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Alert {
    /// The name of its rule.
    pub rule: String,
    /// How bad it is.
    pub severity: Severity,
    /// What it is about.
    pub subject: Subject,
    /// How far it is.
    pub stage: Stage,
    /// Since when its condition holds.
    pub since: Time,
    /// When it started to fire.
    pub fired: Option<Time>,
    /// Since when its condition does not hold any more though it fires.
    pub clear: Option<Time>,
    /// The figure next to the threshold of its rule.
    pub value: f64,
    /// What is so, with figures.
    pub text: String,
    /// That it fires was reported.
    pub reported: bool,
    /// Why it is not.
    pub held: Option<Held>,
    /// Which thing of the subject it is, where that changes: the condition then restarts.
    pub which: String,
}

impl Alert {
    /// Whether it fires and nothing holds it back.
    pub fn is_on(&self) -> bool {
        self.stage == Stage::Firing && self.held.is_none()
    }

    /// The name of its rule and its subject, in words.
    pub fn title(&self) -> String {
        format!("{}: {}", self.rule, self.subject)
    }
}

/// What happened to an alert that others are to be notified of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    /// It starts to fire.
    Firing,
    /// It has ended.
    Resolved,
}

/// Something to report.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Change {
    /// Counts up by one for all changes of a state, over restarts too.
    pub number: u64,
    /// Whether it fires or has ended.
    pub kind: ChangeKind,
    /// When, by the cluster's time.
    pub at: Time,
    /// The alert as it is then.
    pub alert: Alert,
}

/// An alert that has ended.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Ended {
    /// As it was last.
    pub alert: Alert,
    /// When it was over.
    pub at: Time,
}

/// A node that went without having been drained.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct LostNode {
    pub partition: String,
    pub node: String,
    pub at: Time,
    /// What was allocated on it.
    pub had: Resource,
}

/// What the conditions of the next step are compared with.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    /// When the last step was that saw the cluster.
    pub at: Option<Time>,
    /// How many allocations had been made then.
    pub made: Option<u64>,
    /// The nodes that there were, by partition.
    pub nodes: BTreeMap<Arc<str>, OrdMap<NodeId, Arc<NodeRow>>>,
    /// The nodes that went.
    pub lost: Vec<LostNode>,
}

/// The alerts of a cluster by a set of rules.
#[derive(Clone, Debug, Default)]
pub struct Alerts {
    pub(super) rules: Arc<Rules>,
    /// When the last step was; `None` before the first one, and after a state was read: the time between counts nothing.
    pub(super) at: Option<Time>,
    pub(super) alerts: BTreeMap<(String, Subject), Alert>,
    /// How many alerts of a rule there would be beyond [`MOST`].
    pub(super) beyond: BTreeMap<String, u64>,
    pub(super) ended: VecDeque<Ended>,
    pub(super) silences: Vec<Silence>,
    pub(super) next_silence: u64,
    pub(super) next_change: u64,
    pub(super) memory: Memory,
}

impl Alerts {
    /// No alerts yet.
    pub fn new(rules: Arc<Rules>) -> Self {
        Self { rules, next_silence: 1, next_change: 1, ..Self::default() }
    }

    /// The active rules.
    pub fn rules(&self) -> &Arc<Rules> {
        &self.rules
    }

    /// The alerts, those that fire first, the worst first, then by age.
    pub fn list(&self) -> Vec<Alert> {
        let mut all: Vec<Alert> = self.alerts.values().cloned().collect();
        all.sort_by(|one, other| {
            let firing = |alert: &Alert| (alert.stage, alert.held.is_none(), alert.severity);
            firing(other).cmp(&firing(one)).then_with(|| one.since.cmp(&other.since))
        });
        all
    }

    /// When the last step was, by the cluster's time.
    pub fn stepped(&self) -> Option<Time> {
        self.at
    }

    /// The number that the next change has.
    pub fn next_change(&self) -> u64 {
        self.next_change
    }

    /// The alerts that have ended, the newest first.
    pub fn ended(&self) -> impl Iterator<Item = &Ended> {
        self.ended.iter().rev()
    }

    /// How many more alerts there would be of each rule than are kept.
    pub fn beyond(&self) -> &BTreeMap<String, u64> {
        &self.beyond
    }
}
