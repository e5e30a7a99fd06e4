//! From page to page, back, and out.

use std::sync::Arc;
use std::time::Duration;

use super::super::action::Effects;
use super::super::complete;
use super::super::format;
use super::super::model::layer::{Confirm, Layer, Question};
use super::super::model::page::{
    Account, AccountLine, AccountPage, AppPage, AppsPage, Checkup, DetailsPage, LineId, NodePage, Page, Subject,
};
use super::super::model::{Grade, Model, Parked};
use super::super::subject;
use super::super::work::Work;
use super::{audit, change, config, events, lists, placement, queues as tree, revisions};
use crate::model::{AppId, NodeId, QueuePath};
use crate::source::{OwnHealth, SourcePlace};
use crate::view::{Side, health as health_of, health_of_picture};

/// How soon the second press must follow to quit at once.
const AGAIN: Duration = Duration::from_secs(2);

/// Puts a page on top.
pub(super) fn push(model: &mut Model, page: Page) {
    model.pages.push(page);
    model.marks.clear();
    lists::show(model);
}

/// Takes the page on top off; the queues stay.
pub(super) fn pop(model: &mut Model) {
    if model.pages.len() > 1 {
        let left = model.pages.pop();
        if model.pages.len() == 1 || matches!(left, Some(Page::Change(_) | Page::Placement(_))) {
            park(model, left);
        }
        model.marks.clear();
        lists::show(model);
    }
}

/// Keeps a page of the first row for when one comes back to it.
fn park(model: &mut Model, page: Option<Page>) {
    match page {
        Some(Page::Apps(page)) if page.scope.is_none() && !page.draining => model.parked.apps = Some(page),
        Some(Page::Events(page)) if page.about.is_none() => model.parked.events = Some(page),
        Some(Page::Audit(page)) => model.parked.audit = Some(page),
        Some(Page::Revisions(page)) => model.parked.revisions = Some(page),
        Some(Page::Nodes(page)) => model.parked.nodes = Some(page),
        Some(Page::Users(page)) => model.parked.users = Some(page),
        Some(Page::Placement(page)) => model.parked.placement = Some(page),
        Some(Page::Config(page)) => {
            if page.modified {
                model.say(Grade::Info, "the edit is kept; :config comes back to it");
            }
            model.parked.config = Some(page);
        }
        Some(Page::Change(page)) => change::park(model, page),
        _ => {}
    }
}

/// Goes back to the queues.
pub(super) fn home(model: &mut Model) {
    let mut left = model.pages.split_off(1).into_iter();
    park(model, left.next());
    for page in left.filter(|page| matches!(page, Page::Change(_) | Page::Placement(_))) {
        park(model, Some(page));
    }
    model.marks.clear();
    lists::show(model);
}

/// Opens what is under the cursor.
pub fn open(model: &mut Model) {
    let next = match model.page() {
        Page::Queues(_) => subject::queue(model).map(|path| Page::Apps(AppsPage::new(Some(path)))),
        Page::Apps(_) => match subject::of(model) {
            Some(Subject::App(row)) => {
                let mut page = AppPage::new(row.id.clone(), None);
                page.row = Some(row);
                Some(Page::App(page))
            }
            _ => None,
        },
        Page::App(page) => subject::node_of_ask(page).map(|id| Page::Node(NodePage::new(id))),
        Page::Nodes(page) => page.list.rows.get(page.list.cursor.index).map(|id| Page::Node(NodePage::new(id.clone()))),
        Page::Node(page) => subject::app_of_allocation(page).map(|(app, ask)| Page::App(AppPage::new(app, Some(ask)))),
        Page::Users(page) => {
            page.list.rows.get(page.list.cursor.index).cloned().map(|account| Page::Account(AccountPage::new(account)))
        }
        Page::Account(page) => page.list.rows.get(page.list.cursor.index).map(|line| open_line(&page.account, line)),
        Page::Events(_) => return events::jump(model),
        Page::Audit(_) => return audit::jump(model),
        Page::Revisions(_) => return revisions::show(model),
        Page::Details(_) | Page::Placement(_) | Page::Config(_) | Page::Change(_) => None,
    };
    if let Some(page) = next {
        push(model, page);
    }
}

