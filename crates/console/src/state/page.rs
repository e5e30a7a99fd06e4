//! The table of pages, and the state of each page. Rows are references (slots, keys); figures are read from the view when they are drawn.

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
    /// Applications of a subtree or of all queues.
    Apps(AppsPage) { "Applications", List, Pane::Below(10), [Apps, List, Page, Always] }
    /// The job that an application is: what it uses, its processes, its output.
    Job(JobPage) { "", Text, Pane::Nowhere, [Job, Page, Always] }
    /// Schedulers that one can go to.
    Contexts(ContextsPage) { "Contexts", Text, Pane::Nowhere, [Contexts, Page, Always] }
    /// A pod: what is known of it, a log, its text.
    Pod(Box<PodPage>) { "", Text, Pane::Nowhere, [Pod, Page, Always] }
    /// One application with its asks and allocations.
    App(AppPage) { "", List, Pane::OfOne(10), [App, List, Page, Always] }
    /// The nodes of the partition, as a list or as a map.
    Nodes(NodesPage) { "Nodes", List, Pane::Below(8), [Nodes, List, Page, Always] }
    /// One node with what runs on it.
    Node(NodePage) { "", List, Pane::OfOne(8), [Node, List, Page, Always] }
    /// Users and groups.
    Users(UsersPage) { "Users & groups", List, Pane::Below(10), [Users, List, Page, Always] }
    /// One user or group.
    Account(AccountPage) { "", List, Pane::OfOne(10), [Account, List, Page, Always] }
    /// Everything about one thing, to be scrolled.
    Details(DetailsPage) { "", Text, Pane::Nowhere, [Details, Page, Always] }
    /// Why something waits, or why something happened.
    Explain(Box<ExplainPage>) { "", Text, Pane::Nowhere, [Explain, Page, Always] }
    /// How queues stand to their guarantees.
    Fairness(FairnessPage) { "Fairness", List, Pane::Nowhere, [Fairness, List, Page, Always] }
    /// What is alerted about.
    Alerts(AlertsPage) { "Alerts", List, Pane::Nowhere, [Alerts, List, Page, Always] }
    /// How users and groups stand to their limits.
    Limits(LimitsPage) { "Limits", List, Pane::Nowhere, [Fairness, List, Page, Always] }
    /// Where a submission would go.
    Placement(Box<PlacementPage>) { "Placement", Form, Pane::Nowhere, [Placement, Page, Always] }
    /// The configuration: its text and what is wrong in it.
    Config(Box<ConfigPage>) { "Configuration", Config, Pane::BesideText, [Config, Page, Always] }
    /// A form on a queue.
    Change(Box<ChangePage>) { "", Form, Pane::Nowhere, [Change, Page, Always] }
    /// What happened, the newest first.
    Events(EventsPage) { "Events", List, Pane::Nowhere, [Events, List, Page, Always] }
    /// Who did what.
    Audit(AuditPage) { "Audit", List, Pane::Below(14), [Audit, List, Page, Always] }
    /// Runs of a workload.
    Simulate(Box<SimulatePage>) { "Simulation", List, Pane::Below(14), [Simulate, List, Page, Always] }
    /// What was used over time.
    Usage(UsagePage) { "Usage", List, Pane::Below(14), [Usage, List, Page, Always] }
    /// What a shadow found.
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
    /// The queues that are folded up.
    pub collapsed: BTreeSet<QueuePath>,
    /// How many queues are draining.
    pub draining: usize,
    /// Who waits, where the page has the dashboard, so that queues can be sorted by it.
    pub waiting: Option<Arc<WaitingNow>>,
}

impl QueuesPage {
    /// Goes to a queue, unfolding what is above it and dropping a filter that hides it. The rows are to be made again.
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
    /// Where its row is in the view.
    pub slot: QueueSlot,
    /// How deep it stands.
    pub depth: u16,
    /// Whether it has queues below, and whether they are shown.
    pub fold: Fold,
    /// Passed the filter itself; otherwise it is here for a queue below it.
    pub matched: bool,
}

/// Whether a row of a tree has rows below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// It has none.
    Leaf,
    /// They are shown.
    Open,
    /// They are not.
    Closed,
}

/// Applications: of the partition, of a queue and below it, or those that keep queues from draining.
#[derive(Clone, Debug)]
pub struct AppsPage {
    /// Below which queue; `None` for all.
    pub scope: Option<QueuePath>,
    /// Ended ones too.
    pub ended: bool,
    /// Only those that hold queues which drain.
    pub draining: bool,
    /// Those that the next order is about.
    pub marked: BTreeMap<AppId, AppSlot>,
    /// What was asked to be typed for an order on those that are marked; stays as long as they do.
    pub typed: Option<String>,
    /// The rows as they were made, with cursor, order and filter.
    pub list: Listing<AppLine, AppId, AppColumn>,
}

impl AppsPage {
    /// The applications in and below `scope`.
    pub fn new(scope: Option<QueuePath>) -> Self {
        Self { scope, ended: false, draining: false, marked: BTreeMap::new(), typed: None, list: Listing::default() }
    }

    /// Takes all marks away.
    pub fn unmark(&mut self) {
        self.marked.clear();
        self.typed = None;
    }
}

/// A row of the applications.
#[derive(Clone, Debug)]
pub enum AppLine {
    /// A live one, by its slot, which another one has after it ended, and its id.
    Live(AppSlot, AppId),
    /// One that ended: its row never changes any more.
    Ended(Arc<AppRow>),
}

impl AppLine {
    /// The id of the application, live or ended.
    pub fn id(&self) -> &AppId {
        match self {
            Self::Live(_, id) => id,
            Self::Ended(row) => &row.id,
        }
    }
}

