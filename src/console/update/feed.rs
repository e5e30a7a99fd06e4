//! News of the cluster and the passing of time.

use std::sync::Arc;
use std::time::Duration;

use super::super::action::{Effects, Feed};
use super::super::layout;
use super::super::model::marks::{Facet, Marked};
use super::super::model::page::{AppLine, Page, Subject};
use super::super::model::{Grade, Model};
use super::super::work::{Forgotten, Work};
use super::{attempt, change, config, lists, notices};
use crate::model::VCORE;
use crate::view::{AppRow, AskRow, NodeRow, PartitionView, QueueRow, View};

/// Takes news. While the picture is frozen they are kept for later.
pub fn take(model: &mut Model, news: Feed) -> Effects {
    let other = model.cluster.estimates != news.estimates;
    let relinked = model.cluster.link != news.link || news.identity.is_some() || other;
    model.cluster.estimates = news.estimates;
    let asked = matches!(model.page(), Page::Details(page) if matches!(page.subject, Subject::Health(_)));
    let relinked = relinked || asked && model.cluster.health != news.health;
    model.cluster.health = news.health;
    model.cluster.link = news.link;
    model.cluster.actor = news.actor;
    if let Some(identity) = news.identity {
        model.cluster.identity = identity;
    }
    model.cluster.newest = news.view;
    let present = &mut model.cluster;
    present.past.live = news.at.max(present.newest.at);
    present.past.see(&present.newest, news.next_event);
    let gone = present.past.take_gone();
    if !gone.is_empty() {
        model.work.push_back(Work::Forget(Forgotten::of(gone)));
    }
    let told = notices::take(model);
    config::follow(model);
    change::due(model);
    if model.cluster.frozen.is_some() || model.cluster.past.shown.is_some() {
        return if relinked || told { Effects::REDRAW } else { Effects::NONE };
    }
    let second = model.cluster.at.as_millis() / 1000;
    model.cluster.at = news.at.max(model.cluster.newest.at);
    let aged = second != model.cluster.at.as_millis() / 1000 && ages_on_screen(model);
    let changed = show_newest(model, true);
    if relinked || told || aged || changed { Effects::REDRAW } else { Effects::NONE }
}

/// Puts the newest view on the screen. Whether it is another one.
pub(super) fn show_newest(model: &mut Model, mark: bool) -> bool {
    if Arc::ptr_eq(&model.cluster.view, &model.cluster.newest) {
        return false;
    }
    let before = std::mem::replace(&mut model.cluster.view, Arc::clone(&model.cluster.newest));
    if model.cluster.partition.is_empty()
        && let Some(first) = model.cluster.view.partitions.first()
    {
        model.cluster.partition = Arc::clone(&first.name);
    }
    if mark && model.options.mark_changes {
        mark_changes(model, &before);
    }
    lists::rebuild(model, false);
    true
}

/// Lets time go on: what fades fades, and lists that are due are made anew.
pub fn clock(model: &mut Model, now: Duration) -> Effects {
    let before = model.now;
    model.now = model.now.max(now);
    let now = model.now;
    let mut redraw = model.marks.expire(now) | notices::fade(model);
    if model.toast.as_ref().is_some_and(|toast| toast.until <= now) {
        model.toast = None;
        redraw = true;
    }
    if model.note.as_ref().is_some_and(|note| note.until <= now) {
        model.note = None;
        redraw = true;
    }
    model.armed = model.armed.filter(|until| *until > now);
    let stands = model.cluster.frozen.is_some() || model.cluster.past.shown.is_some();
    if stands && before.as_secs() != now.as_secs() {
        redraw = true;
    }
    config::due(model);
    change::due(model);
    attempt::due(model);
    if lists::next_rebuild(model).is_some_and(|due| due <= now) {
        lists::rebuild(model, false);
        redraw = true;
    }
    if redraw { Effects::REDRAW } else { Effects::NONE }
}

/// When the console wants to be told the time again, on its own clock; `None` when nothing on the screen depends on time.
pub fn next_wake(model: &Model) -> Option<Duration> {
    let stands = model.cluster.frozen.is_some() || model.cluster.past.shown.is_some();
    let second =
        (ages_on_screen(model) || stands || !model.cluster.link.is_live()).then(|| model.now + Duration::from_secs(1));
    [
        second,
        model.marks.next_end(model.now),
        model.toast.as_ref().map(|toast| toast.until),
        model.notice.as_ref().and_then(|shown| shown.until),
        model.note.as_ref().map(|note| note.until),
        lists::next_rebuild(model),
        config::next_due(model),
        change::next_due(model),
        attempt::next_due(model),
    ]
    .into_iter()
    .flatten()
    .min()
}

/// Whether something on the screen says how long it has been so.
fn ages_on_screen(model: &Model) -> bool {
    match model.page() {
        Page::Queues(page) => page.draining > 0,
        Page::Apps(page) => !page.list.rows.is_empty(),
        Page::App(page) => page.row.as_ref().is_some_and(|row| !row.state.is_ended()),
        Page::Node(page) => !page.list.rows.is_empty(),
        Page::Nodes(_)
        | Page::Users(_)
        | Page::Account(_)
        | Page::Placement(_)
        | Page::Config(_)
        | Page::Change(_)
        | Page::Events(_)
        | Page::Audit(_)
        | Page::Revisions(_) => false,
        Page::Details(page) => {
            !matches!(page.subject, Subject::Access(_) | Subject::Health(_) | Subject::Entry(_))
                && !matches!(page.subject, Subject::Revision(_) | Subject::Compare(..))
        }
    }
}