/// An application that waits, or a user's applications in a queue.
fn open_line(account: &Account, line: &AccountLine) -> Page {
    match &line.id {
        LineId::App(id) => Page::App(AppPage::new(id.clone(), None)),
        LineId::Queue(path) => {
            let mut page = AppsPage::new(Some(path.clone()));
            if account.side == Side::User {
                page.list.filter = format!("={}", account.name);
            }
            Page::Apps(page)
        }
    }
}

/// Everything about what is under the cursor.
pub fn details(model: &mut Model) {
    if let Some(subject) = subject::of(model).filter(|_| !matches!(model.page(), Page::Details(_))) {
        push(model, Page::Details(DetailsPage { subject, top: 0 }));
    }
}

/// The queue tree; with a queue, the cursor on it; with `/text`, filtered.
pub fn queues(model: &mut Model, argument: Option<&str>) {
    let (path, filter) = split_filter(argument);
    let path = match path.map(|text| find_queue(model, text)).transpose() {
        Ok(path) => path,
        Err(reason) => return model.say(Grade::Refusal, reason),
    };
    home(model);
    if let (Some(path), Page::Queues(page)) = (path, model.page_mut()) {
        tree::go_to(page, &path);
    }
    if let Some(filter) = filter {
        lists::set_filter(model, filter);
    }
    lists::show(model);
}

/// All applications, or those of a queue; with `/text`, filtered.
pub fn apps(model: &mut Model, argument: Option<&str>) {
    let (path, filter) = split_filter(argument);
    let path = match path.map(|text| find_queue(model, text)).transpose() {
        Ok(path) => path,
        Err(reason) => return model.say(Grade::Refusal, reason),
    };
    home(model);
    let page = match path {
        Some(path) => {
            if let Page::Queues(page) = model.page_mut() {
                tree::go_to(page, &path);
            }
            lists::rebuild(model, true);
            AppsPage::new(Some(path))
        }
        None => model.parked.apps.take().unwrap_or_else(|| AppsPage::new(None)),
    };
    push(model, Page::Apps(page));
    if let Some(filter) = filter {
        lists::set_filter(model, filter);
    }
}

/// The nodes.
pub fn nodes(model: &mut Model) {
    home(model);
    let page = model.parked.nodes.take().unwrap_or_default();
    push(model, Page::Nodes(page));
}

/// Users and groups.
pub fn users(model: &mut Model) {
    home(model);
    let page = model.parked.users.take().unwrap_or_default();
    push(model, Page::Users(page));
}

/// Whether the cluster's numbers agree, at this moment. Of a scheduler elsewhere only what its picture tells is checked here.
pub fn health(model: &mut Model) {
    let view = &model.cluster.view;
    let here = model.cluster.health == OwnHealth::Here;
    let health = if here { health_of(view) } else { health_of_picture(view) };
    let subject = Subject::Health(Arc::new(Checkup { at: model.cluster.at, health }));
    home(model);
    push(model, Page::Details(DetailsPage { subject, top: 0 }));
}

/// Everything about something that is found nowhere in a list.
pub fn sheet(model: &mut Model, subject: Subject) {
    home(model);
    push(model, Page::Details(DetailsPage { subject, top: 0 }));
}

/// What the cluster looked like, or a queue.
pub fn history(model: &mut Model, queue: Option<&str>) {
    let queue =
        match queue.map(str::trim).filter(|text| !text.is_empty()).map(|text| find_queue(model, text)).transpose() {
            Ok(queue) => queue,
            Err(reason) => return model.say(Grade::Refusal, reason),
        };
    let here = match subject::of(model) {
        Some(Subject::Queue(path)) if queue.is_none() && matches!(model.page(), Page::Queues(_)) => {
            (path.depth() > 1).then_some(path)
        }
        _ => None,
    };
    push(model, Page::Details(DetailsPage { subject: Subject::History(queue.or(here)), top: 0 }));
}

