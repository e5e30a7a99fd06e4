//! The command ids in groups.

use std::fmt;

/// Group, and id in the group.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum CommandId {
    /// Rows of a list: cursor, marks, folds.
    Row(RowCommand),
    /// Sort and columns of a list.
    Column(ColumnCommand),
    /// Open a page or a layer.
    Go(GoCommand),
    /// Forms: placement, and a change of one queue.
    Form(FormCommand),
    /// The text of a configuration.
    Text(TextCommand),
    /// The events, the audit and the revisions.
    Log(LogCommand),
    /// The past: the moment that is on the screen.
    Time(TimeCommand),
    /// The trends page.
    Trend(TrendCommand),
    /// What if: a copy of the cluster, and the changes in it.
    Trial(TrialCommand),
    /// Operations of the scheduler.
    Order(OrderCommand),
    /// Jobs of this machine.
    Job(JobCommand),
    /// Pods of Kubernetes.
    Pod(PodCommand),
    /// Text inputs and confirmations.
    Prompt(PromptCommand),
    /// The console: screen, clipboard, files, exit.
    Screen(ScreenCommand),
}

/// The settings derive command names from it.
impl fmt::Debug for CommandId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Row(command) => command.fmt(f),
            Self::Column(command) => command.fmt(f),
            Self::Go(command) => command.fmt(f),
            Self::Form(command) => command.fmt(f),
            Self::Text(command) => command.fmt(f),
            Self::Log(command) => command.fmt(f),
            Self::Time(command) => command.fmt(f),
            Self::Trend(command) => command.fmt(f),
            Self::Trial(command) => command.fmt(f),
            Self::Order(command) => command.fmt(f),
            Self::Job(command) => command.fmt(f),
            Self::Pod(command) => command.fmt(f),
            Self::Prompt(command) => command.fmt(f),
            Self::Screen(command) => command.fmt(f),
        }
    }
}

/// Rows of a list: cursor, marks, folds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the registry describes each command")]
pub enum RowCommand {
    Open,
    Details,
    Fold,
    FoldClose,
    FoldOpen,
    FoldAll,
    OpenAll,
    Ended,
    Up,
    Down,
    PageUp,
    PageDown,
    Top,
    Bottom,
    Mark,
    MarkAll,
    HeatMap,
}

/// Sort and columns of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the registry describes each command")]
pub enum ColumnCommand {
    SortNext,
    SortPrevious,
    SortReverse,
    Sort,
    Columns,
    Wide,
    ColumnsRight,
    ColumnsLeft,
    SavedView,
    ColumnToggle,
    ColumnEarlier,
    ColumnLater,
    ColumnWider,
    ColumnNarrower,
    ColumnsDefault,
}

/// Open a page or a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the registry describes each command")]
pub enum GoCommand {
    Queues,
    Apps,
    Nodes,
    Users,
    GoUser,
    GoGroup,
    GoApp,
    GoNode,
    GoPlace,
    Find,
    Placement,
    Why,
    Explain,
    ExplainAll,
    Fairness,
    Alerts,
    Limits,
    Clusters,
    Overview,
    Trends,
    Simulate,
    Shadow,
    Usage,
    UsageBy,
    UsagePeriod,
    Partitions,
    Partition,
    Context,
    AskContext,
    Info,
    Config,
    Events,
    EventsOf,
    History,
    Health,
    Draining,
    Audit,
    Revisions,
    NextPage,
    PreviousPage,
    JumpBack,
    JumpForward,
    Metrics,
    Tour,
    Help,
    Messages,
    Back,
    Leave,
}

/// Forms: placement, and a change of one queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the registry describes each command")]
pub enum FormCommand {
    Try,
    TryText,
    Write,
    NextField,
    PreviousField,
    EndWriting,
    ClearForm,
    TakeSuggestion,
    SetMax,
    SetGuaranteed,
    SetProperty,
    AddQueue,
    SetLimit,
    RemoveQueue,
}

/// The text of a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the registry describes each command")]
pub enum TextCommand {
    EditText,
    EndEdit,
    CompleteText,
    ChooseText,
    UnchooseText,
    Apply,
    Undo,
    Redo,
    NextFound,
    PreviousFound,
    NextFault,
    PreviousFault,
    FoldText,
    FoldTextAll,
    UnfoldTextAll,
    SidePane,
    EditOutside,
    Revert,
    Restore,
    Merge,
    Rebase,
}

/// The events, the audit and the revisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the registry describes each command")]
pub enum LogCommand {
    Follow,
    EventsAll,
    EventsKind,
    EventsWhat,
    AuditUser,
    AuditAction,
    AuditObject,
    MarkRevision,
    RollBack,
    Silence,
    EndSilence,
}

/// The past: the moment that is on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the registry describes each command")]
pub enum TimeCommand {
    GoBack,
    StepBack,
    StepOn,
    Live,
}

/// The trends page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the registry describes each command")]
pub enum TrendCommand {
    TrendEarlier,
    TrendLater,
    TrendPageEarlier,
    TrendPageLater,
    TrendOldest,
    TrendNow,
    ZoomIn,
    ZoomOut,
    NextValue,
    PreviousValue,
    SecondValue,
    NoSecondValue,
    NextMark,
    PreviousMark,
    TrendMoment,
}

/// What if: a copy of the cluster, and the changes in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the registry describes each command")]
pub enum TrialCommand {
    WhatIf,
    TryThis,
    Forward,
    Suppose,
    TakeBack,
    OtherSide,
    Compare,
    Changes,
}

/// Operations of the scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the registry describes each command")]
pub enum OrderCommand {
    Kill,
    MoveBack,
    SuspendOwners,
    UnsuspendOwners,
    Submit,
    Ask,
    Release,
    RemoveApp,
    DrainNode,
    ResumeNode,
    Clean,
    Move,
    Pause,
    Resume,
}

/// Jobs of this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the registry describes each command")]
pub enum JobCommand {
    Job,
    FollowOutput,
    HoldJob,
    ReleaseJob,
    RequeueJob,
    JobPriority,
    EditJob,
}

/// Pods of Kubernetes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the registry describes each command")]
pub enum PodCommand {
    Describe,
    Log,
    Yaml,
    FollowLog,
    PreviousRun,
    NextContainer,
    NextPod,
    PreviousPod,
    NextMatch,
    PreviousMatch,
    ScrollLeft,
    ScrollRight,
}

/// Text inputs and confirmations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the registry describes each command")]
pub enum PromptCommand {
    Filter,
    CommandLine,
    ExportAs,
    Accept,
    Cancel,
    Complete,
    Choose,
    Unchoose,
    Older,
    Newer,
    OtherAnswer,
    Yes,
    Reason,
}

/// The console: screen, clipboard, files, exit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the registry describes each command")]
pub enum ScreenCommand {
    Refresh,
    Freeze,
    Marks,
    Mouse,
    Theme,
    CopyName,
    CopyRow,
    CopyYaml,
    Export,
    OwnCommand,
    Suspend,
    Repaint,
    Quit,
    QuitNow,
    QuitAgain,
}
