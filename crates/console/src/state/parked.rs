//! Pages that were left, with their state.

use crate::state::change::ChangePage;
use crate::state::config::ConfigPage;
use crate::state::page::{AppsPage, AuditPage, EventsPage, NodesPage, RevisionsPage, UsersPage};
use crate::state::placement::PlacementPage;
use crate::state::simulate::SimulatePage;

/// Pages of the first row that were left.
#[derive(Clone, Debug, Default)]
pub struct Parked {
    /// The applications of the whole partition.
    pub apps: Option<AppsPage>,
    /// The nodes, with the form that was shown.
    pub nodes: Option<NodesPage>,
    /// Users and groups.
    pub users: Option<UsersPage>,
    /// Placement, with what was written there.
    pub placement: Option<Box<PlacementPage>>,
    /// The events, with what they were narrowed to.
    pub events: Option<EventsPage>,
    /// The configuration, with what is edited there.
    pub config: Option<Box<ConfigPage>>,
    /// The audit, with what it was narrowed to.
    pub audit: Option<AuditPage>,
    /// The history of configurations.
    pub revisions: Option<RevisionsPage>,
    /// The simulation that was requested last.
    pub simulate: Option<Box<SimulatePage>>,
    /// The form on a queue that was left last with something written in it.
    pub change: Option<Box<ChangePage>>,
}
