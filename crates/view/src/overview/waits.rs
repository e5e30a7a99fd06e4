//! The causes of waits, by what removes them, then the most frequent.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::{Concern, Rank};
use crate::never::Never;
use crate::waiting::{Resolution, SheetLine, Target};
use crate::{AppRow, AskState, PartitionView, PendingReason};
use model::Time;

#[derive(Default)]
struct Cause<'v> {
    apps: u64,
    oldest: Option<(Time, &'v AppRow)>,
}

pub(super) fn of_waiting(part: &PartitionView) -> Vec<Concern> {
    let mut causes: BTreeMap<(Resolution, String), Cause<'_>> = BTreeMap::new();
    for app in part.apps.iter().flatten().filter(|app| app.pending_asks > 0) {
        let Some((ground, since)) = cause(part, app) else { continue };
        let known = causes.entry((ground.resolution(), ground.words())).or_default();
        known.apps += 1;
        if known.oldest.is_none_or(|(oldest, _)| since < oldest) {
            known.oldest = Some((since, app));
        }
    }
    let mut causes: Vec<_> =
        causes.into_iter().filter_map(|(cause, all)| Some((cause, all.apps, all.oldest?))).collect();
    causes.sort_by_key(|((resolution, _), apps, (since, _))| (*resolution, Reverse(*apps), *since));
    let line = |((resolution, cause), apps, (since, app)): ((Resolution, String), u64, (Time, &AppRow))| {
        let waits = if resolution == Resolution::Never { ":" } else { " for" };
        let text = match apps {
            1 => format!("{}{waits} {cause}", app.id),
            _ => format!("{apps}{waits} {cause}, first {}", app.id),
        };
        (Rank::Known, SheetLine::new("waits", text).since(Some(since)).to(Some(Target::Why(app.id.clone()))))
    };
    causes.into_iter().map(line).collect()
}

pub(super) enum Ground {
    Never(Never),
    QueueApps,
    LimitApps,
    Tried(PendingReason),
}

impl Ground {
    pub(super) const fn resolution(&self) -> Resolution {
        match self {
            Self::Never(_) => Resolution::Never,
            Self::QueueApps | Self::LimitApps => Resolution::Change,
            Self::Tried(PendingReason::QueueQuota | PendingReason::UserQuota) => Resolution::Change,
            Self::Tried(PendingReason::NoNode | PendingReason::Placeholder) => Resolution::End,
            Self::Tried(PendingReason::NotTried | PendingReason::Turn) => Resolution::Turn,
        }
    }

    /// A sentence, or what follows "waits for".
    fn words(&self) -> String {
        let words = match self {
            Self::Never(never) => return never.to_string(),
            Self::QueueApps => "the max applications of a queue",
            Self::LimitApps => "the application limit of a user or group",
            Self::Tried(PendingReason::QueueQuota) => "the maximum of a queue",
            Self::Tried(PendingReason::UserQuota) => "the limit of a user or group",
            Self::Tried(PendingReason::NoNode) => "a node that fits",
            Self::Tried(PendingReason::Placeholder) => "a placeholder",
            Self::Tried(PendingReason::NotTried | PendingReason::Turn) => "its turn",
        };
        words.to_owned()
    }

    /// For a table column, up to 20 columns.
    pub(super) const fn label(&self) -> &'static str {
        match self {
            Self::Never(Never::Absent { .. }) => "no node has resource",
            Self::Never(Never::TooLarge { .. } | Never::Together) => "too large for nodes",
            Self::Never(Never::NoSuchNode(_)) => "node does not exist",
            Self::Never(Never::AboveMaximum { .. }) => "above queue maximum",
            Self::QueueApps => "max applications",
            Self::LimitApps => "application limit",
            Self::Tried(PendingReason::QueueQuota) => "queue maximum",
            Self::Tried(PendingReason::UserQuota) => "user or group limit",
            Self::Tried(PendingReason::NoNode) => "no node fits",
            Self::Tried(PendingReason::Placeholder) => "placeholder",
            Self::Tried(PendingReason::NotTried) => "not evaluated yet",
            Self::Tried(PendingReason::Turn) => "another's turn",
        }
    }
}

/// The first cause of a waiting application, in the order of [`Never`] before all others: `no node has nvidia.com/gpu`,
/// `queue maximum`.
pub fn cause_words(part: &PartitionView, app: &AppRow) -> Option<String> {
    let (ground, _) = cause(part, app)?;
    Some(if matches!(ground, Ground::Never(_)) { ground.words() } else { ground.label().to_owned() })
}

/// The cause and start of the wait: of a request that can never be allocated, otherwise of the oldest evaluated
/// request.
pub(super) fn cause(part: &PartitionView, app: &AppRow) -> Option<(Ground, Time)> {
    if let Some((ask, never)) = part.never_of(app) {
        return Some((Ground::Never(never), ask.created));
    }
    let waiting = |(reason, since): (PendingReason, Time)| {
        let cause = match reason {
            _ if app.blocked_by_queue => Ground::QueueApps,
            _ if app.blocked_by_limits => Ground::LimitApps,
            reason => Ground::Tried(reason),
        };
        (cause, since)
    };
    let asks = app.asks.values().filter_map(|ask| match &ask.state {
        AskState::Pending { reason, .. } => Some((*reason, ask.created)),
        AskState::Allocated { .. } => None,
    });
    asks.min_by_key(|(reason, since)| (*reason == PendingReason::NotTried, *since)).map(waiting)
}
