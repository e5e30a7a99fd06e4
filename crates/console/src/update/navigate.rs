//! Navigation between pages.

use std::sync::Arc;

use crate::present::subject;
use crate::state::effect::Effect;
use crate::state::layer::{Confirm, Question};
use crate::state::page::{
    Account, AccountPage, AppPage, AppsPage, Checkup, DetailsPage, NodePage, Page, Subject, each_page,
};
use crate::state::work::Work;
use crate::state::{Grade, Parked, State};
use crate::update::completion;
use crate::update::leave::unsaved;
use crate::update::lists;
use crate::update::page::PageUpdate;
use crate::update::search;
use crate::update::search::Thing;
use crate::update::stack::{home, push};
use model::{AppId, NodeId, QueuePath, Time};
use source::{OwnHealth, SourcePlace};
use view::{Side, View, health as health_of, health_of_snapshot};

/// Opens the selected row.
pub fn open(state: &mut State) {
    each_page!(state.page(), page => page.opener())(state);
}

/// Opens the details of the selected row.
pub fn details(state: &mut State) {
    if let Some(subject) = subject::of(state).filter(|_| !matches!(state.page(), Page::Details(_))) {
        push(state, Page::Details(DetailsPage { subject, top: 0 }));
    }
}

/// Opens the queues, at a queue, or filtered with `/text`.
pub fn queues(state: &mut State, argument: Option<&str>) {
    let (path, filter) = split_filter(argument);
    let path = match path.map(|text| find_queue(state, text)).transpose() {
        Ok(path) => path,
        Err(reason) => return state.report(Grade::Refusal, reason),
    };
    home(state);
    if let (Some(path), Page::Queues(page)) = (path, state.page_mut()) {
        page.go_to(&path);
    }
    if let Some(filter) = filter {
        lists::set_filter(state, filter);
    }
    lists::show(state);
}

/// Opens applications of a queue, or filtered with `/text`.
pub fn apps(state: &mut State, argument: Option<&str>) {
    let (path, filter) = split_filter(argument);
    let path = match path.map(|text| find_queue(state, text)).transpose() {
        Ok(path) => path,
        Err(reason) => return state.report(Grade::Refusal, reason),
    };
    home(state);
    let page = match path {
        Some(path) => {
            if let Page::Queues(page) = state.page_mut() {
                page.go_to(&path);
            }
            lists::rebuild(state, true);
            AppsPage::new(Some(path))
        }
        None => state.parked.apps.take().unwrap_or_else(|| AppsPage::new(None)),
    };
    push(state, Page::Apps(page));
    if let Some(filter) = filter {
        lists::set_filter(state, filter);
    }
}

/// Opens the nodes in their last state.
pub fn nodes(state: &mut State) {
    home(state);
    let page = state.parked.nodes.take().unwrap_or_default();
    push(state, Page::Nodes(page));
}

/// Opens users and groups.
pub fn users(state: &mut State) {
    home(state);
    let page = state.parked.users.take().unwrap_or_default();
    push(state, Page::Users(page));
}

/// Runs checks, for a remote only of the view.
pub fn health(state: &mut State) {
    let (view, at, own) = (Arc::clone(&state.cluster.view), state.cluster.at, state.cluster.health.clone());
    let many = view.partitions.iter().any(|part| part.live_apps > state.options.long);
    let made = if many { Checkup { at, health: None } } else { checkup(&view, at, &own) };
    if many {
        state.emit(Work::CheckUp(view, at, own));
    }
    home(state);
    push(state, Page::Details(DetailsPage { subject: Subject::Health(Arc::new(made)), top: 0 }));
}

/// Runs the checks, for a remote only of the view.
pub fn checkup(view: &View, at: Time, own: &OwnHealth) -> Checkup {
    let health = if *own == OwnHealth::Here { health_of(view) } else { health_of_snapshot(view) };
    Checkup { at, health: Some(health) }
}

/// Shows the result of health checks.
pub fn checked_up(state: &mut State, made: Checkup) {
    for page in &mut state.pages {
        if let Page::Details(DetailsPage { subject: Subject::Health(shown), .. }) = page {
            *shown = Arc::new(made.clone());
        }
    }
    state.redraw();
}

/// Opens the details of a subject outside of lists.
pub fn sheet(state: &mut State, subject: Subject) {
    home(state);
    push(state, Page::Details(DetailsPage { subject, top: 0 }));
}

/// Opens the history of the cluster or a queue.
pub fn history(state: &mut State, queue: Option<&str>) {
    let queue =
        match queue.map(str::trim).filter(|text| !text.is_empty()).map(|text| find_queue(state, text)).transpose() {
            Ok(queue) => queue,
            Err(reason) => return state.report(Grade::Refusal, reason),
        };
    let here = match subject::of(state) {
        Some(Subject::Queue(path)) if queue.is_none() && matches!(state.page(), Page::Queues(_)) => {
            (path.depth() > 1).then_some(path)
        }
        _ => None,
    };
    push(state, Page::Details(DetailsPage { subject: Subject::History(queue.or(here)), top: 0 }));
}

/// Opens the applications that block draining queues.
pub fn draining(state: &mut State) {
    home(state);
    push(state, Page::Apps(AppsPage { draining: true, ..AppsPage::new(None) }));
}

