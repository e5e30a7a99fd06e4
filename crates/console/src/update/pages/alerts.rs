//! The page of alerts.

use crate::state::alerts::AlertsPage;
use crate::state::{Cluster, State};
use crate::update::alerts;
use crate::update::page::PageUpdate;
use view::PartitionView;

impl PageUpdate for AlertsPage {
    fn select(&mut self, _part: &PartitionView, index: usize) {
        alerts::select(self, index);
    }

    fn rebuild(&mut self, cluster: &Cluster, _part: &PartitionView) {
        alerts::rebuild(self, cluster);
    }

    fn has_ages(&self) -> bool {
        !self.list.rows.is_empty()
    }

    fn opener(&self) -> fn(&mut State) {
        alerts::jump
    }
}
