//! Time travel.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::present::format;
use crate::state::effect::Effect;
use crate::state::past::{Chapters, Fetch, Moment, Seek, Shown, Span, Step, StepTarget, span};
use crate::state::work::MomentPage;
use crate::state::{Grade, State};
use crate::update::config;
use crate::update::feed;
use crate::update::lists;
use model::Time;
use view::{ChangeDetail, ChangeType, Chapter, ObjectType, Record, View};

/// Goes back by `10m`, `1h30m`, to `0:41`, or by one step.
pub fn back(state: &mut State, wanted: Option<&str>) {
    let Some(wanted) = wanted.map(str::trim).filter(|text| !text.is_empty()) else { return step(state, Step::Back) };
    let here = state.cluster.past.shown.as_ref().map_or(state.cluster.past.live, |shown| shown.at);
    let target = match (span(wanted), moment(wanted)) {
        (Some(span), _) if here.since(Time::ZERO) < span => None,
        (Some(span), _) => Some(here - span),
        (None, Some(moment)) => Some(moment),
        (None, None) => {
            let report =
                format!("{wanted} is invalid; use a duration such as 90s, 10m, or 1h30m, or a time such as 0:41");
            return state.report(Grade::Refusal, report);
        }
    };
    let Some(target) = target else {
        if !state.cluster.past.retained {
            return refuse(state);
        }
        let ago = format::duration(here.since(Time::ZERO));
        return state.report(Grade::Refusal, format!("it did not run {wanted} ago: it started {ago} ago"));
    };
    go_to(state, target);
}

/// Goes to a time.
pub fn go_to(state: &mut State, target: Time) {
    let seen = state.cluster.past.at(target).map(|seen| {
        let at = target.min(seen.until);
        (Arc::clone(&seen.view), Shown { at, before: String::new() })
    });
    match seen {
        seen if state.cluster.past.retained => fetch(state, Shown { at: target, before: String::new() }, seen),
        Some((view, shown)) => show(state, view, shown),
        None => refuse(state),
    }
}

fn fetch(state: &mut State, wanted: Shown, instead: Option<(Arc<View>, Shown)>) {
    state.cluster.past.chapters.seeking = None;
    state.report(Grade::Info, format!("loading the state at {}", when(state, wanted.at)));
    state.emit(Effect::FetchPastView(wanted.at));
    state.cluster.past.fetching = Some(Fetch { wanted, instead });
}

/// Takes a past view, or why it is unavailable.
pub fn take_view(state: &mut State, at: Time, found: Result<Arc<View>, String>) {
    let past = &mut state.cluster.past;
    let Some(fetch) = past.fetching.take_if(|fetch| fetch.wanted.at == at) else { return };
    state.toast = None;
    if !state.layers.is_empty() {
        return later(state, fetch.wanted.at);
    }
    match (found, fetch.instead) {
        (Ok(view), _) => show(state, view, fetch.wanted),
        (Err(_), Some((view, shown))) => show(state, view, shown),
        (Err(why), None) => state.report(Grade::Refusal, why),
    }
}

/// An open input or question refers to the current view.
fn later(state: &mut State, at: Time) {
    let report = format!("{} was loaded after you left the page; go there again", when(state, at));
    state.report(Grade::Info, report);
}

fn refuse(state: &mut State) {
    let past = &state.cluster.past;
    let report = match past.oldest() {
        Some(oldest) => {
            let at = oldest.view.at;
            let ago = format::duration(past.live.since(at));
            format!("the past goes back to {}, {ago} ago: this console has no earlier data", when(state, at))
        }
        None => "this console has no data yet".to_owned(),
    };
    state.report(Grade::Refusal, report);
}

fn when(state: &State, at: Time) -> String {
    format::when(at, state.cluster.past.live)
}

/// Steps to right before the previous or next important moment.
pub fn step(state: &mut State, step: Step) {
    state.cluster.past.stepping = Some(step);
    state.emit(Effect::FindMoments(state.cluster.past.searched));
}

