//! The queue tree.

use super::changed::{facets, row, usage};
use crate::present::subject;
use crate::state::marks::{Facet, Marked};
use crate::state::page::{AppsPage, Page, QueuesPage};
use crate::state::{Cluster, State};
use crate::update::page::{Mark, PageUpdate};
use crate::update::queues;
use crate::update::stack::push;
use view::{PartitionView, QueueRow};

impl PageUpdate for QueuesPage {
    fn select(&mut self, part: &PartitionView, index: usize) {
        queues::select(self, part, index);
    }

    fn make(&mut self, part: &PartitionView) {
        queues::rebuild(self, part);
    }

    fn generation(&self, cluster: &Cluster, part: &PartitionView) -> u64 {
        if self.list.live() { cluster.view.generation } else { part.tree_generation }
    }

    /// Outdated rows would name removed queues.
    fn at_once(&self) -> bool {
        true
    }

    fn has_ages(&self) -> bool {
        self.draining > 0
    }

    fn mark_changes(&self, old: &PartitionView, new: &PartitionView, height: usize, mark: &mut Mark<'_>) {
        for line in &self.list.rows[self.list.cursor.visible(self.list.rows.len(), height)] {
            if let Some((old, new)) = row(old.queue(line.slot), new.queue(line.slot))
                && old.path == new.path
            {
                mark(Marked::Queue(new.path.clone()), changes(old, new));
            }
        }
    }

    fn opener(&self) -> fn(&mut State) {
        |state| {
            if let Some(path) = subject::queue(state) {
                push(state, Page::Apps(AppsPage::new(Some(path))));
            }
        }
    }
}

fn changes(old: &QueueRow, new: &QueueRow) -> Vec<Facet> {
    let own = [
        (Facet::State, old.state != new.state),
        (Facet::Priority, old.priority.current != new.priority.current),
        (Facet::Apps, old.running != new.running || old.max_running != new.max_running),
        (Facet::Pending, old.pending != new.pending),
    ];
    facets(own.into_iter().chain(usage(&old.allocated, &new.allocated)))
}
