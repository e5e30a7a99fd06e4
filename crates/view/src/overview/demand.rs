//! Waiting applications, their causes, and their ages, all at one time.

use std::collections::BTreeMap;
use std::time::Duration;

use super::waits::cause;
use crate::PartitionView;
use crate::waiting::Resolution;
use model::{QueuePath, Time, VCORE};

/// Applications that wait for the same cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingCause {
    /// The cause; `unknown` if the view does not contain it.
    pub cause: &'static str,
    /// The number of applications.
    pub apps: u64,
    /// Their pending cpu, in millicores.
    pub cpu: i64,
}

/// The waiting applications of a queue and its subtree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WaitingIn {
    /// The number of applications.
    pub apps: u64,
    /// The 95th percentile of the ages of their oldest pending requests; `None` if no age is known.
    pub p95: Option<Duration>,
}

/// The waiting applications of a partition: those with a pending request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WaitingNow {
    /// The number of waiting applications.
    pub apps: u64,
    /// The median of the ages of their oldest pending requests; `None` if no age is known.
    pub p50: Option<Duration>,
    /// The 95th percentile of these ages.
    pub p95: Option<Duration>,
    /// The causes by what removes them, then the most frequent; together they cover all waiting applications.
    pub causes: Vec<WaitingCause>,
    /// The queues with waiting applications; the root includes all.
    pub queues: BTreeMap<QueuePath, WaitingIn>,
}

impl WaitingNow {
    /// Reads every pending request.
    pub fn of(part: &PartitionView, at: Time) -> Self {
        let mut ages = Vec::new();
        let mut queues: BTreeMap<QueuePath, (u64, Vec<Duration>)> = BTreeMap::new();
        let mut causes: BTreeMap<(Resolution, &'static str), (u64, i64)> = BTreeMap::new();
        let mut apps = 0;
        for app in part.apps.iter().flatten().filter(|app| app.pending_asks > 0) {
            apps += 1;
            let found = cause(part, app)
                .map_or((Resolution::Turn, "unknown"), |(cause, _)| (cause.resolution(), cause.label()));
            let known = causes.entry(found).or_default();
            known.0 += 1;
            known.1 = known.1.saturating_add(app.pending.amount(VCORE));
            let pending = app.asks.values().filter(|ask| !matches!(ask.state, crate::AskState::Allocated { .. }));
            let age = pending.map(|ask| ask.created).min().map(|created| at.since(created));
            ages.extend(age);
            for queue in std::iter::successors(Some(app.queue.clone()), QueuePath::parent) {
                let known = queues.entry(queue).or_default();
                known.0 += 1;
                known.1.extend(age);
            }
        }
        ages.sort_unstable();
        let mut causes: Vec<_> = causes.into_iter().collect();
        causes.sort_by_key(|((resolution, _), most)| (*resolution, std::cmp::Reverse(*most)));
        let row = |((_, cause), (apps, cpu))| WaitingCause { cause, apps, cpu };
        let causes = causes.into_iter().map(row).collect();
        let in_queue = |(queue, (apps, mut ages)): (QueuePath, (u64, Vec<Duration>))| {
            ages.sort_unstable();
            (queue, WaitingIn { apps, p95: percentile(&ages, 95) })
        };
        let queues = queues.into_iter().map(in_queue).collect();
        Self { apps, p50: percentile(&ages, 50), p95: percentile(&ages, 95), causes, queues }
    }
}

fn percentile(sorted: &[Duration], percent: usize) -> Option<Duration> {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied()
}
