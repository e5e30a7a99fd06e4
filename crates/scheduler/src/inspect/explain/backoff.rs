//! The backoff of an application (D-19): too many requests found no node.

use std::time::Duration;

use super::next_decision::NextDecision;
use super::types::{BlockLevel, Blocker, Place};
use crate::index::{AppKey, AskKey};
use crate::state::partition::Partition;
use model::{AppId, AskId, Time};

impl Partition {
    /// An active backoff, or one that the next cycle starts at an earlier request. `since` and `until` are the bounds
    /// of an active one.
    pub(super) fn of_backoff(&self, now: Time, app: AppKey, key: AskKey, next: &NextDecision) -> Option<Blocker> {
        let application = &self.apps[app];
        let unschedulable = self.unschedulable(app);
        let Some(until) = application.backoff_until.filter(|until| now < *until) else {
            let (last, delay) = (next.delayed_at(app)?, unschedulable.delay()?);
            let (stop, ask) = (&application.asks[last], &application.asks[key]);
            if ask.rank(key) <= stop.rank(last) {
                return None;
            }
            let detail = format!(
                "{}; if the next cycle finds none, later cycles skip the application for {delay:?}, and again after each further failure",
                without_node(unschedulable.most(), &stop.id),
            );
            return Some(Blocker { detail, ..blocker(&application.id, &stop.id, unschedulable.most()) });
        };
        let left = to_millis(until.since(now));
        let Some(known) = &application.delayed else {
            let place = Place::App(application.id.clone(), None);
            let detail = format!("cycles skip the application for another {left:?}");
            return Some(Blocker { detail, until: Some(until), ..Blocker::of(BlockLevel::Backoff, place) });
        };
        let detail = format!(
            "{}, so cycles have skipped the application for {:?}; they try it again in {left:?}, and skip it again if as many requests find none",
            without_node(known.asks, &known.last),
            to_millis(now.since(known.since)),
        );
        Some(Blocker {
            detail,
            since: Some(known.since),
            until: Some(until),
            ..blocker(&application.id, &known.last, known.asks)
        })
    }
}

fn blocker(app: &AppId, last: &AskId, asks: u64) -> Blocker {
    let asks = i64::try_from(asks).unwrap_or(i64::MAX);
    let place = Place::App(app.clone(), Some(last.clone()));
    Blocker { limit: asks, used: asks, ..Blocker::of(BlockLevel::Backoff, place) }
}

fn without_node(asks: u64, last: &AskId) -> String {
    match asks {
        1 => format!("its request {last} found no node"),
        _ => format!("{asks} of its requests found no node, most recently {last}"),
    }
}

/// Rounds up, because the backoff lasts until then.
fn to_millis(span: Duration) -> Duration {
    Duration::from_millis(u64::try_from(span.as_micros().div_ceil(1000)).unwrap_or(u64::MAX))
}
