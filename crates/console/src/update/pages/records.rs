//! The pages of events, audit, and revisions.

use crate::state::page::{AuditPage, EventsPage, RevisionsPage};
use crate::state::{Cluster, State};
use crate::update::page::PageUpdate;
use crate::update::{audit, events, revisions};
use view::PartitionView;

impl PageUpdate for EventsPage {
    fn select(&mut self, _part: &PartitionView, index: usize) {
        events::select(self, index);
    }

    fn rebuild(&mut self, cluster: &Cluster, _part: &PartitionView) {
        events::rebuild(self, cluster);
    }

    fn generation(&self, cluster: &Cluster, _part: &PartitionView) -> u64 {
        cluster.events.generation
    }

    fn opener(&self) -> fn(&mut State) {
        events::jump
    }

    fn park(self, state: &mut State) {
        if self.about.is_none() {
            state.parked.events = Some(self);
        }
    }
}

impl PageUpdate for AuditPage {
    fn select(&mut self, _part: &PartitionView, index: usize) {
        audit::select(self, index);
    }

    fn rebuild(&mut self, cluster: &Cluster, _part: &PartitionView) {
        audit::rebuild(self, &cluster.ledger, cluster.until(), cluster.past.live);
    }

    fn generation(&self, cluster: &Cluster, _part: &PartitionView) -> u64 {
        cluster.ledger.generation()
    }

    fn opener(&self) -> fn(&mut State) {
        audit::jump
    }

    fn park(self, state: &mut State) {
        state.parked.audit = Some(self);
    }
}

impl PageUpdate for RevisionsPage {
    fn select(&mut self, _part: &PartitionView, index: usize) {
        revisions::select(self, index);
    }

    fn rebuild(&mut self, cluster: &Cluster, _part: &PartitionView) {
        revisions::rebuild(self, &cluster.ledger, cluster.until(), cluster.past.live);
    }

    fn generation(&self, cluster: &Cluster, _part: &PartitionView) -> u64 {
        cluster.ledger.generation()
    }

    fn opener(&self) -> fn(&mut State) {
        revisions::show
    }

    fn park(self, state: &mut State) {
        state.parked.revisions = Some(self);
    }
}
