//! The table of pages, and their state. Rows are references; drawing reads the values from the view.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::state::alerts::AlertsPage;
use crate::state::change::ChangePage;
use crate::state::clusters::ClustersPage;
use crate::state::column::{
    AllocationColumn, AppColumn, AskColumn, AuditColumn, LevelColumn, NodeColumn, QueueColumn, RevisionColumn,
    UserColumn,
};
use crate::state::command::Context;
use crate::state::config::ConfigPage;
use crate::state::contexts::ContextsPage;
use crate::state::cursor::Cursor;
use crate::state::explain::ExplainPage;
use crate::state::job::JobPage;
use crate::state::page_table::pages;
use crate::state::placement::PlacementPage;
use crate::state::pod::PodPage;
use crate::state::shadow::ShadowPage;
use crate::state::simulate::SimulatePage;
use crate::state::trends::TrendsPage;
use crate::state::usage::UsagePage;
use model::{AppId, AskId, NodeId, QueuePath};
use view::audit::{AuditEntry, Revision};
use view::overview::WaitingNow;
use view::simulation::SimulatedRun;
use view::{AppRow, AppSlot, NodeRow, QueueSlot, Record, Side, UsageRow};

pub use super::events_page::EventsPage;
pub use super::explain::{Checkup, FairnessPage, LimitsPage};
pub use super::listing::{List, Listing, Stamp};
pub use super::page_table::{Body, PageRow, Pane};

pages! { $
    /// The queue tree.
    Queues(QueuesPage) { "Queues", List, Pane::Below(14), [Queues, List, Page, Always] }
    /// Applications of a subtree or the partition.
    Apps(AppsPage) { "Applications", List, Pane::Below(10), [Apps, List, Page, Always] }
    /// Usage, processes, and output.
    Job(JobPage) { "", Text, Pane::Nowhere, [Job, Page, Always] }
    /// Schedulers that can be opened.
    Contexts(ContextsPage) { "Contexts", Text, Pane::Nowhere, [Contexts, Page, Always] }
    /// A pod: its data, a log, its YAML.
    Pod(Box<PodPage>) { "", Text, Pane::Nowhere, [Pod, Page, Always] }
    /// One application with its requests and allocations.
    App(AppPage) { "", List, Pane::OfOne(10), [App, List, Page, Always] }
    /// A list or a map.
    Nodes(NodesPage) { "Nodes", List, Pane::Below(8), [Nodes, List, Page, Always] }
    /// One node with its allocations.
    Node(NodePage) { "", List, Pane::OfOne(8), [Node, List, Page, Always] }
    /// Users and groups.
    Users(UsersPage) { "Users & groups", List, Pane::Below(10), [Users, List, Page, Always] }
    /// One user or group.
    Account(AccountPage) { "", List, Pane::OfOne(10), [Account, List, Page, Always] }
    /// All details of one object.
    Details(DetailsPage) { "", Text, Pane::Nowhere, [Details, Page, Always] }
    /// Why something waits, or why something happened.
    Explain(Box<ExplainPage>) { "", Text, Pane::Nowhere, [Explain, Page, Always] }
    /// Usage of queues compared with guaranteed resources.
    Fairness(FairnessPage) { "Fairness", List, Pane::Nowhere, [Fairness, List, Page, Always] }
    /// What is alerted about.
    Alerts(AlertsPage) { "Alerts", List, Pane::Nowhere, [Alerts, List, Page, Always] }
    /// Usage of users and groups compared with limits.
    Limits(LimitsPage) { "Limits", List, Pane::Nowhere, [Fairness, List, Page, Always] }
    /// The test of placement rules.
    Placement(Box<PlacementPage>) { "Placement", Form, Pane::Nowhere, [Placement, Page, Always] }
    /// The configuration and its errors.
    Config(Box<ConfigPage>) { "Configuration", Config, Pane::SideText, [Config, Page, Always] }
    /// A form on a queue.
    Change(Box<ChangePage>) { "", Form, Pane::Nowhere, [Change, Page, Always] }
    /// The events, the newest first.
    Events(EventsPage) { "Events", List, Pane::Nowhere, [Events, List, Page, Always] }
    /// Who did what.
    Audit(AuditPage) { "Audit", List, Pane::Below(14), [Audit, List, Page, Always] }
    /// Runs of a workload.
    Simulate(Box<SimulatePage>) { "Simulation", List, Pane::Below(14), [Simulate, List, Page, Always] }
    /// Usage over time.
    Usage(UsagePage) { "Usage", List, Pane::Below(14), [Usage, List, Page, Always] }
    /// The findings of a shadow.
    Shadow(ShadowPage) { "Shadow", List, Pane::Below(14), [Shadow, List, Page, Always] }
    /// All clusters that can be opened.
    Clusters(ClustersPage) { "Clusters", List, Pane::Nowhere, [Clusters, List, Page, Always] }
    /// Values over time.
    Trends(TrendsPage) { "Trends", Text, Pane::Nowhere, [Trends, Page, Always] }
    /// The configurations that were active.
    Revisions(RevisionsPage) { "History of configurations", List, Pane::Below(14), [Revisions, List, Page, Always] }
}

