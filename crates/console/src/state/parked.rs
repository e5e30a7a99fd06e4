//! Closed pages with their state.

use crate::state::change::ChangePage;
use crate::state::config::ConfigPage;
use crate::state::page::{AppsPage, AuditPage, EventsPage, NodesPage, RevisionsPage, UsersPage};
use crate::state::placement::PlacementPage;
use crate::state::simulate::SimulatePage;

/// Closed top-level pages.
#[derive(Clone, Debug, Default)]
pub struct Parked {
    /// The applications of the partition.
    pub apps: Option<AppsPage>,
    /// The nodes, as list or map.
    pub nodes: Option<NodesPage>,
    /// Users and groups.
    pub users: Option<UsersPage>,
    /// Placement, with its input.
    pub placement: Option<Box<PlacementPage>>,
    /// The events, with their filter.
    pub events: Option<EventsPage>,
    /// The configuration, with its edit.
    pub config: Option<Box<ConfigPage>>,
    /// The audit, with its filter.
    pub audit: Option<AuditPage>,
    /// The history of configurations.
    pub revisions: Option<RevisionsPage>,
    /// The last simulation.
    pub simulate: Option<Box<SimulatePage>>,
    /// Left with input.
    pub change: Option<Box<ChangePage>>,
}
