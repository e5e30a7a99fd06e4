//! The explain page.

use std::sync::Arc;
use std::time::Duration;

use crate::present::explain::rows;
use crate::present::layout;
use crate::present::subject;
use crate::state::effect::Effect;
use crate::state::explain::{ExplainPage, Explained};
use crate::state::page::{Account, AccountPage, AppPage, NodePage, Page, Subject};
use crate::state::{Grade, State};
use crate::update::config;
use crate::update::lists;
use crate::update::overview;
use crate::update::stack::{home, push};
use model::{QueuePath, Time};
use view::act::{Code, Refusal};
use view::waiting::{Asked, Question, Sheet, Target, event_sheet};
use view::{AskState, ChangeDetail, ObjectType, Record, Side};

const AGAIN: Duration = Duration::from_secs(1);
/// For all pending requests, which is more expensive.
const ALL_AGAIN: Duration = Duration::from_secs(5);
/// For a question that reads all data of a remote.
const TWIN_AGAIN: Duration = Duration::from_secs(10);

const HELD: [ChangeDetail; 4] = [
    ChangeDetail::APP_CANNOTRUN_QUEUE,
    ChangeDetail::APP_RUNNABLE_QUEUE,
    ChangeDetail::APP_CANNOTRUN_QUOTA,
    ChangeDetail::APP_RUNNABLE_QUOTA,
];

const REPORTED: usize = 4;

/// Explains the selected subject; on the page, asks again.
pub fn open(state: &mut State) {
    if let Page::Explain(page) = state.page_mut() {
        page.asked = None;
        return;
    }
    let of = match subject::of(state) {
        Some(Subject::Queue(path) | Subject::Access(path)) => Explained::Waiting(Asked::Waiting(Some(path))),
        Some(Subject::App(row) | Subject::Why(row)) => {
            let ask = match state.page() {
                Page::App(page) => subject::ask(page).filter(|ask| matches!(ask.state, AskState::Pending { .. })),
                _ => None,
            };
            Explained::Waiting(Asked::App(row.id.clone(), ask.map(|ask| ask.id.clone())))
        }
        Some(Subject::Node(id)) => Explained::Node(id),
        Some(Subject::Event(record)) => Explained::Event(record),
        _ => return,
    };
    push(state, Page::Explain(Box::new(ExplainPage::new(of))));
}

/// Explains all pending requests, in a queue or everywhere.
pub fn open_all(state: &mut State, queue: Option<&str>) {
    let named = queue.map(str::trim).filter(|text| !text.is_empty()).map(QueuePath::new);
    let here = match state.page() {
        Page::Apps(page) => page.scope.clone(),
        _ => None,
    };
    let of = Explained::Waiting(Asked::Waiting(named.or(here)));
    push(state, Page::Explain(Box::new(ExplainPage::new(of))));
}

/// Requests the answer if it is missing or old.
pub fn want(state: &mut State) {
    let now = state.now;
    let frozen = state.cluster.frozen.is_some() || state.cluster.past.shown.is_some();
    let partition = state.cluster.part().map(|part| Arc::clone(&part.name)).unwrap_or_default();
    let Page::Explain(page) = state.page() else { return };
    match &page.of {
        Explained::Waiting(of) => {
            let old = page.asked.is_none_or(|asked| now >= asked + again(state, page) && !frozen);
            if page.awaited || !old {
                return;
            }
            let question = Question { partition, of: of.clone() };
            if let Page::Explain(page) = state.page_mut() {
                (page.asked, page.awaited) = (Some(now), true);
            }
            state.emit(Effect::Explain(question));
        }
        Explained::Overview(visited) => overview::want(state, *visited),
        Explained::Node(_) | Explained::Event(_) => {
            let due =
                |asked: Duration| if frozen { overview::is_of_another(state, page) } else { now >= asked + AGAIN };
            if page.asked.is_none_or(due) {
                let (sheet, view) = (worked_out(state, &page.of), Arc::clone(&state.cluster.view));
                if let Page::Explain(page) = state.page_mut() {
                    (page.asked, page.view) = (Some(now), Some(view));
                    page.take(sheet);
                }
            }
        }
    }
}

fn again(state: &State, page: &ExplainPage) -> Duration {
    match page.of {
        Explained::Overview(_) => overview::again(state, page),
        Explained::Waiting(_) if state.cluster.estimates => TWIN_AGAIN,
        Explained::Waiting(Asked::Waiting(_)) => ALL_AGAIN,
        _ => AGAIN,
    }
}