/// Freezes the picture, or takes up the newest view again.
pub fn toggle_freeze(model: &mut Model) {
    if model.cluster.past.shown.is_some() {
        return model.say(Grade::Refusal, "the past stands as it is; :live returns to the present");
    }
    if model.cluster.frozen.take().is_some() {
        model.cluster.at = model.cluster.at.max(model.cluster.newest.at);
        show_newest(model, false);
        model.marks.clear();
    } else {
        model.cluster.frozen = Some(model.now);
    }
}

/// Marks changed cells from now on, or stops doing so.
pub fn toggle_marks(model: &mut Model) {
    model.options.mark_changes = !model.options.mark_changes;
    model.marks.clear();
    model.say(
        Grade::Info,
        if model.options.mark_changes { "changed cells are marked" } else { "changed cells are not marked" },
    );
}

/// Marks what differs between two views in the rows on the screen.
fn mark_changes(model: &mut Model, before: &View) {
    let height = layout::rows_on_screen(model);
    let Model { pages, cluster, marks, now, .. } = model;
    let Some(new) = cluster.part() else { return };
    let Some(old) = before.partitions.iter().find(|part| part.name == new.name) else { return };
    let mut mark = |row: Marked, facets: Vec<Facet>| marks.add(row, facets, *now);
    match pages.last() {
        Some(Page::Queues(page)) => {
            for line in &page.list.rows[page.list.cursor.visible(page.list.rows.len(), height)] {
                if let Some((old, new)) = changed_row(old.queue(line.slot), new.queue(line.slot))
                    && old.path == new.path
                {
                    mark(Marked::Queue(new.path.clone()), queue_facets(old, new));
                }
            }
        }
        Some(Page::Apps(page)) => {
            for line in &page.list.rows[page.list.cursor.visible(page.list.rows.len(), height)] {
                if let AppLine::Live(slot, _) = line
                    && let Some((old, new)) = changed_row(old.app(*slot), new.app(*slot))
                    && old.id == new.id
                {
                    mark(Marked::App(new.id.clone()), app_facets(old, new));
                }
            }
        }
        Some(Page::Nodes(page)) => {
            for id in &page.list.rows[page.list.cursor.visible(page.list.rows.len(), height)] {
                if let Some((old, new)) = changed_row(old.nodes.get(id), new.nodes.get(id)) {
                    mark(Marked::Node(id.clone()), node_facets(old, new));
                }
            }
        }
        Some(Page::App(page)) => {
            let Some((old, new)) = page.row.as_ref().zip(page.row.as_ref().and_then(|row| live(new, row))) else {
                return;
            };
            for key in &page.list.rows[page.list.cursor.visible(page.list.rows.len(), height)] {
                if let Some((old, new)) = changed_row(old.asks.get(key), new.asks.get(key)) {
                    mark(Marked::Ask(page.id.clone(), new.id.clone()), ask_facets(old, new));
                }
            }
        }
        _ => {}
    }
}

/// The application's row in a newer view.
fn live<'a>(part: &'a PartitionView, row: &AppRow) -> Option<&'a Arc<AppRow>> {
    part.app(row.slot).filter(|new| new.id == row.id)
}

fn changed_row<'a, T>(old: Option<&'a Arc<T>>, new: Option<&'a Arc<T>>) -> Option<(&'a T, &'a T)> {
    let (old, new) = (old?, new?);
    (!Arc::ptr_eq(old, new)).then_some((old, new))
}

fn facets(changes: impl IntoIterator<Item = (Facet, bool)>) -> Vec<Facet> {
    changes.into_iter().filter(|(_, changed)| *changed).map(|(facet, _)| facet).collect()
}

fn queue_facets(old: &QueueRow, new: &QueueRow) -> Vec<Facet> {
    facets([
        (Facet::State, old.state != new.state),
        (Facet::Priority, old.priority.current != new.priority.current),
        (Facet::Apps, old.running != new.running || old.max_running != new.max_running),
        (Facet::Pending, old.pending != new.pending),
        (Facet::Cpu, old.allocated.get(VCORE) != new.allocated.get(VCORE)),
        (Facet::Memory, old.allocated.get(crate::model::MEMORY) != new.allocated.get(crate::model::MEMORY)),
    ])
}

fn app_facets(old: &AppRow, new: &AppRow) -> Vec<Facet> {
    facets([
        (Facet::State, old.state != new.state),
        (Facet::Priority, old.priority != new.priority),
        (Facet::Pending, old.pending_asks != new.pending_asks),
        (Facet::Cpu, old.allocated.get(VCORE) != new.allocated.get(VCORE)),
        (Facet::Memory, old.allocated.get(crate::model::MEMORY) != new.allocated.get(crate::model::MEMORY)),
    ])
}

fn node_facets(old: &NodeRow, new: &NodeRow) -> Vec<Facet> {
    facets([
        (Facet::State, old.schedulable != new.schedulable),
        (Facet::Apps, old.allocations.len() != new.allocations.len()),
        (Facet::Cpu, old.allocated.get(VCORE) != new.allocated.get(VCORE)),
        (Facet::Memory, old.allocated.get(crate::model::MEMORY) != new.allocated.get(crate::model::MEMORY)),
    ])
}

fn ask_facets(old: &AskRow, new: &AskRow) -> Vec<Facet> {
    facets([(Facet::State, old.state != new.state), (Facet::Priority, old.priority != new.priority)])
}