/// Takes important events, and makes the waiting step.
pub fn take_moments(state: &mut State, searched: MomentPage) {
    let past = &mut state.cluster.past;
    if past.instance != searched.instance {
        past.moments.clear();
        past.chapters = Chapters::default();
        past.instance = Arc::clone(&searched.instance);
    }
    if searched.next >= past.searched || past.moments.is_empty() {
        if !past.chapters.is_watched() || searched.lowest > past.searched {
            // The stored past may contain earlier moments.
            past.chapters.watched_from(searched.first.unwrap_or(past.live));
        }
        past.searched = searched.next;
        past.take_moments(searched.moments);
    }
    let Some(step) = past.stepping.take() else { return };
    if past.retained { step_retained(state, step) } else { step_seen(state, step) }
}

fn step_retained(state: &mut State, step: Step) {
    let past = &mut state.cluster.past;
    past.chapters.seeking = None;
    match past.seek(step) {
        StepTarget::Moment(wanted) => {
            let instead = past.next(&state.cluster.view, step);
            fetch(state, wanted, instead);
        }
        StepTarget::Unknown(at) => {
            past.chapters.seeking = Some(Seek { step, at });
            state.emit(Effect::FetchPastSpan(at, step));
            let side = if step == Step::Back { "before" } else { "after" };
            state.report(Grade::Info, format!("loading events {side} {}", when(state, at)));
        }
        StepTarget::Nothing if step == Step::On => live(state),
        StepTarget::Nothing => {
            let from = past.chapters.starts().unwrap_or(Time::ZERO);
            nothing(state, from);
        }
    }
}

/// Makes the waiting step.
pub fn take_span(state: &mut State, at: Time, step: Step, found: Result<Span, String>) {
    let chapters = &mut state.cluster.past.chapters;
    let wanted = Seek { step, at };
    if chapters.seeking.take_if(|seek| *seek == wanted).is_none() {
        return;
    }
    state.toast = None;
    if !state.layers.is_empty() {
        return later(state, at);
    }
    match found.map(|span| chapters.take(span, step, at)) {
        Ok(true) => step_retained(state, step),
        Ok(false) if step == Step::On => live(state),
        Ok(false) => nothing(state, at),
        Err(why) => {
            step_seen(state, step);
            state.report(Grade::Refusal, why);
        }
    }
}

fn step_seen(state: &mut State, step: Step) {
    let past = &mut state.cluster.past;
    match (past.next(&state.cluster.view, step), step) {
        (Some((view, shown)), _) => show(state, view, shown),
        (None, Step::On) => live(state),
        (None, Step::Back) => {
            let from = past.oldest().map_or(Time::ZERO, |oldest| oldest.view.at);
            nothing(state, from);
        }
    }
}

fn nothing(state: &mut State, from: Time) {
    let before = if state.cluster.past.shown.is_some() { " before this" } else { "" };
    let report = format!("no important events{before}; the past goes back to {}", when(state, from));
    state.report(Grade::Refusal, report);
}

fn show(state: &mut State, view: Arc<View>, shown: Shown) {
    state.cluster.frozen = None;
    state.cluster.at = shown.at;
    state.cluster.past.shown = Some(shown);
    state.cluster.set_view(view);
    changed(state);
}

/// Returns to the present.
pub fn live(state: &mut State) {
    state.cluster.past.fetching = None;
    state.cluster.past.chapters.seeking = None;
    if state.cluster.past.shown.take().is_some() {
        state.cluster.at = state.cluster.past.live.max(state.cluster.newest.at);
        feed::show_newest(state, false);
        changed(state);
    }
}

fn changed(state: &mut State) {
    state.marks.clear();
    config::follow(state);
    lists::rebuild(state, true);
}

/// A moment of the cluster's time as written: `0:41`, `1:02:03`.
fn moment(text: &str) -> Option<Time> {
    let parts: Option<Vec<u64>> = text.split(':').map(|part| part.parse().ok()).collect();
    let seconds = match parts?.as_slice() {
        [minutes, seconds] if *seconds < 60 => minutes.checked_mul(60)?.checked_add(*seconds)?,
        [hours, minutes, seconds] if *minutes < 60 && *seconds < 60 => {
            hours.checked_mul(3_600)?.checked_add(minutes * 60 + seconds)?
        }
        _ => return None,
    };
    Some(Time(seconds.checked_add(1)?.checked_mul(1_000_000)?.checked_sub(1)?))
}

