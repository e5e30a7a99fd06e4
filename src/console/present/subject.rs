//! What is under the cursor.

use std::sync::Arc;

use crate::console::state::State;
use crate::console::state::page::{AppLine, AppPage, NodePage, Page, Subject};
use crate::console::update::{audit, revisions};
use crate::model::{AppId, AskId, NodeId, QueuePath};
use crate::view::{AppRow, AskRow, AskState, NodeAllocation, PartitionView};

/// What the row under the cursor is about; on pages of one thing, that thing.
pub fn of(state: &State) -> Option<Subject> {
    let part = state.cluster.part()?;
    match state.page() {
        Page::Queues(page) => {
            let line = page.list.rows.get(page.list.cursor.index)?;
            part.queue(line.slot).map(|row| Subject::Queue(row.path.clone()))
        }
        Page::Apps(page) => app_at(part, page.list.rows.get(page.list.cursor.index)?).map(Subject::App),
        Page::App(page) => page.row.clone().map(Subject::App),
        Page::Nodes(page) => page.list.rows.get(page.list.cursor.index).cloned().map(Subject::Node),
        Page::Node(page) => Some(Subject::Node(page.id.clone())),
        Page::Users(page) => page.list.rows.get(page.list.cursor.index).cloned().map(Subject::Account),
        Page::Account(page) => Some(Subject::Account(page.account.clone())),
        Page::Details(page) => Some(page.subject.clone()),
        Page::Audit(page) => audit::entry(page).cloned().map(Subject::Entry),
        Page::Revisions(page) => revisions::compared(page, &state.cluster.ledger),
        Page::Change(page) => Some(Subject::Queue(page.queue.clone())),
        Page::Events(page) => {
            let number = page.list.rows.get(page.list.cursor.index)?;
            state.cluster.events.get(*number).cloned().map(Subject::Event)
        }
        Page::Placement(_) | Page::Config(_) => None,
    }
}

/// The application of a row of the applications; `None` when it ended a moment ago.
pub fn app_at(part: &PartitionView, line: &AppLine) -> Option<Arc<AppRow>> {
    match line {
        AppLine::Live(slot, id) => part.app(*slot).filter(|row| row.id == *id).cloned(),
        AppLine::Ended(row) => Some(Arc::clone(row)),
    }
}

/// The queue under the cursor, or the one that the page is about.
pub fn queue(state: &State) -> Option<QueuePath> {
    match of(state)? {
        Subject::Node(_)
        | Subject::Account(_)
        | Subject::Health(_)
        | Subject::Partitions
        | Subject::Info
        | Subject::Event(_) => None,
        Subject::Entry(_) | Subject::Revision(_) | Subject::Compare(..) => None,
        Subject::History(path) => path,
        Subject::Queue(path) | Subject::Access(path) => Some(path),
        Subject::App(row) | Subject::Why(row) => Some(row.queue.clone()),
    }
}

/// The ask under the cursor of an application's page.
pub fn ask(page: &AppPage) -> Option<&Arc<AskRow>> {
    page.row.as_ref()?.asks.get(page.list.rows.get(page.list.cursor.index)?)
}

/// The node of the ask under the cursor: where it runs, or the one that is kept for it.
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

/// Whose the allocation under the cursor of a node's page is.
pub fn app_of_allocation(page: &NodePage) -> Option<(AppId, AskId)> {
    allocation(page).map(|allocation| (allocation.app.clone(), allocation.ask.clone()))
}
