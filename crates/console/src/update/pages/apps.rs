//! The pages of applications, and of one.

use std::sync::Arc;

use super::changed::{facets, row, usage};
use crate::present::subject;
use crate::state::marks::{Facet, Marked};
use crate::state::page::{AppLine, AppPage, AppsPage, NodePage, Page, Subject};
use crate::state::{Cluster, State};
use crate::update::apps;
use crate::update::page::{Mark, PageUpdate};
use crate::update::stack::push;
use view::{AppRow, AskRow, PartitionView};

impl PageUpdate for AppsPage {
    fn select(&mut self, _part: &PartitionView, index: usize) {
        apps::select(self, index);
    }

    fn make(&mut self, part: &PartitionView) {
        apps::rebuild(self, part);
    }

    fn find_cursor(&mut self) {
        apps::find_cursor(self);
    }

    fn examined(&self, part: &PartitionView) -> usize {
        let ended = if self.ended { part.ended.len() } else { 0 };
        let live = match &self.scope {
            Some(path) => part.queue_at(path).map_or(0, |row| usize::try_from(row.app_count).unwrap_or(usize::MAX)),
            None => part.live_apps,
        };
        live.saturating_add(ended)
    }

    fn generation(&self, cluster: &Cluster, part: &PartitionView) -> u64 {
        if self.list.live() || self.draining { cluster.view.generation } else { part.app_generation }
    }

    fn has_ages(&self) -> bool {
        !self.list.rows.is_empty()
    }

    fn mark_changes(&self, old: &PartitionView, new: &PartitionView, height: usize, mark: &mut Mark<'_>) {
        for line in &self.list.rows[self.list.cursor.visible(self.list.rows.len(), height)] {
            if let AppLine::Live(slot, _) = line
                && let Some((old, new)) = row(old.app(*slot), new.app(*slot))
                && old.id == new.id
            {
                mark(Marked::App(new.id.clone()), changes(old, new));
            }
        }
    }

    fn opener(&self) -> fn(&mut State) {
        |state| {
            if let Some(Subject::App(row)) = subject::of(state) {
                let mut page = AppPage::new(row.id.clone(), None);
                page.row = Some(row);
                push(state, Page::App(page));
            }
        }
    }

    fn park(self, state: &mut State) {
        if self.scope.is_none() && !self.draining {
            state.parked.apps = Some(self);
        }
    }
}

fn changes(old: &AppRow, new: &AppRow) -> Vec<Facet> {
    let own = [
        (Facet::State, old.state != new.state),
        (Facet::Priority, old.priority != new.priority),
        (Facet::Pending, old.pending_asks != new.pending_asks),
    ];
    facets(own.into_iter().chain(usage(&old.allocated, &new.allocated)))
}

impl PageUpdate for AppPage {
    fn select(&mut self, _part: &PartitionView, index: usize) {
        apps::select_ask(self, index);
    }

    fn resolve(&mut self, part: &PartitionView, opened: bool) {
        apps::resolve(self, part, opened);
    }

    fn make(&mut self, part: &PartitionView) {
        apps::rebuild_asks(self, part);
    }

    fn has_ages(&self) -> bool {
        self.row.as_ref().is_some_and(|row| !row.state.is_ended())
    }

    fn mark_changes(&self, _old: &PartitionView, new: &PartitionView, height: usize, mark: &mut Mark<'_>) {
        let live = |row: &Arc<AppRow>| new.app(row.slot).filter(|new| new.id == row.id);
        let Some((old, new)) = self.row.as_ref().and_then(|row| Some((row, live(row)?))) else { return };
        for key in &self.list.rows[self.list.cursor.visible(self.list.rows.len(), height)] {
            if let Some((old, new)) = row(old.asks.get(key), new.asks.get(key)) {
                mark(Marked::Ask(self.id.clone(), new.id.clone()), ask_changes(old, new));
            }
        }
    }

    fn opener(&self) -> fn(&mut State) {
        |state| {
            if let Page::App(page) = state.page()
                && let Some(id) = subject::node_of_ask(page)
            {
                push(state, Page::Node(NodePage::new(id)));
            }
        }
    }
}

fn ask_changes(old: &AskRow, new: &AskRow) -> Vec<Facet> {
    facets([(Facet::State, old.state != new.state), (Facet::Priority, old.priority != new.priority)])
}
