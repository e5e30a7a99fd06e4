//! The page of a pod.

use std::sync::Arc;
use std::time::Duration;

use crate::present::guard::pod::{siblings, target};
use crate::present::pod as shown;
use crate::state::effect::{Effect, ForPod};
use crate::state::job::OutputText;
use crate::state::page::Page;
use crate::state::pod::{LogWatch, PodPage, PodPart, PodWatch, Requested};
use crate::state::{Grade, State};
use crate::update::stack::push;
use view::job::JobOutput;
use view::kubernetes::{EventsOf, LogName, LogPart, ObjectEvent, ObjectName, PodRow};

const AGAIN: Duration = Duration::from_secs(10);
const CHANGED: Duration = Duration::from_secs(1);
const REOPEN: Duration = Duration::from_secs(5);
const STEP: usize = 16;

/// Opens a part of the pod.
pub fn open(state: &mut State, part: PodPart) {
    if let Page::Pod(page) = state.page_mut() {
        return page.turn_to(part);
    }
    let Some(row) = target(state) else { return };
    push(state, Page::Pod(Box::new(PodPage::new(row, part))));
}

/// Returns whether it is a Kubernetes object.
pub fn copy(state: &mut State) -> bool {
    let Some(of) = shown::object(state) else { return false };
    let name = match &of {
        ObjectName::Pod(namespace, name) => format!("pod {namespace}/{name}"),
        ObjectName::Node(name) => format!("node {name}"),
    };
    state.emit(Effect::ForPod(ForPod::Copy(of)));
    state.report(Grade::Info, format!("reading {name}"));
    true
}

/// Takes a YAML for the clipboard.
pub fn copied(state: &mut State, text: Result<String, String>) {
    match text {
        Ok(text) => {
            let lines = text.lines().count();
            state.emit(Effect::Copy(text));
            state.report(Grade::Info, format!("sent to the terminal's clipboard (OSC 52): {lines} lines"));
        }
        Err(why) => state.report(Grade::Refusal, why),
    }
}

/// Shows another pod of the application.
pub fn step(state: &mut State, by: isize) {
    let Page::Pod(page) = state.page() else { return };
    let all = siblings(state, &page.row);
    let at = all.iter().position(|pod| pod.uid == page.row.uid).unwrap_or(0);
    let count = isize::try_from(all.len()).unwrap_or(1).max(1);
    let next = (isize::try_from(at).unwrap_or(0) + by).rem_euclid(count);
    let Some(row) = usize::try_from(next).ok().and_then(|next| all.get(next)).map(Arc::clone) else { return };
    if let Page::Pod(page) = state.page_mut() {
        let find = std::mem::take(&mut page.find);
        **page = PodPage { find, ..PodPage::new(row, page.part) };
    }
}

/// Shows the log of the next container.
pub fn next_container(state: &mut State) {
    if let Page::Pod(page) = state.page_mut() {
        page.container = (page.container + 1) % page.row.containers.len().max(1);
        (page.previous, page.follow) = (false, true);
    }
}

/// The run before the last restart.
pub fn toggle_previous(state: &mut State) {
    if let Page::Pod(page) = state.page_mut() {
        page.previous = !page.previous;
        page.follow = true;
    }
}

/// Toggles following the log.
pub fn toggle_follow(state: &mut State) {
    if let Page::Pod(page) = state.page_mut() {
        page.follow = !page.follow;
    }
}

/// Scrolls to the side.
pub fn shift(state: &mut State, right: bool) {
    if let Page::Pod(page) = state.page_mut() {
        page.left = if right { page.left + STEP } else { page.left.saturating_sub(STEP) };
    }
}

/// Missing or old data. Leaving the page closes a log.
pub fn want(state: &mut State) {
    let is_stopped =
        state.cluster.frozen.is_some() || state.cluster.past.shown.is_some() || state.cluster.trial.is_some();
    let Page::Pod(page) = state.page() else {
        if state.pod.uid.is_some() {
            state.pod = PodWatch::default();
            state.emit(Effect::ForPod(ForPod::CloseLog));
        }
        return;
    };
    let (row, part) = (Arc::clone(&page.row), page.part);
    let log = page.container_name().map(|container| (Arc::clone(container), page.previous));
    if state.pod.uid.as_ref() != Some(&row.uid) {
        state.pod = PodWatch { uid: Some(Arc::clone(&row.uid)), ..PodWatch::default() };
    }
    if is_stopped {
        return;
    }
    let now = state.now;
    match part {
        PodPart::Sheet => {
            if due(&mut state.pod.events, &row, now) {
                let of = EventsOf { namespace: Arc::clone(&row.namespace), uid: Arc::clone(&row.uid) };
                state.emit(Effect::ForPod(ForPod::Events(of)));
            }
        }
        PodPart::Text => {
            if due(&mut state.pod.text, &row, now) {
                let of = ObjectName::Pod(Arc::clone(&row.namespace), Arc::clone(&row.name));
                state.emit(Effect::ForPod(ForPod::Text(Arc::clone(&row.uid), of)));
            }
        }
        PodPart::Log => {
            if let Some((container, previous)) = log {
                want_log(state, &row, container, previous);
            }
        }
    }
}

fn due<T>(data: &mut Requested<T>, row: &Arc<PodRow>, now: Duration) -> bool {
    let same = data.of.as_ref().is_some_and(|of| Arc::ptr_eq(of, row));
    let wait = if same { AGAIN } else { CHANGED };
    if data.awaited || data.asked.is_some_and(|asked| now < asked + wait) {
        return false;
    }
    (data.awaited, data.asked, data.of) = (true, Some(now), Some(Arc::clone(row)));
    true
}

