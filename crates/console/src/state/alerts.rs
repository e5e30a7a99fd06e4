//! The page of alerts: those that fire or are pending, the silences active, and what was over last.

use std::sync::Arc;

use crate::state::column::AlertColumn;
use crate::state::listing::Listing;
use alerts::{Alert, Ended, Silence, Stage, Subject};

/// The alerts of the cluster, all partitions together.
#[derive(Clone, Debug, Default)]
pub struct AlertsPage {
    /// The rows as they were made, with cursor, order and filter.
    pub list: Listing<Arc<AlertLine>, AlertKey, AlertColumn>,
}

/// What a row is known by: the rule and subject of an alert, when it was over, or the number of a silence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AlertKey {
    /// An alert by its rule and subject.
    Alert(String, Subject),
    /// One that was over at a time, in µs.
    Ended(String, Subject, u64),
    /// A silence by its number.
    Silence(u64),
}

/// A row of the alerts.
#[derive(Clone, Debug, PartialEq)]
pub enum AlertLine {
    /// One that fires or is pending.
    Alert(Alert),
    /// A silence active.
    Silence(Silence),
    /// One that has ended.
    Ended(Ended),
}

impl AlertLine {
    /// What it is known by.
    pub fn key(&self) -> AlertKey {
        match self {
            Self::Alert(alert) => AlertKey::Alert(alert.rule.clone(), alert.subject.clone()),
            Self::Silence(silence) => AlertKey::Silence(silence.id),
            Self::Ended(ended) => AlertKey::Ended(ended.alert.rule.clone(), ended.alert.subject.clone(), ended.at.0),
        }
    }

    /// The alert that it is or was.
    pub fn alert(&self) -> Option<&Alert> {
        match self {
            Self::Alert(alert) => Some(alert),
            Self::Ended(ended) => Some(&ended.alert),
            Self::Silence(_) => None,
        }
    }

    /// How it is, in one word, and in which order such rows stand.
    pub fn state(&self) -> (u8, &'static str) {
        use alerts::Held;
        match self {
            Self::Alert(alert) => match (alert.stage, &alert.held) {
                (Stage::Firing, None) => (0, "firing"),
                (Stage::Firing, Some(Held::Inhibited(_))) => (1, "inhibited"),
                (Stage::Firing, Some(Held::Silenced(_))) => (2, "silenced"),
                (Stage::Pending, _) => (3, "pending"),
            },
            Self::Silence(_) => (4, "silence"),
            Self::Ended(_) => (5, "over"),
        }
    }
}
