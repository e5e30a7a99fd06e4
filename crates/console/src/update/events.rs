//! The events page.

use crate::present::format;
use std::sync::Arc;

use crate::present::column_filter::ColumnFilter;
use crate::present::guard::events::{GONE, named, object, queue};
use crate::present::lists::events::{unit, value};
use crate::present::pod_names;
use crate::present::value::Value;
use crate::present::weight::{Weight, weight};
use crate::present::words::word;
use crate::state::column::EventColumn;
use crate::state::page::{EventsPage, Page};
use crate::state::{Cluster, Grade, State};
use crate::update::lists;
use crate::update::stack::{home, push};
use model::Time;
use view::{EventPage, Record};

/// `important`, `all`, or an object.
pub fn open(state: &mut State, about: Option<&str>) {
    let about = about.map(str::trim).filter(|text| !text.is_empty());
    home(state);
    let page = match about {
        None => state.parked.events.take().unwrap_or_else(|| EventsPage::about(None)),
        Some("important") => EventsPage::about(None),
        Some("all") => EventsPage { all: true, ..EventsPage::about(None) },
        Some(about) => EventsPage::about(Some(about.into())),
    };
    push(state, Page::Events(page));
}

/// Toggles routine events.
pub fn toggle_all(state: &mut State) {
    if let Page::Events(page) = state.page_mut() {
        page.all = !page.all;
    }
    lists::rebuild(state, true);
}

/// Toggles the filter for its object type.
pub fn narrow_kind(state: &mut State) {
    let here = here(state).map(|record| record.kind);
    if let Page::Events(page) = state.page_mut() {
        page.kind = if page.kind.is_some() { None } else { here };
    }
    lists::rebuild(state, true);
}

/// Toggles the filter for its change.
pub fn narrow_what(state: &mut State) {
    let here = here(state).map(|record| (record.change, record.detail));
    if let Page::Events(page) = state.page_mut() {
        page.what = if page.what.is_some() { None } else { here };
    }
    lists::rebuild(state, true);
}

fn here(state: &State) -> Option<&Arc<Record>> {
    let Page::Events(page) = state.page() else { return None };
    state.cluster.events.get(*page.list.rows.get(page.list.cursor.index)?)
}

/// Opens its events; going back returns here.
pub fn of_subject(state: &mut State) {
    if let Some(about) = named(state) {
        push(state, Page::Events(EventsPage::about(Some(about))));
    }
}

/// Takes new events. Returns whether any were new.
pub fn take(state: &mut State, page: EventPage) -> bool {
    let before = &state.cluster.events;
    let another = before.known && !before.records.is_empty() && before.instance != page.instance;
    let new = state.cluster.events.take(page);
    if another {
        let message = "the scheduler restarted: its events start again, and events that it did not store are lost";
        state.report(Grade::Warning, message);
    }
    if new && state.cluster.frozen.is_none() && matches!(state.page(), Page::Events(_)) {
        lists::rebuild(state, false);
    }
    new
}

/// Takes important earlier events.
pub fn take_earlier(state: &mut State, of: (Time, u64), records: Vec<(u64, Arc<Record>)>) {
    state.cluster.events.take_earlier(of, records);
    if matches!(state.page(), Page::Events(_)) {
        lists::rebuild(state, false);
        state.redraw();
    }
}

/// Toggles following the newest event.
pub fn toggle_follow(state: &mut State) {
    if let Page::Events(page) = state.page_mut() {
        page.follow = !page.follow;
    }
    lists::rebuild(state, true);
}

