//! The commands by their ids, and where keys mean them. What each does and is called stands in the registry.

mod id;

pub use id::{
    ColumnCommand, CommandId, FormCommand, GoCommand, JobCommand, LogCommand, OrderCommand, PodCommand, PromptCommand,
    RowCommand, ScreenCommand, TextCommand, TimeCommand, TrendCommand, TrialCommand,
};

/// Where a key means something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "Context::title says what each is")]
pub enum Context {
    Queues,
    Apps,
    App,
    Job,
    Pod,
    Nodes,
    Node,
    Users,
    Account,
    Details,
    Explain,
    Fairness,
    Alerts,
    Placement,
    Config,
    Contexts,
    Change,
    Events,
    Audit,
    Revisions,
    Simulate,
    /// The page of every context of the settings, with figures.
    Clusters,
    Trends,
    Edit,
    Form,
    List,
    Page,
    Help,
    Messages,
    Columns,
    Filter,
    Command,
    Confirm,
    Typed,
    Reason,
    Always,
}

impl Context {
    /// The heading over its keys in the help and the README.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Queues => "Queues",
            Self::Apps => "Applications",
            Self::App => "Application",
            Self::Job => "Job",
            Self::Pod => "Pod",
            Self::Nodes => "Nodes",
            Self::Node => "Node",
            Self::Users => "Users and groups",
            Self::Account => "User or group",
            Self::Details => "Details",
            Self::Explain => "Why it waits",
            Self::Fairness => "Fairness",
            Self::Alerts => "Alerts",
            Self::Placement => "Placement",
            Self::Config => "Configuration",
            Self::Contexts => "Contexts",
            Self::Change => "Form on a queue",
            Self::Events => "Events",
            Self::Audit => "Audit",
            Self::Revisions => "History of configurations",
            Self::Simulate => "Simulation",
            Self::Clusters => "Clusters",
            Self::Trends => "Trends",
            Self::Edit => "While editing",
            Self::Form => "While writing a form",
            Self::List => "In every list",
            Self::Page => "On every page",
            Self::Help => "In this help",
            Self::Messages => "In the messages",
            Self::Columns => "While choosing columns",
            Self::Filter => "While writing a filter",
            Self::Command => "In the command line",
            Self::Confirm => "When asked",
            Self::Typed => "When asked to type a name",
            Self::Reason => "While writing a reason",
            Self::Always => "Always",
        }
    }

    /// Its name in a person's settings.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Queues => "queues",
            Self::Apps => "apps",
            Self::App => "app",
            Self::Job => "job",
            Self::Pod => "pod",
            Self::Nodes => "nodes",
            Self::Node => "node",
            Self::Users => "users",
            Self::Account => "account",
            Self::Details => "details",
            Self::Explain => "explain",
            Self::Fairness => "fairness",
            Self::Alerts => "alerts",
            Self::Placement => "placement",
            Self::Config => "config",
            Self::Contexts => "contexts",
            Self::Change => "change",
            Self::Events => "events",
            Self::Audit => "audit",
            Self::Revisions => "revisions",
            Self::Simulate => "simulate",
            Self::Clusters => "clusters",
            Self::Trends => "trends",
            Self::Edit => "edit",
            Self::Form => "form",
            Self::List => "list",
            Self::Page => "page",
            Self::Help => "help",
            Self::Messages => "messages",
            Self::Columns => "columns",
            Self::Filter => "filter",
            Self::Command => "command",
            Self::Confirm => "confirm",
            Self::Typed => "typed",
            Self::Reason => "reason",
            Self::Always => "always",
        }
    }

    /// Whether characters are written in it, so that they cannot mean a command.
    pub const fn writes(self) -> bool {
        matches!(self, Self::Edit | Self::Form | Self::Filter | Self::Command | Self::Typed | Self::Reason)
    }

    /// All contexts, in the order of the help.
    pub const ALL: [Self; 36] = [
        Self::Queues,
        Self::Apps,
        Self::App,
        Self::Job,
        Self::Pod,
        Self::Nodes,
        Self::Node,
        Self::Users,
        Self::Account,
        Self::Details,
        Self::Explain,
        Self::Fairness,
        Self::Alerts,
        Self::Placement,
        Self::Config,
        Self::Contexts,
        Self::Change,
        Self::Events,
        Self::Audit,
        Self::Revisions,
        Self::Simulate,
        Self::Clusters,
        Self::Trends,
        Self::List,
        Self::Page,
        Self::Edit,
        Self::Form,
        Self::Filter,
        Self::Command,
        Self::Confirm,
        Self::Typed,
        Self::Reason,
        Self::Help,
        Self::Messages,
        Self::Columns,
        Self::Always,
    ];
}