/// The queue tree.
#[derive(Clone, Debug, Default)]
pub struct QueuesPage {
    /// The rows as they were made, with cursor, order and filter.
    pub list: Listing<QueueLine, QueuePath, QueueColumn>,
    /// The collapsed queues.
    pub collapsed: BTreeSet<QueuePath>,
    /// The number of draining queues.
    pub draining: usize,
    /// Pending applications to sort by; only with the dashboard.
    pub waiting: Option<Arc<WaitingNow>>,
}

impl QueuesPage {
    /// Expands ancestors, and drops a hiding filter. The caller rebuilds the rows.
    pub fn go_to(&mut self, path: &QueuePath) {
        self.list.filter.clear();
        self.collapsed.retain(|folded| folded == path || !path.is_within(folded));
        self.list.cursor.wanted = Some(path.clone());
        self.list.built = None;
    }
}

/// A row of the queue tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueLine {
    /// The slot in the view.
    pub slot: QueueSlot,
    /// The depth in the tree.
    pub depth: u16,
    /// Whether it has visible children.
    pub fold: Fold,
    /// It matches the filter itself; otherwise a descendant does.
    pub matched: bool,
}

/// The fold state of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// It has none.
    Leaf,
    /// Children are visible.
    Open,
    /// Children are hidden.
    Closed,
}

/// Applications of the partition, a subtree, or draining queues.
#[derive(Clone, Debug)]
pub struct AppsPage {
    /// `None` for all.
    pub scope: Option<QueuePath>,
    /// Include completed applications.
    pub ended: bool,
    /// Only applications that block draining queues.
    pub draining: bool,
    /// The marked applications, for the next operation.
    pub marked: BTreeMap<AppId, AppSlot>,
    /// The typed text; valid while the marks are.
    pub typed: Option<String>,
    /// The rows as they were made, with cursor, order and filter.
    pub list: Listing<AppLine, AppId, AppColumn>,
}

impl AppsPage {
    /// The applications in the subtree of `scope`.
    pub fn new(scope: Option<QueuePath>) -> Self {
        Self { scope, ended: false, draining: false, marked: BTreeMap::new(), typed: None, list: Listing::default() }
    }

    /// Removes all marks.
    pub fn unmark(&mut self) {
        self.marked.clear();
        self.typed = None;
    }
}

/// A row of the applications.
#[derive(Clone, Debug)]
pub enum AppLine {
    /// The slot is reused after it ends.
    Live(AppSlot, AppId),
    /// A completed application: its row is final.
    Ended(Arc<AppRow>),
}

impl AppLine {
    /// The application id.
    pub fn id(&self) -> &AppId {
        match self {
            Self::Live(_, id) => id,
            Self::Ended(row) => &row.id,
        }
    }
}

/// One application: its requests and allocations, pending ones first.
#[derive(Clone, Debug)]
pub struct AppPage {
    /// It may have ended or be removed.
    pub id: AppId,
    /// Its current row, or the last known one.
    pub row: Option<Arc<AppRow>>,
    /// The generation of the applications at the last lookup.
    pub sought: Option<u64>,
    /// Requests and allocations by key in the row.
    pub list: Listing<u64, AskId, AskColumn>,
}

impl AppPage {
    /// Opens with the cursor on a request if given.
    pub fn new(id: AppId, ask: Option<AskId>) -> Self {
        let list = Listing { cursor: ask.map_or_else(Cursor::default, Cursor::at), ..Listing::default() };
        Self { id, row: None, sought: None, list }
    }
}

/// A list or a map.
#[derive(Clone, Debug, Default)]
pub struct NodesPage {
    /// Show the map.
    pub map: bool,
    /// The rows as they were made, with cursor, order and filter.
    pub list: Listing<NodeId, NodeId, NodeColumn>,
}

/// One node: its allocations, and foreign pods.
#[derive(Clone, Debug)]
pub struct NodePage {
    /// The id; the node may be removed.
    pub id: NodeId,
    /// Its current row, or the last known one.
    pub row: Option<Arc<NodeRow>>,
    /// Whether the view contains the row.
    pub there: bool,
    /// Its allocations, by key in the row.
    pub list: Listing<u64, (AppId, AskId), AllocationColumn>,
}

