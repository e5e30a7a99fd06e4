//! The pages of nodes, and of one.

use super::changed::{facets, row, usage};
use crate::present::subject;
use crate::state::State;
use crate::state::marks::{Facet, Marked};
use crate::state::page::{AppPage, NodePage, NodesPage, Page, Subject};
use crate::update::nodes;
use crate::update::page::{Mark, PageUpdate};
use crate::update::stack::push;
use view::{NodeRow, PartitionView};

impl PageUpdate for NodesPage {
    fn select(&mut self, _part: &PartitionView, index: usize) {
        nodes::select(self, index);
    }

    fn make(&mut self, part: &PartitionView) {
        nodes::rebuild(self, part);
    }

    fn mark_changes(&self, old: &PartitionView, new: &PartitionView, height: usize, mark: &mut Mark<'_>) {
        for id in &self.list.rows[self.list.cursor.visible(self.list.rows.len(), height)] {
            if let Some((old, new)) = row(old.nodes.get(id), new.nodes.get(id)) {
                mark(Marked::Node(id.clone()), changes(old, new));
            }
        }
    }

    fn opener(&self) -> fn(&mut State) {
        |state| {
            if let Some(Subject::Node(id)) = subject::of(state) {
                push(state, Page::Node(NodePage::new(id)));
            }
        }
    }

    fn park(self, state: &mut State) {
        state.parked.nodes = Some(self);
    }
}

fn changes(old: &NodeRow, new: &NodeRow) -> Vec<Facet> {
    let own =
        [(Facet::State, old.is_open() != new.is_open()), (Facet::Apps, old.allocations.len() != new.allocations.len())];
    facets(own.into_iter().chain(usage(&old.allocated, &new.allocated)))
}

impl PageUpdate for NodePage {
    fn select(&mut self, _part: &PartitionView, index: usize) {
        nodes::select_allocation(self, index);
    }

    fn resolve(&mut self, part: &PartitionView, _opened: bool) {
        nodes::resolve(self, part);
    }

    fn make(&mut self, _part: &PartitionView) {
        nodes::rebuild_allocations(self);
    }

    fn has_ages(&self) -> bool {
        !self.list.rows.is_empty()
    }

    fn opener(&self) -> fn(&mut State) {
        |state| {
            if let Page::Node(page) = state.page()
                && let Some((app, ask)) = subject::app_of_allocation(page)
            {
                push(state, Page::App(AppPage::new(app, Some(ask))));
            }
        }
    }
}
