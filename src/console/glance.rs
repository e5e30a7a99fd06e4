//! What the source is told of the screen, so that it asks for this first.

use super::model::Model;
use super::model::page::{Page, Subject};
use crate::source::{Glance, Sight};

/// What is on the screen.
pub fn of(model: &Model) -> Glance {
    let partition = model.cluster.part().map(|part| part.name.clone()).unwrap_or_default();
    Glance { partition, sight: sight(model) }
}

fn sight(model: &Model) -> Sight {
    match model.page() {
        Page::Audit(_) | Page::Revisions(_) => Sight::Records,
        Page::Queues(_) | Page::Placement(_) | Page::Config(_) | Page::Change(_) | Page::Events(_) => Sight::Queues,
        Page::Apps(page) => {
            let leaf = |path: &&crate::model::QueuePath| {
                model.cluster.part().and_then(|part| part.queue_at(path)).is_some_and(|row| row.leaf)
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
