//! The page of alerts.

use std::sync::Arc;

use crate::state::column::AlertColumn;
use crate::state::listing::Listing;
use alerts::{Alert, Ended, Silence, Stage, Subject};

/// The alerts of all partitions.
#[derive(Clone, Debug, Default)]
pub struct AlertsPage {
    /// The rows as they were made, with cursor, order and filter.
    pub list: Listing<Arc<AlertLine>, AlertKey, AlertColumn>,
}

/// The identity of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AlertKey {
    /// By rule and subject.
    Alert(String, Subject),
    /// A resolved alert, with its end in µs.
    Ended(String, Subject, u64),
    /// A silence by its number.
    Silence(u64),
}

/// A row of the alerts.
#[derive(Clone, Debug, PartialEq)]
pub enum AlertLine {
    /// A firing or pending alert.
    Alert(Alert),
    /// An active silence.
    Silence(Silence),
    /// A resolved alert.
    Ended(Ended),
}

impl AlertLine {
    /// The identity of the row.
    pub fn key(&self) -> AlertKey {
        match self {
            Self::Alert(alert) => AlertKey::Alert(alert.rule.clone(), alert.subject.clone()),
            Self::Silence(silence) => AlertKey::Silence(silence.id),
            Self::Ended(ended) => AlertKey::Ended(ended.alert.rule.clone(), ended.alert.subject.clone(), ended.at.0),
        }
    }

    /// `None` for a silence.
    pub fn alert(&self) -> Option<&Alert> {
        match self {
            Self::Alert(alert) => Some(alert),
            Self::Ended(ended) => Some(&ended.alert),
            Self::Silence(_) => None,
        }
    }

    /// The rank in the default order, and a word.
    pub fn state(&self) -> (u8, &'static str) {
        use alerts::Muted;
        match self {
            Self::Alert(alert) => match (alert.stage, &alert.muted) {
                (Stage::Firing, None) => (0, "firing"),
                (Stage::Firing, Some(Muted::Inhibited(_))) => (1, "inhibited"),
                (Stage::Firing, Some(Muted::Silenced(_))) => (2, "silenced"),
                (Stage::Pending, _) => (3, "pending"),
            },
            Self::Silence(_) => (4, "silence"),
            Self::Ended(_) => (5, "over"),
        }
    }
}