fn want_log(state: &mut State, row: &PodRow, container: Arc<str>, previous: bool) {
    let watch = &state.pod.log;
    let same = watch.of.as_ref().is_some_and(|of| of.container == container && of.previous == previous);
    let restarted = watch.ended && row.restarts > watch.restarts;
    let again = watch.failed.as_ref().is_some_and(|(_, at)| state.now >= *at + REOPEN);
    if !same || (restarted && !previous) || again {
        let opened = watch.of.as_ref().map_or(1, |of| of.opened + 1);
        let (namespace, pod) = (Arc::clone(&row.namespace), Arc::clone(&row.name));
        let of = LogName { namespace, pod, container, previous, opened };
        let failed = watch.failed.clone().filter(|_| same).map(|(why, _)| (why, state.now));
        let awaited = true;
        let output = if same { watch.output.clone() } else { OutputText::default() };
        state.pod.log =
            LogWatch { of: Some(of.clone()), output, failed, awaited, restarts: row.restarts, ended: false };
        return state.emit(Effect::ForPod(ForPod::OpenLog(of)));
    }
    if !watch.awaited
        && !watch.ended
        && watch.failed.is_none()
        && let Some(of) = watch.of.clone()
    {
        state.pod.log.awaited = true;
        state.emit(Effect::ForPod(ForPod::ReadLog(of)));
    }
}

/// When to read again, on the console's clock.
pub fn next_due(state: &State) -> Option<Duration> {
    let Page::Pod(page) = state.page() else { return None };
    if state.cluster.frozen.is_some() || state.cluster.past.shown.is_some() {
        return None;
    }
    let watch = &state.pod;
    match page.part {
        PodPart::Sheet => watch.events.asked.filter(|_| !watch.events.awaited).map(|asked| asked + AGAIN),
        PodPart::Text => watch.text.asked.filter(|_| !watch.text.awaited).map(|asked| asked + AGAIN),
        PodPart::Log => watch.log.failed.as_ref().filter(|_| !watch.log.awaited).map(|(_, at)| *at + REOPEN),
    }
}

/// Takes events of the pod on the screen.
pub fn take_events(state: &mut State, uid: &Arc<str>, events: Result<Vec<ObjectEvent>, String>) {
    if state.pod.uid.as_ref() == Some(uid) {
        state.pod.events.awaited = false;
        state.pod.events.known = Some(events.map(Arc::new));
    }
}

/// Takes the text of the pod on the screen.
pub fn take_text(state: &mut State, uid: &Arc<str>, text: Result<String, String>) {
    if state.pod.uid.as_ref() == Some(uid) {
        state.pod.text.awaited = false;
        state.pod.text.known = Some(text.map(|text| Arc::new(text.lines().map(str::to_owned).collect())));
    }
}

/// Takes a log of the pod on the screen.
pub fn take_log(state: &mut State, of: &LogName, part: Result<LogPart, String>) {
    let now = state.now;
    let watch = &mut state.pod.log;
    if watch.of.as_ref() != Some(of) {
        return;
    }
    watch.awaited = false;
    match part {
        Ok(LogPart { bytes, ended }) => {
            (watch.ended, watch.failed) = (ended, None);
            // A reopened log restarts at its beginning.
            let first = if watch.output.attempt == of.opened { watch.output.next } else { 0 };
            watch.output.take(&JobOutput { attempt: of.opened, first, bytes, more: !ended });
        }
        Err(why) => watch.failed = Some((why, now)),
    }
}

/// Updates the pod, follows its log, and goes to the match.
pub fn settle(state: &mut State, height: usize) {
    let Page::Pod(page) = state.page() else { return };
    let kubernetes = state.cluster.view.kubernetes.clone();
    let row = kubernetes.as_ref().and_then(|all| all.pod(&page.row.uid)).cloned();
    let (lines, seeks) = (shown::height(state, page), page.seeks);
    let found = if seeks { find(state, page, page.top, true, true) } else { page.found };
    let end = lines.saturating_sub(height);
    let Page::Pod(page) = state.page_mut() else { return };
    page.gone = row.is_none() && kubernetes.is_some();
    if let Some(row) = row {
        page.row = row;
    }
    if seeks {
        page.seeks = false;
        go_to(page, found, height);
    }
    page.top = if page.follow && page.part == PodPart::Log { end } else { page.top.min(end) };
}

fn go_to(page: &mut PodPage, found: Option<usize>, height: usize) {
    page.found = found;
    if let Some(line) = found {
        page.follow = false;
        if line < page.top || line >= page.top + height {
            page.top = line.saturating_sub(height / 3);
        }
    }
}

/// Goes to the next or previous match.
pub fn next_found(state: &mut State, forward: bool) {
    let height = crate::present::layout::rows_on_screen(state);
    let Page::Pod(page) = state.page() else { return };
    let from = page.found.unwrap_or(page.top);
    let found = find(state, page, from, forward, page.found.is_none());
    if found.is_none() {
        let message = format!("{} not found", page.find);
        return state.report(Grade::Refusal, message);
    }
    if let Page::Pod(page) = state.page_mut() {
        go_to(page, found, height);
    }
}

/// Searches cyclically; `here` includes the start line.
fn find(state: &State, page: &PodPage, from: usize, forward: bool, here: bool) -> Option<usize> {
    let matches = shown::matches(state, page);
    let beyond = |line: &&usize| if here { **line >= from } else { **line > from };
    let before = |line: &&usize| if here { **line <= from } else { **line < from };
    let found = match forward {
        true => matches.iter().find(beyond).or(matches.first()),
        false => matches.iter().rev().find(before).or(matches.last()),
    };
    found.copied()
}
