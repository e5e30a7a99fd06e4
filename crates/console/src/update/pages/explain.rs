//! The pages that explain, and fairness.

use std::sync::Arc;

use imbl::Vector;

use crate::state::cursor::Move;
use crate::state::explain::ExplainPage;
use crate::state::page::{FairnessPage, LimitsPage};
use crate::state::{Cluster, State};
use crate::update::page::PageUpdate;
use crate::update::{explain, fairness, limits_used};
use model::Time;
use view::PartitionView;

impl PageUpdate for ExplainPage {
    fn go(&mut self, by: Move, height: usize) {
        self.index = by.from(self.index, self.lines().len(), height);
    }

    fn has_ages(&self) -> bool {
        true
    }

    fn opener(&self) -> fn(&mut State) {
        explain::jump
    }
}

impl PageUpdate for FairnessPage {
    fn select(&mut self, _part: &PartitionView, index: usize) {
        fairness::select(self, index);
    }

    fn make(&mut self, part: &PartitionView) {
        fairness::rebuild(self, &Vector::new(), Time::ZERO, part);
    }

    fn rebuild(&mut self, cluster: &Cluster, part: &PartitionView) {
        self.view = Some(Arc::clone(&cluster.view));
        fairness::rebuild(self, &cluster.view.history, cluster.view.at, part);
    }

    fn examined(&self, part: &PartitionView) -> usize {
        part.queues.len()
    }

    fn has_ages(&self) -> bool {
        !self.list.rows.is_empty()
    }

    fn opener(&self) -> fn(&mut State) {
        fairness::jump
    }
}

impl PageUpdate for LimitsPage {
    fn select(&mut self, _part: &PartitionView, index: usize) {
        limits_used::select(self, index);
    }

    fn make(&mut self, part: &PartitionView) {
        limits_used::rebuild(self, part);
    }

    fn rebuild(&mut self, cluster: &Cluster, part: &PartitionView) {
        self.view = Some(Arc::clone(&cluster.view));
        limits_used::rebuild(self, part);
    }

    fn examined(&self, part: &PartitionView) -> usize {
        part.live_apps
    }

    fn opener(&self) -> fn(&mut State) {
        limits_used::jump
    }
}