/// Makes the rows without events after `until`.
pub fn rebuild(page: &mut EventsPage, cluster: &Cluster) {
    let (events, until, now) = (&cluster.events, cluster.until(), cluster.past.live);
    let about = page.about.clone();
    let mut shown: Vec<(u64, &Arc<Record>)> = events
        .iter()
        .filter(|(_, record)| until.is_none_or(|until| record.at <= until))
        .filter(|(_, record)| about.as_ref().is_none_or(|about| is_about(record, about)))
        .filter(|(_, record)| page.kind.is_none_or(|kind| record.kind == kind))
        .filter(|(_, record)| page.what.is_none_or(|what| (record.change, record.detail) == what))
        .collect();
    let all = shown.len();
    if !page.all {
        shown.retain(|(_, record)| weight(record) > Weight::Routine);
    }
    page.routine = all - shown.len();
    page.list.total = shown.len();
    page.pods = pod_names::of(shown.iter().map(|(_, record)| &***record), cluster);
    let name = |id: &str| page.pods.get(id).cloned();
    let object =
        |record: &Record| name(&record.object).map_or_else(|| record.object.to_string(), |pod| pod.to_string());
    page.list.widest =
        lists::widest(shown.iter().rev().map(|(_, record)| ["".into(), object(record).into(), "".into()]));
    // The first column contains the time.
    page.list.widest[0] = format::when_width(shown.iter().map(|(_, record)| record.at).min(), now, 8);
    if let Some(filter) = ColumnFilter::parse(&page.list.filter, unit) {
        let pod = |record: &Record| name(&record.object).or_else(|| name(&record.reference)).unwrap_or_default();
        let words = shown.iter().map(|(_, record)| (word(record), pod(record), *record));
        let words: Vec<(String, Arc<str>, &Arc<Record>)> = words.collect();
        let passed = filter.passed(
            &words,
            |(word, pod, record)| [&*record.object, &*record.reference, word.as_str(), &*record.message, &**pod],
            |(_, _, record), column| value(record, column),
        );
        let mut passed = passed.into_iter();
        shown.retain(|_| passed.next().unwrap_or(false));
    }
    let column = page.list.sort.column;
    let newest_first = |number: u64| Value::Metric(-i64::try_from(number).unwrap_or(i64::MAX));
    let mut keyed: Vec<_> = shown
        .into_iter()
        .map(|(at, record)| {
            // Events of equal time keep their order.
            let key = if column == EventColumn::Time { Value::count(at) } else { value(record, column) };
            (key, newest_first(at), at)
        })
        .collect();
    lists::order(page.list.sort, &mut keyed);
    page.list.rows = Arc::new(keyed.into_iter().map(|(_, _, at)| at).collect());
    if page.follow {
        page.list.cursor.wanted = None;
        page.list.cursor.index = 0;
    }
    let (rows, filtered) = (&page.list.rows, !page.list.filter.is_empty());
    let follow = page.follow.then_some(0);
    page.list.cursor.find(rows.len(), |index| rows.get(index).copied(), follow, filtered);
}

fn is_about(record: &Record, about: &str) -> bool {
    &*record.object == about || &*record.reference == about
}

/// Stops following, unless it is the newest.
pub fn select(page: &mut EventsPage, index: usize) {
    page.follow = index == 0 && page.follow;
    let rows = &page.list.rows;
    page.list.cursor.go(index, rows.len(), |index| rows.get(index).copied());
}

/// Opens the object of the selected event.
pub fn jump(state: &mut State) {
    let Page::Events(page) = state.page() else { return };
    if let Some(next) = object(state, page, true) {
        return push(state, next);
    }
    if let Some(path) = queue(state, page) {
        home(state);
        if let Page::Queues(page) = state.page_mut() {
            page.go_to(&path);
        }
        return lists::rebuild(state, true);
    }
    state.report(Grade::Refusal, GONE);
}

#[cfg(test)]
mod tests {
    use super::*;
    use view::{ChangeDetail, ChangeType};

    #[test]
    fn unchanged_entries_have_no_prefix() {
        let of = |change, detail| word(&Record { change, detail, ..Record::hole(1, 1, Time::ZERO) });
        let blocked = ChangeDetail::APP_CANNOTRUN_QUOTA;
        assert_eq!(of(ChangeType::NONE, blocked), "blocked by application limit");
        assert_eq!(of(ChangeType::NONE, ChangeDetail(0)), "");
        assert_eq!(of(ChangeType::ADD, ChangeDetail(0)), ChangeType::ADD.to_string());
        for detail in 0..1_000 {
            assert!(!of(ChangeType::NONE, ChangeDetail(detail)).starts_with("none"), "{detail}");
        }
    }
}
