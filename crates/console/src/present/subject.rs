//! The subject under the cursor.

use std::sync::Arc;

use crate::present::page::Present;
use crate::state::State;
use crate::state::page::{AppLine, AppPage, AuditPage, NodePage, Page, QueueLine, RevisionsPage, Subject, each_page};
use crate::state::records::Ledger;
use model::{AppId, AskId, NodeId, QueuePath};
use view::audit::{AuditEntry, Revision};
use view::{AppRow, AskRow, AskState, NodeAllocation, PartitionView};

/// The subject of the selected row or the page.
pub fn of(state: &State) -> Option<Subject> {
    let part = state.cluster.part()?;
    each_page!(state.page(), page => page.subject(state, part))
}

/// `None` if it just ended.
pub fn app_at(part: &PartitionView, line: &AppLine) -> Option<Arc<AppRow>> {
    match line {
        AppLine::Live(slot, id) => part.app(*slot).filter(|row| row.id == *id).cloned(),
        AppLine::Ended(row) => Some(Arc::clone(row)),
    }
}

/// The queue under the cursor, or of the page.
pub fn queue(state: &State) -> Option<QueuePath> {
    match of(state)? {
        Subject::Node(_)
        | Subject::Account(_)
        | Subject::Health(_)
        | Subject::Partitions
        | Subject::Info
        | Subject::Sides
        | Subject::Simulated(_)
        | Subject::Event(_) => None,
        Subject::Entry(_) | Subject::Revision(_) | Subject::Compare(..) => None,
        Subject::History(path) => path,
        Subject::Queue(path) | Subject::Access(path) => Some(path),
        Subject::App(row) | Subject::Why(row) => Some(row.queue.clone()),
    }
}

/// The request under the cursor.
pub fn ask(page: &AppPage) -> Option<&Arc<AskRow>> {
    page.row.as_ref()?.asks.get(page.list.rows.get(page.list.cursor.index)?)
}

/// Its allocation or reservation.
pub fn node_of_ask(page: &AppPage) -> Option<NodeId> {
    match &ask(page)?.state {
        AskState::Allocated { node, .. } => Some(node.clone()),
        AskState::Pending { reserved, .. } => reserved.clone(),
    }
}

/// The allocation under the cursor of a node's page.
pub fn allocation(page: &NodePage) -> Option<&NodeAllocation> {
    page.row.as_ref()?.allocations.get(page.list.rows.get(page.list.cursor.index)?)
}

/// The owner of the allocation under the cursor.
pub fn app_of_allocation(page: &NodePage) -> Option<(AppId, AskId)> {
    allocation(page).map(|allocation| (allocation.app.clone(), allocation.ask.clone()))
}

/// The entry under the cursor.
pub fn entry(page: &AuditPage) -> Option<&Arc<AuditEntry>> {
    page.list.rows.get(page.list.cursor.index)
}

/// The revision under the cursor.
pub fn revision(page: &RevisionsPage) -> Option<&Arc<Revision>> {
    page.list.rows.get(page.list.cursor.index)
}

/// The marked or previous one, and the selected one.
pub fn compared(page: &RevisionsPage, ledger: &Ledger) -> Option<Subject> {
    let new = revision(page)?.number;
    let before = ledger.revisions().iter().map(|one| one.number).filter(|number| *number < new).max();
    Some(match page.marked.filter(|marked| *marked != new).or(before) {
        Some(old) => Subject::Compare(old, new),
        None => Subject::Revision(new),
    })
}

/// The row under the cursor of the queue tree.
pub fn line_at_cursor(state: &State) -> Option<QueueLine> {
    match state.page() {
        Page::Queues(page) => page.list.rows.get(page.list.cursor.index).copied(),
        _ => None,
    }
}

/// The name of the subject under the cursor.
pub fn name(state: &State) -> Option<String> {
    match of(state)? {
        Subject::Queue(path) | Subject::Access(path) | Subject::History(Some(path)) => Some(path.to_string()),
        Subject::App(row) | Subject::Why(row) => match state.page() {
            Page::App(page) => ask(page).map(|ask| ask.name().into_owned()),
            _ => Some(row.id.to_string()),
        },
        Subject::Node(id) => match state.page() {
            Page::Node(page) => allocation(page).map(|allocation| allocation.name().to_owned()),
            _ => Some(id.to_string()),
        },
        Subject::Account(account) => Some(account.name.to_string()),
        Subject::Event(record) => Some(record.object.to_string()),
        Subject::Health(_) | Subject::History(None) | Subject::Partitions | Subject::Info | Subject::Sides => None,
        Subject::Entry(entry) => Some(entry.object.clone()),
        Subject::Simulated(run) => Some(run.name.clone()),
        Subject::Revision(number) | Subject::Compare(_, number) => Some(number.to_string()),
    }
}

/// Whether it exists. A long list is searched only if `opened`.
pub fn is_listed(part: &PartitionView, id: &AppId, opened: bool, long: usize) -> bool {
    (!opened && part.live_apps > long) || part.app_by_id(id).is_some()
}
