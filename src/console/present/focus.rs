//! What the source is told of the screen, so that it asks for this first.

use crate::console::state::State;
use crate::console::state::page::{Page, Subject};
use crate::source::{Glance, Sight};

/// What is on the screen.
pub fn of(state: &State) -> Glance {
    let partition = state.cluster.part().map(|part| part.name.clone()).unwrap_or_default();
    Glance { partition, sight: sight(state) }
}

fn sight(state: &State) -> Sight {
    match state.page() {
        Page::Audit(_) | Page::Revisions(_) => Sight::Records,
        Page::Queues(_) | Page::Placement(_) | Page::Config(_) | Page::Change(_) | Page::Events(_) => Sight::Queues,
        Page::Apps(page) => {
            let leaf = |path: &&crate::model::QueuePath| {
                state.cluster.part().and_then(|part| part.queue_at(path)).is_some_and(|row| row.leaf)
            };
            Sight::Apps(page.scope.as_ref().filter(leaf).cloned())
        }
        Page::App(page) => Sight::App(page.id.clone()),
        Page::Nodes(_) => Sight::Nodes,
        Page::Node(page) => Sight::Node(page.id.clone()),
        Page::Users(_) | Page::Account(_) => Sight::Users,
        Page::Details(page) => match &page.subject {
            Subject::Queue(_)
            | Subject::Access(_)
            | Subject::History(_)
            | Subject::Partitions
            | Subject::Info
            | Subject::Event(_) => Sight::Queues,
            Subject::App(row) | Subject::Why(row) => Sight::App(row.id.clone()),
            Subject::Health(_) => Sight::Health,
            Subject::Node(id) => Sight::Node(id.clone()),
            Subject::Account(_) => Sight::Users,
            Subject::Entry(_) | Subject::Revision(_) | Subject::Compare(..) => Sight::Records,
        },
    }
}
