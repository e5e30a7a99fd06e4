//! The allocation rate and allocation times, from events.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use super::{RemoteState, rows};
use crate::convert::grounds::read_grounds;
use crate::dto;
use model::{AppId, AskId, Time};
use view::AskState;
use view::record::{ChangeDetail, ChangeType, ObjectType, Record};

/// Window of the allocation rate.
const OVER: Duration = Duration::from_secs(10);
/// Maximum number of remembered allocation times per partition.
const REMEMBERED: usize = 1_000_000;

/// A removed allocation has another change.
const APP: i32 = 2;
const ADD: i32 = 2;
const ALLOCATION: i32 = 200;

#[derive(Clone, Debug, Default)]
pub(super) struct Rate {
    seconds: VecDeque<(u64, u64)>,
}

impl Rate {
    fn count(&mut self, at: Time) {
        let second = at.as_millis() / 1000;
        match self.seconds.back_mut() {
            Some((last, count)) if *last >= second => *count += 1,
            _ => self.seconds.push_back((second, 1)),
        }
    }

    fn at(&mut self, now: Time) -> f64 {
        let from = (now - OVER).as_millis() / 1000;
        while self.seconds.front().is_some_and(|(second, _)| *second < from) {
            self.seconds.pop_front();
        }
        let count: u64 = self.seconds.iter().map(|(_, count)| *count).sum();
        count as f64 / OVER.as_secs_f64()
    }
}

/// Unknown numbers are unchanged.
pub fn record(event: &dto::EventRecord) -> Record {
    let number = |number: i32| u32::try_from(number).unwrap_or_default();
    Record {
        at: rows::time(event.timestamp_nano),
        kind: ObjectType(number(event.kind)),
        object: Arc::from(event.object_id.as_str()),
        reference: Arc::from(event.reference_id.as_str()),
        change: ChangeType(number(event.event_change_type)),
        detail: ChangeDetail(number(event.event_change_detail)),
        resource: event.resource.0.0.clone(),
        message: Arc::from(event.message.as_str()),
        grounds: event.grounds.as_ref().and_then(|grounds| read_grounds(grounds)).map(Arc::new),
    }
}

impl RemoteState {
    /// Applies events in order.
    pub fn events(&mut self, events: &[dto::EventRecord]) {
        for event in events {
            if (event.kind, event.event_change_type, event.event_change_detail) == (APP, ADD, ALLOCATION) {
                let at = rows::time(event.timestamp_nano);
                self.seen_allocations.count(at);
                self.view.allocations_made += 1;
                self.changed = true;
                self.allocated_at(&event.object_id, &event.reference_id, at);
            }
        }
    }

    fn allocated_at(&mut self, app: &str, key: &str, at: Time) {
        if self.shapes.has_allocation_time {
            return;
        }
        let (app, ask) = (AppId::from(app), AskId::from(key));
        // IDs are rarely equal in two partitions.
        for (view, part) in self.view.partitions.iter_mut().zip(&mut self.parts) {
            if part.since.len() < REMEMBERED {
                part.since.insert((app.clone(), ask.clone()), at);
            }
            let Some(slot) = part.app_slots.get(&app) else { continue };
            let Some(Some(row)) = view.apps.get_mut(slot.0 as usize) else { continue };
            let found = row.asks.iter().find(|(_, one)| one.id == ask);
            let unknown = |state: &AskState| matches!(state, AskState::Allocated { since: None, .. });
            let Some(number) = found.filter(|(_, one)| unknown(&one.state)).map(|(number, _)| *number) else {
                continue;
            };
            if let Some(one) = Arc::make_mut(row).asks.get_mut(&number)
                && let AskState::Allocated { since, .. } = &mut Arc::make_mut(one).state
            {
                *since = Some(at);
            }
        }
    }

    /// Computes the rate of allocations until `now`. While the connection is lost, time does not pass here: the last
    /// rate is shown, as the other values are.
    pub fn pass(&mut self, now: Time) {
        let rate = self.seen_allocations.at(now);
        if (rate - self.view.allocation_rate).abs() > f64::EPSILON {
            self.view.allocation_rate = rate;
            self.changed = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_stays_while_no_time_passes() {
        let second = |at: u64| Time(at * 1_000_000);
        let allocated = dto::EventRecord {
            kind: APP,
            event_change_type: ADD,
            event_change_detail: ALLOCATION,
            timestamp_nano: 5_000_000_000,
            ..dto::EventRecord::default()
        };
        let mut state = RemoteState::new(model::Profile::V1_9_0, crate::convert::read::Shapes::default());
        state.events(&vec![allocated; 100]);
        state.pass(second(6));
        let rate = state.take_view(second(6)).unwrap().allocation_rate;
        assert!(rate > 0.0);
        // Nothing is known about this minute: the connection is lost.
        assert!(state.take_view(second(66)).is_none_or(|view| view.allocation_rate.total_cmp(&rate).is_eq()));
        state.pass(second(67));
        assert!(state.take_view(second(67)).is_some_and(|view| view.allocation_rate.total_cmp(&0.0).is_eq()));
    }
}