fn worked_out(state: &State, of: &Explained) -> Result<Sheet, Refusal> {
    let part = state.cluster.part().ok_or_else(|| Refusal::not_found("partition", &state.cluster.partition))?;
    match of {
        Explained::Waiting(of) => Err(Refusal::new(Code::NotSupported, format!("cannot explain {of}"), "")),
        Explained::Overview(_) => Err(Refusal::new(Code::NotSupported, "the overview is computed by the server", "")),
        Explained::Node(id) => {
            part.node_sheet(id, state.cluster.at).ok_or_else(|| Refusal::not_found("node", id.as_str()))
        }
        Explained::Event(record) => {
            // Victims may stop later.
            let close = |other: &&Record| {
                other.grounds.is_some() || other.at.since(record.at) + record.at.since(other.at) <= AGAIN
            };
            let around = state.cluster.events.iter().map(|(_, other)| &**other).filter(close);
            Ok(event_sheet(&state.cluster.view, part, record, around))
        }
    }
}

fn reported(state: &State, of: &Asked) -> Vec<(Time, Arc<str>)> {
    let Asked::App(app, ask) = of else { return Vec::new() };
    let about = |record: &&Arc<Record>| match record.kind {
        ObjectType::REQUEST => {
            let own = ask.as_ref().is_none_or(|ask| *record.object == *ask.as_str());
            own && *record.reference == *app.as_str() && !record.message.is_empty()
        }
        ObjectType::APP => *record.object == *app.as_str() && HELD.contains(&record.detail),
        _ => false,
    };
    let words = |record: &Arc<Record>| match record.message.is_empty() {
        true => Arc::from(record.detail.word().unwrap_or_default()),
        false => Arc::clone(&record.message),
    };
    let mut last: Vec<(Time, Arc<str>)> = state
        .cluster
        .events
        .records
        .iter()
        .rev()
        .map(|(_, record)| record)
        .filter(about)
        .take(REPORTED)
        .map(|one| (one.at, words(one)))
        .collect();
    last.reverse();
    last
}

/// Takes an answer for its page.
pub fn take(state: &mut State, question: &Question, sheet: Result<Sheet, Refusal>) {
    let reported = reported(state, &question.of);
    let asked = state.pages.iter_mut().rev().find_map(|page| match page {
        Page::Explain(page) if matches!(&page.of, Explained::Waiting(of) if *of == question.of) => Some(page),
        _ => None,
    });
    if let Some(page) = asked {
        page.awaited = false;
        page.reported = reported;
        page.take(sheet);
    }
}

/// The next refresh, on the console's clock.
pub fn next_due(state: &State) -> Option<Duration> {
    let Page::Explain(page) = state.page() else { return None };
    let again = again(state, page);
    let is_stopped = state.cluster.frozen.is_some() || state.cluster.past.shown.is_some();
    page.asked.filter(|_| !page.awaited && !is_stopped).map(|asked| asked + again)
}

/// Scrolls to the line under the cursor.
pub fn settle(state: &mut State, height: usize) {
    let Page::Explain(page) = state.page() else { return };
    let width = layout::regions(state).map_or(0, |regions| usize::from(regions.rows.width.saturating_sub(3)));
    let rows = rows(state, page, width);
    let of = |row: &crate::present::explain::Row| row.of == Some(page.index);
    let first = rows.iter().position(of).unwrap_or(0);
    let last = rows.iter().rposition(of).unwrap_or(0);
    let top = page.top.min(first).max((last + 1).saturating_sub(height)).min(rows.len().saturating_sub(height));
    let top = if page.index == 0 && last < height { 0 } else { top };
    if let Page::Explain(page) = state.page_mut() {
        page.top = top;
    }
}

/// Opens the target of the selected line.
pub fn jump(state: &mut State) {
    let Page::Explain(page) = state.page() else { return };
    let Some(to) = page.lines().get(page.index).and_then(|line| line.to.clone()) else {
        return state.report(Grade::Refusal, "this line has no object");
    };
    go_to(state, to);
}

/// Opens a target.
pub fn go_to(state: &mut State, to: Target) {
    match to {
        Target::App(app, ask) => push(state, Page::App(AppPage::new(app, ask))),
        Target::Why(app) => {
            push(state, Page::Explain(Box::new(ExplainPage::new(Explained::Waiting(Asked::App(app, None))))));
        }
        Target::Node(node) => push(state, Page::Node(NodePage::new(node))),
        Target::User(name) => push(state, account(Side::User, name)),
        Target::Group(name) => push(state, account(Side::Group, name)),
        Target::Queue(path) => to_queue(state, &path),
        Target::Line(line) => config::open_at_line(state, line),
    }
}

fn account(side: Side, name: String) -> Page {
    Page::Account(AccountPage::new(Account { side, name: name.into() }))
}

/// Opens a queue in the tree.
pub fn to_queue(state: &mut State, path: &QueuePath) {
    home(state);
    if let Page::Queues(page) = state.page_mut() {
        page.go_to(path);
    }
    lists::rebuild(state, true);
}
