//! What the source is reported of the screen, so that it asks for this first.

use crate::console::state::State;
use crate::console::state::page::{Page, Subject};
use crate::source::{Focus, FocusKind};

/// What is on the screen.
pub fn of(state: &State) -> Focus {
    let partition = state.cluster.part().map(|part| part.name.clone()).unwrap_or_default();
    Focus { partition, kind: kind(state) }
}

fn kind(state: &State) -> FocusKind {
    match state.page() {
        Page::Audit(_) | Page::Revisions(_) => FocusKind::Records,
        Page::Queues(_) | Page::Placement(_) | Page::Config(_) | Page::Change(_) | Page::Events(_) => FocusKind::Queues,
        Page::Apps(page) => {
            let leaf = |path: &&crate::model::QueuePath| {
                state.cluster.part().and_then(|part| part.queue_at(path)).is_some_and(|row| row.leaf)
            };
            FocusKind::Apps(page.scope.as_ref().filter(leaf).cloned())
        }
        Page::App(page) => FocusKind::App(page.id.clone()),
        Page::Nodes(_) => FocusKind::Nodes,
        Page::Node(page) => FocusKind::Node(page.id.clone()),
        Page::Users(_) | Page::Account(_) => FocusKind::Users,
        Page::Details(page) => match &page.subject {
            Subject::Queue(_)
            | Subject::Access(_)
            | Subject::History(_)
            | Subject::Partitions
            | Subject::Info
            | Subject::Event(_) => FocusKind::Queues,
            Subject::App(row) | Subject::Why(row) => FocusKind::App(row.id.clone()),
            Subject::Health(_) => FocusKind::Health,
            Subject::Node(id) => FocusKind::Node(id.clone()),
            Subject::Account(_) => FocusKind::Users,
            Subject::Entry(_) | Subject::Revision(_) | Subject::Compare(..) => FocusKind::Records,
        },
    }
}