/// One application: its asks and allocations, pending ones first.
#[derive(Clone, Debug)]
pub struct AppPage {
    /// The id; the application may have ended, or be gone.
    pub id: AppId,
    /// Its row in the view shown; the last known one when it no longer exists.
    pub row: Option<Arc<AppRow>>,
    /// The generation of the applications when it was looked for last.
    pub sought: Option<u64>,
    /// Its asks and allocations, by their key in the row.
    pub list: Listing<u64, AskId, AskColumn>,
}

impl AppPage {
    /// The page of an application, the cursor on an ask if one is given.
    pub fn new(id: AppId, ask: Option<AskId>) -> Self {
        let list = Listing { cursor: ask.map_or_else(Cursor::default, Cursor::at), ..Listing::default() };
        Self { id, row: None, sought: None, list }
    }
}

/// The nodes, as a list or as a map of how full they are.
#[derive(Clone, Debug, Default)]
pub struct NodesPage {
    /// The nodes as a map next to the table.
    pub map: bool,
    /// The rows as they were made, with cursor, order and filter.
    pub list: Listing<NodeId, NodeId, NodeColumn>,
}

/// One node: its allocations, and those of other schedulers.
#[derive(Clone, Debug)]
pub struct NodePage {
    /// The id; the node may be gone.
    pub id: NodeId,
    /// Its row in the view shown; the last known one when it no longer exists.
    pub row: Option<Arc<NodeRow>>,
    /// Whether the row is still in the view.
    pub there: bool,
    /// What runs on it, by key in the row.
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
    /// Which of the two.
    pub side: Side,
    /// The name of the user or group.
    pub name: Arc<str>,
}

/// Users and groups.
#[derive(Clone, Debug, Default)]
pub struct UsersPage {
    /// The groups that count what each user's applications do, by user.
    pub groups: BTreeMap<Arc<str>, Vec<Arc<str>>>,
    /// The rows as they were made, with cursor, order and filter.
    pub list: Listing<Account, Account, UserColumn>,
}

impl UsersPage {
    /// The groups that count what an account does; of a group none.
    pub fn groups_of(&self, account: &Account) -> &[Arc<str>] {
        let own = (account.side == Side::User).then(|| self.groups.get(&account.name)).flatten();
        own.map_or(&[], Vec::as_slice)
    }
}

/// One user or group, queue by queue.
#[derive(Clone, Debug)]
pub struct AccountPage {
    /// Whom the page is about.
    pub account: Account,
    /// Its row in the view shown; `None` when it has no live application.
    pub row: Option<Arc<UsageRow>>,
    /// The groups that count what a user's applications do.
    pub groups: Vec<Arc<str>>,
    /// How many applications wait because of its limits.
    pub waiting: usize,
    /// Its queues as a tree, and below each leaf the applications that wait because of a limit.
    pub list: Listing<AccountLine, LineId, LevelColumn>,
}

impl AccountPage {
    /// The page of a user or a group.
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
    /// How deep it stands.
    pub depth: u16,
    /// How many asks of an application wait.
    pub asks: u32,
}

impl AccountLine {
    /// The last part of a queue's path, or the id of an application.
    pub fn name(&self) -> &str {
        match &self.id {
            LineId::Queue(path) => path.name(),
            LineId::Group(_, group) => group,
            LineId::App(id) => id.as_str(),
        }
    }
}

/// What a row of one user or group is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineId {
    /// A queue in which applications count.
    Queue(QueuePath),
    /// The limit of a group in a queue that counts what a user does.
    Group(QueuePath, Arc<str>),
    /// An application that waits because of a limit.
    App(AppId),
}

/// Who did what.
#[derive(Clone, Debug, Default)]
pub struct AuditPage {
    /// Only what this user did.
    pub user: Option<String>,
    /// Only this action.
    pub action: Option<String>,
    /// Only what was done to this.
    pub object: Option<String>,
    /// The rows as they were made, with cursor, order and filter.
    pub list: Listing<Arc<AuditEntry>, u64, AuditColumn>,
}

/// The configurations that were active.
#[derive(Clone, Debug, Default)]
pub struct RevisionsPage {
    /// The one that others are compared with; `None`: each with the one before.
    pub marked: Option<u64>,
    /// The rows as they were made, with cursor, order and filter.
    pub list: Listing<Arc<Revision>, u64, RevisionColumn>,
}

/// Everything about one thing.
#[derive(Clone, Debug)]
pub struct DetailsPage {
    /// What the sheet is about.
    pub subject: Subject,
    /// The first line on the screen.
    pub top: usize,
}

/// What details are about.
#[derive(Clone, Debug)]
pub enum Subject {
    /// A queue, by its path.
    Queue(QueuePath),
    /// An application, in its state when it was chosen.
    App(Arc<AppRow>),
    /// A node, by its id.
    Node(NodeId),
    /// A user or a group.
    Account(Account),
    /// Why an application is in its queue, or in none.
    Why(Arc<AppRow>),
    /// The submitters and administrators of a queue.
    Access(QueuePath),
    /// The partitions of the scheduler.
    Partitions,
    /// This console and its machine, for a report.
    Info,
    /// An event with the numbers of its kind.
    Event(Arc<Record>),
    /// Whether the cluster's numbers agree, and what the scheduler says of that itself.
    Health(Arc<Checkup>),
    /// What the cluster looked like, or one queue.
    History(Option<QueuePath>),
    /// An entry of the audit.
    Entry(Arc<AuditEntry>),
    /// The text of a configuration that was active.
    Revision(u64),
    /// One run of a simulation.
    Simulated(Arc<SimulatedRun>),
    /// What is different between two of them.
    Compare(u64, u64),
    /// What differs between the two sides of a what-if.
    Sides,
}