/// Whether an event is important.
pub fn matters(record: &Record) -> bool {
    words(record).is_some()
}

/// The important moments of a stored chapter.
pub fn span_of_chapter(chapter: Chapter) -> Span {
    let Chapter { from, to, first, last, records, starts } = chapter;
    let mut report = moments(records.iter().map(|record| (0, record)));
    let text = || "the scheduler restarted".to_owned();
    report.extend(starts.into_iter().map(|at| Moment { number: 0, at, text: text() }));
    report.sort_by_key(|moment| moment.at);
    Span { from, to, moments: report.into(), first, last }
}

const LOADED: &str = "a configuration was applied";

/// Finds preemption, kills, moves, failures, rejections, drains, configurations, nodes.
pub fn moments<'a>(records: impl Iterator<Item = (u64, &'a Record)>) -> Vec<Moment> {
    let report = records.filter_map(|(number, record)| {
        let text = words(record)?;
        Some(Moment { number, at: record.at, text })
    });
    let mut report: Vec<Moment> = report.collect();
    // A kill is also a failure, and a rollback a new configuration: count once.
    let extra = |moment: &Moment| match moment.text.strip_suffix(" was killed") {
        Some(object) => Some((moment.at, format!("{object} failed"))),
        None => moment.text.contains(" restored revision ").then(|| (moment.at, LOADED.to_owned())),
    };
    let extra: BTreeSet<(Time, String)> = report.iter().filter_map(extra).collect();
    report.retain(|moment| !extra.contains(&(moment.at, moment.text.clone())));
    report
}

fn words(record: &Record) -> Option<String> {
    let Record { object, message, reference, .. } = record;
    Some(match (record.kind, record.detail) {
        (ObjectType::APP, ChangeDetail::APP_KILLED) => format!("{object} was killed"),
        (ObjectType::APP, ChangeDetail::APP_MOVED) => format!("{object} was moved to {reference}"),
        (ObjectType::APP, ChangeDetail::APP_REJECT) => format!("{object} was rejected"),
        (ObjectType::APP, ChangeDetail::APP_FAILED) => format!("{object} failed"),
        (ObjectType::APP, ChangeDetail::ALLOC_PREEMPT) => format!("an allocation of {object} was preempted"),
        (ObjectType::NODE, ChangeDetail::NODE_DECOMMISSION) => format!("node {object} was removed"),
        (ObjectType::NODE, ChangeDetail::NODE_SCHEDULABLE) => format!("node {object}: schedulable or unschedulable"),
        (ObjectType::NODE, ChangeDetail::NODE_CAPACITY) => format!("node {object}: capacity changed"),
        (ObjectType::NODE, detail) if detail.0 == 0 && record.change == ChangeType::ADD => {
            format!("node {object} was added")
        }
        (ObjectType::QUEUE, ChangeDetail::QUEUE_STATE) => format!("{object}: {message}"),
        (ObjectType::QUEUE, ChangeDetail::QUEUE_DRAIN_ALERT) => format!("{object} drains too long"),
        (ObjectType::QUEUE, ChangeDetail::CONFIG_LOADED) => LOADED.to_owned(),
        (ObjectType::QUEUE, ChangeDetail::CONFIG_REFUSED) => "a configuration was rejected".to_owned(),
        (ObjectType::QUEUE, ChangeDetail::CONFIG_ROLLED_BACK) => message.to_string(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_ranges_and_times_are_read_in_the_displayed_form() {
        let seconds = |text: &str| span(text).map(|span| span.as_secs());
        assert_eq!(["90s", "10m", "1h30m", "2d"].map(seconds), [Some(90), Some(600), Some(5400), Some(172_800)]);
        assert_eq!(["", "10", "m", "1w", "99999999999999999999h", "-3m"].map(seconds), [None; 6]);
        let at = |text: &str| moment(text).map(|at| at.as_millis() / 1000);
        assert_eq!(["0:41", "1:02:03"].map(at), [Some(41), Some(3723)]);
        assert_eq!(["41", "0:61", "1:2:3:4", "x:1", "99999999999999999999:1"].map(at), [None; 5]);
    }
}