impl NodePage {
    /// The page of a node.
    pub fn new(id: NodeId) -> Self {
        Self { id, row: None, there: true, list: Listing::default() }
    }
}

/// A user or a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// User or group.
    pub side: Side,
    /// The name of the user or group.
    pub name: Arc<str>,
}

/// Users and groups.
#[derive(Clone, Debug, Default)]
pub struct UsersPage {
    /// The groups that count each user's applications.
    pub groups: BTreeMap<Arc<str>, Vec<Arc<str>>>,
    /// The rows as they were made, with cursor, order and filter.
    pub list: Listing<Account, Account, UserColumn>,
}

impl UsersPage {
    /// The groups of a user; empty for a group.
    pub fn groups_of(&self, account: &Account) -> &[Arc<str>] {
        let own = (account.side == Side::User).then(|| self.groups.get(&account.name)).flatten();
        own.map_or(&[], Vec::as_slice)
    }
}

/// One user or group, queue by queue.
#[derive(Clone, Debug)]
pub struct AccountPage {
    /// The user or group.
    pub account: Account,
    /// `None` without an active application.
    pub row: Option<Arc<UsageRow>>,
    /// The groups that count the user's applications.
    pub groups: Vec<Arc<str>>,
    /// The number of applications that its limits block.
    pub waiting: usize,
    /// A tree, with blocked applications in the leaves.
    pub list: Listing<AccountLine, LineId, LevelColumn>,
}

impl AccountPage {
    /// The page of an account.
    pub fn new(account: Account) -> Self {
        Self { account, row: None, groups: Vec::new(), waiting: 0, list: Listing::default() }
    }
}

/// A row of one user or group.
#[derive(Clone, Debug)]
pub struct AccountLine {
    /// What it is about.
    pub id: LineId,
    /// The slot of an application.
    pub slot: Option<AppSlot>,
    /// The depth in the tree.
    pub depth: u16,
    /// The number of pending requests.
    pub asks: u32,
}

impl AccountLine {
    /// The last path part, or the id.
    pub fn name(&self) -> &str {
        match &self.id {
            LineId::Queue(path) => path.name(),
            LineId::Group(_, group) => group,
            LineId::App(id) => id.as_str(),
        }
    }
}

/// The subject of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineId {
    /// A queue with counted applications.
    Queue(QueuePath),
    /// A group limit in a queue that counts the user.
    Group(QueuePath, Arc<str>),
    /// An application that a limit blocks.
    App(AppId),
}

/// Who did what.
#[derive(Clone, Debug, Default)]
pub struct AuditPage {
    /// Only entries of this user.
    pub user: Option<String>,
    /// Only this action.
    pub action: Option<String>,
    /// Only this object.
    pub object: Option<String>,
    /// The rows as they were made, with cursor, order and filter.
    pub list: Listing<Arc<AuditEntry>, u64, AuditColumn>,
}

/// The configurations that were active.
#[derive(Clone, Debug, Default)]
pub struct RevisionsPage {
    /// `None`: the previous one.
    pub marked: Option<u64>,
    /// The rows as they were made, with cursor, order and filter.
    pub list: Listing<Arc<Revision>, u64, RevisionColumn>,
}

/// All details of one object.
#[derive(Clone, Debug)]
pub struct DetailsPage {
    /// What the sheet is about.
    pub subject: Subject,
    /// The first visible line.
    pub top: usize,
}

/// The subject of details.
#[derive(Clone, Debug)]
pub enum Subject {
    /// A queue, by its path.
    Queue(QueuePath),
    /// An application, in its state when selected.
    App(Arc<AppRow>),
    /// A node, by its id.
    Node(NodeId),
    /// A user or a group.
    Account(Account),
    /// The placement of an application.
    Why(Arc<AppRow>),
    /// The ACLs of a queue.
    Access(QueuePath),
    /// The partitions of the scheduler.
    Partitions,
    /// The console and its machine, for a bug report.
    Info,
    /// An event with the statistics of its type.
    Event(Arc<Record>),
    /// The console's consistency checks, and the scheduler's health report.
    Health(Arc<Checkup>),
    /// The history of the cluster or of one queue.
    History(Option<QueuePath>),
    /// An entry of the audit.
    Entry(Arc<AuditEntry>),
    /// The text of a revision.
    Revision(u64),
    /// One simulation run.
    Simulated(Arc<SimulatedRun>),
    /// The differences of two revisions.
    Compare(u64, u64),
    /// The differences of the two sides of a what-if.
    Sides,
}