/// Opens a user or group.
pub fn account(state: &mut State, side: Side, text: &str) {
    let known = state.cluster.part().is_some_and(|part| part.usage_of(side, text).is_some());
    let name = if known { Some(text.to_owned()) } else { completion::accounts(state, side, text, 1).pop() };
    match name {
        Some(name) => {
            users(state);
            push(state, Page::Account(AccountPage::new(Account { side, name: name.into() })));
        }
        None => {
            let kind = if side == Side::User { "user" } else { "group" };
            state.report(Grade::Refusal, format!("no {kind} {text} with an active application"));
        }
    }
}

/// Splits `root.a /text` into the queue and the filter.
fn split_filter(argument: Option<&str>) -> (Option<&str>, Option<&str>) {
    let Some(argument) = argument.map(str::trim).filter(|text| !text.is_empty()) else { return (None, None) };
    match argument.split_once('/') {
        Some((before, filter)) => (Some(before.trim()).filter(|text| !text.is_empty()), Some(filter)),
        None => (Some(argument), None),
    }
}

fn find_queue(state: &State, text: &str) -> Result<QueuePath, String> {
    let part = state.cluster.part().ok_or("no queue yet")?;
    let exact = part.queue_at(&QueuePath::new(text)).map(|row| row.path.clone());
    let best = || completion::queues(state, text, 1).pop().map(|path| QueuePath::new(&path));
    exact.or_else(best).ok_or_else(|| format!("no queue {text} in partition {}", part.name))
}

/// Opens an application.
pub fn app(state: &mut State, text: &str) {
    let id = AppId::from(text);
    let known = state.cluster.part().is_some_and(|part| part.app_by_id(&id).is_some());
    let id = if known { Some(id) } else { completion::apps(state, text, 1).pop().map(AppId::from) };
    match id {
        Some(id) => {
            home(state);
            push(state, Page::App(AppPage::new(id, None)));
        }
        None if state.cluster.unread.apps => state.report(Grade::Refusal, state.cluster.unread.no_apps()),
        // A remote's lists are read infrequently.
        None if state.cluster.about.place == SourcePlace::Remote => {
            state.report(Grade::Refusal, format!("no application {text} in the loaded part of the list"));
        }
        None => state.report(Grade::Refusal, format!("no application {text}")),
    }
}

/// Opens a node.
pub fn node(state: &mut State, text: &str) {
    let id = NodeId::from(text);
    let known = state.cluster.part().is_some_and(|part| part.nodes.contains_key(&id));
    let id = if known { Some(id) } else { completion::nodes(state, text, 1).pop().map(NodeId::from) };
    match id {
        Some(id) => {
            nodes(state);
            push(state, Page::Node(NodePage::new(id)));
        }
        None if state.cluster.unread.nodes => state.report(Grade::Refusal, state.cluster.unread.no_nodes()),
        None => state.report(Grade::Refusal, format!("no node {text}")),
    }
}

/// Switches to another partition, at its queues.
pub fn partition(state: &mut State, name: &str) {
    match state.cluster.view.partitions.iter().find(|part| *part.name == *name).map(|part| part.name.clone()) {
        Some(name) => {
            state.cluster.partition = name;
            home(state);
            // All partitions share the configuration.
            let Parked { config, change, .. } = std::mem::take(&mut state.parked);
            state.parked = Parked { config, change, ..Parked::default() };
        }
        None => {
            let known: Vec<&str> = state.cluster.view.partitions.iter().map(|part| &*part.name).collect();
            state.report(Grade::Refusal, format!("no partition {name}; available: {}", known.join(", ")));
        }
    }
}

/// Opens another scheduler by context.
pub fn context(state: &mut State, name: &str) {
    if !state.contexts.names().any(|known| known == name) {
        let all: Vec<&str> = state.contexts.names().collect();
        let report = format!("no context {name}; available: {}", all.join(", "));
        return state.report(Grade::Refusal, report);
    }
    let lines = unsaved(state);
    if lines.is_empty() {
        return open_context(state, name);
    }
    let what = Question::Context(name.to_owned());
    state.ask(Confirm::new(format!("Leave this scheduler for {name}?"), lines, "Leave", what));
}

/// Opens another scheduler, and drops unapplied input.
pub fn open_context(state: &mut State, name: &str) {
    state.emit(Effect::OpenContext(name.to_owned()));
    state.report(Grade::Info, format!("opening {name}"));
}

/// Reports why the console stays with this scheduler.
pub fn stay(state: &mut State, name: &str, error: Option<String>) {
    match error {
        Some(why) => state.report(Grade::Error, format!("cannot open {name}: {why}")),
        None => {
            let message = format!("{name} is open, but you have unsaved input here; :context {name} goes there");
            state.report(Grade::Info, message);
        }
    }
}

/// Opens the named object or the best match.
pub fn find(state: &mut State, text: &str) {
    let (thing, name) = search::typed(text.trim());
    let Some(thing) = thing else {
        let best = search::candidates(state, "find", text.trim(), Thing::ALL.len() * 4).into_iter().next();
        return match best.and_then(|best| best.line.strip_prefix("find ").map(str::to_owned)) {
            Some(line) if search::typed(&line).0.is_some() => find(state, &line),
            _ => state.report(Grade::Refusal, format!("{text} not found")),
        };
    };
    match thing {
        Thing::Queue => queues(state, Some(name)),
        Thing::App => app(state, name),
        Thing::Node => node(state, name),
        Thing::User => account(state, Side::User, name),
        Thing::Group => account(state, Side::Group, name),
    }
}