/// The applications that hold queues which drain.
pub fn draining(model: &mut Model) {
    home(model);
    push(model, Page::Apps(AppsPage { draining: true, ..AppsPage::new(None) }));
}

/// Goes to a user or a group.
pub fn account(model: &mut Model, side: Side, text: &str) {
    let known = model.cluster.part().is_some_and(|part| part.usage_of(side, text).is_some());
    let name = if known { Some(text.to_owned()) } else { complete::accounts(model, side, text, 1).pop() };
    match name {
        Some(name) => {
            users(model);
            push(model, Page::Account(AccountPage::new(Account { side, name: name.into() })));
        }
        None => {
            let kind = if side == Side::User { "user" } else { "group" };
            model.say(Grade::Refusal, format!("no {kind} {text} with a live application"));
        }
    }
}

/// The next page of the first row, or the one before.
pub fn step_tab(model: &mut Model, step: isize) {
    let here = match model.pages.get(1) {
        Some(Page::Apps(page)) if page.scope.is_none() && !page.draining => 1,
        Some(Page::Nodes(_)) => 2,
        Some(Page::Users(_)) => 3,
        Some(Page::Placement(_)) => 4,
        Some(Page::Config(_)) => 5,
        Some(Page::Events(_)) => 6,
        _ => 0,
    };
    match (here + step).rem_euclid(7) {
        0 => queues(model, None),
        1 => apps(model, None),
        2 => nodes(model),
        3 => users(model),
        4 => placement::open(model, None),
        5 => config::open(model),
        _ => events::open(model, None),
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

/// The queue of a full path, or the one that fits what was written best.
fn find_queue(model: &Model, text: &str) -> Result<QueuePath, String> {
    let part = model.cluster.part().ok_or("there is no queue yet")?;
    let exact = part.queue_at(&QueuePath::new(text)).map(|row| row.path.clone());
    let best = || complete::queues(model, text, 1).pop().map(|path| QueuePath::new(&path));
    exact.or_else(best).ok_or_else(|| format!("no queue {text} in partition {}", part.name))
}

/// Goes to an application.
pub fn app(model: &mut Model, text: &str) {
    let id = AppId::from(text);
    let known = model.cluster.part().is_some_and(|part| part.app_by_id(&id).is_some());
    let id = if known { Some(id) } else { complete::apps(model, text, 1).pop().map(AppId::from) };
    match id {
        Some(id) => {
            home(model);
            push(model, Page::App(AppPage::new(id, None)));
        }
        None => model.say(Grade::Refusal, format!("no application {text}")),
    }
}

/// Goes to a node.
pub fn node(model: &mut Model, text: &str) {
    let id = NodeId::from(text);
    let known = model.cluster.part().is_some_and(|part| part.nodes.contains_key(&id));
    let id = if known { Some(id) } else { complete::nodes(model, text, 1).pop().map(NodeId::from) };
    match id {
        Some(id) => {
            nodes(model);
            push(model, Page::Node(NodePage::new(id)));
        }
        None => model.say(Grade::Refusal, format!("no node {text}")),
    }
}

/// Looks at another partition, from its queues.
pub fn partition(model: &mut Model, name: &str) {
    match model.cluster.view.partitions.iter().find(|part| *part.name == *name).map(|part| part.name.clone()) {
        Some(name) => {
            model.cluster.partition = name;
            home(model);
            // The configuration is that of all partitions.
            let Parked { config, change, .. } = std::mem::take(&mut model.parked);
            model.parked = Parked { config, change, ..Parked::default() };
        }
        None => {
            let known: Vec<&str> = model.cluster.view.partitions.iter().map(|part| &*part.name).collect();
            model.say(Grade::Refusal, format!("no partition {name}; there are {}", known.join(", ")));
        }
    }
}

/// Has another scheduler opened, by the name of its context.
pub fn context(model: &mut Model, name: &str) {
    if !model.contexts.iter().any(|known| known == name) {
        let told = format!("no context {name}; there are {}", model.contexts.join(", "));
        return model.say(Grade::Refusal, told);
    }
    let lines = unsaved(model);
    if lines.is_empty() {
        return open_context(model, name);
    }
    model.layers.push(Layer::Confirm(Confirm {
        title: format!("Leave this scheduler for {name}?"),
        lines,
        accept: "Leave",
        accepting: false,
        typed: None,
        what: Question::Context(name.to_owned()),
        from: Duration::ZERO,
    }));
}

/// Has another scheduler opened; what is not applied here is given up.
pub fn open_context(model: &mut Model, name: &str) {
    model.work.push_back(Work::Context(name.to_owned()));
    model.say(Grade::Info, format!("opening {name}"));
}

/// One step back: a notice, the first note, a filter, a page. Never out.
pub fn back(model: &mut Model) {
    if model.notice.take().is_some() || model.note.take().is_some() {
        return;
    }
    if !lists::filter(model).is_empty() {
        return lists::set_filter(model, "");
    }
    if model.pages.len() > 1 {
        return pop(model);
    }
    model.toast = None;
}

/// Closes what is on top: a box, a page; at home: quits.
pub fn leave(model: &mut Model) -> Effects {
    if let Some(layer) = model.layers.last_mut() {
        match layer {
            Layer::Help(help) if !help.filter.is_empty() => help.filter.clear(),
            _ => {
                model.layers.pop();
            }
        }
        return Effects::REDRAW;
    }
    if model.pages.len() > 1 {
        pop(model);
        return Effects::REDRAW;
    }
    quit(model)
}

/// Whether something is being written or asked, or was written since an act of the person: then nothing may take its place unasked.
pub fn is_busy(model: &Model, since: u64) -> bool {
    !model.layers.is_empty() || model.turn != since && !unsaved(model).is_empty()
}

/// What is written and would be lost with this console's cluster.
fn unsaved(model: &Model) -> Vec<String> {
    let mut lines = Vec::new();
    if config::page_of(model).is_some_and(|page| page.modified) {
        lines.push("The configuration was edited and is not applied; the edit would be lost.".to_owned());
    }
    if let Some(page) = change::written(model) {
        let (form, queue) = (page.kind.title(), &page.queue);
        lines.push(format!("What is written in the form \"{form}\" on {queue} would be lost."));
    }
    lines
}

/// Quits, or asks first when something would be lost: an embedded scheduler with live applications ends with the console.
pub fn quit(model: &mut Model) -> Effects {
    let partitions = &model.cluster.newest.partitions;
    let apps: usize = partitions.iter().map(|part| part.live_apps).sum();
    let nodes: usize = partitions.iter().map(|part| part.nodes.len()).sum();
    let mut lines = Vec::new();
    if model.cluster.about.place == SourcePlace::Embedded && apps > 0 {
        let (apps, nodes) = (format::count(apps as u64, "live application"), format::count(nodes as u64, "node"));
        lines.push("The scheduler runs inside this console and ends with it:".to_owned());
        lines.push(format!("{apps} on {nodes} would be lost."));
    }
    lines.extend(unsaved(model));
    if lines.is_empty() {
        return Effects { quit: true, ..Effects::NONE };
    }
    model.layers.push(Layer::Confirm(Confirm {
        title: "Quit kornsole?".to_owned(),
        lines,
        accept: "Quit",
        accepting: false,
        typed: None,
        what: Question::Quit,
        from: Duration::ZERO,
    }));
    Effects::REDRAW
}

/// Quits at once when pressed twice.
pub fn quit_again(model: &mut Model) -> Effects {
    if model.armed.is_some_and(|until| until > model.now) {
        return Effects { quit: true, ..Effects::NONE };
    }
    model.say(Grade::Info, "once more to quit at once");
    model.armed = Some(model.now + AGAIN);
    Effects::REDRAW
}
